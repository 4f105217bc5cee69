#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that a library with the operators of some models (CORACLE_OPERATORS) has nothing of the others: no code or data that names them.

    scripts/check_subset.py build/native

Exit status 1 with the operators that left something behind.
"""
import pathlib
import re
import subprocess
import sys

# Operators whose attributes are an optional argument of others' kernels.
SHARED = {"prelu"}
ROOT = pathlib.Path(__file__).resolve().parent.parent


def operators(root=ROOT):
    """Of the library: the name of the file -> the name of the struct."""
    found = {}
    for header in sorted((root / "src/ops").glob("*/*.h")):
        schema = re.search(r"constexpr const OpSchema\* (\w+)_op =\s+&\w+<(\w+)>", header.read_text(encoding="utf-8"))
        if schema:
            found[schema[1]] = schema[2]
    return found


def structs_of(library):
    """Structs of the library that symbols name."""
    said = subprocess.run(["nm", "-C", "--defined-only", library], capture_output=True, text=True, check=True)
    # The compiler names a part that several functions have in common after one of them.
    lines = [line for line in said.stdout.splitlines() if "[clone .part." not in line]
    return set(re.findall(r"\bcoracle::internal::(\w+)\b", "\n".join(lines)))


def left_behind(library, kept, root=ROOT):
    structs = structs_of(library)
    return sorted(name for name, struct in operators(root).items() if name not in kept and name not in SHARED and struct in structs)


def main():
    build = pathlib.Path(sys.argv[1])
    kept = set(re.findall(r"schemas::(\w+)_schema,", (build / "src/ops/all_ops.cc").read_text(encoding="utf-8")))
    every = operators()
    if not kept or not kept < set(every):
        print(f"{build} has {len(kept)} of {len(every)} operators, expected some and not all; not known: {sorted(kept - set(every))}")
        return 1
    left = left_behind(build / "libcoracle.so", kept)
    print(f"{len(kept)} of {len(every)} operators are built, " + (f"of the others there is something of {', '.join(left)}" if left else "of the others nothing is there"))
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
