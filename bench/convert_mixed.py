# SPDX-License-Identifier: Apache-2.0
"""Converts a ProgramDesc model with Paddle's own tool, into a folder that is there: convert_mixed.py PROGRAM PARAMS FOLDER fp16|bf16."""
import pathlib
import sys

from paddle.inference import PlaceType, PrecisionType, convert_to_mixed_precision

PRECISIONS = {"fp16": PrecisionType.Half, "bf16": PrecisionType.Bfloat16}

if __name__ == "__main__":
    program, params, folder, precision = sys.argv[1:]
    into = pathlib.Path(folder)
    # Types of inputs and outputs stay; every operator may change.
    convert_to_mixed_precision(program, params, str(into / "inference.pdmodel"), str(into / "inference.pdiparams"), PRECISIONS[precision],
                               PlaceType.GPU, True, set())
