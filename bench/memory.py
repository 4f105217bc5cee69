# SPDX-License-Identifier: Apache-2.0
"""Memory of each engine over many input shapes: `make bench-memory`, or memory.py --help.

Every engine runs the same sequence of shapes in a process of its own, one run each, with one thread: detection in RUNS random sizes
(multiples of 32 from 32 to 1280) and recognition in RUNS random batches (1 to 6) and widths (32 to 640). The first run of each has
the largest shape, so that later growth is not just a larger tensor.

Then Coracle alone, recognition: LIFE_RUNS runs of one shape with other pixels each time, a second session of the model, what is given
back on request, and LOADS times unloading and loading again.
"""
import argparse
import json
import pathlib
import sys
import tomllib

import numpy as np

import models
import report
from driver import available_peers, choose
from process import Failed, Process

RUNS = 300
SETTLED = 50        # Growth counts after this many runs.
LIFE_RUNS = 10000
LIFE_SHAPE = [1, 3, 48, 96]
LOADS = 200


def detection(random):
    return [1, 3, 32 * int(random.integers(1, 41)), 32 * int(random.integers(1, 41))]


def recognition(random):
    return [int(random.integers(1, 7)), 3, 48, int(random.integers(32, 641))]


# The largest shape, and how the others are drawn.
SEQUENCES = {"det": ([1, 3, 1280, 1280], detection), "rec": ([6, 3, 48, 640], recognition)}


def measure(model, peer, runs, folder, environment):
    """What one engine takes: MiB resident after SETTLED runs, at the end, at most, and after each run."""
    process = None
    try:
        files = model.files(peer["engine"])
        python = models.ROOT / "build" / peer["venv"] / "bin" / "python"
        process = Process(python, folder / ("memory-%s-%s.log" % (model.name, peer["name"])), environment)
        result = process.ask("load", engine=peer["engine"], options=peer.get("options", {}), files=files, threads=1, inputs=None,
                             outputs=None)
        name, = model.recipes
        random = np.random.default_rng(1)
        largest, draw = SEQUENCES[model.name]
        resident = []
        for shape in [largest] + [draw(random) for _ in range(runs - 1)]:
            answer = process.ask("shape", name=name, dtype="float32", shape=shape)
            resident.append(answer["resident_mib"])
        return {"before_mib": result["before_mib"], "settled_mib": resident[min(SETTLED, runs) - 1], "end_mib": resident[-1],
                "peak_mib": answer["peak_mib"], "resident_mib": resident}
    except (Failed, models.Absent) as error:
        return {"error": str(error)}
    finally:
        if process:
            process.close()


def life(model, runs, loads, folder, environment):
    """MiB resident after each of `runs` runs and `loads` loads, and what a second session and release_memory change."""
    process = Process(models.PYTHON, folder / "memory-life.log", environment)
    try:
        process.ask("load", engine="coracle", options={}, files=model.files("coracle"), threads=2, inputs=None, outputs=None)
        name, = model.recipes
        return process.ask("life", name=name, shape=LIFE_SHAPE, runs=runs, loads=loads)
    finally:
        process.close()


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--peers", default="", help="names of peers.toml besides coracle, separated by commas (default: all)")
    a.add_argument("--runs", type=int, default=RUNS)
    a.add_argument("--life-runs", type=int, default=LIFE_RUNS)
    a.add_argument("--library", default=str(models.ROOT / "build/release/libcoracle.so"), help="libcoracle.so to measure")
    a.add_argument("--out", type=pathlib.Path, default=models.ROOT / "build/bench", help="folder for results")
    a.add_argument("--docs", action="store_true", help="write the results into docs/performance.md")
    o = a.parse_args()
    table = {row["name"]: models.Model(row) for row in tomllib.loads((models.BENCH / "models.toml").read_text())["model"]}
    peers = available_peers()
    if o.peers:
        peers = choose(peers, "coracle," + o.peers, "peer")
    folder = o.out / "workers"
    folder.mkdir(parents=True, exist_ok=True)
    results = {}
    for name in SEQUENCES:
        for peer in peers:
            r = measure(table[name], peer, o.runs, folder, {"CORACLE_LIBRARY": o.library})
            results.setdefault(name, {})[peer["name"]] = r
            print(name, peer["name"], {k: v for k, v in r.items() if k != "resident_mib"}, file=sys.stderr, flush=True)
    lived = life(table["rec"], o.life_runs, LOADS, folder, {"CORACLE_LIBRARY": o.library})
    (o.out / "memory.json").write_text(json.dumps({"shapes": results, "life": lived}))
    text, life_text = report.memory(results, o.runs, SETTLED), report.life(lived, SETTLED)
    print(text + "\n\n" + life_text)
    if o.docs:
        report.replace_blocks(models.ROOT / "docs" / "performance.md", {"memory": text, "life": life_text})


if __name__ == "__main__":
    main()
