# SPDX-License-Identifier: Apache-2.0
"""How well models are cut for many threads, whatever processors the machine has: `make bench-threads`, or cuts.py --help.

build/release/coracle-bench-threads runs the parts of each loop one after the other and counts the longest. Caches, memory and the speed of
processors that are all busy are not in it.
"""
import argparse
import os
import re
import subprocess
import sys
import tomllib

import driver
import machine
import models
import report

MODELS = "det,rec,cls,resnet50,mobilenet_v1,mobilenet_v3,bert,vit,humanseg,shufflenet,crnn,picodet"
PROGRAM = models.ROOT / "build" / "release" / "coracle-bench-threads"


def run(model, form, options):
    files = model.files("coracle", form)
    shapes = [word for name, recipe in model.recipes.items() for word in ("--shape", "%s=%s" % (name, ",".join(map(str, recipe["shape"]))))]
    return subprocess.run([PROGRAM, files["program"], "--params", files["params"], *shapes, *options], check=True, text=True,
                          stdout=subprocess.PIPE).stdout


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--models", default=MODELS, help="names of models.toml, separated by commas (default: %s)" % MODELS)
    a.add_argument("--int8", action="store_true", help="of the models quantised by coracle quantize")
    a.add_argument("--threads", default="2,4,8,16", help="numbers of threads (default: 2,4,8,16)")
    a.add_argument("--steps", type=int, default=0, help="steps of each model to show, those that lose most first")
    a.add_argument("--docs", action="store_true", help="write the table into docs/performance.md")
    a.add_argument("--real-time", action="store_true", help="run with real-time priority (root), so that other work waits")
    o = a.parse_args()
    if o.real_time:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    counts = o.threads.split(",")
    rows = tomllib.loads((models.BENCH / "models.toml").read_text())["model"]
    lines = []
    for model in (models.Model(row) for row in driver.choose(rows, o.models, "model")):
        try:
            text = run(model, "int8" if o.int8 else None, ["--threads", o.threads, "--steps", str(o.steps)])
        except models.Absent as absent:
            print("%s: %s" % (model.title, absent), file=sys.stderr)
            continue
        print(model.title, text, sep="\n", file=sys.stderr, flush=True)
        found = re.findall(r"threads: +([\d.]+) ms on one, +[\d.]+ on all, +([\d.]+) x", text)
        lines.append([model.title, "%.2f" % min(float(alone) for alone, _ in found), *["%s x" % times for _, times in found]])
    table = report.markdown(["", "1 thread, ms", *["%s threads" % count for count in counts]], lines)
    about = machine.describe(machine.Probe(), [1])
    text = "On %s (%s; %s):\n\n%s" % (about["cpu"], about["family_model"], ", ".join(about["instruction_sets"]), table)
    print(text)
    if o.docs:
        report.replace_blocks(models.ROOT / "docs" / "performance.md", {"cuts": text})


if __name__ == "__main__":
    main()
