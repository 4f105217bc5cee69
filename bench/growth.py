# SPDX-License-Identifier: Apache-2.0
"""How Coracle's time grows: `make bench-growth`, or growth.py --help.

Three series, each with 1 and 2 threads: detection over the area of the image, recognition over the batch, BERT over the length of
the sequence. For each point the least of some runs; the slope is that of a line through the logarithms, 1 where time grows as the
size does.
"""
import argparse
import json
import pathlib
import sys
import time
import tomllib

import numpy as np

import chart
import models
import report
from process import Process

SIDES = [320, 448, 640, 896, 1280, 2016]
BATCHES = [1, 2, 4, 8, 16, 32]
LENGTHS = [16, 32, 64, 128, 256, 512]


def with_shape(shape):
    return lambda recipe: {**recipe, "shape": shape}


# Model, title, unit, and for each point its size in that unit and how it changes the recipe of an input.
SERIES = [
    ("det", "Detection", "megapixels", [(side * side * 1e-6, with_shape([1, 3, side, side])) for side in SIDES]),
    ("rec", "Recognition", "images in a batch", [(n, with_shape([n, 3, 48, 320])) for n in BATCHES]),
    ("bert", "BERT", "tokens", [(n, with_shape([1, n])) for n in LENGTHS]),
]


def least_ms(process, path, seconds):
    process.ask("inputs", inputs=str(path))
    start, times = time.monotonic(), []
    while len(times) < 5 or time.monotonic() - start < seconds:
        times.append(process.ask("sample")["ms"])
    return min(times)


def slope(sizes, times):
    x, y = np.log(sizes), np.log(times)
    return float(np.polyfit(x, y, 1)[0])


def measure(model, points, threads, seconds, folder, environment):
    process = Process(models.PYTHON, folder / ("growth-%s-%d.log" % (model.name, threads)), environment)
    try:
        process.ask("load", engine="coracle", options={}, files=model.files("coracle"), threads=threads, inputs=None, outputs=None)
        times = []
        for size, change in points:
            path = folder / "growth.npz"
            np.savez(path, **models.make_inputs({name: change(recipe) for name, recipe in model.recipes.items()}))
            times.append(least_ms(process, path, seconds))
            print("%s %g: %.2f ms with %d threads" % (model.name, size, times[-1], threads), file=sys.stderr, flush=True)
        return times
    finally:
        process.close()


def table(results):
    rows = []
    for series in results:
        for threads, times in series["ms"].items():
            unit = [t / s for s, t in zip(series["sizes"], times)]
            rows.append(["%s, %s %g to %g, %s thread%s" % (series["title"], series["unit"], series["sizes"][0], series["sizes"][-1],
                                                         threads, "s" if threads != "1" else ""),
                         " / ".join("%.3g" % t for t in times), "%.2f" % slope(series["sizes"], times),
                         "%.2f" % (unit[-1] / min(unit))])
    return report.markdown(["time by", "least ms", "slope", "last point's time for a unit / the best"], rows)


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--seconds", type=float, default=1, help="time for each point (default: 1)")
    a.add_argument("--library", default=str(models.ROOT / "build/release/libcoracle.so"), help="libcoracle.so to measure")
    a.add_argument("--out", type=pathlib.Path, default=models.ROOT / "build/bench", help="folder for results")
    a.add_argument("--docs", action="store_true", help="write the results into docs/performance.md and docs/growth.svg")
    o = a.parse_args()
    rows = {row["name"]: models.Model(row) for row in tomllib.loads((models.BENCH / "models.toml").read_text())["model"]}
    folder = o.out / "workers"
    folder.mkdir(parents=True, exist_ok=True)
    results = []
    for name, title, unit, points in SERIES:
        try:
            ms = {str(threads): measure(rows[name], points, threads, o.seconds, folder, {"CORACLE_LIBRARY": o.library})
                  for threads in (1, 2)}
        except models.Absent as error:
            print("%s is left out: %s" % (title, error), file=sys.stderr)
            continue
        results.append({"title": title, "unit": unit, "sizes": [size for size, _ in points], "ms": ms})
    (o.out / "growth.json").write_text(json.dumps(results))
    text = table(results)
    print(text)
    if o.docs:
        report.replace_blocks(models.ROOT / "docs" / "performance.md", {"growth": text})
        (models.ROOT / "docs" / "growth.svg").write_text(chart.draw_growth(results))


if __name__ == "__main__":
    main()
