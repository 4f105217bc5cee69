#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Names in unnamed namespaces are those of one file in its folder, since cmake/batches.cmake compiles several files as one unit.

Two definitions of the same would not compile; this finds those that would: overloads, among which calls in another file could choose, and
names of the folder's headers, which would be hidden from another file. Aliases that say the same in each file are one name.
"""
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Where files are compiled together, with the folders below them. A file in a namespace named after it has its names for itself.
TOGETHER = ("src/api", "src/base", "src/devices/cpu", "src/devices/cuda", "src/devices/gpu", "src/devices/opencl", "src/engines/openvino", "src/engines/xnnpack", "src/graph",
            "src/archive", "src/client", "src/command_line", "src/model", "src/ops", "src/paddle_c", "src/passes", "src/plan", "src/run", "src/saved", "src/serve", "src/blocks", "src/loading", "src/quantize", "src/vision",
            "tests/api", "tests/archive", "tests/base", "tests/blocks", "tests/client", "tests/serve", "tests/quantize",
            "tests/devices/cpu", "tests/graph", "tests/paddle_lite", "tests/model", "tests/ops", "tests/passes", "tests/plan", "tests/run", "tests/support",
            "tests/vision")
ALONE = ("src/devices/cpu/isa",)    # folders of these whose files have units of their own
KERNELS = "src/devices/cpu/kernels"    # headers of a namespace inside that of the others
NAMED = re.compile(r"^namespace (\w[\w:]*) \{$", re.M)
UNNAMED = re.compile(r"^namespace \{\n(.*?)^\}  // namespace$", re.S | re.M)
TYPE = re.compile(r"(?:struct|class|enum class|enum|union|using|namespace)\s+(\w+)\b")
ELSEWHERE = re.compile(r"using (namespace )?[\w:]+;")    # declared elsewhere
SCOPE = re.compile(r"[ }/#]|namespace|using|template|static_assert")
GOOGLETEST = {"PrintTo"}                               # overloads that it looks for
OTHER = re.compile(r"[\w:<>,\s*&\[\]()]*?\b(\w+)\s*(?:\(|=|\{|;|\[)")
MACRO = re.compile(r"[A-Z][A-Z0-9_]*\(")


def names(text):
    """Name, line and namespace of each definition that begins in the first column of an unnamed namespace."""
    for block in UNNAMED.finditer(text):
        named = NAMED.findall(text, 0, block.start())
        for line in block.group(1).splitlines():
            if not line or line.startswith((" ", "}", "/", "#")) or MACRO.match(line) or ELSEWHERE.match(line):
                continue
            found = TYPE.match(line) or OTHER.match(re.sub(r"^template <.*?> ?$", "", line))
            if found and found.group(1) not in GOOGLETEST:
                yield found.group(1), line, named[-1] if named else ""


def declared(root, folder, without=()):
    """Header of each name that headers in a folder declare in the first column, without those of units of their own."""
    found = {}
    for path in sorted((root / folder).rglob("*.h")):
        if str(path.relative_to(root)).startswith((*ALONE, *without)):
            continue
        for line in path.read_text().splitlines():
            name = None if not line or SCOPE.match(line) else TYPE.match(line) or OTHER.match(line)
            if name:
                found[name.group(1)] = path
    return found


def seen_from(folder):
    """Folders whose headers files of a folder include."""
    own = [folder, "tests/support", folder.replace("tests", "src", 1)] if folder.startswith("tests") else [folder]
    return own if folder.endswith("/vision") else [*own, "src/base", "src/graph"]    # vision sees the public interface only


def complaints(root):
    for folder in TOGETHER:
        headers = {}
        for seen in seen_from(folder):
            headers.update(declared(root, seen))
        if folder == KERNELS.rsplit("/", 1)[0]:
            hidden = {**declared(root, "src/plan"), **declared(root, folder, without=(KERNELS,))}
            for name, path in declared(root, KERNELS).items():
                if name in hidden:
                    yield f"{path.relative_to(root)}: {name} hides that of {hidden[name].relative_to(root)}: it needs another name"
        where = collections.defaultdict(dict)
        for path in sorted((root / folder).rglob("*.cc")):
            if str(path.relative_to(root)).startswith(ALONE):
                continue
            for name, line, named in names(path.read_text()):
                where[name, named].setdefault(path, line)
                if name in headers and not line.startswith("using ") and not named.endswith(f"::{path.stem}"):
                    yield f"{path.relative_to(root)}: {name} is in {headers[name].relative_to(root)} too: it needs another name"
        for (name, _), files in sorted(where.items()):
            lines = set(files.values())
            if len(files) > 1 and not (len(lines) == 1 and next(iter(lines)).startswith(("using ", "namespace "))):
                yield f"{folder}: {name} is in {', '.join(p.name for p in files)}: one of them needs another name"


if __name__ == "__main__":
    found = list(complaints(ROOT))
    for complaint in found:
        print(complaint, file=sys.stderr)
    sys.exit(1 if found else 0)
