# SPDX-License-Identifier: Apache-2.0
"""What one size of a model and eight of them take on an engine: engine_profiles.py [--models resnet50,rec] [--engines xnnpack].

For each model and engine two new processes: one runs one size, the other eight of which it is the largest, each twice in turn, in one
session. The memory is what the process has in RAM at the end (VmRSS), less what it had before the model was loaded.
"""
import argparse
import gc
import json
import os
import pathlib
import subprocess
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
# The last one is the largest.
SIZES = {
    "resnet50": ("x", [[1, 3, side, side] for side in range(112, 225, 16)]),
    "mobilenet_v3": ("x", [[1, 3, side, side] for side in range(112, 225, 16)]),
    "det": ("x", [[1, 3, side, side] for side in range(416, 641, 32)]),
    "rec": ("x", [[1, 3, 48, width] for width in range(40, 321, 40)]),
}


def resident():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS")) / 1024


def run(files, engine, name, sizes):
    """The growth of this process, in MiB."""
    import numpy as np
    import coracle
    random = np.random.default_rng(1)
    inputs = [random.uniform(-1, 1, size).astype(np.float32) for size in sizes]
    before = resident()
    model = coracle.load(*files, engines=engine)
    session = model.session(threads=1)
    for values in inputs * 2:
        session.run({name: values})
    gc.collect()
    return resident() - before


def measure(files, engine, name, sizes):
    environment = {"PYTHONPATH": str(ROOT / "python"), "CORACLE_LIBRARY": str(ROOT / "build" / "release" / "libcoracle.so"), **os.environ}
    command = [sys.executable, __file__, "--one", json.dumps([files, engine, name, sizes])]
    return float(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout)


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--models", default=",".join(SIZES))
    a.add_argument("--engines", default="xnnpack", help="separated by commas")
    a.add_argument("--one", help=argparse.SUPPRESS)
    a = a.parse_args()
    if a.one:
        print(run(*json.loads(a.one)))
        return
    import models
    rows = {row["name"]: row for row in tomllib.loads((ROOT / "bench" / "models.toml").read_text())["model"]}
    print("| MiB | engine | one size | eight sizes | |\n|---|---|---:|---:|---:|")
    for name in a.models.split(","):
        model = models.Model(rows[name])
        operand, sizes = SIZES[name]
        files = [str(model.files("coracle")[kind]) for kind in ("program", "params")]
        for engine in a.engines.split(","):
            one, eight = (measure(files, engine, operand, some) for some in (sizes[-1:], sizes))
            print("| %s | %s | %.0f | %.0f | %.2f |" % (model.title, engine, one, eight, eight / one), flush=True)


if __name__ == "__main__":
    main()
