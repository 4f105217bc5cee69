#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""CORACLE_OPERATORS: examples/ocr/operators.txt has the operators of PP-OCR's models, and a build with it has these and not all others.

    operators_test.py --program build/release/coracle --root DIR --models DIR...

Exit code 77, which ctest counts as skipped, when there are no models.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

SKIPPED = 77
# PP-OCR's among the folders of models.
MODELS = ("ch_PP-OCR*", "ch_ppocr*", "ppocr-v*", "PP-OCRv5*")


def operators(program, model):
    inspected = subprocess.run([program, "inspect", model, "--json"], capture_output=True, text=True, check=False)
    return set(json.loads(inspected.stdout)["operators"]) if inspected.returncode == 0 else set()


def configured(root, names, *options):
    """The operators and kernel tables of a build that was configured with a file of these names; what CMake said."""
    with tempfile.TemporaryDirectory() as folder:
        build = pathlib.Path(folder)
        (build / "operators.txt").write_text("# some\n" + " \n".join(sorted(names)) + "\r\n")
        said = subprocess.run(["cmake", "-S", root, "-B", build / "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DBUILD_TESTING=OFF",
                               f"-DCORACLE_OPERATORS={build}/operators.txt", *options], capture_output=True, text=True, check=False)
        if said.returncode:
            return None, None, said.stderr
        schemas = (build / "build/src/ops/all_ops.cc").read_text()
        tables = (build / "build/src/devices/cpu/all_kernels.cc").read_text()
        return (set(re.findall(r"schemas::(\w+)_schema", schemas)), set(re.findall(r"&kernels::(\w+)", tables)), said.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--models", type=pathlib.Path, nargs="+", required=True)
    arguments = parser.parse_args()
    failures = []

    def expect(condition, message):
        if not condition:
            failures.append(message)

    listed = {line for line in (arguments.root / "examples/ocr/operators.txt").read_text().split("\n") if line and not line.startswith("#")}
    kept, tables, _ = configured(arguments.root, listed)
    expect({"conv2d", "softmax", "conv2d_fused", "attention"} <= kept, f"operators of PP-OCR and of rewrites are missing: {sorted(kept)}")
    expect(not {"yolo_box", "lstm", "svd"} & kept, f"operators that nothing names are built: {sorted(kept)}")
    # Tables name operators themselves or in headers that several of them have.
    expect({"conv2d", "convolution", "movement"} <= tables and "yolo_box" not in tables, f"the tables of kernels are {sorted(tables)}")
    # A legacy name brings its operator, and that what it is lowered to.
    kept, _, said = configured(arguments.root, {"elementwise_floordiv", "no_such_operator"})
    expect("floor_divide" in kept, "elementwise_floordiv does not bring floor_divide")
    expect("no_such_operator" in said, "CMake does not say that no operator has the name no_such_operator")
    _, _, said = configured(arguments.root, listed, "-DCORACLE_OPERATORS=/no/such/file")
    expect(said is not None and "CORACLE_OPERATORS is /no/such/file, which is no file" in said, f"without the file: {said}")
    _, _, said = configured(arguments.root, listed, "-DBUILD_TESTING=ON")
    expect(said is not None and "CORACLE_OPERATORS wants BUILD_TESTING=OFF" in said, f"with tests: {said}")

    models = [m for folder in arguments.models for pattern in MODELS for m in sorted(folder.glob(pattern)) if m.is_dir()]
    for model in models:
        missing = operators(arguments.program, model) - listed
        expect(not missing, f"{model} has operators that examples/ocr/operators.txt does not: {sorted(missing)}")
    for failure in failures:
        print(f"failed: {failure}")
    if failures:
        sys.exit(1)
    if not models:
        print("skipped in part: there are no models of PP-OCR")
        sys.exit(SKIPPED)
    print(f"{len(models)} models, {len(listed)} operators")


if __name__ == "__main__":
    main()
