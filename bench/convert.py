# SPDX-License-Identifier: Apache-2.0
"""Converts a Paddle model to ONNX by paddle2onnx: convert.py PROGRAM PARAMS OUT.onnx SHAPES

SHAPES is JSON, {input: shape}. Free dimensions stay free unless that gives a file that onnxruntime refuses; then the inputs get
these shapes. Writes OUT.json besides: the names of the outputs in order and whether shapes were fixed.
"""
import json
import sys

import onnxruntime
import paddle
import paddle2onnx

OPSET = 17


def with_shapes(program, shapes, out):
    """Writes the program with these shapes of its inputs to `out`."""
    paddle.enable_static()
    with open(program, "rb") as file:
        changed = paddle.static.Program.parse_from_string(file.read())
    block = changed.global_block()
    for name, shape in shapes.items():
        block.var(name).desc.set_shape(shape)
    for op in block.ops:
        if op.type not in ("feed", "fetch"):
            op.desc.infer_shape(block.desc)
    with open(out, "wb") as file:
        file.write(changed.desc.serialize_to_string())


def convert(program, params, out):
    """Names of the outputs of the ONNX file made. Raises what onnxruntime raises if it refuses the file."""
    paddle2onnx.export(program, params, out, opset_version=OPSET, auto_upgrade_opset=True, verbose=True)
    session = onnxruntime.InferenceSession(out, providers=["CPUExecutionProvider"])
    return [value.name for value in session.get_outputs()]


def main():
    program, params, out, shapes = sys.argv[1:]
    stem = out[:-len(".onnx")]
    fixed = False
    try:
        names = convert(program, params, out)
    except Exception as error:
        if program.endswith(".json"):
            raise
        print("with free dimensions: %s" % error, flush=True)
        fixed = True
        with_shapes(program, json.loads(shapes), stem + ".pdmodel")
        names = convert(stem + ".pdmodel", params, out)
    with open(stem + ".json", "w") as file:
        json.dump({"outputs": names, "fixed_shapes": fixed}, file)


if __name__ == "__main__":
    main()
