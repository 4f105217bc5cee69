# SPDX-License-Identifier: Apache-2.0
"""One engine with one model in a process of its own. Reads commands from stdin, one JSON object a line, and answers each with
one line on stdout: {"error": text} or the result. What the engine itself prints goes to stderr.

    {"do": "load", "engine", "options", "files", "threads", "inputs": NPZ, "outputs": NPZ or null}
    {"do": "sample"}                              one run with the inputs of load
    {"do": "samples", "seconds"}                  runs for that long, one at least: the milliseconds of each, and those waited for a core
    {"do": "inputs", "inputs": NPZ}               other inputs, of other shapes, and one run with them
    {"do": "shape", "name", "dtype", "shape"}     one run of a model with one input, of this shape; the largest comes first
    {"do": "life", "name", "shape", "runs", "loads"}  that many runs of one shape with new values each time, a second session, trim,
                                                  that many times unloaded and loaded again: resident memory after each (coracle)
    {"do": "memory"}
"""
import contextlib
import importlib
import json
import os
import sys
import time

import numpy as np


def memory():
    """Resident and peak resident memory of this process in MiB."""
    lines = dict(line.split(":", 1) for line in open("/proc/self/status") if line.startswith(("VmRSS", "VmHWM")))
    kib = {name: int(text.split()[0]) for name, text in lines.items()}
    return {"resident_mib": kib["VmRSS"] / 1024, "peak_mib": kib["VmHWM"] / 1024}


def waited():
    """Milliseconds that the threads of this process were ready to run and had no core, since they started."""
    total = 0
    for thread in os.listdir("/proc/self/task"):
        with contextlib.suppress(OSError):      # A thread may end meanwhile.
            with open("/proc/self/task/%s/schedstat" % thread) as file:
                total += int(file.read().split()[1])
    return total * 1e-6


def milliseconds(function):
    start = time.perf_counter()
    function()
    return (time.perf_counter() - start) * 1e3


class Worker:
    buffer = None

    def load(self, engine, options, files, threads, inputs, outputs):
        before = memory()["resident_mib"]
        module = importlib.import_module("engines." + engine)
        imported = memory()["resident_mib"]
        start = time.perf_counter()
        self.again = lambda: module.Engine(files, threads, **options)
        self.engine = self.again()
        load = (time.perf_counter() - start) * 1e3
        if inputs is None:
            return {"version": module.Engine.version, "load_ms": load, "before_mib": before, "imported_mib": imported}
        self.arrays = dict(np.load(inputs))
        first = milliseconds(self.first_run)
        if outputs:
            np.savez(outputs, *self.engine.outputs())
        return {"version": module.Engine.version, "load_ms": load, "first_ms": first, "before_mib": before,
                "imported_mib": imported, **memory()}

    def first_run(self):
        self.engine.set_inputs(self.arrays)
        self.engine.run()

    def inputs(self, inputs):
        self.arrays = dict(np.load(inputs))
        return {"ms": milliseconds(self.first_run)}

    def sample(self):
        before = waited()
        time_of_run = milliseconds(self.engine.run)
        return {"ms": time_of_run, "waited_ms": waited() - before}

    def samples(self, seconds):
        self.engine.run()
        before, end, times = waited(), time.perf_counter() + seconds, []
        while not times or time.perf_counter() < end:
            times.append(milliseconds(self.engine.run))
        return {"ms": times, "waited_ms": waited() - before}

    def shape(self, name, dtype, shape):
        # All inputs lie in one buffer, as large as the first: only the engine's memory changes.
        count = int(np.prod(shape))
        if self.buffer is None:
            self.buffer = np.random.default_rng(1).uniform(-1, 1, count).astype(dtype)
        self.arrays = {name: self.buffer[:count].reshape(shape)}
        return {"ms": milliseconds(self.first_run), **memory()}

    def life(self, name, shape, runs, loads):
        resident = lambda: memory()["resident_mib"]
        random = np.random.default_rng(1)
        arrays = {name: random.uniform(-1, 1, shape).astype(np.float32)}
        self.engine.set_inputs(arrays)
        after_run = []
        for _ in range(runs):
            for array in arrays.values():
                array += np.float32(random.uniform(-0.1, 0.1))
            self.engine.run()
            after_run.append(resident())
        before_second = resident()
        self.engine.second_session(arrays)
        second = resident() - before_second
        trimmed = self.engine.trim()
        after_trim = resident()
        after_load = []
        for _ in range(loads):
            self.engine.close()
            self.engine = self.again()
            self.engine.set_inputs(arrays)
            self.engine.run()
            after_load.append(resident())
        return {"runs": after_run, "second": second, "trimmed": trimmed, "after_trim": after_trim, "loads": after_load}

    def memory(self):
        return memory()


def main():
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    worker = Worker()
    for line in sys.stdin:
        command = json.loads(line)
        try:
            answer = getattr(worker, command.pop("do"))(**command)
        except Exception as error:      # Whatever a peer throws is its result.
            answer = {"error": "%s: %s" % (type(error).__name__, error)}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
