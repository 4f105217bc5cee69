#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs with parts of the library: what runs models alone gives the whole library's bits and has nothing of what reads and rewrites
files; with the operators of some models alone it runs these, has nothing of the others, and refuses other models by name.

    programs_test.py --program coracle --whole run_saved_whole --runtime run_saved_runtime --subset run_saved_subset
                     --root DIR --names operators.txt --models DIR...
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

# What only loading needs.
LOADING = re.compile(r"\b(coracle::internal::(pir|programdesc)::|flatbuffers::|rapidjson::|protozero::|coracle::internal::(fuse|fold)_\w+_pass|coracle::internal::EngineBlocks)"
                     r"|\b(inflateInit|crc32_z)\b")
# What only programs that use devices need.
DEVICES = re.compile(r"\bcoracle::internal::Device(Run|Memory)::\w+")
# Models of the operators of examples/ocr/operators.txt; of others.
OF_THE_LIST = ("ppocr-v2.0-cls", "ppocr-v3-ch-det", "ppocr-v2.0-en-rec", "ch_ppocr_mobile_v2.0_cls_infer")
OF_OTHERS = ("serving-text_classification_lstm", "serving-uci_housing", "pphumanseg-v2-lite-portrait", "paddle-cifar-resnet")


def symbols(program):
    return subprocess.run(["nm", "-C", "--defined-only", program], capture_output=True, text=True, check=True).stdout


def run(program, model, threads):
    return subprocess.run([program, model, str(threads)], capture_output=True, text=True, check=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("program", "whole", "runtime", "subset"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--names", type=pathlib.Path, required=True)
    parser.add_argument("--models", type=pathlib.Path, nargs="+", required=True)
    arguments = parser.parse_args()
    failures = []

    def expect(condition, message):
        if not condition:
            failures.append(message)

    for which in ("runtime", "subset"):
        left = sorted({m[0] for m in LOADING.finditer(symbols(getattr(arguments, which)))})
        expect(not left, f"the program with {which} has of what reads files: {left}")
        left = sorted({m[0] for m in DEVICES.finditer(symbols(getattr(arguments, which)))})
        expect(not left, f"the program with {which} has of what runs steps on devices: {left}")
    for what in (LOADING, DEVICES):
        expect(what.search(symbols(arguments.whole)), f"the whole program has nothing that {what.pattern} names")

    kept = set(arguments.names.read_text().split())
    sys.path.insert(0, str(arguments.root / "scripts"))
    from check_subset import left_behind, operators, structs_of  # pylint: disable=import-outside-toplevel
    all_of = operators(arguments.root)
    expect(len(all_of) > 500 and len(kept) < 300 and kept < set(all_of), f"{len(all_of)} operators, of which {len(kept)} are kept")
    left = left_behind(arguments.subset, kept, arguments.root)
    expect(not left, f"operators that were left out and have code or data: {left}")
    expect("Conv2d" in structs_of(arguments.subset), "the subset has no code of conv2d")

    ran = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in OF_THE_LIST + OF_OTHERS:
            for model in [m / name for m in arguments.models if (m / name).is_dir()]:
                saved = f"{folder}/{name}.coracle"
                made = subprocess.run([arguments.program, "optimize", model, "-o", saved], capture_output=True, text=True, check=False)
                expect(made.returncode == 0, f"{name}: {made.stderr}")
                for threads in (1, 2):
                    wanted = run(arguments.whole, saved, threads)
                    expect(wanted.returncode == 0 and wanted.stdout, f"{name}: {wanted.stderr}")
                    found = run(arguments.runtime, saved, threads)
                    expect(found.stdout == wanted.stdout, f"{name}: {found.stdout}{found.stderr}, expected {wanted.stdout}")
                    found = run(arguments.subset, saved, threads)
                    if name in OF_THE_LIST:
                        expect(found.stdout == wanted.stdout, f"{name} of the subset: {found.stdout}{found.stderr}, expected {wanted.stdout}")
                    elif found.returncode == 0:
                        expect(found.stdout == wanted.stdout, f"{name} of the subset: {found.stdout}, expected {wanted.stdout}")
                    else:
                        expect("needs operators that are not supported" in found.stderr, f"{name} of the subset: {found.stderr}")
                ran += 1
    for failure in failures:
        print(f"failed: {failure}")
    sizes = {which: pathlib.Path(getattr(arguments, which)).stat().st_size for which in ("whole", "runtime", "subset")}
    print(f"{ran} saved models; bytes of the programs, with symbols: {sizes}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
