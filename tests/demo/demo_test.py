#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the program coracle-ocr reads pictures as the real Paddle does: same boxes, same texts, confidences within 0.001.

The expectations were made by oracle_ocr.py. Exit code 77, which ctest counts as skipped, when models or pictures are absent.

    demo_test.py --program PATH --models DIR --expected expected.json [--root DIR]
"""

import argparse
import json
import pathlib
import subprocess
import sys

SKIPPED = 77
SCORE_TOLERANCE = 1e-3


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def differences(expected, found):
    """What differs, one sentence each."""
    if (expected["width"], expected["height"]) != (found["width"], found["height"]):
        yield f"size {found['width']} x {found['height']}, expected {expected['width']} x {expected['height']}"
    if len(expected["lines"]) != len(found["lines"]):
        yield f"{len(found['lines'])} lines, expected {len(expected['lines'])}"
    for number, (want, got) in enumerate(zip(expected["lines"], found["lines"]), start=1):
        for key in ("text", "box"):
            if want[key] != got[key]:
                yield f"line {number}: {key} {got[key]!r}, expected {want[key]!r}"
        if abs(want["score"] - got["score"]) > SCORE_TOLERANCE:
            yield f"line {number}: score {got['score']}, expected {want['score']}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--models", type=pathlib.Path, required=True)
    parser.add_argument("--expected", type=pathlib.Path, required=True)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path("."), help="what the pictures' names are relative to")
    arguments = parser.parse_args()
    expected = json.loads(arguments.expected.read_text("utf-8"))
    if not (arguments.models / "models").is_dir():
        skip(f"no models in {arguments.models} (scripts/demo-models.sh fetches them)")
    pictures = [arguments.root / entry["image"] for entry in expected]
    absent = [picture for picture in pictures if not picture.is_file()]
    if absent:
        skip(f"no picture {absent[0]} (and {len(absent) - 1} more); the reference folder ../shared is absent")

    command = [arguments.program, "--models", str(arguments.models), "--json", *map(str, pictures)]
    answer = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    if answer.returncode != 0:
        sys.exit(f"{arguments.program} ended with exit code {answer.returncode}")
    results = json.loads(answer.stdout.decode("utf-8"))["results"]
    failures = 0
    largest = 0.0
    for want, got in zip(expected, results, strict=True):
        found = list(differences(want, got))
        failures += len(found)
        for difference in found:
            print(f"{want['image']}: {difference}")
        largest = max([largest] + [abs(a["score"] - b["score"]) for a, b in zip(want["lines"], got["lines"])])
    lines = sum(len(entry["lines"]) for entry in expected)
    print(f"{len(expected)} pictures, {lines} lines, {failures} differences, scores within {largest:.1e}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
