#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws docs/model-way.svg: the way of a model from its file to its results, and the folders of src by what they include.

    scripts/docs/model_way.py            writes the picture
    scripts/docs/model_way.py --check    exit status 1 if the picture is another one

Everything in it is read from the code: where the types and functions are declared, the passes and stages in their order, which folders
include which. A declaration that is not found, or a step that does not include what it works on, is an error.
"""
import html
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SRC = ROOT / "src"
PICTURE = ROOT / "docs" / "model-way.svg"
sys.path.insert(0, str(ROOT / "scripts"))

import check_layers  # noqa: E402

INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)
OUTSIDE = ("devices", "engines", "vision", "client", "pictures", "command_line", "cli", "serve", "paddle_c")    # have types of their own under the same names
USERS = ("vision", "client", "pictures", "command_line", "cli", "serve", "paddle_c")    # of the public interface
WIDTH, LEFT, BOX, TEXT, LINE = 960, 24, 240, 292, 17


class Missing(Exception):
    """What the picture is to show is not in the code."""


class Code:
    """The sources of src by their paths."""

    def __init__(self, root):
        self.texts = {path.relative_to(root).as_posix(): path.read_text("utf-8")
                      for path in sorted(root.rglob("*")) if path.suffix in (".h", ".cc")}
        self.includes = {name: [i for i in INCLUDE.findall(text) if i in self.texts] for name, text in self.texts.items()}

    def declared(self, pattern):
        """The one header that declares it."""
        found = [name for name, text in self.texts.items()
                 if name.endswith(".h") and name.split("/")[0] not in OUTSIDE and re.search(pattern, text, re.M)]
        if len(found) != 1:
            raise Missing("%s is declared in %s, expected one header" % (pattern, ", ".join(found) or "no header of src"))
        return found[0]

    def sources(self, header):
        """The header, and its source if there is one."""
        return [name for name in (header, header[:-2] + ".cc") if name in self.texts]

    def reaches(self, header, target):
        """Whether the header or its source includes the target, itself or by others."""
        seen, left = set(), self.sources(header)
        while left:
            name = left.pop()
            if name == target:
                return True
            if name not in seen:
                seen.add(name)
                left += self.includes[name]
        return False

    def folders(self):
        """Folder: the folders that its sources include, themselves left out."""
        found = {}
        for name, includes in self.includes.items():
            folder = name.split("/")[0]
            found.setdefault(folder, set()).update(i.split("/")[0] for i in includes)
        return {folder: seen - {folder} for folder, seen in found.items()}


def passes(code):
    """Names of the passes in the order in which they run."""
    listing = [text for text in code.texts.values() if "kPipeline = {" in text]
    if len(listing) != 1:
        raise Missing("the list of passes, kPipeline, is in %d sources, expected 1" % len(listing))
    calls = re.findall(r"^\s+(\w+)\(\w*\),$", listing[0].split("kPipeline = {")[1].split("};")[0], re.M)
    return list(dict.fromkeys(calls))


def stages(code):
    """Names of the stages that change planned steps."""
    return sorted(name for text in code.texts.values() for name in re.findall(r'constexpr PlanStage k\w+ = \{"(\w+)"', text))


def readers(code):
    """Formats for which there is a reader of programs."""
    return sorted({name for text in code.texts.values() for name in re.findall(r"^Graph import\(const (\w+)::Program& ", text, re.M)})


def devices(root):
    return sorted(path.parent.name for path in (root / "devices").glob("*/device.cc"))


def stations(code):
    """(kind, title, declared in, words) from the file to the results; a step comes with the thing that it makes."""
    loads = code.declared(r"^LoadedModel load_model\(")
    graph = code.declared(r"^class Graph \{")
    pipeline = code.declared(r"^const std::vector<Pass>& pipeline\(\)")
    program = code.declared(r"^class Program \{")
    plans = code.declared(r"^Steps plan_segment\(")
    steps = code.declared(r"^struct Steps \{")
    executor = code.declared(r"^class Executor\b.*\{")
    kernel = code.declared(r"^struct KernelDef \{")
    for work, thing in ((loads, graph), (pipeline, graph), (program, graph), (plans, graph), (plans, steps), (plans, kernel), (executor, steps),
                        (executor, program)):
        if not code.reaches(work, thing):
            raise Missing("src/%s does not include %s, on which it works" % (work, thing))
    return [
        ("thing", "model file", None, "formats: %s, and saved models" % ", ".join(readers(code))),
        ("step", "load_model", loads, "reads the program and the weights, checks all of it"),
        ("thing", "Graph", graph, "operators in SSA form, with constants and shapes as far as the file knows them"),
        ("step", "passes", pipeline, "in this order: " + ", ".join(passes(code))),
        ("thing", "Program", program, "the graph after the passes, with packed weights and cached plans, for all sessions"),
        ("step", "plan_segment", plans, "for each set of shapes: places, kernels, layouts, memory; then the stages %s" % ", ".join(stages(code))),
        ("thing", "Steps", steps, "kernel calls in order, and where each tensor lies in the arena"),
        ("step", "Executor", executor, "binds the steps to a session's memory and runs the kernels of %s" % ", ".join(devices(SRC))),
        ("thing", "results", None, "tensors of the session, until its next run"),
    ]


def floors(code):
    """Folders by how high they stand: each includes only folders of the lines before its own."""
    seen = code.folders()
    allowed = {folder: set(below) & set(seen) for folder, below in check_layers.ALLOWED.items() if folder in seen}
    allowed["devices"] = allowed.get("devices", set()) | {"plan"}    # its interfaces
    allowed["engines"] = allowed.get("engines", set()) | {"plan"}
    allowed.update({user: allowed[user] | {"api"} for user in USERS if user in seen})
    height = {}
    while len(height) < len(allowed):
        ready = [f for f, below in allowed.items() if f not in height and below <= set(height)]
        if not ready:
            raise Missing("folders include each other: %s" % ", ".join(sorted(set(allowed) - set(height))))
        level = 1 + max(height.values(), default=-1)
        height.update({f: level for f in ready})
    return [sorted(f for f in height if height[f] == level) for level in range(1 + max(height.values()))], seen


def wrapped(words, width):
    lines = [""]
    for word in words.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return lines


def text(x, y, words, extra=""):
    return '<text x="%d" y="%d"%s>%s</text>' % (x, y, extra, html.escape(words))


def draw(code):
    parts, y = [], 20
    way = stations(code)
    for i, (kind, title, header, words) in enumerate(way):
        lines = wrapped(words, 96)
        height = max(44, 18 + LINE * len(lines))
        fill, radius = ("#ffffff", 22) if kind == "thing" else ("#dbe7f5", 4)
        parts.append('<rect x="%d" y="%d" width="%d" height="%d" rx="%d" fill="%s" stroke="#456"/>' % (LEFT, y, BOX, height, radius, fill))
        middle = y + height // 2
        parts.append(text(LEFT + BOX // 2, middle - (3 if header else -5), title, ' font-weight="bold" text-anchor="middle"'))
        if header:
            parts.append(text(LEFT + BOX // 2, middle + 13, "src/" + header, ' font-size="11" text-anchor="middle" fill="#456"'))
        top = middle - LINE * (len(lines) - 1) // 2 + 5
        parts += [text(TEXT, top + LINE * n, line) for n, line in enumerate(lines)]
        y += height
        if i + 1 < len(way):
            parts.append('<path d="M%d %d v14" stroke="#456" marker-end="url(#head)"/>' % (LEFT + BOX // 2, y))
            y += 20
    y += 34
    parts.append(text(LEFT, y, "The folders of src, each with those that it includes; none includes one further down:", ' font-weight="bold"'))
    y += 10
    levels, seen = floors(code)
    for level in levels:
        for folder in level:
            y += LINE
            parts.append(text(LEFT, y, folder, ' font-family="monospace"'))
            below = [f for floor in levels for f in floor if f in seen[folder]]
            below += ["the public interface"] if folder in USERS else []
            parts.append(text(LEFT + 96, y, ", ".join(below) or "nothing"))
        y += 7
    head = ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="13">\n'
            '<title>The way of a model, from its file to its results</title>\n'
            '<defs><marker id="head" markerWidth="8" markerHeight="8" refX="5" refY="4" orient="auto"><path d="M0 0 L8 4 L0 8 z" fill="#456"/>'
            '</marker></defs>\n<rect width="100%%" height="100%%" fill="#fafafa"/>\n' % (WIDTH, y + 20))
    return head + "\n".join(parts) + "\n</svg>\n"


def main():
    try:
        picture = draw(Code(SRC))
    except Missing as missing:
        sys.exit("model_way: %s" % missing)
    if "--check" not in sys.argv[1:]:
        PICTURE.write_text(picture, "utf-8")
    elif not PICTURE.exists() or PICTURE.read_text("utf-8") != picture:
        sys.exit("model_way: docs/model-way.svg is not what the code says: run scripts/docs/model_way.py and look at it")


if __name__ == "__main__":
    main()
