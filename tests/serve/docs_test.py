# SPDX-License-Identifier: Apache-2.0
"""What the pages tell users to type: each block with lines for the server or curl, and each of Python that asks it, is run as it stands
against servers started by the command lines of the page. Nothing is replaced but the files of FILES, which the pages leave to the reader,
and ports, by free ones."""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

import pytest
from conftest import Server
from grpc_client import MODULE, PROGRAM

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEMO = pathlib.Path(os.environ.get("CORACLE_DEMO_MODELS", ROOT / "build" / "demo-models")).resolve()
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
COMMAND = re.compile(r"^(?:.*\| )?(?:coracle-serve|curl) |localhost:8\d\d\d", re.M)
HERE_DOCUMENT = r".* <<'END'\n(?:.*\n)*?END\n"
# By words of a block: why it is not run.
EXCUSED = {
    "systemctl enable --now coracle-serve": "changes the machine: systemd_test.py runs the unit",
    "podman build": "needs podman and packages",
    "tritonserver --model-repository": "needs Triton: triton_backend_test.py runs it",
    "ernie=ernie.coracle": "its model is the reader's: ernie_inputs_test.py and the tests SizeBuckets have such sizes",
    "v2/models/b/stats": "its models are the reader's: ensembles_test.py counts the runs of each step",
}
# Pages name these as files of the reader: what stands for them here.
OCR_FILE = """
pipeline_name: OCR
use_doc_preprocessor: False
use_textline_orientation: False
SubModules:
  TextDetection: {model_dir: build/demo-models/models/ch_PP-OCRv4_det_infer}
  TextRecognition: {model_dir: recogniser}
"""
RECOGNISER = """Global: {model_name: PP-OCRv4_mobile_rec}
PreProcess: {transform_ops: [{DecodeImage: {channel_first: false, img_mode: BGR}}, {RecResizeImg: {image_shape: [3, 48, 320]}}]}
PostProcess: {name: CTCLabelDecode, character_dict: ["a"]}
"""


class Block:
    def __init__(self, page, line, language, text):
        self.name, self.language, self.text = "%s:%d" % (page.relative_to(ROOT), line), language, text
        self.commands = [c.rstrip() for c in re.findall(HERE_DOCUMENT + "|.+", re.sub(r"\\\n\s*", "", text))]
        self.servers = [c for c in self.commands if c.startswith("coracle-serve ")] if language == "sh" else []

    def excuse(self):
        return next((why for words, why in EXCUSED.items() if words in self.text), None)


def blocks_of(page):
    text = page.read_text(encoding="utf-8")
    for found in re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.S | re.M):
        block = Block(page, text.count("\n", 0, found.start()) + 1, found[1], found[2])
        if (page.name == "serving.md" and block.language not in ("json", "text")) or COMMAND.search(block.text):
            yield block


BLOCKS = [block for page in PAGES for block in blocks_of(page)]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder in which the paths of the pages lead to something."""
    for needed in (DEMO / "models" / "ch_PP-OCRv4_rec_infer", ROOT / "examples" / "ocr" / "demo.jpg"):
        if not needed.exists():
            pytest.skip("%s is not there" % needed)
    folder = tmp_path_factory.mktemp("reader")
    (folder / "build").mkdir()
    (folder / "build" / "demo-models").symlink_to(DEMO)
    (folder / "examples").symlink_to(ROOT / "examples")
    (folder / "cat.jpg").symlink_to(ROOT / "examples" / "ocr" / "demo.jpg")
    cats = folder / "PP-LCNet_x1_0_infer"
    cats.mkdir()
    shutil.copy(ROOT / "tests" / "vision" / "objects" / "inference.pdmodel", cats)
    shutil.copy(ROOT / "tests" / "vision" / "descriptions" / "objects.yml", cats / "inference.yml")
    recogniser = folder / "recogniser"
    recogniser.mkdir()
    for file in (DEMO / "models" / "ch_PP-OCRv4_rec_infer").glob("inference.*"):
        (recogniser / file.name).symlink_to(file)
    words = (DEMO / "ch_ppocr_rec" / "ppocr_keys_v1.txt").read_text("utf-8").splitlines()
    (recogniser / "inference.yml").write_text(RECOGNISER.replace('"a"', ", ".join("'%s'" % word.replace("'", "''") for word in words)), "utf-8")
    (folder / "OCR.yaml").write_text(OCR_FILE)
    return folder


class Running:
    """The server that a page started last. Its tests may also run alone."""

    def __init__(self, place):
        self.place, self.line, self.server = place, None, None

    def start(self, block, line):
        if line == self.line:
            return
        self.stop()
        variables = [c for c in block.commands if re.match(r"\w+=\S*$", c)]
        words = subprocess.run(["bash", "-c", "\n".join([*variables, "printf '%s\\0' " + line])], cwd=self.place, check=True,
                               capture_output=True, text=True).stdout.split("\0")[1:-1]
        self.server = Server(*words, *(["--grpc-port", "0"] if MODULE.exists() else []), program=[PROGRAM.resolve()], cwd=self.place)
        self.line = line

    def stop(self):
        if self.server:
            assert self.server.stop() == 0, "".join(self.server.lines)
        self.line = self.server = None

    def ask(self, command, *arguments):
        for port, ours in (("8000", self.server.port), ("8001", self.server.grpc_port), ("8002", self.server.metrics_port)):
            command = command.replace("localhost:" + port, "localhost:%s" % ours)
        done = subprocess.run([*arguments, command], cwd=self.place, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, "%s\n%s%s" % (command[:400], done.stdout[:2000], done.stderr[-2000:])
        return done


@pytest.fixture(scope="module")
def running(place):
    running = Running(place)
    yield running
    running.stop()


def lines_before(block):
    """The command line of the server that a block without one asks: the last one above it on its page."""
    page = block.name.split(":")[0]
    above = [b for b in BLOCKS[:BLOCKS.index(block)] if b.name.split(":")[0] == page and b.servers and not b.excuse()]
    return (above[-1], above[-1].servers[-1]) if above else None


# What curl adds: an answer of an error is one of the command, and the status goes where it can be looked at.
CURL = "set -euo pipefail\ncurl() { command curl -sS --fail-with-body -w '%{stderr}\\nstatus %{http_code}\\n' \"$@\"; }\n"


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.name)
def test_a_block_does_what_its_page_says(block, running):
    if why := block.excuse():
        pytest.skip(why)
    assert block.language in ("sh", "python"), "%s is neither run nor excused: %s" % (block.name, block.text)
    if "8001" in block.text and not MODULE.exists():
        pytest.skip("built without gRPC (libgrpc++-dev)")
    if not block.servers:
        assert (above := lines_before(block)), "%s asks a server that its page does not start" % block.name
        running.start(*above)
    if block.language == "python":
        assert running.ask(block.text, sys.executable, "-c").stdout
        return
    variables = "".join(c + "\n" for c in block.commands if re.match(r"\w+=\S*$", c))
    for command in block.commands:
        if command.startswith("coracle-serve "):
            running.start(block, command)
        elif not re.match(r"\w+=\S*$", command):
            done = running.ask(CURL + variables + command, "bash", "-c") if running.server else subprocess.run(
                ["bash", "-c", command], cwd=running.place, check=True, capture_output=True, text=True)
            if "curl " in command:
                statuses = re.findall(r"^status (\d+)$", done.stderr, re.M)
                assert statuses and all(status.startswith("2") for status in statuses), (command[:400], done.stderr)


def test_every_excuse_is_one():
    for words in EXCUSED:
        assert any(words in block.text for block in BLOCKS), "no block has '%s'" % words


def test_every_option_is_on_the_page_and_in_the_manual():
    say = lambda *arguments: subprocess.run([PROGRAM, *arguments], check=True, capture_output=True, text=True).stdout
    options = re.findall(r"^ +(?:-\w,)?(--[a-z0-9-]+)", say("--help"), re.M)
    assert len(options) > 30, options
    page, manual = (ROOT / "docs" / "serving.md").read_text("utf-8"), say("--manual").replace("\\-", "-")
    for text, where in ((page, "docs/serving.md"), (manual, "the manual page")):
        missing = [option for option in options if not re.search(re.escape(option) + r"(?![\w-])", text)]
        assert not missing, "%s lacks %s" % (where, ", ".join(missing))


def test_every_option_of_the_page_is_one():
    """Options in the lines for the server, and in the table of limits."""
    text = (ROOT / "docs" / "serving.md").read_text("utf-8")
    known = subprocess.run([PROGRAM, "--help"], check=True, capture_output=True, text=True).stdout
    named = set(re.findall(r"\| `(--[a-z0-9-]+)` \|$", text, re.M)) | {word for block in BLOCKS for line in block.servers
                                                                     for word in shlex.split(line) if word.startswith("--")}
    assert len(named) > 10
    assert not [option for option in sorted(named) if not re.search(re.escape(option) + r"(?![\w-])", known)]
