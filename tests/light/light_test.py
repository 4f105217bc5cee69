#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The light library: the large one's bits, what it needs and exports, how large it is, and what it says of files that it does not open.

    light_test.py --program coracle --runner run_interface --large libcoracle.so --light libcoracle_light.so --root DIR --isa avx2
                  --models DIR...
"""
import argparse
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import zlib

MOST_BYTES = 2340000  # docs/light.md has what it is
NEEDED = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
MODELS = ("ppocr-v2.0-cls", "ppocr-v3-ch-det", "ppocr-v2.0-en-rec", "int8-ppocr-v3-det-slim", "serving-text_classification_lstm",
          "serving-uci_housing", "pphumanseg-v2-lite-portrait", "paddle-cifar-resnet", "mobilenetv3_small_x0_35-multilabel", "serving-blazeface")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("program", "runner", "large", "light", "isa"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--no-profile", action="store_true", help="the library was made with CORACLE_LIGHT_PROFILE=OFF")
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--models", type=pathlib.Path, nargs="+", required=True)
    arguments = parser.parse_args()
    failures = []

    def expect(condition, message):
        if not condition:
            failures.append(message)

    def output(*words):
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout

    def run(library, model, threads):
        done = subprocess.run([arguments.runner, library, model, str(threads), arguments.isa], capture_output=True, text=True, check=False)
        if arguments.no_profile:   # which the large library has
            done.stdout = "".join(line for line in done.stdout.splitlines(keepends=True) if not line.startswith("[{"))
        return done

    # What it is.
    size = pathlib.Path(arguments.light).stat().st_size
    expect(size <= MOST_BYTES, f"the library has {size} bytes, at most {MOST_BYTES}")
    needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "-dW", arguments.light)))
    expect(needed <= NEEDED, f"it needs {sorted(needed - NEEDED)}")
    exported = set(re.findall(r" [TDBRVW] (\w+)", output("nm", "-D", "--defined-only", arguments.light)))
    listed = set(re.findall(r"(coracle_\w+);", (arguments.root / "src/light/coracle_light.map").read_text()))
    if arguments.no_profile:
        listed -= {"coracle_session_profile", "coracle_session_set_profiling"}
    public = set(re.findall(r"^symbol (\w+):", (arguments.root / "tests/abi/coracle.txt").read_text(), re.M))
    expect(exported == listed, f"it exports {sorted(exported ^ listed)} beside its list, or not")
    expect(listed and listed < public, f"not of the interface: {sorted(listed - public)}")

    with tempfile.TemporaryDirectory() as folder:
        ran = 0
        saved = None
        for name in MODELS:
            for model in [m / name for m in arguments.models if (m / name).is_dir()]:
                saved = f"{folder}/{name}.coracle"
                made = subprocess.run([arguments.program, "optimize", model, "-o", saved, "--isa", arguments.isa], capture_output=True, text=True,
                                      check=False)
                expect(made.returncode == 0, f"{name}: {made.stderr}")
                for threads in (1, 2):
                    wanted = run(arguments.large, saved, threads)
                    found = run(arguments.light, saved, threads)
                    expect(wanted.returncode == 0 and wanted.stdout, f"{name}: {wanted.stderr}")
                    expect(threads > 1 or arguments.no_profile or '"kernel":"' in found.stdout, f"{name}: no profile in {found.stdout}")
                    expect(found.stdout == wanted.stdout, f"{name}: {found.stdout}{found.stderr}, expected {wanted.stdout}")
                ran += 1
        expect(ran >= 5, f"only {ran} models were there")

        # Files that it does not open: each time one line.
        whole = pathlib.Path(saved).read_bytes()

        def refused(what, content, says):
            path = pathlib.Path(folder) / "refused.coracle"
            path.write_bytes(content)
            found = run(arguments.light, path, 1)
            expect(found.returncode == 1 and found.stderr.count("\n") == 1 and says in found.stderr, f"{what}: {found.returncode} {found.stderr!r}")

        def with_head(at, kind, value):
            """With another number in its head, whose checksum is right."""
            head = bytearray(whole[:64])
            struct.pack_into(kind, head, at, value)
            struct.pack_into("<I", head, 60, zlib.crc32(bytes(head[:60])))
            return bytes(head) + whole[64:]

        refused("an empty file", b"", "is not a saved model")
        refused("a text", b"no model at all\n" * 99, "is not a saved model")
        refused("a program", (arguments.models[0] / "ppocr-v2.0-cls/inference.pdmodel").read_bytes()
                if (arguments.models[0] / "ppocr-v2.0-cls/inference.pdmodel").exists() else b"\x0a\x0bprogram", "is not a saved model")
        for length in (9, 63, 64, 1000, len(whole) // 2, len(whole) - 1):
            refused(f"{length} of {len(whole)} bytes", whole[:length], "refused.coracle")
        refused("a damaged structure", whole[:100] + bytes([whole[100] ^ 1]) + whole[101:], "refused.coracle")
        refused("a later format", with_head(8, "<H", 2), "refused.coracle")
        refused("later operators", with_head(36, "<I", 99), "refused.coracle")
        missing = run(arguments.light, f"{folder}/missing.coracle", 1)
        expect(missing.returncode == 1 and missing.stderr.count("\n") == 1 and "there is no file" in missing.stderr, missing.stderr)
        # A later minor version only has more that may be passed over.
        path = pathlib.Path(folder) / "minor.coracle"
        path.write_bytes(with_head(10, "<H", 99))
        found = run(arguments.light, path, 1)
        expect(found.returncode == 0 and found.stdout == run(arguments.large, saved, 1).stdout, f"a later minor version: {found.stderr}")

        # What a library for two models would have.
        made = subprocess.run([arguments.program, "tailor", f"{folder}/{MODELS[0]}.coracle", f"{folder}/serving-uci_housing.coracle", "-o",
                               f"{folder}/made", "--isa", arguments.isa, "--shape", f"{MODELS[0]}.coracle:x=1,3,48,192"], capture_output=True,
                              text=True, check=False)
        expect(made.returncode == 0 and "-DCORACLE_TAILOR=" in made.stdout, f"tailor: {made.stdout}{made.stderr}")
        if made.returncode == 0:
            lines = set((pathlib.Path(folder) / "made/kernels.txt").read_text().splitlines())
            for line in (f"isa {arguments.isa}", "operator conv2d_fused", "operator linear", f"kernel conv2d.depthwise.{arguments.isa}", "filter 3x3",
                         "filter 5x5", "type float32"):
                expect(line in lines, f"tailor's list has no line '{line}': {sorted(lines)}")
        made = subprocess.run([arguments.program, "tailor", arguments.models[0] / MODELS[0], "-o", f"{folder}/no"], capture_output=True, text=True,
                              check=False)
        expect(made.returncode == 2 and "is not a saved model" in made.stderr, f"tailor of another file: {made.stderr}")

        # Files of versions that were released, and what they gave.
        for kept in sorted((arguments.root / "tests/light/files").glob("*.coracle")):
            wanted = kept.with_suffix(".txt").read_text().split()
            for library in (arguments.large, arguments.light):
                found = run(library, kept, 1)
                values = found.stdout.split("\n")[0].split()[2:]
                close = len(values) == len(wanted) and all(abs(float(a) - float(b)) <= 1e-4 * (1 + abs(float(b))) for a, b in zip(values, wanted))
                expect(found.returncode == 0 and close, f"{kept.name}: {found.stdout}{found.stderr}, expected {wanted}")

    for failure in failures:
        print(f"failed: {failure}")
    print(f"{ran} saved models; {size} bytes, {len(exported)} functions")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
