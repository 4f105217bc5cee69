# SPDX-License-Identifier: Apache-2.0
"""How Coracle shares processors with others: neighbours.py [--before OTHER.so], or neighbours.py --help.

Recognition and detection, in turns within one run: on a quiet machine, beside a program that is busy on the last core, and held to one
core with more threads than that. The middle time of a run, and what it is of the time with one thread.

With --real-time (root) other work waits, and the busy program takes turns with the engine as the system's fair scheduler has equal
programs take turns: its priority is above that of the engine for some milliseconds, then below, and so on.
"""
import argparse
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import time
import tomllib

import numpy as np

import models
import report
from process import Process

ENGINE, ABOVE, BELOW = 2, 3, 1      # priorities
TURN_SECONDS = 0.003
NEIGHBOUR = """
import os, sys, time
core, seconds, priorities = int(sys.argv[1]), float(sys.argv[2]), [int(priority) for priority in sys.argv[3:]]
busy = os.fork()
if busy == 0:
    os.sched_setaffinity(0, {core})
    while True:
        pass
while priorities:
    for priority in priorities:
        os.sched_setscheduler(busy, os.SCHED_FIFO, os.sched_param(priority))
        time.sleep(seconds)
os.wait()
"""


class Neighbour:
    """A program that is busy on one core, stopped at first."""

    def __init__(self, core, real_time):
        turns = [str(ABOVE), str(BELOW)] if real_time else []
        self.process = subprocess.Popen([sys.executable, "-c", NEIGHBOUR, str(core), str(TURN_SECONDS), *turns], start_new_session=True)
        if real_time:
            os.sched_setscheduler(self.process.pid, os.SCHED_FIFO, os.sched_param(ABOVE + 1))
        time.sleep(0.2)     # until it is two processes: one that is busy, one that sees to its turns
        self.stop()

    def stop(self):
        os.killpg(self.process.pid, signal.SIGSTOP)

    def resume(self):
        os.killpg(self.process.pid, signal.SIGCONT)

    def close(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def opened(model, library, threads, cores, folder):
    process = Process(models.PYTHON, folder / ("neighbours-%s-%d.log" % (model.name, threads)), {"CORACLE_LIBRARY": str(library)})
    os.sched_setaffinity(process.process.pid, cores)
    inputs = folder / ("neighbours-%s.npz" % model.name)
    np.savez(inputs, **models.make_inputs(model.recipes))
    process.ask("load", engine="coracle", options={}, files=model.files("coracle"), threads=threads, inputs=str(inputs), outputs=None)
    return process


def measure(model, libraries, o, folder):
    """Times by scenario, library and threads."""
    cores = sorted(os.sched_getaffinity(0))
    neighbour = Neighbour(cores[-1], o.real_time)
    everywhere = {(label, threads): opened(model, path, threads, cores, folder) for label, path in libraries for threads in o.threads}
    confined = {(label, threads): opened(model, path, threads, cores[:1], folder) for label, path in libraries for threads in o.confined}
    scenarios = [("quiet", everywhere, False), ("a busy core", everywhere, True), ("one core", confined, False)]
    times = {(scenario, *key): [] for scenario, processes, _ in scenarios for key in processes}
    try:
        for _ in range(o.rounds):
            for scenario, processes, busy in scenarios:
                if busy:
                    neighbour.resume()
                for key, process in processes.items():
                    process.ask("sample")
                    times[(scenario, *key)] += process.ask("samples", seconds=o.seconds)["ms"]
                neighbour.stop()
        return times
    finally:
        neighbour.close()
        for process in [*everywhere.values(), *confined.values()]:
            process.close()


def table(results, libraries):
    rows = []
    for title, times in results:
        middle = {key: statistics.median(each) for key, each in times.items()}
        for scenario, label, threads in middle:
            if label != libraries[0][0]:
                continue
            row = [title, scenario, "default" if threads == 0 else str(threads)]
            for other, _ in libraries:
                ms, one = middle[(scenario, other, threads)], middle[(scenario, other, 1)]
                row += ["%.2f" % ms, "%.2f" % (ms / one)]
            rows.append(row)
    heads = [head for label, _ in libraries for head in ("%s, ms" % label, "/ 1 thread")]
    return report.markdown(["model", "machine", "threads", *heads], rows)


def numbers(text):
    return [int(number) for number in text.split(",")]


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--library", default=str(models.ROOT / "build/release/libcoracle.so"), help="libcoracle.so to measure")
    a.add_argument("--before", help="another one, to compare with")
    a.add_argument("--models", default="det,rec", help="of models.toml (default: det,rec)")
    a.add_argument("--threads", type=numbers, default=[1, 2], help="on all cores (default: 1,2)")
    a.add_argument("--confined", type=numbers, default=[1, 0, 8, 64], help="on one core, 0 for the default (default: 1,0,8,64)")
    a.add_argument("--rounds", type=int, default=10, help="turns of each (default: 10)")
    a.add_argument("--seconds", type=float, default=0.3, help="of each turn (default: 0.3)")
    a.add_argument("--out", type=pathlib.Path, default=models.ROOT / "build/bench", help="folder for results")
    a.add_argument("--real-time", action="store_true", help="run with real-time priority (root), so that other work waits")
    o = a.parse_args()
    if o.real_time:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(ENGINE))
    folder = o.out / "workers"
    folder.mkdir(parents=True, exist_ok=True)
    libraries = [("coracle", o.library)] + ([("before", o.before)] if o.before else [])
    rows = {row["name"]: models.Model(row) for row in tomllib.loads((models.BENCH / "models.toml").read_text())["model"]}
    results = [(name, measure(rows[name], libraries, o, folder)) for name in o.models.split(",")]
    print(table(results, libraries))


if __name__ == "__main__":
    main()
