# SPDX-License-Identifier: Apache-2.0
"""Parameters by a rule, so that large models fit into a small archive: each tensor repeats its own first KEPT bytes. A file of them
is one of Paddle's .pdiparams whose tensors are cut off there; it has the same headers.

    parameters.py SHORTENED OUT      writes the whole file
"""
import struct
import sys

KEPT = 4096
# Paddle's VarType.Type: bool, int16, int32, int64, float16, float32, float64, uint8, int8, bfloat16
BYTES = {0: 1, 1: 2, 2: 4, 3: 8, 4: 2, 5: 4, 6: 8, 20: 1, 21: 1, 22: 2}


def varint(data, at):
    value, shift = 0, 0
    while True:
        value |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return value, at


def bytes_of(description):
    """Of the tensor that a TensorDesc describes: 1 is its type, 2 its dimensions, one by one or packed."""
    at, kind, dims = 0, None, []
    while at < len(description):
        tag, at = varint(description, at)
        value, at = varint(description, at)
        if tag == 1 << 3:
            kind = value
        elif tag == 2 << 3:
            dims.append(value)
        elif tag == (2 << 3 | 2):
            end = at + value
            while at < end:
                value, at = varint(description, at)
                dims.append(value)
        else:
            raise ValueError("a description of a tensor has field %d, expected 1 or 2" % (tag >> 3))
    if kind not in BYTES:
        raise ValueError("a tensor has the type %s, expected one of %s" % (kind, sorted(BYTES)))
    count = BYTES[kind]
    for dim in dims:
        count *= dim
    return count


def tensors(data, shortened):
    """(header, what is there of the data, bytes that the whole data has) of each tensor."""
    at = 0
    while at < len(data):
        start = at
        levels, = struct.unpack_from("<Q", data, at + 4)
        at += 12
        for _ in range(levels):
            size, = struct.unpack_from("<Q", data, at)
            at += 8 + size
        size, = struct.unpack_from("<i", data, at + 4)
        at += 8 + size
        whole = bytes_of(data[at - size:at])
        held = min(whole, KEPT) if shortened else whole
        if at + held > len(data):
            raise ValueError("the file ends inside of the tensor at byte %d" % start)
        yield data[start:at], data[at:at + held], whole
        at += held


def shorten(data):
    return b"".join(header + held[:KEPT] for header, held, _ in tensors(data, shortened=False))


def expand(data):
    return b"".join(header + (held * (whole // max(1, len(held)) + 1))[:whole] for header, held, whole in tensors(data, shortened=True))


if __name__ == "__main__":
    with open(sys.argv[1], "rb") as file:
        whole_file = expand(file.read())
    with open(sys.argv[2], "wb") as file:
        file.write(whole_file)
