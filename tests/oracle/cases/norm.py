# SPDX-License-Identifier: Apache-2.0
"""Normalisation with statistics given or computed."""

import numpy as np

from notation import op


def batch_norm(r):
    rank = r.turn(4, 4, 2, 3, 4, 5)
    x = [r.int(1, 3), r.pick(1, 2, 3, 8, 9, 17)] + [r.int(1, 6) for _ in range(rank - 2)]
    layout = "NCHW"
    if rank == 4 and r.maybe(0.3):
        layout, x = "NHWC", [x[0], x[2], x[3], x[1]]
    c = x[-1] if layout == "NHWC" else x[1]
    form = r.turn(
        dict(is_test=True, use_global_stats=False),
        dict(is_test=False, use_global_stats=True),
        dict(is_test=True, use_global_stats=True),
    )
    return dict(
        X=r.f(x),
        Scale=r.w(c, lo=0.5, hi=1.5),
        Bias=r.w(c),
        Mean=r.w(c),
        Variance=r.w(c, lo=0.2, hi=2),
        epsilon=r.pick(1e-5, 1e-3, 1e-6),
        momentum=0.9,
        data_layout=layout,
        trainable_statistics=False,
        _alias={"MeanOut": "Mean", "VarianceOut": "Variance"},
        **form
    )


def layer_norm(r):
    x = r.shape(2, 4, elements=1500)
    begin = r.int(1, len(x) - 1)
    n = int(np.prod(x[begin:]))
    dtype = r.pick("float32", "float32", "float32", "float64")
    case = dict(X=r.f(x, dtype=dtype), begin_norm_axis=begin, epsilon=r.pick(1e-5, 1e-6, 1e-12, 1e-3))
    kind = r.turn("both", "both", "scale", "bias", "none")
    if kind in ("both", "scale"):
        case["Scale"] = r.w(n, lo=0.5, hi=1.5, dtype=dtype)
    if kind in ("both", "bias"):
        case["Bias"] = r.w(n, dtype=dtype)
    return case


def group_norm(r):
    groups, layout = r.pick(1, 2, 3, 4), r.pick("NCHW", "NCHW", "NHWC")
    c = groups * r.int(1, 4)
    size = [r.int(1, 6) for _ in range(r.pick(2, 2, 1, 3))]
    if layout == "NHWC":
        size = size[:2] if len(size) > 1 else size + [2]
    x = [r.int(1, 3), c] + size if layout == "NCHW" else [r.int(1, 3)] + size + [c]
    case = dict(X=r.f(x), groups=groups, epsilon=r.pick(1e-5, 1e-3), data_layout=layout)
    if r.maybe(0.8):
        case.update(Scale=r.w(c, lo=0.5, hi=1.5), Bias=r.w(c))
    return case


def instance_norm(r):
    c = r.int(1, 9)
    size = [r.int(2, 6) for _ in range(r.pick(2, 2, 1, 3))]
    case = dict(X=r.f([r.int(1, 3), c] + size), epsilon=r.pick(1e-5, 1e-3))
    if r.maybe(0.7):
        case.update(Scale=r.w(c, lo=0.5, hi=1.5), Bias=r.w(c))
    return case


def affine_channel(r):
    c, layout = r.int(1, 9), r.pick("NCHW", "NCHW", "NHWC")
    size = [r.int(1, 6), r.int(1, 6)]
    x = [r.int(1, 3), c] + size if layout == "NCHW" else [r.int(1, 3)] + size + [c]
    return dict(X=r.f(x), Scale=r.w(c), Bias=r.w(c), data_layout=layout)


def lrn(r):
    return dict(
        X=r.f(r.int(1, 2), r.int(3, 9), r.int(1, 5), r.int(1, 5)),
        n=r.pick(3, 5),
        k=r.pick(1.0, 2.0),
        alpha=r.pick(1e-4, 0.1),
        beta=r.pick(0.75, 0.5),
        data_format=r.pick("NCHW", "NCHW", "NHWC"),
    )


def data_norm(r):
    c = r.int(1, 9)
    return dict(
        X=r.f(r.int(1, 5), c),
        BatchSize=r.w(c, lo=5, hi=9),
        BatchSum=r.w(c),
        BatchSquareSum=r.w(c, lo=5, hi=20),
        epsilon=1e-4,
    )


def skip_norm(r):
    x = r.shape(3, 3)
    return dict(X=r.f(x), Y=r.f(x), Scale=r.w(x[-1]), Bias=r.w(x[-1]), epsilon=1e-5, begin_norm_axis=2)


def renorm(r):
    x = r.shape(2, 4)
    return dict(X=r.f(x), axis=r.int(0, len(x) - 1), p=r.pick(1.0, 2.0, 3.0), max_norm=r.pick(0.5, 2.0, 10.0))


TABLE = [
    op("batch_norm", batch_norm, n=36, out="Y", hidden="MeanOut VarianceOut SavedMean SavedVariance ReserveSpace"),
    op("layer_norm", layer_norm, n=30, out="Y", hidden="Mean Variance"),
    op("group_norm", group_norm, n=20, out="Y", hidden="Mean Variance"),
    op("instance_norm", instance_norm, n=18, out="Y", hidden="SavedMean SavedVariance"),
    op("affine_channel", affine_channel, n=12),
    op("lrn", lrn, n=12, hidden="MidOut"),
    op("renorm", renorm, n=10),
    op("data_norm", data_norm, n=10, out="Y", hidden="Means Scales"),
]
