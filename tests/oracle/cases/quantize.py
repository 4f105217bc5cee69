# SPDX-License-Identifier: Apache-2.0
"""Quantisation. `Scale` is the absolute maximum, not the step.

Paddle 3.3 clips in the PIR operator dequantize_linear on the CPU as if it quantised, so its answers are not used here
("program" only); the ProgramDesc operator is right.
"""

import numpy as np

from notation import op


def data(r, quant_axis, low=2):
    x = r.shape(2, 4, least=low)
    count = 1 if quant_axis < 0 else x[quant_axis]
    return x, count


def grid(r, x, scale, bits=8):
    """Reals that lie between quantisation steps, never near a tie."""
    most = 2 ** (bits - 1) - 1
    steps = r.random.randint(-most - 6, most + 7, x) + r.random.uniform(-0.4, 0.4, x)
    return (steps * scale / most).astype("float32")


def quantize_linear(r):
    axis = r.turn(-1, 0, 1)
    x, count = data(r, axis)
    scale = r.random.uniform(0.5, 3, count).astype("float32")
    wide = scale.reshape([-1 if a == axis else 1 for a in range(len(x))]) if axis >= 0 else scale
    return dict(
        X=r.t(grid(r, x, wide)),
        Scale=r.t(scale, param=True),
        ZeroPoint=r.t(np.zeros(count, "float32"), param=True),
        quant_axis=axis,
        bit_length=8,
        round_type=r.turn(0, 1),
        is_test=True,
        only_observer=False,
    )


def dequantize_linear(r):
    axis = r.turn(-1, 0, 1)
    x, count = data(r, axis)
    kind = r.turn("int8", "float32")
    q = r.random.randint(-127, 128, x).astype(kind)
    return dict(
        X=r.t(q, param=kind == "int8"),
        Scale=r.t(r.random.uniform(0.5, 3, count), "float32", param=True),
        ZeroPoint=r.t(np.zeros(count, "float32"), param=True),
        quant_axis=axis,
        bit_length=8,
        round_type=r.turn(0, 1),
        is_test=True,
        only_observer=False,
    )


def moving_average(r):
    x, _ = data(r, -1)
    bits = r.pick(8, 8, 4)
    scale = r.num(0.5, 3)
    return dict(
        X=r.t(grid(r, x, scale, bits)),
        InScale=r.t([scale], "float32", param=True),
        moving_rate=0.9,
        bit_length=bits,
        is_test=True,
        _alias={"OutScale": "InScale"},
    )


def range_abs_max(r):
    x, _ = data(r, -1)
    scale = r.num(0.5, 3)
    return dict(
        X=r.t(grid(r, x, scale)),
        InScale=r.t([scale], "float32", param=True),
        window_size=10000,
        bit_length=8,
        is_test=True,
    )


def abs_max(r):
    """The scale is the largest absolute value of the tensor."""
    x, _ = data(r, -1)
    scale = r.num(0.5, 3)
    values = np.clip(grid(r, x, scale), -scale, scale)
    values.reshape(-1)[0] = scale
    return dict(X=r.t(values, "float32"), bit_length=8)


def channel_abs_max(r):
    axis = r.turn(0, 1)
    x, count = data(r, axis)
    scale = r.random.uniform(0.5, 3, count).astype("float32")
    wide = scale.reshape([-1 if a == axis else 1 for a in range(len(x))])
    values = np.clip(grid(r, x, wide), -wide, wide)
    np.moveaxis(values, axis, 0).reshape(count, -1)
    first = [0] * len(x)
    for c in range(count):
        first[axis] = c
        values[tuple(first)] = scale[c]
    return dict(X=r.t(values, "float32"), quant_axis=axis, bit_length=8)


def channel_abs_max_test(r):
    return dict(channel_abs_max(r), is_test=False)


def observe(r):
    x, _ = data(r, -1)
    return dict(
        X=r.f(x),
        InAccum=r.t([1.0], "float32", param=True),
        InState=r.t([1.0], "float32", param=True),
        moving_rate=0.9,
        is_test=True,
    )


def dequantize_max_abs(r):
    x, _ = data(r, -1)
    return dict(
        X=r.t(r.random.randint(-127, 128, x), "float32"),
        Scale=r.t([r.num(0.5, 3)], "float32", param=True),
        max_range=127.0,
    )


def dequantize_channel(r):
    axis = r.turn(0, 1)
    x, count = data(r, axis)
    scales = [r.t(r.random.uniform(0.5, 3, count), "float32", param=True)]
    bits = [8]
    if r.index % 3 == 2:
        x, axis = [x[0], x[1]], 1
        scales = [
            r.t(r.random.uniform(0.5, 3, x[1]), "float32", param=True),
            r.t([r.num(0.5, 3)], "float32", param=True),
        ]
        bits = [8, 8]
    return dict(
        X=r.t(r.random.randint(-127, 128, x), "float32"),
        Scales=scales,
        quant_bits=bits,
        quant_axis=axis,
        x_num_col_dims=1,
    )


def quantize_onednn_free(r):
    return dict(
        X=r.t(r.random.randint(-127, 128, r.shape(1, 3)), "int8"),
        Scale=r.t([r.num(0.5, 3)], "float32", param=True),
        max_range=127.0,
    )


def dequantize_log(r):
    return dict(X=r.i(r.shape(1, 3), lo=-128, hi=127, dtype="int8"), Dict=r.f(128, lo=0, hi=1))


TABLE = [
    op("quantize_linear", quantize_linear, n=24, out="Y"),
    op("dequantize_linear", dequantize_linear, n=24, out="Y", formats="program"),
    op("fake_quantize_dequantize_moving_average_abs_max", moving_average, n=14, hidden="OutScale"),
    op("fake_quantize_moving_average_abs_max", moving_average, n=12, hidden="OutScale"),
    op("fake_quantize_range_abs_max", range_abs_max, n=10, hidden="OutScale"),
    op("fake_quantize_abs_max", abs_max, n=10, out="Out OutScale"),
    op("fake_quantize_dequantize_abs_max", abs_max, n=12, out="Out OutScale"),
    op("fake_channel_wise_quantize_abs_max", channel_abs_max_test, n=10, out="Out OutScale"),
    op("fake_channel_wise_quantize_dequantize_abs_max", channel_abs_max, n=14, out="Out OutScale"),
    op("moving_average_abs_max_scale", observe, n=10, hidden="OutScale"),
    op("fake_dequantize_max_abs", dequantize_max_abs, n=10),
    op("fake_channel_wise_dequantize_max_abs", dequantize_channel, n=14),
    op("dequantize_abs_max", quantize_onednn_free, n=10),
    op("dequantize_log", dequantize_log, n=10),
]
