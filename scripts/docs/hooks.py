# SPDX-License-Identifier: Apache-2.0
"""What mkdocs does besides for the site: pages from README.md, headers and docstrings, and links out of docs/."""

import pathlib
import re
import sys

from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "docs"))

import headers
import messages

LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?:|#|mailto:)([^)#\s]+)(#[^)\s]*)?\)")
# Pages of the repository's root, and what they are called here.
ROOT_PAGES = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}

PYTHON = """# Python interface

::: coracle.load
    options:
      docstring_style: google

::: coracle.quantize
    options:
      docstring_style: google

::: coracle
    options:
      members: [load_memory, inspect, pass_names, cpu_isa, default_threads, devices, available_engines, bind_thread, memory_total, set_log_level, bench,
                Model, Session, AsyncRun, AsyncInferQueue, DeviceTensor, Pool, power_by_engine, pipeline, ocr, document, markdown, Pipeline, Prediction, Document, Label, TextBox, TextLine, DetectedObject, ClassArea, AnomalyMap, Table, Seal, Mask, Keypoint, Source,
                QuantizationReport, QuantizedLayer, OutputAccuracy, Results, TensorInfo, NodeValue, Operator, operator, TensorType, load_operators, Profile,
                OperatorTime, Step, Bench, Memory, MachineLimits, Error, InvalidArgumentError, InvalidModelError, UnsupportedError,
                FileError, MissingFileError, OutOfMemoryError, RunFailureError, CancelledError]
      show_root_heading: false
      show_root_toc_entry: false

::: coracle.batch
    options:
      members: [Predictor, PicturePredictor, TextReader, assigned_threads]
      show_root_heading: true

::: coracle.ray
    options:
      members: [deployment]
      show_root_heading: true

::: coracle.spark
    options:
      members: [predict_fn]
      show_root_heading: true
"""
PADDLE = """# coracle.paddle.inference

::: coracle.paddle.inference
    options:
      members: [Config, create_predictor, Predictor, PredictorPool, Tensor, DataType, PlaceType, PrecisionType, XpuConfig, InternalUtils,
                convert_to_mixed_precision, get_version, get_num_bytes_of_data_type, get_trt_compile_version, get_trt_runtime_version]
      show_root_heading: false
      show_root_toc_entry: false
      inherited_members: true
"""


def _text(path):
    return (ROOT / path).read_text("utf-8")


def _decisions():
    lines = ["# Decisions\n"]
    for path in sorted((ROOT / "docs" / "adr").glob("*.md")):
        lines.append("- [%s](%s)" % (path.read_text("utf-8").splitlines()[0].lstrip("# "), path.name))
    return "\n".join(lines) + "\n"


def on_files(files, config):
    c_headers = [_text("include/coracle/" + name) for name in ("coracle.h", "device.h", "operator.h")]
    made = {"reference/c.md": headers.c_reference(*c_headers),
            "reference/cpp.md": headers.cpp_reference(*(_text("include/coracle/" + name) for name in ("tensor.hpp", "operator.hpp", "coracle.hpp"))),
            "reference/python.md": PYTHON, "reference/python-paddle.md": PADDLE,
            "reference/operators.md": headers.operator_table(ROOT / "src" / "ops"), "reference/messages.md": messages.page(ROOT),
            "adr/index.md": _decisions(),
            **{page: _links(_text(source), ROOT / source, page) for source, page in ROOT_PAGES.items()}}
    for name, content in made.items():
        files.append(File.generated(config, name, content=content))
    return files


def _links(markdown, source, page):
    """Links of a page as the site has them: within docs/ as pages, and what is in the repository only as its path."""
    docs, here = ROOT / "docs", (ROOT / "docs" / page).parent

    def moved(match):
        image, text, target, anchor = match.groups()
        path = (source.parent / target).resolve()
        if not path.exists():
            return match[0]   # mkdocs says that it is not there.
        name = str(path.relative_to(ROOT))
        if name in ROOT_PAGES:
            path = docs / ROOT_PAGES[name]
        elif path == docs / "adr":
            path = docs / "adr" / "index.md"
        elif docs not in path.parents:
            return text if text.strip("`") == name else "%s (`%s`)" % (text, name)
        up = [".."] * len(here.relative_to(docs).parts)
        return "%s[%s](%s%s)" % (image, text, "/".join([*up, *path.relative_to(docs).parts]), anchor or "")

    blocks = re.split(r"(^```.*?^```$)", markdown, flags=re.M | re.S)
    return "".join(block if block.startswith("```") else LINK.sub(moved, block) for block in blocks)


def on_page_markdown(markdown, page, config, files):
    source = ROOT / "docs" / page.file.src_uri
    return _links(markdown, source, page.file.src_uri) if source.exists() else markdown
