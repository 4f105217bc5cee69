# SPDX-License-Identifier: Apache-2.0
"""A golden case (../shared/goldens) for programs of another processor; numpy is all that this takes (scripts/arm-packages.sh).

    arm_answer.py input CASE FILE.npy      writes the case's input
    arm_answer.py check CASE FILE.npy      compares a result with the case's
    arm_answer.py run CASE MODEL           runs the model by the Python package and compares its result
"""
import json
import pathlib
import platform
import sys

import numpy as np


def case_input(folder, case):
    described = case["inputs"][0]
    pixels = np.load(folder / described["u8"]).astype(np.float32)
    mul, add = (np.array(described[name], np.float32).reshape(1, 3, 1, 1) for name in ("mul", "add"))
    return pixels.reshape(described["shape"]) * mul + add


def check(folder, case, found, by):
    described = case["outputs"][0]
    expected = np.load(folder / described["file"])
    if found.shape != tuple(described["shape"]) or not np.allclose(found, expected, rtol=described["rtol"], atol=described["atol"]):
        sys.exit("arm_answer: %s gives\n%s\nexpected\n%s" % (by, found, expected))
    print("%s on %s: right, largest difference %.1e" % (by, platform.machine(), np.abs(found - expected).max()))


def main():
    do, folder, other = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
    case = json.loads((folder / "case.json").read_text())
    if do == "input":
        np.save(other, case_input(folder, case))
    elif do == "check":
        check(folder, case, np.load(other), "the program")
    else:
        import coracle
        check(folder, case, coracle.load(other)(case_input(folder, case))[0], "coracle %s for Python" % coracle.__version__)


main()
