#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks what a build exports: check_symbols.py BUILD_DIR

- libcoracle.so exports coracle_* only and depends on libc, libm, libstdc++, libgcc_s and threads only;
- each object with inner loops defines one global symbol and no weak one (an inline function compiled for wide
  instructions could otherwise be linked into code that runs everywhere).
Prints the library's size, stripped. Exit status 1 with a line for each problem."""
import pathlib
import subprocess
import sys
import tempfile

ALLOWED = ("libc.so", "libm.so", "libstdc++.so", "libgcc_s.so", "libpthread.so", "ld-linux")


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, universal_newlines=True).stdout


def problems(build):
    library = build / "libcoracle.so"
    exported = [line.split()[-1] for line in output("nm", "-D", "--defined-only", str(library)).splitlines()]
    for name in exported:
        if not name.startswith("coracle_"):
            yield "libcoracle.so exports %s" % name
    if not exported:
        yield "libcoracle.so exports nothing"
    needed = [line.split("[")[1].rstrip("]") for line in output("readelf", "-d", str(library)).splitlines() if "(NEEDED)" in line]
    for name in needed:
        if not name.startswith(ALLOWED):
            yield "libcoracle.so needs %s" % name
    with tempfile.TemporaryDirectory() as folder:
        stripped = pathlib.Path(folder) / "libcoracle.so"
        subprocess.run(["strip", "-o", str(stripped), str(library)], check=True)
        print("libcoracle.so: %.2f MiB stripped, %d exported functions, needs %s"
              % (stripped.stat().st_size / 2.0**20, len(exported), ", ".join(needed)))
        if stripped.stat().st_size > 10 * 2**20:
            yield "libcoracle.so is larger than 10 MiB"
    objects = sorted(build.rglob("coracle_cpu_*.dir/isa/*.cc.o"))
    for path in objects:
        rows = [line.split() for line in output("nm", "--defined-only", "--extern-only", str(path)).splitlines()]
        weak = [row[-1] for row in rows if row[-2] in "wWvVu"]
        strong = [row[-1] for row in rows if row[-2] not in "wWvVu"]
        if weak or len(strong) != 1:
            yield "%s defines %s and weak %s" % (path.relative_to(build), strong, weak)
    print("%d objects with inner loops" % len(objects))


def main():
    found = list(problems(pathlib.Path(sys.argv[1])))
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
