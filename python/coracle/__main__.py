# SPDX-License-Identifier: Apache-2.0
"""`python -m coracle` is the program `coracle`."""

import os
import pathlib
import subprocess
import sys


def main() -> None:
    """Becomes the program; on Windows, where no process does that, it waits for it and ends as it did."""
    here = pathlib.Path(__file__).parent
    program = here / "coracle.exe" if sys.platform == "win32" else here / "bin" / "coracle"
    if not program.exists():
        sys.exit(f"python -m coracle: {program} is not there: this installation of the package has no program")
    words = [os.fspath(program), *sys.argv[1:]]
    if sys.platform != "win32":
        os.execv(program, words)
    try:
        sys.exit(subprocess.call(words))
    except KeyboardInterrupt:   # The program was told, too.
        sys.exit(130)


if __name__ == "__main__":
    main()
