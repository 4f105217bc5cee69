# SPDX-License-Identifier: Apache-2.0
"""The values of a model's option `precision` against each other and against other engines in float32: `make bench-precision`, or
precision.py --help. They differ where the processor has matrix tiles or products of pairs of bfloat16 numbers."""
import driver
import report
import variants

OURS = ("strict", "default", "high", "bf16")


def peers():
    """Coracle with each precision, then the others; one that computes in bfloat16 is no peer of float32."""
    rows = driver.available_peers()
    (coracle,) = (row for row in rows if row["name"] == "coracle")
    return [{**coracle, "name": name, "options": {"precision": name}} for name in OURS] + [
        row for row in rows if row["name"] != "coracle" and "needs" not in row]


def table(rows, titles, peers):
    """The text of the table: least and median times, and ratios of the least."""
    others = [peer["name"] for peer in peers if peer["name"] not in OURS]
    header = ["", *["%s ms" % name for name in OURS], "best other ms", *["strict / %s" % name for name in OURS[1:]], "best other / default"]
    lines = []
    for row in rows:
        least = {name: r["min_ms"] for name, r in row["peers"].items() if "min_ms" in r}
        best = min((name for name in others if name in least and row["peers"][name].get("agrees") is not False), key=least.get, default=None)
        ratio = lambda above, below: "%.2f" % (least[above] / least[below]) if above in least and below in least else "-"
        lines.append([variants.title(row, titles), *[variants.cell(row, name) for name in OURS],
                      "%s (%s)" % (variants.cell(row, best), best) if best else "-", *[ratio("strict", name) for name in OURS[1:]],
                      ratio(best, "default")])
    return report.markdown(header, lines)


if __name__ == "__main__":
    variants.main(__doc__, "", peers(), table, ("performance.md", "precision"))
