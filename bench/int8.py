# SPDX-License-Identifier: Apache-2.0
"""Models of int8 against float32 and against other engines' models of int8: `make bench-int8`, or int8.py --help.

Each engine's own tool quantises the model, with the same inputs for all (models.py); weights of most models are made up, so this is about
time, not about accuracy. Engines take turns as driver.py has them.
"""
import tomllib

import models
import report
import variants

MODELS = "resnet50,mobilenet_v1,mobilenet_v2,mobilenet_v3,det,rec,cls,picodet,bert,ernie"
OURS, FLOAT = "coracle", "float32"


def table(rows, titles, peers):
    """The text of the table: least times, and ratios of them."""
    others = [peer["name"] for peer in peers if peer["name"] not in (OURS, FLOAT)]
    header = ["", "float32 ms", "int8 ms", *["%s int8 ms" % name for name in others], "float32 / int8", "best other / int8",
              "MiB at most, of float32's"]
    lines = []
    for row in rows:
        found = {name: r for name, r in row["peers"].items() if "min_ms" in r}
        best = [found[name]["min_ms"] for name in others if name in found]
        ratio = lambda least: "%.2f" % (least / found[OURS]["min_ms"]) if OURS in found else "-"
        memory = "%.0f of %.0f" % (found[OURS]["peak_mib"], found[FLOAT]["peak_mib"]) if {OURS, FLOAT} <= found.keys() else "-"
        lines.append([variants.title(row, titles), *[variants.cell(row, name) for name in (FLOAT, OURS, *others)],
                      ratio(found[FLOAT]["min_ms"]) if FLOAT in found else "-", ratio(min(best)) if best else "-", memory])
    return report.markdown(header, lines)


if __name__ == "__main__":
    variants.main(__doc__, MODELS, tomllib.loads((models.BENCH / "peers_int8.toml").read_text())["peer"], table, ("quantization.md", "int8"))
