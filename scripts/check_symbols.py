#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks what a build exports: check_symbols.py BUILD_DIR

- libcoracle.so exports coracle_* only and depends on libc, libm, libstdc++, libgcc_s and threads only;
  libpaddle_inference_c.so exports PD_* only and depends on libcoracle.so besides; libcoracle_quantize.so exports
  coracle_quantiz* only and depends on libcoracle.so besides; libcoracle_vision.so exports
  coracle_* and namespace coracle::vision and depends on libcoracle.so, libjpeg, libpng and libwebp besides;
- each object with inner loops defines one global symbol and no weak one (an inline function compiled for wide
  instructions could otherwise be linked into code that runs everywhere);
- nothing runs when a library is loaded but what the compiler brings along.
Prints the library's size, stripped. Exit status 1 with a line for each problem."""
import pathlib
import subprocess
import sys
import tempfile

# The compiler's own: exception tables, and what __builtin_cpu_supports reads.
AT_LOAD = ("frame_dummy", "__cpu_indicator_init", "init_have_lse_atomics", "init_cpu_features")
ALLOWED = ("libc.so", "libm.so", "libstdc++.so", "libgcc_s.so", "libpthread.so", "ld-linux")


# Functions, const functions, type information and virtual tables of namespace coracle::vision.
VISION = ("coracle_",) + tuple("_Z%sN%s7coracle6vision" % (kind, const) for kind in ("", "TI", "TS", "TV") for const in ("", "K"))


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, universal_newlines=True).stdout


def exported_by(library):
    return [line.split()[-1] for line in output("nm", "-D", "--defined-only", str(library)).splitlines()]


def needed_by(library):
    return [line.split("[")[1].rstrip("]") for line in output("readelf", "-d", str(library)).splitlines() if "(NEEDED)" in line]


def interface_problems(library, prefix, allowed):
    """What a library exports and needs that it should not."""
    exported = exported_by(library)
    for name in exported:
        if not name.startswith(prefix):
            yield "%s exports %s" % (library.name, name)
    if not exported:
        yield "%s exports nothing" % library.name
    for name in needed_by(library):
        if not name.startswith(allowed):
            yield "%s needs %s" % (library.name, name)


def run_at_load(library):
    """Names of the functions in .init_array, which relocations fill in."""
    sections = [line.split("]", 1)[1].split() for line in output("readelf", "-SW", str(library)).splitlines() if "] ." in line]
    start, size = next(((int(row[2], 16), int(row[4], 16)) for row in sections if row[0] == ".init_array"), (0, 0))
    names = {int(row[0], 16): row[2] for row in (line.split() for line in output("nm", str(library)).splitlines()) if len(row) == 3
             and row[1] in "tT"}
    for line in output("readelf", "-rW", str(library)).splitlines():
        row = line.split()
        if len(row) >= 4 and "_RELATIVE" in row[2] and start <= int(row[0], 16) < start + size:
            yield names.get(int(row[3], 16), row[3])


def problems(build):
    library = build / "libcoracle.so"
    for path in (library, build / "libpaddle_inference_c.so"):
        for name in run_at_load(path):
            if name not in AT_LOAD:
                yield "%s runs %s when it is loaded" % (path.name, name)
    yield from interface_problems(library, "coracle_", ALLOWED)
    yield from interface_problems(build / "libpaddle_inference_c.so", "PD_", ALLOWED + ("libcoracle.so",))
    yield from interface_problems(build / "libcoracle_quantize.so", ("coracle_quantize", "coracle_quantization_"), ALLOWED + ("libcoracle.so",))
    vision = build / "libcoracle_vision.so"
    if vision.exists():
        yield from interface_problems(vision, VISION, ALLOWED + ("libcoracle.so", "libjpeg.so", "libpng16.so", "libwebp.so"))
    exported = exported_by(library)
    needed = needed_by(library)
    with tempfile.TemporaryDirectory() as folder:
        stripped = pathlib.Path(folder) / "libcoracle.so"
        subprocess.run(["strip", "-o", str(stripped), str(library)], check=True)
        print("libcoracle.so: %.2f MiB stripped, %d exported functions, needs %s"
              % (stripped.stat().st_size / 2.0**20, len(exported), ", ".join(needed)))
        if stripped.stat().st_size > 10_000_000:
            yield "libcoracle.so is larger than 10 MB"
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
