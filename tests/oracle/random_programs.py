# SPDX-License-Identifier: Apache-2.0
"""Runs random programs with the real Paddle and with Coracle, and compares.

  random_programs.py FORM --out DIR [--count N] [--first SEED] [--seconds S] [--family NAME ...] [--keep]

FORM is "program" (with Paddle 2.6), "translated" or "native" (with Paddle 3.3; "translated" takes the ProgramDesc from
the Python that PADDLE_26_PYTHON names). CORACLE_LIBRARY names libcoracle.so. The families take turns; each has one
program for a seed.

A program runs with two sets of inputs of other sizes in one session: with graph passes and one thread, with three
threads (the same bits), without passes, and with a narrower instruction set. One that Paddle refuses, or whose answer
jumps for slightly moved inputs, is dropped. One that fails is reduced, and DIR/<form>/failed/<group> has the
smallest program of each group as a case for pack.py; with --keep DIR/<form>/kept has the small ones that agree.
Exit status 1: something failed.
"""

import argparse
import collections
import hashlib
import json
import os
import pprint
import select
import shutil
import sys
import time
import warnings

import numpy as np

import programs
from programs import build

REDUCED = 2  # programs of one apparent cause that are reduced; more are only counted
HANGING = 120  # seconds
BATCH = 100  # programs of one child
STRICTER = (5e-7,) * 6 + (5e-6, 5e-6, 2e-5)  # nudges that a failing program must survive


def jobs(arguments):
    families = arguments.family or programs.FORMS[arguments.form]
    seeds = range(arguments.first, arguments.first + -(-arguments.count // len(families)))
    return [(family, seed) for seed in seeds for family in families][: arguments.count]


def save(program, form, folder, expected, name):
    """Writes the arrays and case.json beside the model that is in `folder`, and the statements to read."""
    spec = {"op": name, "format": "program" if form == "program" else "pir", "model": build.MODEL[form], "runs": []}
    if program["params"]:
        spec["params"] = build.PARAMS
    for number, (feeds, outputs) in enumerate(zip(program["runs"], expected)):
        run = {"inputs": [], "outputs": []}
        for i, (key, (array, lod)) in enumerate(feeds.items()):
            run["inputs"].append({"name": key, "file": "in%d_%d.npy" % (number, i), **({"lod": lod} if lod else {})})
            np.save(os.path.join(folder, run["inputs"][-1]["file"]), np.asarray(array, order="C"))
        for i, o in enumerate(outputs):
            file = "out%d_%d.npy" % (number, i)
            run["outputs"].append(
                {"file": file, "atol": o.absolute, "rtol": o.relative, **({"lod": o.lod} if o.lod else {})}
            )
            np.save(os.path.join(folder, file), np.asarray(o.array, order="C"))
        spec["runs"].append(run)
    with open(os.path.join(folder, "case.json"), "w", encoding="utf-8") as f:
        json.dump(spec, f)


class Child:
    """Tries programs one after the other and reports lines of JSON on a pipe."""

    def __init__(self, arguments, out, pipe, causes):
        self.form, self.out, self.pipe, self.causes, self.kept = arguments.form, out, pipe, causes, arguments.keep
        self.ignored = arguments.ignore or []
        self.folder = os.path.join(out, "now%d" % os.getpid())

    def say(self, **line):
        os.write(self.pipe, (json.dumps(line) + "\n").encode())

    def try_one(self, index, family, seed):
        from programs import answers
        from tolerance import Unstable

        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        self.say(index=index, stage="paddle")
        try:
            program = programs.write(family, seed, self.form)
            expected = answers.ask(program, self.form, self.folder)
        except Unstable:
            return {"dropped": "unstable"}
        except Exception as error:
            return {"dropped": first_reason(error)}
        self.say(index=index, stage="coracle")
        variants = ["plain", "without passes", "three threads", ("sse2", "avx2")[seed % 2]]
        failures = self.found(program, expected, variants)
        if not failures:
            self.keep(program, expected, "%s-%s-%d" % (self.form, family, seed))
            return {"ok": len(program["body"])}
        self.say(index=index, stage="reducing")
        try:
            expected = answers.ask(program, self.form, self.folder, STRICTER, fresh=True)
        except Exception as error:
            return {"dropped": "unstable" if isinstance(error, Unstable) else first_reason(error)}
        failures = self.found(program, expected, variants)
        if not failures:
            return {"ok": len(program["body"])}
        return self.examine(program, expected, failures, "%s/%d" % (family, seed))

    def found(self, program, expected, variants):
        from programs import engine

        failures = engine.check(program, self.form, self.folder, expected, variants)
        return [failure for failure in failures if failure.kind not in self.ignored]

    def keep(self, program, expected, name):
        """A case of a program that agrees, if it is small."""
        size = sum(os.path.getsize(os.path.join(self.folder, f)) for f in os.listdir(self.folder))
        if not self.kept or size > 30000:
            return
        folder = os.path.join(self.out, "kept", name)
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.folder, folder)
        save(program, self.form, folder, expected, name)

    def contradictory(self, program, expected, failure):
        """Whether Paddle gives something else for the output that differs when it is asked again, or for it alone."""
        from programs import answers, engine, writer

        name = program["fetch"][failure.output]
        one = expected[failure.run][failure.output]
        for fetch in (program["fetch"], program["fetch"], [name]):
            try:
                again = answers.ask(writer.prune({**program, "fetch": fetch}), self.form, self.folder, fresh=True)
            except Exception:
                continue
            other = again[failure.run][fetch.index(name)]
            if one.lod != other.lod or engine.difference(other.array, other.lod, one):
                return True
        build.build(program, self.form, self.folder)
        return False

    def executor_differs(self, program, expected, failure):
        """Whether Paddle's eager mode gives something else than its program for the output that differs."""
        from programs import eager, engine

        if failure.output < 0 or failure.kind in ("lod", "bits") or eager.has_operators(program["body"]):
            return False
        try:
            array = eager.results(program, program["runs"][failure.run])[failure.output]
        except Exception:
            return False
        want = expected[failure.run][failure.output]
        return engine.difference(array, want.lod, want) is not None

    def examine(self, program, expected, failures, name):
        """The apparent cause of a failure, and its smallest program if the cause has too few."""
        from programs import engine, reduce, writer

        failure = failures[0]
        if failure.output >= 0 and self.contradictory(program, expected, failure):
            return {"dropped": "Paddle contradicts itself"}
        if self.executor_differs(program, expected, failure):
            return {"dropped": "Paddle's executor differs from its eager mode"}
        cause = (
            failure.variant + " " + (reduce.normalized(failure.message) if failure.kind == "error" else failure.kind)
        )
        if failure.variant == "plain" and not any(f.variant == "without passes" for f in failures):
            cause += " passes " + ",".join(engine.passes_at_fault(program, self.form, self.folder, expected, failure))
        wrong = failure.kind != "error" and reduce.first_wrong(program, self.form, self.folder, failure)
        if wrong:
            cause = "%s first wrong (%s): %s" % (failure.variant, wrong[1], wrong[0])
        known = wrong or "passes" in cause or failure.kind == "error"
        line = {"failed": name, "cause": cause, "message": failure.message, "variants": [f.variant for f in failures]}
        if known and self.causes.get(cause, 0) >= REDUCED:
            return line
        reducer = reduce.Reducer(program, self.form, self.folder, failure)
        small = reducer.reduce()
        reducer.end += 60
        found = reducer.failing(small)
        if not found:
            return line
        if self.executor_differs(small, found[1], found[0]):
            return {"dropped": "Paddle's executor differs from its eager mode, reduced"}
        text = sorted(set(writer.labels(small["body"])))
        if not known:
            line["cause"] += " " + " | ".join(text)
        if self.causes.get(line["cause"], 0) >= REDUCED:
            return line
        group = "%s-%s" % (self.form, hashlib.sha1(("%s %s" % (line["cause"], text)).encode()).hexdigest()[:8])
        folder = os.path.join(self.out, "failed", group)
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.folder, folder)
        save(small, self.form, folder, found[1], group)
        with open(os.path.join(folder, "about.txt"), "w", encoding="utf-8") as f:
            f.write("%s\n%s\n%s\n\n" % (name, line["cause"], found[0]))
            f.write(pprint.pformat(small["body"], width=160, sort_dicts=False))
            f.write("\n\nfetch %s\ninputs %s\n" % (small["fetch"], pprint.pformat(small["inputs"], width=160)))
            for run in small["runs"]:
                f.write("run %s\n" % {key: (array.shape, lod) for key, (array, lod) in run.items()})
        return {**line, "group": group, "reduced": text, "message": found[0].message}


def first_reason(error):
    lines = [line.strip() for line in str(error).strip().splitlines() if line.strip()]
    reasons = [line for line in lines if line.startswith("(") or "Error:" in line]
    return "%s: %s" % (type(error).__name__, (reasons or lines[-1:] or ["?"])[0][:160])


def child(arguments, out, pipe, todo, causes):
    import paddle

    warnings.simplefilter("ignore")
    log = os.open(os.path.join(out, "paddle.log"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(log, 1)
    os.dup2(log, 2)
    paddle.enable_static()
    worker = Child(arguments, out, pipe, causes)
    for index, (family, seed) in todo:
        worker.say(index=index, **worker.try_one(index, family, seed))
    shutil.rmtree(worker.folder, ignore_errors=True)


class Tally:
    def __init__(self):
        self.ok, self.statements, self.dropped, self.failed = 0, 0, collections.Counter(), []
        self.families = collections.defaultdict(collections.Counter)  # {family: {"agree" and so on: how many}}

    def add(self, family, line):
        if "ok" in line:
            self.families[family]["agree"] += 1
            self.ok, self.statements = self.ok + 1, self.statements + line["ok"]
        elif "dropped" in line:
            self.families[family]["dropped"] += 1
            self.dropped[line["dropped"]] += 1
        elif "failed" in line:
            self.families[family]["failed"] += 1
            self.failed.append(line)
            print("FAILED %(failed)s: %(cause)s: %(message).200s" % line, line.get("group", ""), flush=True)

    def causes(self):
        return collections.Counter(line["cause"] for line in self.failed)


def run(arguments, out, tally):
    todo, at, buffer = list(enumerate(jobs(arguments))), 0, b""
    end = time.time() + arguments.seconds if arguments.seconds else float("inf")
    while at < len(todo) and time.time() < end:
        read, write = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(read)
            try:
                child(arguments, out, write, todo[at : at + BATCH], tally.causes())
            finally:
                os._exit(0)
        os.close(write)
        running, buffer = {}, b""
        while True:
            ready, _, _ = select.select([read], [], [], HANGING)
            if not ready:
                os.kill(pid, 9)
                break
            data = os.read(read, 65536)
            if not data:
                break
            *lines, buffer = (buffer + data).split(b"\n")
            for line in map(json.loads, lines):
                running = line if "stage" in line else {}
                at = max(at, line["index"] + ("stage" not in line))
                tally.add(todo[line["index"]][1][0], line)
            if time.time() > end and not running:
                os.kill(pid, 9)
        os.close(read)
        os.waitpid(pid, 0)
        if running and time.time() < end:
            family, seed = todo[running["index"]][1]
            if running["stage"] == "coracle":
                name = "%s/%d" % (family, seed)
                tally.add(family, {"failed": name, "cause": "crash", "message": "the process ended or hung"})
            else:
                tally.add(family, {"dropped": "the process ended or hung while " + running["stage"]})
            at = running["index"] + 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("form", choices=list(programs.FORMS))
    parser.add_argument("--out", required=True)
    parser.add_argument("--count", type=int, default=300, help="how many programs")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--seconds", type=float, default=0, help="the longest time; 0 is any")
    parser.add_argument("--family", action="append", choices=list(programs.FAMILIES))
    parser.add_argument("--keep", action="store_true", help="keep small programs that agree")
    parser.add_argument("--ignore", action="append", help="a kind of failure that does not count: lod, bits, ...")
    arguments = parser.parse_args()
    os.environ["FLAGS_enable_pir_api"] = "0" if arguments.form == "program" else "1"
    out = os.path.join(os.path.abspath(arguments.out), arguments.form)
    os.makedirs(out, exist_ok=True)
    import coracle  # noqa: F401, once, before the children
    import paddle  # noqa: F401

    start, tally = time.time(), Tally()
    run(arguments, out, tally)
    print(
        "%s: %d programs agree (%.1f statements each), %d dropped, %d failed, %.0f s"
        % (
            arguments.form,
            tally.ok,
            tally.statements / max(1, tally.ok),
            sum(tally.dropped.values()),
            len(tally.failed),
            time.time() - start,
        )
    )
    for family, counts in sorted(tally.families.items()):
        print("  %-9s %s" % (family, ", ".join("%d %s" % (counts[key], key) for key in ("agree", "dropped", "failed"))))
    for reason, count in tally.dropped.most_common(12):
        print("  dropped %4d: %s" % (count, reason))
    for cause, count in tally.causes().most_common():
        print("  failed %4d: %s" % (count, cause))
    return 1 if tally.failed else 0


if __name__ == "__main__":
    sys.exit(main())
