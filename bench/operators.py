# SPDX-License-Identifier: Apache-2.0
"""Measures single operators against Paddle and onnxruntime: `make bench-operators`, or operators.py --help.

Each row of operator_cases.py becomes a program of one operator, kept in build/bench/operators with its inputs and, where paddle2onnx
knows the operator, as ONNX. Every engine has a process of its own for each number of threads; they take turns, and a turn whose
threads waited for a core for more than WAITED_SHARE of it does not count unless there is no other. A run neither copies inputs nor outputs
(onnxruntime allocates its outputs).
"""
import argparse
import contextlib
import inspect
import json
import os
import pathlib
import pickle
import re
import statistics
import sys
import traceback
import zlib

import numpy as np

import machine
import models
import report
from operator_cases import ROWS
from process import Failed, Process

WAITED_SHARE = 0.02
TURNS = 3
FOLDER = models.ROOT / "build" / "bench" / "operators"
ENGINES = {"coracle": {}, "onnxruntime": {}, "paddle": {"copies": False}}
CLOSE = 1e-3        # Largest difference from Paddle's answer, as a share of its largest value.


class Case:
    """A row on disk: the program, its parameters and inputs, Paddle's answer, the same as ONNX."""

    def __init__(self, what, entry):
        self.what, self.entry = what, entry
        self.title = "%s: %s" % (entry.name, what)
        # A row that is described differently is another one.
        code = entry.make.__code__
        key = repr((self.title, entry[3:], code.co_code, code.co_consts, code.co_names, inspect.getclosurevars(entry.make).nonlocals,
                    entry.make.__defaults__))
        self.folder = FOLDER / ("%s-%08x" % (entry.name, zlib.crc32(re.sub(" at 0x[0-9a-f]+", "", key).encode())))
        self.files = {"program": str(self.folder / "model.pdmodel"), "params": str(self.folder / "model.pdiparams"),
                      "combined_params": str(self.folder / "model.pdiparams"), "onnx": str(self.folder / "model.onnx")}
        if self.made and not self.made.get("has_params"):
            self.files["combined_params"] = ""      # Paddle refuses a file without parameters.

    @property
    def made(self):
        path = self.folder / "made.json"
        return json.loads(path.read_text()) if path.exists() else None

    def make(self):
        """In a child: Paddle and paddle2onnx may crash."""
        self.folder.mkdir(parents=True, exist_ok=True)
        child = os.fork()
        if child == 0:
            with open(self.folder / "log", "w") as log:
                os.dup2(log.fileno(), 1)
                os.dup2(log.fileno(), 2)
                try:
                    self.write()
                except BaseException:
                    traceback.print_exc()
            os._exit(0)
        os.waitpid(child, 0)
        if not self.made:
            self.note({"error": "no program, see %s" % (self.folder / "log").relative_to(models.ROOT)})

    def note(self, made):
        (self.folder / "made.json").write_text(json.dumps(made))

    def write(self):
        import modelio
        import notation
        import program_format
        built = program_format.build_op(self.entry, self.entry.make(notation.Draw("bench/%s/0" % self.entry.name)), False)
        program = self.folder / "model.pdmodel"
        modelio.write_params(self.files["params"], built.params)
        program.write_bytes(built.bytes())
        answers = modelio.Runner(str(program), self.files["params"] if built.params else None, False).run(built.feeds)
        built.set_output_types([array for _, array, _ in answers])
        program.write_bytes(built.bytes())
        np.savez(self.folder / "inputs.npz", **{name: np.ascontiguousarray(array) for name, (array, _) in built.feeds.items()})
        with open(self.folder / "answers.pickle", "wb") as file:
            pickle.dump([array for _, array, _ in answers], file)
        self.note({"has_params": bool(built.params), "onnx": False})
        import convert
        convert.convert(self.files["program"], self.files["params"] if built.params else "", self.files["onnx"])
        self.note({"has_params": bool(built.params), "onnx": True})

    def answers(self):
        with open(self.folder / "answers.pickle", "rb") as file:
            return pickle.load(file)


class Worker:
    """The process of one engine with one number of threads; made again after a failure."""

    def __init__(self, name, threads, environment):
        self.name, self.threads, self.environment, self.process = name, threads, environment, None

    def load(self, case):
        if not self.process:
            self.process = Process(models.PYTHON, FOLDER / ("%s-%d.log" % (self.name, self.threads)), self.environment)
        outputs = FOLDER / ("%s-%d.npz" % (self.name, self.threads))
        self.ask("load", engine=self.name, options=ENGINES[self.name], files=case.files, threads=self.threads,
                 inputs=str(case.folder / "inputs.npz"), outputs=str(outputs))
        return list(np.load(outputs).values())

    def ask(self, do, **arguments):
        try:
            return self.process.ask(do, **arguments)
        except Failed:
            self.close()
            raise

    def close(self):
        if self.process:
            self.process.close()
            self.process = None


def agrees(got, want):
    """Whether answers are close to Paddle's. Where equal elements may be chosen either way, positions differ."""
    if len(got) != len(want) or [a.shape for a in got] != [a.shape for a in want]:
        return False
    with np.errstate(all="ignore"):
        for a, b in zip(got, want):
            finite = np.isfinite(b.astype(np.float64))
            scale = max(float(np.abs(b[finite].astype(np.float64)).max(initial=0)), 1e-30)
            if not (np.abs(a.astype(np.float64) - b)[finite] <= CLOSE * scale).all():
                return False
    return True


def measure(case, workers, seconds):
    """{engine: {"min", "median", "agrees"} or {"error"}}"""
    results, alive, want = {}, [], case.answers()
    for name, worker in workers.items():
        if name == "onnxruntime" and not case.made.get("onnx"):
            continue
        try:
            got = worker.load(case)
            results[name] = {"agrees": agrees(got, want), "turns": []}
            alive.append(name)
        except Failed as error:
            results[name] = {"error": str(error)}
    for turn in range(TURNS):
        for i in range(len(alive)):
            name = alive[(i + turn) % len(alive)]
            with contextlib.suppress(Failed):
                results[name]["turns"].append(workers[name].ask("samples", seconds=seconds / TURNS))
    for name in alive:
        turns = results[name].pop("turns")
        quiet = [t for t in turns if t["waited_ms"] <= WAITED_SHARE * sum(t["ms"])]
        times = [ms for t in quiet or turns for ms in t["ms"]]
        if times:
            results[name].update(min=min(times), median=statistics.median(times), quiet=bool(quiet))
        else:
            results[name]["error"] = "failed while running"
    return results


def ratio(result):
    """How many times as long the fastest other engine takes."""
    ours = result.get("coracle", {}).get("min")
    others = [r["min"] for name, r in result.items() if name != "coracle" and "min" in r]
    return min(others) / ours if ours and others else None


def number(ms):
    return "%.2f" % ms if ms >= 1 else "%.3f" % ms


def cell(results, name):
    parts = [results[t].get(name, {}) for t in results]
    if not any("min" in r for r in parts):
        return "-"
    note = "" if all(r.get("agrees", True) for r in parts) else " (differs)"
    return " / ".join(number(r["min"]) if "min" in r else "-" for r in parts) + note


def line(case, results):
    ratios = [ratio(results[t]) for t in results]
    return [case.title] + [cell(results, name) for name in ENGINES] + [" / ".join("%.2f x" % r if r else "-" for r in ratios)]


def summary(rows, threads):
    texts = []
    for t in threads:
        ratios = sorted(r for _, results in rows if (r := ratio(results[t])))
        behind = sum(r < 1 for r in ratios)
        if ratios:
            texts.append("with %d thread%s %d of %d rows are behind the better of the others, the median is %.2f x" % (
                t, "s"[:t > 1], behind, len(ratios), statistics.median(ratios)))
    return "; ".join(texts) + "."


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--ops", default="", help="regular expression for titles ('operator: operands'); default: all")
    a.add_argument("--threads", default="1,2", help="numbers of threads (default: 1,2)")
    a.add_argument("--seconds", type=float, default=0.3, help="time of one engine for one row and number of threads (default: 0.3)")
    a.add_argument("--library", default=str(models.ROOT / "build/release/libcoracle.so"), help="libcoracle.so to measure")
    a.add_argument("--docs", action="store_true", help="write the table into docs/operator-speed.md")
    a.add_argument("--real-time", action="store_true", help="run with real-time priority (root), so that other work waits")
    o = a.parse_args()
    threads = [int(text) for text in o.threads.split(",")]
    cases = [Case(what, entry) for what, entry in ROWS if re.search(o.ops, "%s: %s" % (entry.name, what))]
    FOLDER.mkdir(parents=True, exist_ok=True)
    missing = [case for case in cases if not case.made]
    if missing:
        print("making %d programs" % len(missing), file=sys.stderr, flush=True)
        import onnxruntime  # noqa: F401 - once, before the children
        import paddle
        import paddle2onnx  # noqa: F401
        paddle.enable_static()
        for case in missing:
            case.make()
        cases = [Case(case.what, case.entry) for case in cases]
    if o.real_time:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    environment = {"CORACLE_LIBRARY": o.library}
    workers = {t: {name: Worker(name, t, environment) for name in ENGINES} for t in threads}
    rows, failures = [], []
    for case in cases:
        if "error" in case.made:
            failures.append("%s: %s" % (case.title, case.made["error"]))
            continue
        results = {t: measure(case, workers[t], o.seconds) for t in threads}
        rows.append((case, results))
        failures += ["%s, %s: %s" % (case.title, name, r["error"]) for t in threads for name, r in results[t].items() if "error" in r]
        title, *cells = line(case, results)
        print("%-64s %s" % (title, "".join("%22s" % text for text in cells)), flush=True)
    for of_threads in workers.values():
        for worker in of_threads.values():
            worker.close()
    (FOLDER / "results.json").write_text(json.dumps([[case.title, results] for case, results in rows]))
    print("\n".join(failures + [summary(rows, threads)]))
    if o.docs:
        about = machine.describe(machine.Probe(), threads)
        rows.sort(key=lambda row: ratio(row[1][threads[0]]) or 0)
        header = ["least time, ms, %s threads" % " / ".join(map(str, threads)), *ENGINES, "better of the others / coracle"]
        report.replace_blocks(models.ROOT / "docs" / "operator-speed.md", {
            "operators": "Measured on %s (%s), %s. %s\n\n%s" % (
                about["cpu"], about["family_model"], ", ".join(about["instruction_sets"]), summary(rows, threads).capitalize(),
                report.markdown(header, [line(case, results) for case, results in rows]))})


if __name__ == "__main__":
    main()
