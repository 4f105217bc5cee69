# SPDX-License-Identifier: Apache-2.0
"""Measures engines against each other: `make bench`, or driver.py --help.

For each model and number of threads every engine gets a process of its own. They take turns: a turn is one run that is not
counted and then as many as fit in TURN_SECONDS, each between two probes of the machine's speed (probe.cc). A sample counts if
both probes around it reached PROBE_SHARE of the best seen with that many threads and the engine's threads waited for a core for
at most WAITED_SHARE of it. Turns go round until the time is over.
"""
import argparse
import datetime
import json
import os
import pathlib
import shutil
import sys
import time
import tomllib

import numpy as np

import chart
import machine
import models
import report
from process import Failed, Process

TURN_SECONDS = 0.2
PROBE_SHARE = 0.9
WAITED_SHARE = 0.02
ENOUGH_SAMPLES = 5
LONGEST = 3         # How many times the given seconds a row may take to get ENOUGH_SAMPLES of each engine.


def fastest(samples):
    """The best probe of several engines' samples (milliseconds, milliseconds waited, GFLOP/s around it)."""
    return max((rate for rows in samples for _, _, rate in rows), default=0.0)


def quiet_times(rows, best):
    return [time for time, waited, rate in rows if rate >= PROBE_SHARE * best and waited <= WAITED_SHARE * time]


class Entry:
    """One engine in a row: its process and what was found, `result`."""

    def __init__(self, peer, result):
        self.peer, self.result, self.process, self.rows = peer, result, None, []

    def start(self, model, threads, folder, environment):
        files = model.files(self.peer["engine"], self.peer.get("form"))
        self.outputs = folder / ("%s-%d-%s.npz" % (model.name, threads, self.peer["name"]))
        venv = self.peer.get("venv_pir", self.peer["venv"]) if model.pir else self.peer["venv"]
        python = models.ROOT / "build" / venv / "bin" / "python"
        if not python.exists():
            raise Failed("build/%s is absent" % venv)
        self.process = Process(python, self.outputs.with_suffix(".log"), {**environment, **self.peer.get("environment", {})})
        self.result.update(self.process.ask("load", engine=self.peer["engine"], options=self.peer.get("options", {}), files=files,
                                            threads=threads, inputs=model.inputs(), outputs=str(self.outputs)))
        self.time = self.process.ask("sample")["ms"] * 1e-3

    def turn(self, probe, threads):
        self.process.ask("sample")
        before = probe.fma(threads)
        for _ in range(max(2, min(50, int(TURN_SECONDS / self.time)))):
            sample = self.process.ask("sample")
            after = probe.fma(threads)
            self.rows.append((sample["ms"], sample["waited_ms"], min(before, after)))
            before = after

    def stop(self, reason=None):
        if reason:
            self.result["error"] = str(reason)
        if self.process:
            self.process.close()
            self.process = None


def measure(model, threads, peers, probe, seconds, folder, environment):
    """One row of the table: {"model", "threads", "peers": {name: result}}."""
    results = {peer["name"]: {} for peer in peers}
    entries = [Entry(peer, results[peer["name"]]) for peer in peers]

    def attempt(entry, action):
        try:
            action()
        except (Failed, models.Absent) as error:
            entry.stop(error)

    for entry in entries:
        attempt(entry, lambda: entry.start(model, threads, folder, environment))
    start, round_number = time.monotonic(), 0
    while True:
        alive = [entry for entry in entries if entry.process]
        passed = time.monotonic() - start
        best = fastest(entry.rows for entry in alive)
        enough = all(len(quiet_times(entry.rows, best)) >= ENOUGH_SAMPLES for entry in alive)
        if not alive or passed >= LONGEST * seconds or (passed >= seconds and enough):
            break
        for i in range(len(alive)):
            entry = alive[(i + round_number) % len(alive)]
            attempt(entry, lambda: entry.turn(probe, threads))
        round_number += 1
    for entry in entries:
        attempt(entry, lambda: entry.process and entry.result.update(entry.process.ask("memory")))
        entry.result["samples"] = entry.rows
        entry.stop()
    agreement(model, entries)
    return {"model": model.name, "threads": threads, "peers": results}


def agreement(model, entries):
    """Sets "difference": the largest difference of outputs from the reference engine's as a share of the largest value."""
    loaded = [entry for entry in entries if "first_ms" in entry.result]
    wanted = {entry.peer["name"]: entry for entry in loaded}
    reference = next((wanted[name] for name in ("paddle", "onnxruntime") if name in wanted), None)
    if not reference:
        return
    want = list(np.load(reference.outputs).values())
    for entry in loaded:
        got = list(np.load(entry.outputs).values())
        entry.result["against"] = reference.peer["name"]
        if [a.shape for a in got] != [a.shape for a in want]:
            entry.result.update(difference=None, agrees=False)
            continue
        scale = [max(float(np.abs(a).max(initial=0)), 1e-30) for a in want]
        entry.result["difference"] = max(float(np.abs(a.astype(np.float64) - b).max(initial=0)) / s
                                         for a, b, s in zip(got, want, scale))
        entry.result["agrees"] = entry.result["difference"] <= model.agree


def merged(rows):
    """Rows that measure the same again as one with the samples of all; "ratios" are those of each alone."""
    first = {**rows[0], "peers": {name: {**result} for name, result in rows[0]["peers"].items()},
             "ratios": [report.ratio(row) for row in rows]}
    for row in rows[1:]:
        for name, result in row["peers"].items():
            first["peers"][name]["samples"] = first["peers"][name]["samples"] + result["samples"]
    return first


def summarise(rows):
    """Adds min_ms, median_ms and the count of samples of each result, from those taken while the machine was fast.

    Returns the best probe for each number of threads.
    """
    rates = {}
    for threads in {row["threads"] for row in rows}:
        results = [r for row in rows if row["threads"] == threads for r in row["peers"].values()]
        best = rates[str(threads)] = fastest(r["samples"] for r in results)
        for r in results:
            times = quiet_times(r["samples"], best)
            r["quiet"] = len(times) >= ENOUGH_SAMPLES
            r["counted"], r["taken"] = len(times), len(r["samples"])
            times = times if r["quiet"] else [t for t, _, _ in r["samples"]]
            if times:
                r["min_ms"], r["median_ms"] = float(np.min(times)), float(np.median(times))
    return dict(sorted(rates.items()))


def write_documentation(results, out):
    docs = models.ROOT / "docs"
    shutil.copy(out / "speed.svg", docs / "performance.svg")
    report.replace_blocks(docs / "performance.md", {
        "machine": report.machine(results), "speed": report.speed(results), "median": report.medians(results),
        "start": report.start(results), "failures": report.failures(results)})
    report.replace_blocks(models.ROOT / "README.md", {"speed": report.summary(results)})


def capped(peers, isa):
    """The engines that can be held to an instruction set, held to it, and Coracle with all the machine has."""
    chosen = [{**peer, "options": {"cpu_isa": isa}} if peer["name"] == "coracle" else
              {**peer, "environment": {peer["isa"]: isa.upper()}}
              for peer in peers if peer["name"] == "coracle" or "isa" in peer]
    return chosen + [{**peer, "name": report.FREE} for peer in peers if peer["name"] == "coracle"]


def available_peers():
    """The rows of peers.toml but those whose instruction sets this machine lacks."""
    sets = set(machine.instruction_sets())
    return [peer for peer in tomllib.loads((models.BENCH / "peers.toml").read_text())["peer"]
            if "needs" not in peer or sets & set(peer["needs"])]


def choose(rows, names, what):
    """The rows of the given names, in the table's order; all for no names."""
    if not names:
        return rows
    wanted = names.split(",")
    unknown = set(wanted) - {row["name"] for row in rows}
    if unknown:
        sys.exit("no %s of name %s; there are %s" % (what, ", ".join(sorted(unknown)), ", ".join(r["name"] for r in rows)))
    return [row for row in rows if row["name"] in wanted]


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--models", default="", help="names of models.toml, separated by commas (default: all)")
    a.add_argument("--peers", default="", help="names of peers.toml besides coracle, separated by commas (default: all)")
    a.add_argument("--threads", default="1,2", help="numbers of threads (default: 1,2)")
    a.add_argument("--seconds", type=float, default=20, help="time for one model with one number of threads (default: 20)")
    a.add_argument("--runs", type=int, default=1, help="how often the whole table is measured, for the spread (default: 1)")
    a.add_argument("--isa", help="hold Coracle and those engines that can be to this instruction set, e.g. avx2")
    a.add_argument("--library", default=str(models.ROOT / "build/release/libcoracle.so"), help="libcoracle.so to measure")
    a.add_argument("--before", help="another libcoracle.so, to compare with; without --peers with that alone")
    a.add_argument("--out", type=pathlib.Path, default=models.ROOT / "build/bench", help="folder for results")
    a.add_argument("--docs", action="store_true", help="write the results into docs/performance.md and README.md")
    a.add_argument("--real-time", action="store_true", help="run with real-time priority (root), so that other work waits")
    o = a.parse_args()
    if o.before and not pathlib.Path(o.before).is_file():
        a.error("--before %s: there is no such file" % o.before)
    if o.real_time:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    table = tomllib.loads((models.BENCH / "models.toml").read_text())["model"]
    peers = available_peers()
    chosen = [models.Model(row) for row in choose(table, o.models, "model")]
    if o.peers or o.before:
        peers = choose(peers, ",".join(["coracle", *filter(None, [o.peers])]), "peer")
    thread_counts = [int(text) for text in o.threads.split(",")]
    probe = machine.Probe()
    about = machine.describe(probe, thread_counts)
    if o.isa:
        peers = capped(peers, o.isa)
    if o.before:
        peers.insert(1, {**peers[0], "name": "before", "environment": {"CORACLE_LIBRARY": str(pathlib.Path(o.before).resolve())}})
    folder = o.out / "workers"
    folder.mkdir(parents=True, exist_ok=True)
    environment = {"CORACLE_LIBRARY": o.library}
    results = {"date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"), "seconds": o.seconds, "real_time": o.real_time,
               "machine": about, "titles": {m.name: m.title for m in chosen},
               "peers": peers, "runs": o.runs, "rows": []}
    measured = {}       # by model and number of threads: a row for each run
    for model, threads in [(m, t) for _ in range(o.runs) for m in chosen for t in thread_counts]:
        print("%s, %d thread%s" % (model.title, threads, "s"[:threads > 1]), file=sys.stderr, flush=True)
        rows = measured.setdefault((model.name, threads), [])
        rows.append(measure(model, threads, peers, probe, o.seconds, folder, environment))
        summarise([row for rows in measured.values() for row in rows])
        results["rows"] = [merged(rows) for rows in measured.values()]
        results["fma_gflops"] = summarise(results["rows"])
        (o.out / "results.json").write_text(json.dumps(results))
        print(report.row_text(results, merged(rows)), file=sys.stderr, flush=True)
    print("\n\n".join(report.row_text(results, row) for row in results["rows"]))
    if o.isa:
        if o.docs:
            report.replace_blocks(models.ROOT / "docs/performance.md", {"isa": report.capped(results, o.isa)})
        return
    (o.out / "speed.svg").write_text(chart.draw(results))
    if o.docs:
        write_documentation(results, o.out)


if __name__ == "__main__":
    main()
