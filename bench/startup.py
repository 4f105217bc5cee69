# SPDX-License-Identifier: Apache-2.0
"""How long it takes from the start of a process to its end, with one answer: `make bench-startup`, or startup.py --help.

Each row is a program or script that is started anew each time, in turns; the least and the median of the times.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time
import tomllib

import numpy as np
import PIL.Image

import models
import report
from driver import available_peers

# A part of demo.jpg with one line of text: left, upper, right, lower.
LINE = (100, 960, 500, 1060)

# One recognition in a new Python process, with numpy and the engine's package: load, one run.
SCRIPT = """
import importlib, json, sys
import numpy as np
sys.path.insert(0, %r)
engine, files, inputs, options = sys.argv[1], json.loads(sys.argv[2]), dict(np.load(sys.argv[3])), json.loads(sys.argv[4])
engine = importlib.import_module("engines." + engine).Engine(files, 1, **options)
engine.set_inputs(inputs)
engine.run()
engine.outputs()
"""

# Models whose first answers are compared, with what engines may keep between processes.
FIRST_ANSWERS = ["resnet50", "mobilenet_v1", "vit", "bert", "server_det5"]
THREADS = 2

# One answer, to the end of the process.
ANSWER = SCRIPT.replace("(files, 1, **options)", "(files, %d, **options)" % THREADS)

LOAD = """
import sys, time
sys.path.insert(0, %r)
from engines.coracle import Engine
start = time.perf_counter()
for folder in sys.argv[1:]:
    Engine({"program": folder, "params": folder + "/inference.pdiparams"}, 1)
print((time.perf_counter() - start) * 1e3)
"""


def whole(command, environment):
    """Milliseconds from the start of a program to its end."""
    def measure():
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
        return (time.perf_counter() - start) * 1e3
    return measure


def printed(command, environment):
    """Milliseconds that a program prints."""
    return lambda: float(subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout)


def runs(title, measure):
    """Whether a command can be measured: an engine may need instructions that this processor lacks."""
    try:
        measure()
    except subprocess.CalledProcessError as error:
        print("%s is left out: exit status %d" % (title, error.returncode), file=sys.stderr)
        return False
    return True


def rows(build, environment):
    """[title, function that measures once]"""
    package, picture = models.PLACES["package"], models.ROOT / "examples" / "ocr" / "demo.jpg"
    line = models.MADE / "line.png"
    PIL.Image.open(picture).crop(LINE).save(line)
    recogniser = package / "ch_PP-OCRv4_rec_infer"
    folders = [str(package / name) for name in ("ch_PP-OCRv4_det_infer", "ch_PP-OCRv4_rec_infer", "ch_ppocr_mobile_v2_cls_infer")]
    found = [
        ["loading PP-OCRv4 det, rec and cls, without the process",
         printed([str(models.PYTHON), "-c", LOAD % str(models.BENCH), *folders], environment)],
        ["`coracle run` of the recogniser", whole([str(build / "coracle"), "run", str(recogniser), "--shape", "x=1,3,48,320",
                                                  "--threads", "1"], environment)],
        ["`coracle-ocr` of one line of demo.jpg",
         whole([str(build / "coracle-ocr"), "--models", str(package.parent), str(line)], environment)],
        ["`coracle-ocr` of demo.jpg, 23 lines",
         whole([str(build / "coracle-ocr"), "--models", str(package.parent), str(picture)], environment)],
    ]
    table = {row["name"]: row for row in tomllib.loads((models.BENCH / "models.toml").read_text())["model"]}
    model = models.Model(table["rec"])
    for peer in available_peers():
        try:
            files = model.files(peer["engine"])
        except models.Absent as error:
            print("%s is left out: %s" % (peer["name"], error), file=sys.stderr)
            continue
        command = [str(models.PYTHON), "-c", SCRIPT % str(models.BENCH), peer["engine"], json.dumps(files), model.inputs(),
                   json.dumps(peer.get("options", {}))]
        title, measure = "Python, one recognition with %s" % peer["name"], whole(command, environment)
        if runs(title, measure):
            found.append([title, measure])
    return found


def measured(titles, found, repeat):
    """A table of the least and the median of each row, whose last element measures once; all rows in turns."""
    times = [[] for _ in found]
    for _ in range(repeat):
        for (*_, measure), of_row in zip(found, times):
            of_row.append(measure())
    return report.markdown([*titles, "least", "median"],
                           [[*row[:-1], "%.0f" % np.min(of_row), "%.0f" % np.median(of_row)] for row, of_row in zip(found, times)])


def first_answers(build, environment, names):
    """[title of the model, engine, what it keeps, function that measures once]; what is kept is made before."""
    table = {row["name"]: row for row in tomllib.loads((models.BENCH / "models.toml").read_text())["model"]}
    # What all other rows contain, too.
    found = [["none", "Python and numpy alone", "-", whole([str(models.PYTHON), "-c", "import ctypes, importlib, json, numpy"], environment)]]
    for name in names:
        model = models.Model(table[name])
        kept = models.ROOT / "build" / "bench" / "kept" / name
        shutil.rmtree(kept, ignore_errors=True)
        for peer in available_peers():
            try:
                files = model.files(peer["engine"])
            except models.Absent as error:
                print("%s: %s is left out: %s" % (name, peer["name"], error), file=sys.stderr)
                continue
            options = peer.get("options", {})

            def add(what, files=files, options=options, variables=None, engine=peer["engine"], title=peer["name"]):
                command = [str(models.PYTHON), "-c", ANSWER % str(models.BENCH), engine, json.dumps(files), model.inputs(),
                           json.dumps(options)]
                measure = whole(command, {**environment, **(variables or {})})
                if runs("%s: %s" % (model.title, title), measure):
                    found.append([model.title, title, what, measure])

            add("nothing")
            if peer["engine"] == "coracle":
                saved = kept / "model.coracle"
                shapes = [word for key, recipe in model.recipes.items()
                          for word in ("--shape", "%s=%s" % (key, ",".join(map(str, recipe["shape"]))))]
                add("folder", variables={"CORACLE_CACHE": str(kept / "coracle")})
                subprocess.run([str(build / "coracle"), "optimize", files["program"], "--params", files["params"], "-o", str(saved), *shapes],
                               check=True, env=environment, stdout=subprocess.DEVNULL)
                add("saved model", files={"program": str(saved), "params": ""})
            elif peer["engine"] == "onnxruntime":
                add("optimised model", options={**options, "kept": str(kept / "onnxruntime")})
            elif peer["engine"] == "openvino":
                add("folder", options={**options, "kept": str(kept / "openvino")})
    return found


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--repeat", type=int, default=15, help="how often each is started (default: 15)")
    a.add_argument("--build", type=pathlib.Path, default=models.ROOT / "build/release", help="build folder to measure")
    a.add_argument("--docs", action="store_true", help="write the results into docs/performance.md")
    a.add_argument("--first-answers", nargs="*", metavar="MODEL", help="only first answers with what engines keep, of these models")
    o = a.parse_args()
    environment = {**os.environ, "CORACLE_LIBRARY": str(o.build / "libcoracle.so")}
    tables = {}
    if o.first_answers is None:
        found = rows(o.build, environment)
        tables["startup"] = measured(["start, ms"], found, o.repeat)
    found = first_answers(o.build, environment, o.first_answers or FIRST_ANSWERS)
    tables["first answer"] = measured(["first answer, ms", "engine", "keeps"], found, o.repeat)
    for text in tables.values():
        print(text + "\n")
    if o.docs:
        report.replace_blocks(models.ROOT / "docs" / "performance.md", tables)


if __name__ == "__main__":
    main()
