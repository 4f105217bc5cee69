# SPDX-License-Identifier: Apache-2.0
"""From the start to the first answer: natively, on OpenVINO with compiled blocks on disk, and OpenVINO alone: engine_start.py [--models rec,bert].

Each row is measured in new processes in turns, in milliseconds from before a library is loaded to after the first run, without the start of
Python. `alone` is a program that does nothing but load OpenVINO, read the very blocks from Coracle's cache and run each once: what a start
through Coracle cannot be below, whatever Coracle does.
"""
import argparse
import ctypes
import glob
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import engine_overhead
import models
import openvino_process
import report

PROPERTIES = {"PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": "1", "NUM_STREAMS": "1",
              "ENABLE_CPU_PINNING": "NO"}


def through(name, engines):
    """Milliseconds of this process's first run of a model by Coracle."""
    import numpy
    model = models.Model(openvino_process.enter(os.environ["CORACLE_LIBRARY"])[name])
    files, inputs = model.files("coracle"), dict(numpy.load(model.inputs()))
    start = time.perf_counter()
    import coracle as engine        # engines/coracle.py
    session = engine.Engine(files, 1, **({"engines": "openvino"} if engines else {}))
    session.set_inputs(inputs)
    session.run()
    return (time.perf_counter() - start) * 1e3


def alone(folder):
    """The same of OpenVINO by its C interface, with the blocks of a folder."""
    file = glob.glob(os.environ["CORACLE_OPENVINO"] + "/libs/libopenvino_c.so*")[0]
    blocks = list(engine_overhead.compiled_blocks(pathlib.Path(folder)))
    start = time.perf_counter()
    library = ctypes.CDLL(file)

    def call(function, *arguments):
        if getattr(library, function)(*arguments) != 0:
            raise RuntimeError(function)
    core = ctypes.c_void_p()
    call("ov_core_create", ctypes.byref(core))
    for key, value in PROPERTIES.items():
        call("ov_core_set_property", core, b"CPU", key.encode(), value.encode(), None)
    kept = []
    for block in blocks:
        model, request = ctypes.c_void_p(), ctypes.c_void_p()
        call("ov_core_import_model", core, block, ctypes.c_size_t(len(block)), b"CPU", ctypes.byref(model))
        call("ov_compiled_model_create_infer_request", model, ctypes.byref(request))
        call("ov_infer_request_infer", request)
        kept.append((block, model, request))
    return (time.perf_counter() - start) * 1e3


def child(*arguments, cache):
    command = [sys.executable, __file__, "--child", json.dumps(arguments)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, "CORACLE_ENGINE_CACHE": cache})
    return float(done.stdout)


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--models", default="cls,rec,mobilenet_v3,resnet50,bert", help="names of models.toml")
    a.add_argument("--repeat", type=int, default=10)
    a.add_argument("--library", default=openvino_process.LIBRARY)
    a.add_argument("--child", help=argparse.SUPPRESS)
    o = a.parse_args()
    if o.child:
        kind, *rest = json.loads(o.child)
        print({"through": through, "alone": alone}[kind](*rest))
        return
    rows = openvino_process.enter(o.library)
    table = []
    for name in o.models.split(","):
        with tempfile.TemporaryDirectory() as cache:
            kinds = [("through", name, False), ("through", name, True), ("alone", cache)]
            try:
                first = child("through", name, True, cache=cache)   # which compiles
            except subprocess.CalledProcessError as error:
                print("%s is left out: %s" % (name, error.stderr.strip().splitlines()[-1]), file=sys.stderr)
                continue
            times = [[] for _ in kinds]
            for _ in range(o.repeat):
                for kind, of_kind in zip(kinds, times):
                    of_kind.append(child(*kind, cache=cache))
        cells = ["%.0f / %.0f" % (min(t), sorted(t)[len(t) // 2]) for t in times]
        table.append([models.Model(rows[name]).name, *cells, "%.0f" % first])
    print(report.markdown(["least / median, ms", "natively", "compiled before", "OpenVINO alone", "compiled anew"], table))


if __name__ == "__main__":
    main()
