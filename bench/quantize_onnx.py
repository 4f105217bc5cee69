# SPDX-License-Identifier: Apache-2.0
"""Quantises an ONNX model to int8 by onnxruntime's own tool: quantize_onnx.py MODEL.onnx INPUTS OUT.onnx [reduce-range]

INPUTS is a folder of folders with a NAME.npy for each input, a set of inputs each. Weights have a scale for each output channel, with reduce-range 7 bits.
"""
import pathlib
import sys

import numpy as np
import onnxruntime
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process


class Inputs(CalibrationDataReader):
    def __init__(self, folder, names):
        self.sets = iter({name: np.load(one / ("%s.npy" % name)) for name in names} for one in sorted(pathlib.Path(folder).iterdir()))

    def get_next(self):
        return next(self.sets, None)


def main():
    model, inputs, out, *options = sys.argv[1:]
    names = [value.name for value in onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"]).get_inputs()]
    prepared = out + ".prepared"
    quant_pre_process(model, prepared, skip_symbolic_shape=True)
    quantize_static(prepared, out, Inputs(inputs, names), quant_format=QuantFormat.QDQ, per_channel=True, reduce_range="reduce-range" in options,
                    activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8)
    onnxruntime.InferenceSession(out, providers=["CPUExecutionProvider"])


if __name__ == "__main__":
    main()
