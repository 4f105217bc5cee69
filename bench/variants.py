# SPDX-License-Identifier: Apache-2.0
"""What int8.py and precision.py share: models in several variants of Coracle and in other engines, which take turns as driver.py has them."""
import argparse
import os
import pathlib
import sys
import tomllib

import driver
import machine
import models
import report


def cell(row, name):
    """Least and median milliseconds of an engine in a row, or why there are none."""
    result = row["peers"][name]
    return "%.2f / %.2f" % (result["min_ms"], result["median_ms"]) if "min_ms" in result else result.get("error", "-")


def title(row, titles):
    return "%s, %d thread%s" % (titles[row["model"]], row["threads"], "s"[:row["threads"] > 1])


def main(description, names, peers, table, page):
    """Measures `peers` on the models `names` (by commas; empty: all), prints what `table(rows, titles, peers)` makes of it, and writes it into
    the block of `page` (a page of docs, a block's name) with --docs."""
    a = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--models", default=names, help="names of models.toml, separated by commas (default: %s)" % (names or "all"))
    a.add_argument("--threads", default="1,2", help="numbers of threads (default: 1,2)")
    a.add_argument("--seconds", type=float, default=20, help="time for one model with one number of threads (default: 20)")
    a.add_argument("--library", default=str(models.ROOT / "build/release/libcoracle.so"), help="libcoracle.so to measure")
    a.add_argument("--out", type=pathlib.Path, default=models.ROOT / "build/bench" / page[1], help="folder for results")
    a.add_argument("--docs", action="store_true", help="write the table into docs/%s" % page[0])
    a.add_argument("--real-time", action="store_true", help="run with real-time priority (root), so that other work waits")
    o = a.parse_args()
    if o.real_time:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
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
    place = "On %s (%s; %s), load %.1f before:" % (about["cpu"], about["family_model"], ", ".join(about["instruction_sets"]), about["load_average"])
    text = "%s\n\n%s" % (place, table(measured, {model.name: model.title for model in chosen}, peers))
    print(text)
    if o.docs:
        report.replace_blocks(models.ROOT / "docs" / page[0], {page[1]: text})
