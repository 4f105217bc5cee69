#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""changed_units.py BUILD_DIR: prints the units that clang-tidy has to look at since it last passed: those with the files (.cc) of src and
examples that changed since the commit in .ci/linted, and for each header that changed one that includes it, be it by another header. A unit is such a file, or a batch of BUILD_DIR that includes it. Exit status 1 where that is not known: where the commit is not in
this clone, or what clang-tidy checks has changed."""
import json
import pathlib
import re
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'^\s*#include [<"]([^">]+)[">]', re.MULTILINE)
# Loops that are compiled once per instruction set, by rules of their own.
LEFT_OUT = "src/devices/cpu/isa/"


def git(*arguments):
    return subprocess.run(["git", "-C", str(SOURCE), *arguments], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          universal_newlines=True).stdout.split("\n")[:-1]


def changed_files():
    since = (SOURCE / ".ci/linted").read_text(encoding="utf-8").split()[0]
    return set(git("diff", "--name-only", since, "--")) | set(git("ls-files", "--others", "--exclude-standard"))


def including_units(files):
    """By file: the first unit that includes it, directly if there is one."""
    includes = {}
    for name in files:
        folders = ("src", "include", str(pathlib.PurePosixPath(name).parent))
        found = INCLUDE.findall((SOURCE / name).read_text(encoding="utf-8", errors="replace"))
        includes[name] = [path for f in found for path in ("%s/%s" % (folder, f) for folder in folders) if path in files]
    by = {}
    for unit in sorted(f for f in files if f.endswith(".cc")):
        near, seen = [unit], set()
        for depth in range(20):
            near = [i for name in near for i in includes[name] if i not in seen and not seen.add(i)]
            for header in near:
                if header not in by or depth < by[header][0]:
                    by[header] = (depth, unit)
    return {header: unit for header, (_, unit) in by.items()}


def batch_of(build):
    """By file: the batch of the build that has it."""
    batches = {}
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        unit = pathlib.Path(entry["file"])
        if build / "src" not in unit.parents or not unit.is_file():
            continue
        for name in INCLUDE.findall(unit.read_text(encoding="utf-8", errors="replace")):
            if name.endswith(".cc"):
                batches["src/" + name] = unit.relative_to(SOURCE).as_posix()
    return batches


def main():
    try:
        changed = changed_files()
    except (OSError, IndexError, subprocess.CalledProcessError):
        return 1
    if ".clang-tidy" in changed:
        return 1
    files = {f for f in git("ls-files") if re.match(r"(src|include|examples)/.*\.(h|hpp|def|cc)$", f) and (SOURCE / f).is_file() and
             not f.startswith(LEFT_OUT)}
    unit_of = including_units(files)
    units = {f if f.endswith(".cc") else unit_of.get(f) for f in changed & files}
    batches = batch_of(pathlib.Path(sys.argv[1]).resolve())
    print("\n".join(sorted({batches.get(u, u) for u in units if u})))
    return 0


if __name__ == "__main__":
    sys.exit(main())
