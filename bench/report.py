# SPDX-License-Identifier: Apache-2.0
"""The results of driver.py and memory.py as text and in the documentation."""
import re


def label(results, row):
    return "%s, %d thread%s" % (results["titles"][row["model"]], row["threads"], "s" if row["threads"] > 1 else "")


def row_text(results, row):
    """One model with one number of threads, a line per engine."""
    lines = [label(results, row)]
    ours = row["peers"].get("coracle", {}).get("min_ms")
    for name, r in row["peers"].items():
        if "min_ms" not in r:
            lines.append("  %-12s %s" % (name, r.get("error", "no samples")))
            continue
        ratio = "%6.2f x" % (r["min_ms"] / ours) if ours else ""
        lines.append("  %-12s min %8.2f  median %8.2f  first %8.1f  load %8.1f ms  peak %5.0f MiB %s%s%s" % (
            name, r["min_ms"], r["median_ms"], r["first_ms"], r["load_ms"], r["peak_mib"], ratio,
            "" if r["quiet"] else "  (machine busy)", "" if r.get("agrees", True) else "  (outputs differ)"))
    return "\n".join(lines)


def cell(r, key, form="%.1f"):
    if key not in r:
        return "-"
    note = "" if r.get("agrees", True) else " (outputs differ)"
    return form % r[key] + ("" if r["quiet"] else " (busy)") + note


def names(results):
    return [peer["name"] for peer in results["peers"]]


def markdown(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + " --- |" + " ---: |" * (len(header) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


# Coracle's name with all instruction sets, next to it held to one.
FREE = "coracle, all sets"


def best_peer(row):
    """The least time of the other engines whose outputs agree."""
    times = [r["min_ms"] for name, r in row["peers"].items()
             if name not in ("coracle", FREE) and "min_ms" in r and r.get("agrees", True)]
    return min(times, default=None)


def ratio(row):
    """The best peer's least time divided by Coracle's, or None."""
    ours, best = row["peers"].get("coracle", {}).get("min_ms"), best_peer(row)
    return best / ours if ours and best else None


def ratio_text(row):
    """The ratio, and from where to where it was in several runs."""
    if not ratio(row):
        return "-"
    ratios = [r for r in row.get("ratios", []) if r]
    spread = " (%.2f-%.2f)" % (min(ratios), max(ratios)) if len(ratios) > 1 else ""
    return "%.2f x%s" % (ratio(row), spread)


def speed(results):
    """Least time in ms, and how many times as long the best peer takes."""
    peers = names(results)
    rows = []
    for row in results["rows"]:
        cells = [cell(row["peers"].get(name, {}), "min_ms", "%.2f") for name in peers]
        rows.append([label(results, row)] + cells + [ratio_text(row)])
    spread = " (from - to in %d runs)" % results["runs"] if results["runs"] > 1 else ""
    return markdown(["least time, ms"] + peers + ["best peer / coracle" + spread], rows)


def capped(results, isa):
    """The same with the engines held to an instruction set, and how many times as long that takes Coracle."""
    peers = [name for name in names(results) if name != FREE]
    rows = []
    for row in results["rows"]:
        held, free = row["peers"]["coracle"].get("min_ms"), row["peers"][FREE].get("min_ms")
        cells = [cell(row["peers"].get(name, {}), "min_ms", "%.2f") for name in peers]
        rows.append([label(results, row)] + cells + [ratio_text(row), "%.2f x" % (held / free) if held and free else "-"])
    return markdown(["least time with %s, ms" % isa] + peers + ["best peer / coracle", "coracle, %s / all sets" % isa], rows)


def summary(results):
    """The same in one row for each model, the numbers of threads side by side."""
    rows, threads = {}, []
    for row in results["rows"]:
        rows.setdefault(row["model"], []).append(row)
        threads += [row["threads"]] if row["threads"] not in threads else []
    lines = []
    for model, of_model in rows.items():
        cells = [" / ".join(cell(row["peers"][name], "min_ms", "%.1f") for row in of_model) for name in names(results)]
        ratios = [ratio(row) for row in of_model]
        lines.append([results["titles"][model]] + cells + [" / ".join("%.2f x" % r if r else "-" for r in ratios)])
    header = "least time, ms, %s threads" % " / ".join(str(t) for t in threads)
    return markdown([header] + names(results) + ["best peer / coracle"], lines)


def medians(results):
    return markdown(["median, ms"] + names(results),
                    [[label(results, row)] + [cell(row["peers"][name], "median_ms", "%.2f") for name in names(results)]
                     for row in results["rows"]])


def start(results):
    """Loading, first run and memory, with the first number of threads."""
    threads = results["rows"][0]["threads"]
    rows = []
    for row in results["rows"]:
        if row["threads"] == threads:
            rows.append([results["titles"][row["model"]]] + [
                "%.0f / %.0f / %.0f" % (r["load_ms"], r["first_ms"], r["peak_mib"]) if "min_ms" in r else "-"
                for r in (row["peers"][name] for name in names(results))])
    return markdown(["load ms / first run ms / peak MiB"] + names(results), rows)


def failures(results):
    """Why engines have no number, a line each."""
    lines = []
    for row in results["rows"]:
        for name, r in row["peers"].items():
            if "error" in r:
                lines.append("- %s, %s: %s" % (name, label(results, row), r["error"]))
    return "\n".join(lines) or "Nothing: every engine ran every model."


def machine(results):
    m = results["machine"]
    rates = results["fma_gflops"]
    versions = ["%s %s%s" % (peer["name"], next((row["peers"][peer["name"]]["version"] for row in results["rows"]
                                                 if "version" in row["peers"][peer["name"]]), "?"),
                             " (%s)" % peer["note"] if "note" in peer else "") for peer in results["peers"]]
    lines = [
        ("measured", "%s, %g s for each row" % (results["date"], results["seconds"])),
        ("processor", "%s (%s), %d cores, %s" % (m["cpu"], m["family_model"], m["cores"], m["caches"])),
        ("instruction sets", ", ".join(m["instruction_sets"])),
        ("multiply-adds, best probe", ", ".join("%.0f GFLOP/s with %s thread%s" % (rate, t, "s" if t != "1" else "")
                                                for t, rate in rates.items())),
        ("reading memory", ", ".join("%s GB/s with %s thread%s" % (rate, t, "s" if t != "1" else "")
                                     for t, rate in m["read_gb_per_s"].items())),
        ("memory, system", "%s GiB, %s" % (m["memory_gib"], m["system"])),
        ("load when it started", "%.1f runnable processes%s" % (
            m["load_average"], "; measured with real-time priority" if results["real_time"] else "")),
        ("engines", ", ".join(versions)),
    ]
    return "\n".join("- %s: %s" % line for line in lines)


MEMORY_TITLES = {"det": "detection, %d sizes 32-1280", "rec": "recognition, %d batches 1-6 x 32-640"}


def memory(results, runs, settled):
    """Resident memory over the sequences of memory.py."""
    rows = []
    for name, engines in results.items():
        for engine, r in engines.items():
            title = "%s, %s" % (MEMORY_TITLES[name] % runs, engine)
            if "error" in r:
                rows.append([title, r["error"], "", "", ""])
                continue
            growth = r["end_mib"] - r["settled_mib"]
            rows.append([title, "%.0f" % r["settled_mib"], "%.0f" % r["end_mib"],
                         "%+.1f (%+.1f %%)" % (growth, 100 * growth / r["settled_mib"]), "%.0f" % r["peak_mib"]])
    return markdown(["MiB resident", "after run %d" % settled, "at the end", "growth", "peak"], rows)


def life(r, settled):
    """Resident memory of Coracle over many runs and loads."""
    def row(title, first, last):
        return [title, "%.1f" % first, "%.1f" % last, "%+.1f (%+.1f %%)" % (last - first, 100 * (last - first) / first)]
    runs, loads = r["runs"], r["loads"]
    return markdown(["MiB resident", "before", "after", "change"], [
        row("%d runs of one shape, other pixels each time; from run %d on" % (len(runs), settled), runs[settled - 1], runs[-1]),
        row("a second session of the model, and its first run", runs[-1], runs[-1] + r["second"]),
        row("release_memory of both sessions (%.1f MiB given back)" % r["trimmed"], runs[-1] + r["second"], r["after_trim"]),
        row("unloading and loading, %d times; from the first on" % len(loads), loads[0], loads[-1]),
    ])


def block_rows(path, name):
    """The rows of the table that replace_blocks() has written, as lists of cells."""
    found = re.search(r"<!-- %s: [^>]*-->\n(.*?)<!-- %s end -->" % (name, name), path.read_text(), re.DOTALL)
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in found[1].splitlines()[2:] if line] if found else []


def replace_blocks(path, blocks):
    """Replaces what is between `<!-- NAME: made by ... -->` and `<!-- NAME end -->` in a Markdown file."""
    text = path.read_text()
    for name, body in blocks.items():
        pattern = re.compile(r"(<!-- %s: [^>]*-->\n).*?(<!-- %s end -->)" % (name, name), re.DOTALL)
        text = pattern.sub(lambda found: found.group(1) + body + "\n" + found.group(2), text)
    path.write_text(text)
