#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that coracle-ocr reads documents as PaddleX's pipelines do, stage by stage. The expectations were made by make_document_goldens.py.

    documents_test.py --program PATH --shared DIR --demo-models DIR [--slanet DIR]

Models and pictures that are absent are named and left out; exit code 77, which ctest counts as skipped, if all are."""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SKIPPED = 77
SCORES = 5e-4  # how far scores may differ: models run in other sums
FLAT_SCORES = 3e-3  # and those of pages made flat: a model made the picture, whose values may differ by one
REGIONS = 0.5  # and sides of regions, in pixels
CELLS = 1.5  # and of cells, whose places are cut down to whole pixels
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
RECOGNISER = """Global: {model_name: PP-OCRv4_mobile_rec}
PreProcess: {transform_ops: [{DecodeImage: {channel_first: false, img_mode: BGR}}, {RecResizeImg: {image_shape: [3, 48, 320]}}]}
PostProcess: {name: CTCLabelDecode, character_dict: %s}
"""


def differ(want, got, limit):
    return len(want) != len(got) or any(abs(a - b) > limit for a, b in zip(want, got))


def differences(want, got, scores):
    """What differs, one sentence each."""
    for key in ("width", "height", "turned"):
        if want[key] != got[key]:
            yield "%s %s, expected %s" % (key, got[key], want[key])
    for key in ("lines", "regions", "tables"):
        if len(want[key]) != len(got[key]):
            yield "%d %s, expected %d" % (len(got[key]), key, len(want[key]))
        for number, (w, g) in enumerate(zip(want[key], got[key]), 1):
            exact = {"lines": ("text", "box"), "regions": ("name",), "tables": ()}[key]
            for part in exact:
                if w[part] != g[part]:
                    yield "%s %d: %s %r, expected %r" % (key, number, part, g[part], w[part])
            if abs(w["score"] - g["score"]) > scores:
                yield "%s %d: score %s, expected %s" % (key, number, g["score"], w["score"])
            if key != "lines" and differ(w["box"], g["box"], REGIONS):
                yield "%s %d: box %s, expected %s" % (key, number, g["box"], w["box"])
            if key == "tables":
                plain = re.sub("&(lt|gt|amp);", lambda m: {"lt": "<", "gt": ">", "amp": "&"}[m[1]], g["html"])
                if plain != w["html"]:
                    yield "table %d: %s, expected %s" % (number, plain, w["html"])
                if len(w["cells"]) != len(g["cells"]) or any(differ(a, b, CELLS) for a, b in zip(w["cells"], g["cells"])):
                    yield "table %d: cells %s, expected %s" % (number, g["cells"], w["cells"])


def places(shared, demo_models, slanet):
    """Where a model or file of the cases lies, by its name there."""
    folders = {"shared": shared / "models", "demo": demo_models / "models", "source": ROOT, "slanet": slanet}
    return lambda name: folders[name.split("/", 1)[0]] / pathlib.Path(*name.split("/", 1)[1:])


def with_description(path, demo_models, work, model, description):
    """The model's folder, or one in `work` with its files and the description. `path`: where a model or file of the cases lies."""
    if description is None:
        return path(model)
    folder = pathlib.Path(work) / model.replace("/", "_")
    if not folder.exists():
        folder.mkdir()
        for file in path(model).iterdir():
            if file.name.startswith("inference."):
                os.symlink(file.resolve(), folder / file.name)
        if description == "chinese_line":
            characters = (demo_models / "ch_ppocr_rec/ppocr_keys_v1.txt").read_text("utf-8").splitlines()
            text = RECOGNISER % json.dumps(characters, ensure_ascii=False)
        else:
            text = (path(description) if "/" in description else HERE / "descriptions" / description).read_text("utf-8")
        (folder / "inference.yml").unlink(missing_ok=True)
        (folder / "inference.yml").write_text(text, "utf-8")
    return folder


# Options that make no sense, and what is said of them; paths are those of tests/vision.
NONE = ["--det", "none", "--rec", "none"]
MISUSE = [
    (NONE, 2, "all stages are left out, there is nothing to do"),
    (NONE + ["--cls", "orientation"], 2, "a classifier of lines needs a detector or a recogniser of text beside it"),
    (NONE + ["--orientation", "table"], 2, "describes a model for table-structure, not for classification"),
    (NONE + ["--unwarp", "orientation"], 2, "describes a model for classification, not for unwarping"),
    (NONE + ["--layout", "unwarp"], 2, "describes a model for unwarping, not for object-detection"),
    (NONE + ["--table", "objects"], 2, "table structure needs the dictionary of tokens"),
    (NONE + ["--layout", "objects"], 2, "object detectors differ in how they take pictures"),
    (NONE + ["--table", "absent"], 5, "absent"),
    (NONE + ["--wired", "table", "--wireless", "table"], 2, "models for wired and for wireless tables need a classifier that tells both apart"),
    (NONE + ["--table", "table", "--wired", "table"], 2, "a model for all tables leaves nothing to models for wired or wireless ones"),
    (NONE + ["--table-orientation", "orientation"], 2, "tables need a model for their structure or for their cells"),
    (NONE + ["--unwarp", "unwarp", "--seal-rec", "table"], 2, "a recogniser of seals needs a detector of them beside it"),
    (NONE + ["--rows", "3"], 2, "unrecognized option"),
    (NONE + ["--unwarp", "unwarp", "--texts", "OUT", "--font", "expected.json"], 5, "expected.json: is not a font that FreeType reads, or one of dots"),
    (NONE + ["--unwarp", "unwarp", "--html", "expected.json"], 5, "expected.json: cannot be made"),
    (NONE + ["--unwarp", "unwarp", "--json", "--csv"], 2, "--json, --json-lines and --csv exclude each other"),
    (NONE + ["--unwarp", "unwarp", "--threads", "many"], 2, "--threads does not take 'many'; it takes a whole number"),
    (NONE + ["--unwarp", "unwarp", "documents.json"], 5, "documents.json"),
]


def check_misuse(program, work):
    failures = 0
    for options, code, message in MISUSE:
        command = [program] + [work if o == "OUT" else o for o in options] + [ROOT / "examples/ocr/demo.jpg"]
        run = subprocess.run(command, cwd=HERE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        one = run.stderr.startswith(("coracle-ocr: ", str(program))) and run.stderr.count("coracle-ocr: ") == 1
        if run.returncode != code or message not in run.stderr or not one:
            failures += 1
            print("%s: exit code %d, expected %d with %r: %s" % (" ".join(options), run.returncode, code, message, run.stderr))
    return failures


def check_files(program, work):
    """Markdown refers to pictures that are there, and the structure is JSON with the same blocks."""
    layout = pathlib.Path(work) / "pictures"
    layout.mkdir()
    for file in (HERE / "objects").iterdir():
        if file.name.startswith("inference."):
            os.symlink(file, layout / file.name)
    text = (HERE / "descriptions/page_layout.yml").read_text("utf-8").replace("[table, title, text]", "[image, image, image]")
    (layout / "inference.yml").write_text(text, "utf-8")
    out = pathlib.Path(work) / "written"
    for markdown, name in ((out, "demo.md"), (out / "a b.md", "a b.md")):
        command = [program, *NONE, "--layout", layout, "--markdown", markdown, "--structure", out, "--html", out, ROOT / "examples/ocr/demo.jpg"]
        run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if run.returncode != 0:
            print("exit code %d: %s" % (run.returncode, run.stdout))
            return 1
        references = re.findall('<img src="([^"]*)"', (out / name).read_text("utf-8"))
        absent = [r for r in references if not (out / r.replace("%20", " ")).is_file()]
        blocks = json.loads((out / "demo_res.json").read_text("utf-8"))["parsing_res_list"]
        embedded = (out / "demo.html").read_text("utf-8").count('src="data:image/jpeg;base64,')
        if not references or absent or len(blocks) != len(references) or embedded != len(references):
            print("%s: %d references, of which %s are absent, %d blocks, %d in HTML" % (name, len(references), absent, len(blocks), embedded))
            return 1
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    for name in ("--shared", "--demo-models"):
        parser.add_argument(name, type=pathlib.Path, required=True)
    parser.add_argument("--slanet", type=pathlib.Path, default=pathlib.Path("absent"))
    arguments = parser.parse_args()
    path = places(arguments.shared, arguments.demo_models, arguments.slanet)

    checked = failures = 0
    with tempfile.TemporaryDirectory() as work:
        failures += check_misuse(arguments.program, work) + check_files(arguments.program, work)
        for case in json.loads((HERE / "documents.json").read_text("utf-8")):
            absent = [model for model, _ in case["stages"].values() if not path(model).is_dir()]
            wanted = {str(path(a["picture"])): a for a in case["answers"] if path(a["picture"]).is_file()}
            if absent or not wanted:
                print("left out: %s, of which %s is absent" % (case["name"], absent[0] if absent else "every picture"))
                continue
            command = [arguments.program, "--json", "--min-score", "0", "--cls", "none"]
            for stage, (model, description) in case["stages"].items():
                command += ["--" + stage, with_description(path, arguments.demo_models, work, model, description)]
            run = subprocess.run([*command, *wanted], stdout=subprocess.PIPE, text=True, check=False)
            if run.returncode != 0:
                sys.exit("exit code %d: %s" % (run.returncode, " ".join(map(str, command))))
            for got in json.loads(run.stdout)["results"]:
                checked += 1
                found = list(differences(wanted[got["image"]], got, FLAT_SCORES if "unwarp" in case["stages"] else SCORES))
                failures += 1 if found else 0
                for difference in found[:20]:
                    print("%s, %s: %s" % (case["name"], got["image"], difference))
    if checked == 0 and failures == 0:
        print("skipped: neither models nor pictures")
        sys.exit(SKIPPED)
    print("%d documents, %d differ" % (checked, failures))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
