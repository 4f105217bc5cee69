# SPDX-License-Identifier: Apache-2.0
"""Models of int8 against float32 and against other engines' models of int8: `make bench-int8`, or int8.py --help.

Each engine's own tool quantises the model, with the same inputs for all (models.py); weights of most models are made up, so this is about
time, not about accuracy. Engines take turns as driver.py has them.
"""
import argparse
import os
import pathlib
import sys
import tomllib

import driver
import machine
import models
import report

MODELS = "resnet50,mobilenet_v1,mobilenet_v2,mobilenet_v3,det,rec,cls,picodet,bert,ernie"
OURS, FLOAT = "coracle", "float32"


def table(rows, titles, peers):
    """The text of the table: least times, and ratios of them."""
    others = [peer["name"] for peer in peers if peer["name"] not in (OURS, FLOAT)]
    header = ["", "float32 ms", "int8 ms", *["%s int8 ms" % name for name in others], "float32 / int8", "best other / int8",
              "MiB at most, of float32's"]
    lines = []
    for row in rows:
        found = {name: r for name, r in row["peers"].items() if "min_ms" in r}
        time = lambda name: "%.2f / %.2f" % (found[name]["min_ms"], found[name]["median_ms"]) if name in found else row["peers"][name].get("error", "-")
        best = [found[name]["min_ms"] for name in others if name in found]
        ratio = lambda least: "%.2f" % (least / found[OURS]["min_ms"]) if OURS in found else "-"
        memory = "%.0f of %.0f" % (found[OURS]["peak_mib"], found[FLOAT]["peak_mib"]) if {OURS, FLOAT} <= found.keys() else "-"
        lines.append(["%s, %d thread%s" % (titles[row["model"]], row["threads"], "s"[:row["threads"] > 1]), time(FLOAT), time(OURS),
                      *map(time, others), ratio(found[FLOAT]["min_ms"]) if FLOAT in found else "-", ratio(min(best)) if best else "-", memory])
    return report.markdown(header, lines)


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--models", default=MODELS, help="names of models.toml, separated by commas (default: %s)" % MODELS)
    a.add_argument("--threads", default="1,2", help="numbers of threads (default: 1,2)")
    a.add_argument("--seconds", type=float, default=20, help="time for one model with one number of threads (default: 20)")
    a.add_argument("--library", default=str(models.ROOT / "build/release/libcoracle.so"), help="libcoracle.so to measure")
    a.add_argument("--out", type=pathlib.Path, default=models.ROOT / "build/bench/int8", help="folder for results")
    a.add_argument("--docs", action="store_true", help="write the table into docs/quantization.md")
    a.add_argument("--real-time", action="store_true", help="run with real-time priority (root), so that other work waits")
    o = a.parse_args()
    if o.real_time:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    peers = tomllib.loads((models.BENCH / "peers_int8.toml").read_text())["peer"]
    rows = tomllib.loads((models.BENCH / "models.toml").read_text())["model"]
    chosen = [models.Model(row) for row in driver.choose(rows, o.models, "model")]
    threads = [int(text) for text in o.threads.split(",")]
    probe = machine.Probe()
    about = machine.describe(probe, threads)
    o.out.mkdir(parents=True, exist_ok=True)
    measured = []
    for model in chosen:
        for count in threads:
            print("%s, %d thread%s" % (model.title, count, "s"[:count > 1]), file=sys.stderr, flush=True)
            measured.append(driver.measure(model, count, peers, probe, o.seconds, o.out, {"CORACLE_LIBRARY": o.library}))
    driver.summarise(measured)
    text = table(measured, {model.name: model.title for model in chosen}, peers)
    place = "On %s (%s; %s), load %.1f before:" % (about["cpu"], about["family_model"], ", ".join(about["instruction_sets"]), about["load_average"])
    text = "%s\n\n%s" % (place, text)
    print(text)
    if o.docs:
        report.replace_blocks(models.ROOT / "docs" / "quantization.md", {"int8": text})


if __name__ == "__main__":
    main()
