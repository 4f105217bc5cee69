# SPDX-License-Identifier: Apache-2.0
"""Models of ncnn with int8 for arm_ncnn.py, made of those with float32 as ncnn's programs ncnn2table and ncnn2int8 make them: convolutions and
products with constant matrices have int8 weights, a layer whose result only convolutions read gives int8 itself, and all else stays float32.
Steps of activations are those of the largest values that are given, where ncnn2table may choose smaller ones.
"""
import numpy as np

import models

MAGIC = "7767517"
FLOAT32_TAG, INT8_TAG = 0, 0x000D4B38  # what stands in front of weights
CONVOLUTIONS = ("Convolution", "ConvolutionDepthWise")
CALIBRATED = (*CONVOLUTIONS, "InnerProduct")  # whose inputs have one constant step; the others' are found in each run
GIVES_INT8 = 100  # is added to the number that says how a layer is quantised
WITHOUT_WEIGHTS = {"BinaryOp", "Concat", "HardSigmoid", "HardSwish", "Input", "Interp", "Permute", "Pooling", "Reshape", "Sigmoid", "Softmax", "Split",
                   "Squeeze", "Swish"}


class Layer:
    """A line of a .param file. `weights` are arrays in the order of the .bin file: those of two dimensions or more have a tag there."""

    def __init__(self, line):
        self.type, self.name, inputs, outputs, *rest = line.split()
        inputs, outputs = int(inputs), int(outputs)
        self.inputs, self.outputs = rest[:inputs], rest[inputs:inputs + outputs]
        self.parameters = dict(word.split("=", 1) for word in rest[inputs + outputs:])
        self.weights = []

    def number(self, key, default=0):
        return int(self.parameters.get(str(key), default))

    def line(self):
        return " ".join([self.type, self.name, str(len(self.inputs)), str(len(self.outputs)), *self.inputs, *self.outputs,
                         *("%s=%s" % pair for pair in self.parameters.items())])

    def shapes(self):
        """Of the weights. One dimension: without a tag."""
        n = self.number
        if self.type in (*CONVOLUTIONS, "Deconvolution"):
            return [(n(0), n(6) // n(0)), *[(n(0),)] * n(5)]
        if self.type == "InnerProduct":
            return [(n(0), n(2) // n(0)), *[(n(0),)] * n(1)]
        if self.type == "LayerNorm":
            return [(n(0),)] * 2 * n(2, 1)
        if self.type == "MultiHeadAttention":
            width, inner = n(0), n(2) // n(0)
            return [(width, inner), (width,), (width, n(3, width)), (width,), (width, n(4, width)), (width,), (inner, width), (inner,)]
        if self.type == "Gemm" and not n(2) and n(3) and not n(4) and n(5) and n(6) and n(10) == 4:  # x * weights^T + row
            return [(n(8), n(9)), (1, n(8))]
        if self.type in WITHOUT_WEIGHTS:
            return []
        raise models.Absent("no weights of int8 are made for ncnn's layer %s" % self.line())


class Network:
    def __init__(self, param, weights):
        magic, _, *lines = param.read_text().splitlines()
        self.layers, data, at = [Layer(line) for line in lines if line], weights.read_bytes(), 0
        if magic != MAGIC:
            raise models.Absent("%s does not begin with %s" % (param.name, MAGIC))
        for layer in self.layers:
            for shape in layer.shapes():
                if len(shape) > 1:
                    if int.from_bytes(data[at:at + 4], "little") != FLOAT32_TAG:
                        raise models.Absent("weights of %s in %s are not float32" % (layer.name, weights.name))
                    at += 4
                layer.weights.append(np.frombuffer(data, np.float32, np.prod(shape), at).reshape(shape))
                at += 4 * layer.weights[-1].size
        if at != len(data):
            raise models.Absent("%s has %d bytes, and the layers of %s %d" % (weights.name, len(data), param.name, at))

    def calibrated_blobs(self):
        return sorted({layer.inputs[0] for layer in self.layers if layer.type in CALIBRATED})

    def answer(self):
        """The blob to compare: what the last function makes of small numbers may be nothing but zeros."""
        last = self.layers[-1]
        return last.inputs[0] if last.type in ("Sigmoid", "Softmax") else last.outputs[0]

    def readers(self, blob):
        """The layers that read a blob or a copy of it, which only the layer Split makes."""
        for layer in self.layers:
            if blob in layer.inputs:
                if layer.type == "Split":
                    for copy in layer.outputs:
                        yield from self.readers(copy)
                else:
                    yield layer

    def quantize(self, ranges):
        """ranges: {blob: largest absolute value} of calibrated_blobs()."""
        for layer in self.layers:
            quantizer = {"Gemm": quantize_gemm, "MultiHeadAttention": quantize_attention}.get(layer.type)
            if quantizer:
                quantizer(layer)
            elif layer.type in CALIBRATED:
                quantize_layer(layer, steps_in_one(ranges[layer.inputs[0]]))
        for layer in self.layers:
            readers = list(self.readers(layer.outputs[0])) if layer.type in CONVOLUTIONS else []
            if readers and all(reader.type in CONVOLUTIONS for reader in readers):
                layer.parameters["8"] = str(layer.number(8) + GIVES_INT8)
                layer.weights.append(steps_in_one(ranges[readers[0].inputs[0]]))

    def save(self, param, weights):
        blobs = sum(len(layer.outputs) for layer in self.layers)
        with open(weights, "wb") as out:
            for layer in self.layers:
                for array in layer.weights:
                    if array.ndim > 1:
                        out.write((INT8_TAG if array.dtype == np.int8 else FLOAT32_TAG).to_bytes(4, "little"))
                    out.write(array.tobytes() + b"\0" * (-array.nbytes % 4))
        param.write_text("\n".join([MAGIC, "%d %d" % (len(self.layers), blobs), *(layer.line() for layer in self.layers)]) + "\n")


def steps_in_one(largest, most=127):
    """ncnn's scale, by which a number becomes an integer."""
    return np.where(largest > 0, most / np.maximum(largest, 1e-30), 1).astype(np.float32).reshape(-1)


def integers(array, scales):
    """The weights with a scale for each row, or one for all."""
    return np.clip(np.rint(array * scales[:, None]), -127, 127).astype(np.int8)


def row_scales(array, most=127):
    return steps_in_one(np.abs(array).max(axis=1), most)


def quantize_layer(layer, input_scale):
    # Winograd's transformation of filters of 3x3 has room for 6 bits.
    winograd = layer.type == "Convolution" and [layer.number(key) for key in (1, 11, 2, 12, 3, 13)] == [3, 3, 1, 1, 1, 1]
    if layer.type == "ConvolutionDepthWise":
        groups = layer.number(7)
        scales = row_scales(layer.weights[0].reshape(groups, -1))
        rows = np.repeat(scales, len(layer.weights[0]) // groups)
    else:
        rows = scales = row_scales(layer.weights[0], 31 if winograd else 127)
    layer.weights[0] = integers(layer.weights[0], rows)
    layer.weights += [scales, input_scale]
    layer.parameters["8"] = "1" if layer.type == "ConvolutionDepthWise" else "2"


def quantize_gemm(layer):
    scale = steps_in_one(np.abs(layer.weights[0]).max())
    layer.weights[0] = integers(layer.weights[0], scale)
    layer.weights.append(scale)
    layer.parameters["18"] = "2"


def quantize_attention(layer):
    for i in (0, 2, 4, 6):
        array = layer.weights[i]
        scales = row_scales(array) if i < 6 else steps_in_one(np.abs(array).max())
        layer.weights[i] = integers(array, scales)
        layer.weights.append(scales)
    layer.parameters["18"] = "2"
