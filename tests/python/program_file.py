# SPDX-License-Identifier: Apache-2.0
"""Writes small models in the bytes of Paddle's ProgramDesc, without Paddle: messages of protobuf, put together by hand."""
import struct
import sys

import numpy as np

TYPES = {"bool": 0, "int16": 1, "int32": 2, "int64": 3, "float16": 4, "float32": 5, "float64": 6, "uint8": 20, "int8": 21,
         "bfloat16": 22, "float8_e4m3fn": 32, "float8_e5m2": 33}
TENSOR, FEED, FETCH = 7, 9, 10


def varint(value):
    value &= 2**64 - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


def number(field, value):
    return varint(field << 3) + varint(value)


def message(field, content):
    data = content.encode() if isinstance(content, str) else content
    return varint(field << 3 | 2) + varint(len(data)) + data


def tensor_desc(dtype, dims):
    return number(1, TYPES[dtype]) + b"".join(number(2, d) for d in dims)


def variable(name, kind, dtype=None, dims=(), lod_levels=0, parameter=False):
    kind_message = number(1, kind)
    if dtype is not None:
        kind_message += message(3, message(1, tensor_desc(dtype, dims)) + number(2, lod_levels))
    return message(3, message(1, name) + message(2, kind_message) + number(3, int(parameter or kind != TENSOR)))


def attribute(name, value):
    head = message(1, name)
    if isinstance(value, bool):
        return message(4, head + number(2, 6) + number(10, int(value)))
    if isinstance(value, int):
        return message(4, head + number(2, 0) + number(3, value))
    if isinstance(value, float):
        return message(4, head + number(2, 1) + varint(4 << 3 | 5) + struct.pack("<f", value))
    if isinstance(value, str):
        return message(4, head + number(2, 2) + message(5, value))
    if value and isinstance(value[0], float):
        return message(4, head + number(2, 4) + b"".join(varint(7 << 3 | 5) + struct.pack("<f", each) for each in value))
    if value and isinstance(value[0], str):
        return message(4, head + number(2, 5) + b"".join(message(8, each) for each in value))
    return message(4, head + number(2, 3) + b"".join(number(6, each) for each in value))


def operator(kind, inputs, outputs, attributes=None):
    slots = b""
    for field, group in ((1, inputs), (2, outputs)):
        for slot, names in group.items():
            slots += message(field, message(1, slot) + b"".join(message(2, name) for name in names))
    return message(4, slots + message(3, kind) + b"".join(attribute(*each) for each in (attributes or {}).items()))


def model(inputs, operators, outputs, parameters=None):
    """(program, params): inputs are (name, dtype, dims[, levels of offsets]), operators those of operator(), outputs names,
    parameters arrays by name.
    """
    variables = variable("feed", FEED) + variable("fetch", FETCH)
    body = params = b""
    for column, (name, dtype, dims, *levels) in enumerate(inputs):
        variables += variable(name, TENSOR, dtype, dims, *levels)
        body += operator("feed", {"X": ["feed"]}, {"Out": [name]}, {"col": column})
    for name, array in sorted((parameters or {}).items()):
        variables += variable(name, TENSOR, array.dtype.name, array.shape, parameter=True)
        desc = tensor_desc(array.dtype.name, array.shape)
        params += struct.pack("<IQIi", 0, 0, 0, len(desc)) + desc + np.ascontiguousarray(array).tobytes()
    body += b"".join(operators)
    for column, (name, dtype, dims) in enumerate(outputs):
        variables += variable(name, TENSOR, dtype, dims)
        body += operator("fetch", {"X": [name]}, {"Out": ["fetch"]}, {"col": column})
    return message(1, number(1, 0) + number(2, 2**64 - 1) + variables + body) + message(4, number(1, 2006002)), params


def total():
    """total = a + b, both float32 [?, 3]."""
    add = operator("elementwise_add", {"X": ["a"], "Y": ["b"]}, {"Out": ["total"]}, {"axis": -1})
    return model([("a", "float32", (-1, 3)), ("b", "float32", (-1, 3))], [add], [("total", "float32", (-1, 3))])


def doubled(dtype):
    """y = x + x, of any shape of rank 2."""
    add = operator("elementwise_add", {"X": ["x"], "Y": ["x"]}, {"Out": ["y"]}, {"axis": -1})
    return model([("x", dtype, (-1, -1))], [add], [("y", dtype, (-1, -1))])


def linear(width=4, layers=1, seed=0):
    """y = relu(... relu(x w0) w1 ...) for x float32 [?, width]; `y` and the product before the last relu are results."""
    weights = np.random.default_rng(seed).standard_normal((layers, width, width)).astype(np.float32) / np.float32(width**0.5)
    operators, last = [], "x"
    for layer in range(layers):
        operators.append(operator("matmul_v2", {"X": [last], "Y": ["w%03d" % layer]}, {"Out": ["p%d" % layer]},
                                  {"trans_x": False, "trans_y": False}))
        last = "y" if layer == layers - 1 else "r%d" % layer
        operators.append(operator("relu", {"X": ["p%d" % layer]}, {"Out": [last]}))
    outputs = [("y", "float32", (-1, width)), ("p%d" % (layers - 1), "float32", (-1, width))]
    return model([("x", "float32", (-1, width))], operators, outputs, {"w%03d" % i: w for i, w in enumerate(weights)})


def sequences():
    """Sums of the sequences of x float32 [?, 2], whose offsets have one level; also x + x, which keeps the offsets."""
    pool = operator("sequence_pool", {"X": ["x"]}, {"Out": ["sums"], "MaxIndex": ["index"]}, {"pooltype": "SUM", "is_test": True})
    add = operator("elementwise_add", {"X": ["x"], "Y": ["x"]}, {"Out": ["twice"]}, {"axis": -1})
    return model([("x", "float32", (-1, 2), 1)], [pool, add], [("sums", "float32", (-1, 2)), ("twice", "float32", (-1, 2))])


def casts(dtype):
    """x of a type [?, 2] as float32, "wide", and that as the type again, "y"."""
    wide = operator("cast", {"X": ["x"]}, {"Out": ["wide"]}, {"in_dtype": TYPES[dtype], "out_dtype": TYPES["float32"]})
    narrow = operator("cast", {"X": ["wide"]}, {"Out": ["y"]}, {"in_dtype": TYPES["float32"], "out_dtype": TYPES[dtype]})
    return model([("x", dtype, (-1, 2))], [wide, narrow], [("wide", "float32", (-1, 2)), ("y", dtype, (-1, 2))])


def main():
    """program_file.py PREFIX: writes the model `linear` as PREFIX.pdmodel and PREFIX.pdiparams."""
    for suffix, data in zip((".pdmodel", ".pdiparams"), linear()):
        with open(sys.argv[1] + suffix, "wb") as file:
            file.write(data)


if __name__ == "__main__":
    main()
