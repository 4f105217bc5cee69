# SPDX-License-Identifier: Apache-2.0
"""Values that are not a number, infinite or a negative zero, as they come out of a model that went wrong.

Left out is where Paddle's own answer depends on the position, the length of the row or the version: softmax of rows of
eight and more that hold what is not a number, the square root and the logarithm of a sigmoid of infinity (not a number
in some lanes), and the largest and smallest elements in Paddle 2.6.
"""

import numpy as np

from notation import api, op
from special_operators import SINGLE

SPECIAL = [np.nan, np.inf, -np.inf, 0.0, -0.0]
FINITE = [np.nan, 0.0, -0.0, 100.0, -100.0]  # where the answer for infinity depends on the lane


def values(r, shape, special=None):
    """Ordinary values and, at about every fourth place, special ones."""
    x = r.f(shape, lo=-3, hi=3).array
    places = r.random.uniform(size=x.shape) < 0.25
    x[places] = r.random.choice(special or SPECIAL, places.sum())
    return r.t(x, "float32")


def unary(special=None, **attributes):
    return lambda r: dict(X=values(r, [r.int(2, 4), 17], special), **attributes)


def binary(r):
    shape = [r.int(2, 4), 17]
    return dict(X=values(r, shape), Y=values(r, r.pick(shape, shape[1:])), axis=-1)


def reduction(r):
    return dict(X=values(r, [3, r.pick(5, 17)]), dim=[r.pick(0, 1)], keep_dim=False, reduce_all=False)


def pool(r):
    return dict(
        X=values(r, [1, 2, 6, 6]),
        pooling_type=r.turn("max", "avg"),
        ksize=[2, 2],
        strides=[2, 2],
        paddings=[r.int(0, 1)] * 2,
    )


def clip(r):
    return dict(X=values(r, [3, 17]), min=-1.0, max=r.pick(1.0, 2.5))


def rows(r):
    """Rows of fewer than eight, where each lane is treated alike, and rows of which the largest and the smallest are far
    apart, up to minus infinity."""
    if r.index % 2 == 0:
        return dict(X=values(r, [r.int(3, 9), r.int(2, 7)]), axis=-1)
    x = r.f([r.int(2, 5), r.int(2, 20)], lo=-200, hi=200).array
    x[0, 0] = r.pick(-np.inf, -1e30, -300)
    return dict(X=r.t(x, "float32"), axis=-1)


def extreme(r):
    x = values(r, [r.int(2, 5), r.int(3, 20)])
    return dict(X=x, axis=r.pick(0, 1), keepdims=False, dtype=3)


def ordered(r):
    x = r.distinct(r.int(2, 4), 12).array
    for row in x:  # one of each at most: equal values may come in any order
        row[r.random.permutation(12)[:3]] = [np.nan, np.inf, -np.inf]
    return x


def top(r):
    return dict(X=r.t(ordered(r)), k=r.int(1, 5), axis=-1, largest=True, sorted=True)


def norm(r):
    return dict(X=values(r, [6, 9]), Scale=r.w(9), Bias=r.w(9), begin_norm_axis=1, epsilon=1e-5)


def product(r):
    x = r.f([3, 5]).array
    x[r.int(0, 2), r.int(0, 4)] = r.pick(*SPECIAL)
    return dict(X=r.t(x), Y=r.f(5, r.pick(4, 18)), trans_x=False, trans_y=False)


def cast(r):
    return dict(X=values(r, [3, 17]), in_dtype=5, out_dtype=r.turn(0, 2, 3))


def divided(r):
    """Reals, and whole numbers with divisors that are not zero (which Paddle refuses)."""
    if r.index % 2 == 0:
        return binary(r)
    dtype = r.pick("int32", "int64")
    y = r.i(3, 7, lo=1, hi=4, dtype=dtype).array * r.random.choice([-1, 1], (3, 7))
    return dict(X=r.i(3, 7, dtype=dtype), Y=r.t(y, dtype), axis=-1)


INFINITE = [np.inf, -np.inf, 3e38, -3e38]


def resized(r):
    """Masks of -inf, infinities among others, and numbers near the end of float32: weighted sums, whose weight may be
    0."""
    size = [r.int(3, 6), r.int(3, 6)]
    x = r.f(1, 2, *size, lo=-3, hi=3).array
    kind = r.turn("mask", "infinities", "large", "NaN")
    if kind == "mask":
        x[:] = -np.inf
        x[0, :, 1, 1] = 1
    elif kind == "large":
        x[:] = np.where(np.indices(size).sum(0) % 2, 3e38, -3e38)
    else:
        places = r.random.uniform(size=x.shape) < 0.2
        x[places] = r.random.choice(INFINITE if kind == "infinities" else [np.nan], places.sum())
    last = r.maybe(0.3)
    return dict(
        X=r.t(np.moveaxis(x, 1, -1).copy() if last else x, "float32"),
        interp_method="bilinear",
        data_layout="NHWC" if last else "NCHW",
        align_corners=r.maybe(),
        align_mode=r.pick(0, 1),
        out_d=-1,
        out_h=r.pick(size[0], 2 * size[0], 7),
        out_w=r.pick(size[1], 2 * size[1], 5),
        scale=[],
    )


def celu(r):
    return dict(X=values(r, [r.int(2, 4), 17]), alpha=r.turn(1.0, 0.0, -1.5))


def prelu(r):
    mode = r.turn("all", "channel")
    count = 1 if mode == "all" else 3
    return dict(X=values(r, [2, 3, 17]), Alpha=r.w(count, lo=0.1, hi=2), mode=mode, data_format="NCHW")


def maxout(r):
    return dict(X=values(r, [2, 6, 3, 3]), groups=r.turn(2, 3), axis=1)


def indexed_pool(r):
    return dict(X=values(r, [1, 2, 6, 6]), ksize=[2, 2], strides=[2, 2], paddings=[r.int(0, 1)] * 2)


def batch_norm(r):
    case = dict(X=values(r, [2, 3, 17]), epsilon=1e-5, momentum=0.9, data_layout="NCHW", is_test=True)
    case.update(Scale=r.w(3), Bias=r.w(3), Mean=r.w(3), Variance=r.w(3, lo=0.2, hi=2))
    case.update(use_global_stats=False, trainable_statistics=False)
    return dict(case, _alias={"MeanOut": "Mean", "VarianceOut": "Variance"})


def clipped_by_norm(r):
    return dict(X=values(r, [3, 5], [[np.nan], [0.0, -0.0]][r.index % 2]), max_norm=r.pick(0.5, 100.0))


def yolo_box(r):
    return dict(
        X=values(r, [2, 14, 3, 3], [np.nan, 0.0, -0.0, 20.0, -20.0]),
        ImgSize=r.v([[64, 96], [96, 64]], "int32"),
        anchors=[10, 13, 16, 30],
        class_num=2,
        conf_thresh=0.01,
        downsample_ratio=32,
        clip_bbox=r.turn(True, False),
        scale_x_y=1.0,
        iou_aware=False,
        iou_aware_factor=0.5,
    )


def cross_entropy(r):
    return dict(X=values(r, [3, 17]), Label=r.f(3, 17, lo=0.1, hi=0.9), ignore_index=-100, normalize=False)


def sequence_pool(r):
    lod = [0, 3, 8, 12]
    x = values(r, [12, 9])
    x.lod = [lod]
    return dict(X=x, pooltype=r.turn("SUM", "AVERAGE", "LAST", "FIRST"), is_test=True, pad_value=0.0)


def python(name, function, shapes):
    """A program of the Python API, for what Paddle 2.6 answers by position."""

    def make(r):
        inputs = {n: values(r, shape) for n, shape in shapes.items()}
        return inputs, lambda paddle, **variables: function(paddle, variables)

    return api(name, make, n=4)


# The functions of one number are those of special_operators.py, each in one form, as a case is named by its operator.
# special_values.py asks for all forms.
OTHER_FORMS = {"leaky_relu/alpha above 1", "gelu/tanh", "logit", "scale", "pow/3", "pow/0.5", "pow/-1", "pow/0"}
OTHER_OPERATORS = {"cast", "celu", "clip"}  # with cases of more values below
NO_CASES = {"lgamma", "digamma"}
DEPENDS_ON_LANE = {"logsigmoid", "sqrt"}  # the answer for infinity
BINARY = (
    "elementwise_add elementwise_sub elementwise_mul elementwise_div elementwise_fmax elementwise_fmin "
    "elementwise_pow elementwise_heaviside less_than less_equal greater_than greater_equal equal not_equal"
)
TABLE = []
for form, attributes in SINGLE.items():
    name = form.split("/")[0]
    if form not in OTHER_FORMS and name not in OTHER_OPERATORS | NO_CASES:
        TABLE.append(op(name, unary(FINITE if name in DEPENDS_ON_LANE else None, **attributes), n=4))
TABLE.append(op("cumsum", unary(axis=1), n=4))
TABLE += [op(name, binary, n=4) for name in BINARY.split()]
TABLE += [op(name, divided, n=8) for name in ("elementwise_mod", "elementwise_floordiv")]
TABLE += [op(name, reduction, n=4) for name in "reduce_sum reduce_mean reduce_prod".split()]
TABLE += [
    op("pool2d", pool, n=4),
    op("clip", clip, n=4),
    op("softmax", rows, n=8),
    op("log_softmax", rows, n=8),
    op("arg_max", extreme, n=6, exact=True),
    op("arg_min", extreme, n=6, exact=True),
    op("top_k_v2", top, n=4, out="Out Indices"),
    op("layer_norm", norm, n=4, out="Y", hidden="Mean Variance"),
    op("matmul_v2", product, n=6),
    op("cast", cast, n=6, exact=True),
    op("celu", celu, n=6),
    op("bilinear_interp_v2", resized, n=16),
    op("prelu", prelu, n=4),
    op("maxout", maxout, n=4),
    op("max_pool2d_with_index", indexed_pool, n=4, out="Out Mask"),
    op("batch_norm", batch_norm, n=4, out="Y", hidden="MeanOut VarianceOut SavedMean SavedVariance ReserveSpace"),
    op("clip_by_norm", clipped_by_norm, n=4),
    op("yolo_box", yolo_box, n=4, out="Boxes Scores"),
    op("sigmoid_cross_entropy_with_logits", cross_entropy, n=4),
    op("sequence_pool", sequence_pool, n=4, hidden="MaxIndex"),
    python("api_max_special", lambda p, t: p.max(t["x"], axis=-1), dict(x=[5, 17])),
    python("api_min_special", lambda p, t: p.min(t["x"], axis=0), dict(x=[5, 17])),
    python("api_amax_special", lambda p, t: p.amax(t["x"], axis=-1), dict(x=[5, 17])),
    python("api_maximum_special", lambda p, t: p.maximum(t["x"], t["y"]), dict(x=[3, 17], y=[17])),
    python("api_minimum_special", lambda p, t: p.minimum(t["x"], t["y"]), dict(x=[3, 17], y=[3, 17])),
    python("api_logsumexp_special", lambda p, t: p.logsumexp(t["x"], axis=-1), dict(x=[9, 4])),
]
