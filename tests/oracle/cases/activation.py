# SPDX-License-Identifier: Apache-2.0
"""Unary operators of real numbers."""

import numpy as np

from notation import op


def unary(lo=-4.0, hi=4.0, dtypes=("float32", "float32", "float64"), **attributes):
    """attributes: name -> function of the draw."""

    def make(r):
        case = dict(X=r.f(r.shape(0, 4), lo=lo, hi=hi, dtype=r.pick(*dtypes)))
        case.update({name: draw(r) for name, draw in attributes.items()})
        return case

    return make


def number(lo, hi):
    return lambda r: r.num(lo, hi)


def halves(r):
    """Multiples of a quarter: ties of rounding included."""
    x = r.i(r.shape(0, 4), lo=-20, hi=20).array / 4.0
    return dict(X=r.t(x, r.pick("float32", "float64")))


def signed(r):
    """Integers too."""
    return dict(X=r.any(r.shape(0, 4), "float32", "float32", "float64", "int32", "int64"))


def softmax(r):
    shape = r.shape(1, 4, least=1)
    return dict(X=r.f(shape, lo=-5, hi=5, dtype=r.pick("float32", "float32", "float64")), axis=r.axis(len(shape)))


def special(r):
    """NaN and infinities among ordinary values."""
    x = r.f(r.shape(1, 3), dtype=r.pick("float32", "float64")).array
    flat = x.reshape(-1)
    for i, value in enumerate([float("nan"), float("inf"), float("-inf")]):
        flat[(i * 5 + r.index) % flat.size] = value
    return dict(X=r.t(x))


def finite(r):
    return special(r) if r.maybe(0.7) else dict(X=r.any(r.shape(1, 3), "int32", "int64", "float32"))


def relu(r):
    if r.index in (3, 9):  # NaN is left out: Paddle's answer depends on its instruction set
        x = special(r)["X"].array
        return dict(X=r.t(np.where(np.isnan(x), 0.5, x)))
    return dict(X=r.any(r.shape(0, 4), "float32", "float32", "float64"))


def prelu(r):
    mode = r.turn("all", "channel", "element")
    x = r.shape(2, 4)
    layout = r.pick("NCHW", "NHWC") if mode == "channel" and len(x) == 4 else "NCHW"
    channels = x[-1] if layout == "NHWC" else x[1]
    alpha = {"all": [1], "channel": [channels], "element": [1] + x[1:]}[mode]
    return dict(X=r.f(x), Alpha=r.w(alpha), mode=mode, data_format=layout)


def dropout(r):
    return dict(
        X=r.f(r.shape(1, 4)),
        dropout_prob=r.num(0, 0.9),
        is_test=True,
        dropout_implementation=r.turn("upscale_in_train", "downgrade_in_infer"),
        fix_seed=False,
        seed=0,
    )


def maxout(r):
    groups, axis = r.pick(2, 3), r.pick(1, -1, 3)
    x = r.shape(4, 4, elements=300)
    x[axis] = groups * r.int(1, 4)
    return dict(X=r.f(x), groups=groups, axis=axis)


def reduced(r):
    """Version 1: one answer for the whole tensor."""
    return finite(r)


def rrelu(r):
    return dict(X=r.f(r.shape(1, 4)), lower=0.125, upper=r.num(0.2, 0.5), is_test=True)


def label_smooth(r):
    x = r.shape(2, 2)
    case = dict(X=r.f(x, lo=0, hi=1), epsilon=r.pick(0.1, 0.3))
    if r.maybe(0.4):
        case["PriorDist"] = r.f(1, x[1], lo=0, hi=1)
    return case


def position_encoding(r):
    return dict(X=r.f(r.int(1, 3), r.int(1, 6), 2 * r.int(1, 5)), alpha=r.num(0.5, 2), beta=r.num(0.5, 2))


ACTIVATIONS = [
    op("relu", relu, n=14, exact=True),
    op("relu6", unary(-3, 9)),
    op("sigmoid", unary(-9, 9), n=16),
    op("tanh", unary(-6, 6), n=16),
    op("hard_sigmoid", unary(-5, 5, slope=lambda r: r.pick(0.2, 0.1666667, 0.1), offset=lambda r: r.pick(0.5, 0.4))),
    op("hard_swish", unary(-5, 5)),
    op("swish", unary(beta=lambda r: 1.0)),
    op("silu", unary()),
    op("gelu", unary(approximate=lambda r: r.turn(False, True)), n=20),
    op("leaky_relu", unary(alpha=lambda r: r.pick(0.02, 0.1, 0.2, 0.01, 1.5)), n=14),
    op("softmax", softmax, n=24),
    op("log_softmax", softmax, n=16),
    op("prelu", prelu, n=18),
    op("dropout", dropout, n=12, hidden="Mask"),
    op("elu", unary(alpha=number(0.3, 2))),
    op("selu", unary()),
    op("celu", unary(alpha=number(0.3, 2))),
    op("mish", unary(dtypes=("float32",))),
    op("softplus", unary(beta=lambda r: r.pick(1.0, 2.0, 0.5), threshold=lambda r: r.pick(20.0, 3.0))),
    op("softsign", unary()),
    op("softshrink", unary(**{"lambda": number(0.1, 1)})),
    op("hard_shrink", unary(threshold=number(0.1, 1))),
    op("tanh_shrink", unary()),
    op("thresholded_relu", unary(threshold=number(0, 1.5))),
    op("stanh", unary(scale_a=number(0.3, 1), scale_b=number(0.5, 2))),
    op("logsigmoid", unary()),
    op("brelu", unary(-5, 30, t_min=lambda r: r.pick(0.0, -1.0), t_max=lambda r: r.pick(20.0, 6.0))),
    op("soft_relu", unary(dtypes=("float32",), threshold=lambda r: 40.0), n=10),
    op("maxout", maxout),
    op("rrelu", rrelu, n=10, hidden="Noise"),
    op("label_smooth", label_smooth, n=10),
    op("add_position_encoding", position_encoding, n=10),
]
def bessel(r):
    size = r.pick(2.0, 10.0, 60.0)
    return dict(x=r.f(r.shape(1, 3), lo=-size, hi=size, dtype=r.pick("float32", "float64")))


MATHEMATICS = [
    op("exp", unary(-6, 6), n=16),
    op("expm1", unary()),
    op("log", unary(0.01, 9), n=14),
    op("log2", unary(0.01, 9)),
    op("log10", unary(0.01, 9)),
    op("log1p", unary(-0.9, 9)),
    op("sqrt", unary(0, 9)),
    op("rsqrt", unary(0.05, 9)),
    op("square", signed),
    op("reciprocal", unary(0.1, 4)),
    op("abs", signed, n=14),
    op("erf", unary(-3, 3)),
    op("erfinv", unary(-0.99, 0.99)),
    op("floor", halves, exact=True),
    op("ceil", halves, exact=True),
    op("round", halves, exact=True),
    op("trunc", halves, exact=True),
    op("sign", signed, exact=True),
    op("sin", unary(-9, 9)),
    op("cos", unary(-9, 9)),
    op("tan", unary(-1.3, 1.3)),
    op("asin", unary(-0.99, 0.99)),
    op("acos", unary(-0.99, 0.99)),
    op("atan", unary()),
    op("sinh", unary()),
    op("cosh", unary()),
    op("asinh", unary()),
    op("acosh", unary(1.05, 9)),
    op("atanh", unary(-0.95, 0.95)),
    op("lgamma", unary(0.3, 9)),
    op("digamma", unary(0.5, 9)),
    op("logit", unary(0.05, 0.95, eps=lambda r: r.pick(0.0, 0.1)), n=10),
    op("isnan", reduced, n=10, exact=True),
    op("isinf", reduced, n=10, exact=True),
    op("isnan_v2", finite, exact=True),
    op("isinf_v2", finite, exact=True),
    op("isfinite_v2", finite, exact=True),
    op("i0", bessel, n=10, out="out"),
    op("i0e", bessel, n=10, out="out"),
    op("i1", bessel, n=10, out="out"),
    op("i1e", bessel, n=10, out="out"),
]
TABLE = ACTIVATIONS + MATHEMATICS
