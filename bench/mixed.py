# SPDX-License-Identifier: Apache-2.0
"""Models that Paddle's convert_to_mixed_precision made, with weights in 16 bits and casts, against their float32 originals: `make bench-mixed`,
or mixed.py --help. Models in PIR's format are left out: Paddle's tool converts none of them.
"""
import driver
import report
import variants

MODELS = "resnet50,mobilenet_v1,mobilenet_v2,mobilenet_v3,det,rec,cls,picodet,vit,bert,ernie"
FLOAT, MIXED = "float32", ("fp16", "bf16")


def peers():
    (coracle,) = (row for row in driver.available_peers() if row["name"] == "coracle")
    return [{**coracle, "name": FLOAT}] + [{**coracle, "name": name, "form": name} for name in MIXED]


def table(rows, titles, peers):
    """The text of the table: least and median times, ratios of the least, and memory."""
    header = ["", "float32 ms", *["%s ms" % name for name in MIXED], *["float32 / %s" % name for name in MIXED], "MiB at most, of float32's"]
    lines = []
    for row in rows:
        found = {name: r for name, r in row["peers"].items() if "min_ms" in r}
        ratios = ["%.2f" % (found[FLOAT]["min_ms"] / found[name]["min_ms"]) if {FLOAT, name} <= found.keys() else "-" for name in MIXED]
        memory = "%.0f of %.0f" % (found["fp16"]["peak_mib"], found[FLOAT]["peak_mib"]) if {"fp16", FLOAT} <= found.keys() else "-"
        lines.append([variants.title(row, titles), *[variants.cell(row, name) for name in (FLOAT, *MIXED)], *ratios, memory])
    return report.markdown(header, lines)


if __name__ == "__main__":
    variants.main(__doc__, MODELS, peers(), table, ("quantization.md", "mixed"))
