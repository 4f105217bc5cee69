# SPDX-License-Identifier: Apache-2.0
"""How long it takes from the start of a process to its end, with one answer: `make bench-startup`, or startup.py --help.

Each row is a program or script that is started anew each time, in turns; the least and the median of the times.
"""
import argparse
import json
import os
import pathlib
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
        found.append(["Python, one recognition with %s" % peer["name"], whole(command, environment)])
    return found


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--repeat", type=int, default=15, help="how often each is started (default: 15)")
    a.add_argument("--build", type=pathlib.Path, default=models.ROOT / "build/release", help="build folder to measure")
    a.add_argument("--docs", action="store_true", help="write the results into docs/performance.md")
    o = a.parse_args()
    environment = {**os.environ, "CORACLE_LIBRARY": str(o.build / "libcoracle.so")}
    found = rows(o.build, environment)
    times = [[] for _ in found]
    for _ in range(o.repeat):
        for (_, measure), of_row in zip(found, times):
            of_row.append(measure())
    text = report.markdown(["start, ms", "least", "median"],
                           [[title, "%.0f" % np.min(of_row), "%.0f" % np.median(of_row)]
                            for (title, _), of_row in zip(found, times)])
    print(text)
    if o.docs:
        report.replace_blocks(models.ROOT / "docs" / "performance.md", {"startup": text})


if __name__ == "__main__":
    main()
