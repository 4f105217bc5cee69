# SPDX-License-Identifier: Apache-2.0
"""Values that are not a number, infinite or a negative zero, as they come out of a model that went wrong.

Left out is where not a number stays so here, unlike in Paddle: relu gives 0 for it, softmax equal shares for rows that
hold it or infinity, the square root of infinity is not a number, and the largest and smallest elements depend on the
version and on where it stands.
"""

import numpy as np

from notation import op

SPECIAL = [np.nan, np.inf, -np.inf, 0.0, -0.0]


def values(r, shape):
    """Ordinary values and, at about every fourth place, special ones."""
    x = r.f(shape, lo=-3, hi=3).array
    places = r.random.uniform(size=x.shape) < 0.25
    x[places] = r.random.choice(SPECIAL, places.sum())
    return r.t(x, "float32")


def unary(**attributes):
    return lambda r: dict(X=values(r, [r.int(2, 4), 17]), **attributes)


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


UNARY = {
    "relu6": dict(threshold=6.0),
    "leaky_relu": dict(alpha=0.1),
    "sigmoid": {},
    "tanh": {},
    "hard_swish": dict(threshold=6.0, scale=6.0, offset=3.0),
    "hard_sigmoid": dict(slope=0.2, offset=0.5),
    "swish": dict(beta=1.0),
    "silu": {},
    "gelu": dict(approximate=False),
    "elu": dict(alpha=1.0),
    "softplus": dict(beta=1.0, threshold=20.0),
    "mish": dict(threshold=20.0),
    "abs": {},
    "sign": {},
    "exp": {},
    "log": {},
    "rsqrt": {},
    "reciprocal": {},
    "floor": {},
    "round": {},
    "square": {},
    "erf": {},
    "isnan_v2": {},
    "isfinite_v2": {},
    "cumsum": dict(axis=1),
}
BINARY = (
    "elementwise_add elementwise_sub elementwise_mul elementwise_div elementwise_fmax elementwise_fmin "
    " less_than greater_equal equal not_equal"
)
TABLE = [op(name, unary(**attributes), n=4, formats="program pir") for name, attributes in UNARY.items()]
TABLE += [op(name, binary, n=4) for name in BINARY.split()]
TABLE += [op(name, reduction, n=4) for name in "reduce_sum reduce_mean".split()]
TABLE += [op("pool2d", pool, n=4), op("clip", clip, n=4)]
