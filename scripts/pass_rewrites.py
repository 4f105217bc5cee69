#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Paddle's names of passes and the rewrites that do the same, for Python, made of the table that C++ has.

    scripts/pass_rewrites.py            writes the file of the Python package
    scripts/pass_rewrites.py --check    exit code 1 if it is not what the table says
"""

import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = ROOT / "include/paddle/detail/pass_table.h"
MADE = ROOT / "python/coracle/paddle/inference/pass_rewrites.py"

HEAD = '''# SPDX-License-Identifier: Apache-2.0
"""Made by scripts/pass_rewrites.py of include/paddle/detail/pass_table.h."""

# Rewrite: the passes of Paddle whose work it does.
REWRITES = {
'''


def python_table():
    rewrites = {}
    for name, rewrite in re.findall(r'\{"(\w+)", "(\w+)"\}', TABLE.read_text("utf-8")):
        rewrites.setdefault(rewrite, []).append(name)
    if not rewrites:
        sys.exit("%s: no rows were found" % TABLE)
    text = HEAD
    for rewrite, names in rewrites.items():
        listed = textwrap.fill(" ".join('"%s",' % name for name in names), 110, initial_indent=" " * 8, subsequent_indent=" " * 8)
        text += '    "%s": (\n%s\n    ),\n' % (rewrite, listed)
    return text + "}\n"


def main():
    text = python_table()
    if sys.argv[1:] == ["--check"]:
        if not MADE.exists() or MADE.read_text("utf-8") != text:
            sys.exit("%s is not what %s says: run scripts/pass_rewrites.py" % (MADE.relative_to(ROOT), TABLE.relative_to(ROOT)))
        return
    MADE.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
