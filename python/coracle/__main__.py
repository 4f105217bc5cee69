# SPDX-License-Identifier: Apache-2.0
"""`python -m coracle` is the program `coracle`."""

import os
import pathlib
import sys

program = pathlib.Path(__file__).parent / "bin" / "coracle"
if not program.exists():
    sys.exit(f"python -m coracle: {program} is not there: this installation of the package has no program")
os.execv(program, [os.fspath(program), *sys.argv[1:]])
