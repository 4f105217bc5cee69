# SPDX-License-Identifier: Apache-2.0
"""What engines run of whole models, and what that takes: engine_table.py [--models det,bert] [--engines openvino,xnnpack] [--docs].

Needs build/openvino-venv (`make engines`), whose Python runs it; the models are those of models.toml. For each model: how many of its
nodes each list of engines runs, in how many blocks, how many tensors these are given and give (they are read and written where they
are), how long finding and cutting them takes when the model is loaded, and the least time of a run. Native and engine runs of a model
are in one process and take turns. --docs writes the table into docs/engines.md.
"""
import argparse
import ctypes
import json
import os
import statistics
import sys
import tempfile
import time

import models
import openvino_process
import report

PAGE = models.ROOT / "docs" / "engines.md"
MODELS = "det,rec,cls,picodet,mobilenet_v1,mobilenet_v2,mobilenet_v3,resnet50,vit,bert,ernie,humanseg,slanet"


def report_of(library, model):
    text = ctypes.c_char_p()
    if library.coracle_model_engines(model, ctypes.byref(text)) != 0:
        raise RuntimeError("coracle_model_engines failed")
    return json.loads(text.value)


def cutting_ms(engine, files, names, tries):
    """The least of several loads."""
    least = float("inf")
    for _ in range(tries):
        loaded = engine.Engine(files, 1, engines=names)
        least = min(least, report_of(engine.LIBRARY, loaded.model)["cutting_us"] * 1e-3)
        loaded.close()
    return least


def measure(row, lists, threads, seconds):
    import coracle as engine        # engines/coracle.py
    import numpy
    model = models.Model(row)
    files = model.files("coracle")
    arrays = dict(numpy.load(model.inputs()))
    runners = [engine.Engine(files, threads)] + [engine.Engine(files, threads, engines=names) for names in lists]
    for runner in runners:
        runner.set_inputs(arrays)
        for _ in range(2):
            runner.run()
    times, end = [[] for _ in runners], time.monotonic() + seconds
    while time.monotonic() < end or len(times[0]) < 3:
        for runner, taken in zip(runners, times):
            start = time.perf_counter_ns()
            runner.run()
            taken.append((time.perf_counter_ns() - start) * 1e-6)
    rows = []
    for runner, taken, names in zip(runners[1:], times[1:], lists):
        report = report_of(engine.LIBRARY, runner.model)
        nodes, blocks = report["nodes"], report["blocks"]
        borders = sum(b.get("operands", 0) + b.get("results", 0) for b in blocks)
        rows.append("| %s | %s | %d | %d | %d | %d | %.1f | %.2f | %.2f |" % (
            model.title, " + ".join(names.split(",")), len(nodes), sum(1 for n in nodes if n.get("block")), len(blocks), borders,
            cutting_ms(engine, files, names, 3), min(times[0]), min(taken)))
        print(rows[-1], "median %.2f, natively %.2f, of %d" % (statistics.median(taken), statistics.median(times[0]), len(taken)),
              file=sys.stderr, flush=True)
    for runner in runners:
        runner.close()
    return rows


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--models", default=MODELS, help="names of models.toml")
    a.add_argument("--engines", default="openvino xnnpack openvino,xnnpack", help="lists of engines, separated by blanks")
    a.add_argument("--threads", type=int, default=1)
    a.add_argument("--seconds", type=float, default=10, help="for one model (default: 10)")
    a.add_argument("--docs", action="store_true", help="write docs/engines.md")
    a.add_argument("--library", default=openvino_process.LIBRARY)
    o = a.parse_args()
    rows = openvino_process.enter(o.library)
    table = ["| model | engines | nodes | on engines | blocks | border tensors | cutting, ms | natively, ms | with engines, ms |",
             "|---|---|---:|---:|---:|---:|---:|---:|---:|"]
    with tempfile.TemporaryDirectory() as folder:
        os.environ["CORACLE_ENGINE_CACHE"] = folder
        ctypes.CDLL(None).setenv(b"CORACLE_ENGINE_CACHE", folder.encode(), 1)
        for name in o.models.split(","):
            try:
                table += measure(rows[name], o.engines.split(), o.threads, o.seconds)
            except models.Absent as error:
                print("%s left out: %s" % (name, error), file=sys.stderr)
    text = "\n".join(table)
    print(text)
    if o.docs:
        report.replace_blocks(PAGE, {"engines": text})


if __name__ == "__main__":
    main()
