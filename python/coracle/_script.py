# SPDX-License-Identifier: Apache-2.0
"""Runs another program in this process, as `python script.py` and `python -m module` do."""

from __future__ import annotations

import importlib.util
import os
import runpy
import sys


def run(arguments: list[str], usage: str) -> None:
    """`arguments`: a script, or "-m" and a module, and the program's own arguments. SystemExit with `usage` for anything else."""
    if arguments[:1] == ["-m"] and len(arguments) > 1:
        sys.path.insert(0, os.getcwd())
        if not _is_module(arguments[1]):
            sys.exit("there is no module %r\n%s" % (arguments[1], usage))
        sys.argv = arguments[1:]
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    elif arguments and not arguments[0].startswith("-"):
        if not os.path.exists(arguments[0]):
            sys.exit("there is no script %r\n%s" % (arguments[0], usage))
        sys.argv = arguments
        sys.path.insert(0, os.path.dirname(os.path.abspath(arguments[0])))
        runpy.run_path(arguments[0], run_name="__main__")
    else:
        sys.exit(usage)


def _is_module(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError as error:   # Its package is missing, or what that imports.
        if error.name is None or not name.startswith(error.name):
            raise
        return False
