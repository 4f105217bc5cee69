# SPDX-License-Identifier: Apache-2.0
"""What run_gpu.py found, as JSON and Markdown."""
import json


class Part:
    """One part of the run: its checks, and the tables and remarks it leaves."""

    def __init__(self, name, limit):
        self.name, self.limit, self.seconds = name, limit, 0.0
        self.passed, self.failures, self.left_out = 0, [], []
        self.skipped = None     # why nothing of it ran
        self.notes, self.tables = [], []

    def check(self, name, passed, detail=""):
        if passed:
            self.passed += 1
        else:
            self.failures.append({"name": name, "detail": detail.strip()})

    def leave_out(self, name, reason):
        self.left_out.append({"name": name, "reason": reason})

    def table(self, title, header, rows):
        self.tables.append({"title": title, "header": header, "rows": rows})

    def as_json(self):
        return {"name": self.name, "limit_s": self.limit, "seconds": round(self.seconds, 1), "passed": self.passed,
                "failed": len(self.failures), "failures": self.failures, "skipped": self.skipped, "left_out": self.left_out,
                "notes": self.notes, "tables": self.tables}

    def line(self):
        if self.skipped:
            return "%s: skipped: %s" % (self.name, self.skipped)
        skipped = ", %d skipped" % len(self.left_out) if self.left_out else ""
        return "%s: %d passed, %d failed%s, %.0f s" % (self.name, self.passed, len(self.failures), skipped, self.seconds)


def totals(parts):
    return "%d passed, %d failed" % (sum(p.passed for p in parts), sum(len(p.failures) for p in parts))


def escaped(text):
    return str(text).replace("|", "\\|").replace("\n", " ")


def table_lines(header, rows):
    lines = ["| " + " | ".join(escaped(cell) for cell in header) + " |", "|" + " --- |" * len(header)]
    return lines + ["| " + " | ".join(escaped(cell) for cell in row) + " |" for row in rows]


def markdown(machine, parts, seconds):
    lines = ["# Run on a GPU", ""]
    lines += table_lines(["what", "found"], machine.items())
    lines += ["", "%s, in %.0f s" % (totals(parts), seconds), ""]
    lines += table_lines(["part", "passed", "failed", "skipped", "seconds", "limit, s"],
                         [[p.name, p.passed, len(p.failures), p.skipped or len(p.left_out), "%.0f" % p.seconds, p.limit] for p in parts])
    for part in parts:
        if part.skipped or not (part.failures or part.left_out or part.notes or part.tables):
            continue
        lines += ["", "## " + part.name, ""]
        lines += ["- failed: %s: %s" % (f["name"], escaped(f["detail"])) for f in part.failures]
        lines += ["- skipped: %s: %s" % (l["name"], escaped(l["reason"])) for l in part.left_out]
        lines += ["- " + escaped(note) for note in part.notes]
        for table in part.tables:
            lines += ["", table["title"], ""] + table_lines(table["header"], table["rows"])
    return "\n".join(lines) + "\n"


def write(folder, machine, parts, seconds):
    """report.json and report.md in the folder (a pathlib.Path)."""
    whole = {"machine": machine, "seconds": round(seconds, 1), "passed": sum(p.passed for p in parts),
             "failed": sum(len(p.failures) for p in parts), "parts": [p.as_json() for p in parts]}
    (folder / "report.json").write_text(json.dumps(whole, indent=1) + "\n")
    (folder / "report.md").write_text(markdown(machine, parts, seconds))
