# SPDX-License-Identifier: Apache-2.0
"""What running a model on OpenVINO through Coracle costs beside OpenVINO: engine_overhead.py [--models det,bert] [--threads 1].

Needs build/openvino-venv (`make engines`), whose Python runs it; the models are those of models.toml. OpenVINO's own runs are of the
very blocks that Coracle compiled, taken from its cache on disk, through OpenVINO's Python package, each with tensors that were set
once. Both are in one process and take turns, one run each, so what the machine does otherwise meets both. `natively` is how many
operators OpenVINO did not take: with none of them the difference is all that Coracle adds.
"""
import argparse
import ctypes
import json
import os
import pathlib
import statistics
import struct
import sys
import tempfile
import time

import models
import openvino_process

MOST_SHARE, MOST_MS = 0.03, 0.05    # what Coracle may add
HEAD = struct.Struct("<8sQQQ")      # of files of the cache (src/base/file_cache.cc): magic, bytes of key and content, checksum


def compiled_blocks(folder):
    """What OpenVINO saved of each block."""
    for path in sorted(folder.glob("*.bin")):
        data = path.read_bytes()
        _, key, content, _ = HEAD.unpack_from(data)
        yield data[HEAD.size + key:HEAD.size + key + content]


class Own:
    """The blocks of a model as OpenVINO alone runs them."""

    def __init__(self, folder, threads):
        import numpy
        import openvino
        config = {"PERFORMANCE_HINT": "LATENCY", "NUM_STREAMS": 1, "INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": "f32",
                  "ENABLE_CPU_PINNING": False}
        core = openvino.Core()
        core.set_property("CPU", config)
        self.requests, self.kept = [], []
        for saved in compiled_blocks(folder):
            model = core.import_model(saved, "CPU", {})
            request = model.create_infer_request()
            random = numpy.random.default_rng(1)
            for port in model.inputs:
                shape, dtype = list(port.shape), port.element_type.to_dtype()
                array = random.uniform(-1, 1, shape).astype(dtype) if numpy.issubdtype(dtype, numpy.floating) else numpy.zeros(shape, dtype)
                self.kept.append(openvino.Tensor(array, shared_memory=True))
                request.set_tensor(port, self.kept[-1])
            self.requests.append(request)
            self.kept.append(model)

    def run(self):
        for request in self.requests:
            request.infer()


def natives(library, model):
    text = ctypes.c_char_p()
    status = library.coracle_model_engines(model, ctypes.byref(text))
    if status != 0:
        raise RuntimeError("coracle_model_engines failed")
    report = json.loads(text.value)
    return len(report["blocks"]), sum(1 for node in report["nodes"] if not node.get("block"))


def measure(row, threads, seconds):
    import coracle as engine        # engines/coracle.py
    import numpy
    model = models.Model(row)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["CORACLE_ENGINE_CACHE"] = folder
        ctypes.CDLL(None).setenv(b"CORACLE_ENGINE_CACHE", folder.encode(), 1)
        through = engine.Engine(model.files("coracle"), threads, engines="openvino")
        arrays = dict(numpy.load(model.inputs()))       # borrowed by every run
        through.set_inputs(arrays)
        through.run()
        own = Own(pathlib.Path(folder), threads)
        blocks, native = natives(engine.LIBRARY, through.model)
        own.run()
        times, end, first = ([], []), time.monotonic() + seconds, 0
        while time.monotonic() < end:
            for i in (first, 1 - first):
                start = time.perf_counter_ns()
                (through, own)[i].run()
                times[i].append((time.perf_counter_ns() - start) * 1e-6)
            first = 1 - first
        through.close()
    lowest, middle = [min(t) for t in times], [statistics.median(t) for t in times]
    holds = any(a - b <= MOST_SHARE * b + MOST_MS for a, b in (lowest, middle))
    print("%-14s %7d %5d %8d | %8.3f %8.3f %+7.3f %+6.1f %% | %8.3f %8.3f %+7.3f %+6.1f %% | %5d  %s" % (
        model.name, threads, blocks, native, lowest[0], lowest[1], lowest[0] - lowest[1], 100 * (lowest[0] / lowest[1] - 1),
        middle[0], middle[1], middle[0] - middle[1], 100 * (middle[0] / middle[1] - 1), len(times[0]),
        "" if holds else "more than %g %% + %g ms" % (100 * MOST_SHARE, MOST_MS)), flush=True)
    return holds


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--models", default="det,rec,mobilenet_v1,mobilenet_v3,resnet50,bert", help="names of models.toml")
    a.add_argument("--threads", default="1,2")
    a.add_argument("--seconds", type=float, default=10, help="for one model with one number of threads (default: 10)")
    a.add_argument("--library", default=openvino_process.LIBRARY)
    o = a.parse_args()
    rows = openvino_process.enter(o.library)
    print("milliseconds                               |     least:  through Coracle, alone   |     median: the same                | runs")
    print("%-14s %7s %5s %8s |" % ("model", "threads", "blocks", "natively"))
    held = True
    for name in o.models.split(","):
        for threads in (int(text) for text in o.threads.split(",")):
            try:
                held = measure(rows[name], threads, o.seconds) and held
            except models.Absent as error:
                print("%-14s left out: %s" % (name, error))
    sys.exit(not held)


if __name__ == "__main__":
    main()
