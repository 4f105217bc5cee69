#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes libraries for some models (coracle tailor) and checks that they give the large library's bits, refuse other models by name and are
small; prints their sizes. What make tailored runs; it compiles for minutes and is no part of the tests.

    check_tailored.py BUILD --models DIR --filled DIR --to DIR [MODEL:INPUT=DIMS...]
"""
import argparse
import pathlib
import subprocess
import sys

# Models of one library, the sizes they are made for, and how many bytes it may have.
PP_OCR = {"ppocr-v3-ch-det": "x=1,3,64,64", "ppocr-v2.0-cls": "x=1,3,64,64", "ppocr-v2.0-en-rec": "x=1,3,32,64"}
MOBILENET = {"program-only-zoo/mobilenet_v1": "x=1,3,64,64"}
MOST_BYTES = {"pp-ocr": 1_110_000, "mobilenet_v1": 870_000}  # docs/light.md has what they are, and the aims
ANOTHER = "serving-text_classification_lstm"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--models", type=pathlib.Path, required=True)
    parser.add_argument("--filled", type=pathlib.Path, required=True, help="weights of models that come without (tests/models/fill_weights.sh)")
    parser.add_argument("--to", type=pathlib.Path, required=True)
    parser.add_argument("--isa", default="avx2")
    parser.add_argument("more", nargs="*", help="MODEL:INPUT=DIMS, a library of its own for each")
    arguments = parser.parse_args()
    root = pathlib.Path(__file__).resolve().parent.parent
    arguments.to.mkdir(parents=True, exist_ok=True)
    sets = {name: {str(arguments.models / model): shape for model, shape in models.items()}
            for name, models in (("pp-ocr", PP_OCR), ("mobilenet_v1", MOBILENET))}
    for more in arguments.more:
        model, shape = more.split(":", 1)
        sets[pathlib.Path(model).name] = {model: shape}
    failed = []

    def run(library, model):
        return subprocess.run([arguments.build / "run_interface", library, model, "1", arguments.isa], capture_output=True, text=True, check=False)

    def saved(model):
        name = pathlib.Path(model).name
        path = arguments.to / f"{name}.coracle"
        weights = arguments.filled / f"{name}.pdiparams"
        given = ["--params", weights] if weights.exists() else []
        subprocess.run([arguments.build / "coracle", "optimize", model, *given, "-o", path, "--no-packed"], check=True, capture_output=True)
        return path

    for name, models in sets.items():
        files = {saved(model): shape for model, shape in models.items()}
        folder = arguments.to / name
        shapes = [word for file, shape in files.items() for word in ("--shape", f"{file.name}:{shape}")]
        subprocess.run([arguments.build / "coracle", "tailor", *files, "-o", folder, "--isa", arguments.isa, "--source", root, *shapes], check=True)
        library = folder / "libcoracle_light.so"
        for file in files:
            wanted = run(arguments.build / "libcoracle.so", file)
            found = run(library, file)
            if found.returncode != 0 or found.stdout != wanted.stdout:
                failed.append(f"{name}: {file.name}: {found.stdout}{found.stderr}, expected {wanted.stdout}{wanted.stderr}")
        other = run(library, saved(arguments.models / ANOTHER))
        if other.returncode != 1 or "needs operators that are not supported" not in other.stderr:
            failed.append(f"{name}: another model: {other.stdout}{other.stderr}")
        size = library.stat().st_size
        if size > MOST_BYTES.get(name, size):
            failed.append(f"{name}: {size} bytes, at most {MOST_BYTES[name]}")
        print(f"{name}: {size} bytes; of another model it says: {other.stderr.strip().splitlines()[0]}")
    for line in failed:
        print(f"failed: {line}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
