# SPDX-License-Identifier: Apache-2.0
"""float8_e4m3fn and float8_e5m2: every code as every other type, what other types round to, and what moves them.

NumPy has no such types: codes are a parameter, and what is float8 comes out as float32. Paddle answers in its eager mode: the predictor
of 3.3.1 does not load programs with float8_e5m2.
"""

import numpy as np

from notation import Codes, Tensor, api

KINDS = ("float8_e4m3fn", "float8_e5m2")
OTHERS = "bool int8 uint8 int16 int32 int64 float16 float32 float64".split()
CODES = np.arange(256, dtype=np.uint8)


def numbers():
    """float32 numbers around all that a float8 holds, the middles between those, and the ends of its range."""
    exponents = np.arange(-20, 19)
    eighths = np.arange(0, 32) / 16.0  # each fraction of a float8 with 3 bits, and each middle
    exact = (2.0 ** exponents[:, None] * (1 + eighths[None, :] / 2)).ravel().astype(np.float32)
    ends = np.array([447, 448, 449, 463, 464, 465, 479, 480, 481, 57343, 57344, 61439, 61440, 61441, 65535, 65536, 65537], np.float32)
    special = np.array([0, 1e-45, 1e-38, 1e30, 3.4e38, np.inf, np.nan], np.float32)
    near = np.concatenate([exact, ends])
    x = np.concatenate([near, np.nextafter(near, np.float32(0)), np.nextafter(near, np.float32(np.inf)), special])
    return np.concatenate([x, -x])


def with_codes(kind, what, shape, function):
    """A program of a parameter that has every code, and of an input, as a program without one is none."""

    def make(r):
        codes = Tensor(Codes.of(CODES.reshape(shape), kind), param=True)
        return dict(codes=codes, x=Tensor(CODES[:2])), lambda paddle, codes, x: [function(paddle, codes), paddle.assign(x)]

    return api("float8_%s_%s" % (kind[7:], what), make, n=1, exact=True, eager=True)


def widened(kind, to):
    return with_codes(kind, "to_" + to, [256], lambda paddle, codes: codes.cast(to))


def narrowed(kind, source):
    def make(r):
        if source in ("float32", "bfloat16"):
            x = numbers()
            if source == "bfloat16":  # where Paddle's NaN has no sign, and a sign is all that float8_e4m3fn keeps of one
                x = x[~(np.isnan(x) & np.signbit(x))]
        elif source == "float64":
            x = numbers().astype(np.float64) * (1 + 2.0**-30)  # rounds to float32 first
        elif source == "float16":
            x = np.arange(65536, dtype=np.uint16).view(np.float16)[::7]
        elif source == "bool":
            x = np.array([False, True])
        else:
            info = np.iinfo(source)
            x = np.unique(np.clip(np.rint(np.nan_to_num(numbers()).astype(np.float64)), info.min, info.max)).astype(source)

        def run(paddle, x):
            return (x.cast("bfloat16") if source == "bfloat16" else x).cast(kind).cast("float32")

        return dict(x=Tensor(x)), run

    return api("float8_%s_from_%s" % (kind[7:], source), make, n=1, exact=True, eager=True)


def moved(kind, what, move):
    """What moves elements of any type."""
    return with_codes(kind, what, [4, 64], lambda paddle, codes: move(paddle, codes).cast("float32"))


MOVES = {
    "transpose": lambda p, x: p._C_ops.transpose(x, [1, 0]),
    "concat": lambda p, x: p._C_ops.concat([x, x], 0),
    "reshape": lambda p, x: p._C_ops.reshape(x, [64, 4]),
    "assign": lambda p, x: p._C_ops.assign(x),
}


def filled(kind):
    def make(r):
        def run(paddle, x):
            full = paddle._C_ops.full([3], 1.3, getattr(paddle, kind), paddle.CPUPlace())
            return [full.cast("float32"), paddle.assign(x)]

        return dict(x=Tensor(CODES[:2])), run

    return api("float8_%s_full" % kind[7:], make, n=1, exact=True, eager=True)


TABLE = [widened(kind, to) for kind in KINDS for to in OTHERS]
TABLE += [narrowed(kind, source) for kind in KINDS for source in OTHERS + ["bfloat16"]]
TABLE += [moved(kind, what, move) for kind in KINDS for what, move in MOVES.items()]
TABLE += [filled(kind) for kind in KINDS]
