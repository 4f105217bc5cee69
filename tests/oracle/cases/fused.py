# SPDX-License-Identifier: Apache-2.0
"""Operators that Paddle's rewrites make, and random ones without a choice."""

import numpy as np

from notation import op

ACTIVATIONS = ["", "relu", "relu6", "sigmoid", "tanh", "leaky_relu", "swish", "gelu", "abs", "hard_swish"]


def activation(r):
    kind = r.turn(*ACTIVATIONS)
    alpha = {"leaky_relu": 0.1, "relu6": 6.0, "swish": 1.0, "hard_swish": 1.0 / 6}.get(kind, 0.0)
    return dict(fuse_activation=kind, fuse_alpha=alpha, fuse_beta=0.5 if kind == "hard_swish" else 0.0, use_mkldnn=True)


def conv2d(r):
    c, o = r.int(1, 4), r.int(1, 9)
    size, pad = r.int(4, 8), r.int(0, 1)
    case = dict(
        Input=r.f(1, c, size, size).fixed(),
        Filter=r.w(o, c, 3, 3),
        strides=[1, 1],
        paddings=[pad, pad],
        dilations=[1, 1],
        groups=1,
        data_format="NCHW",
        padding_algorithm="EXPLICIT",
    )
    if r.maybe():
        case["Bias"] = r.w(o)
    if r.maybe():
        side = size + 2 * pad - 2
        case.update(ResidualData=r.f(1, o, side, side).fixed(), fuse_residual_connection=True)
    return dict(case, **activation(r))


def constant(r, **more):
    return dict(shape=r.shape(1, 3), seed=0, dtype=5, **more)


def one_hot_rows(r):
    return r.t(np.eye(5, dtype="float32")[r.random.randint(0, 5, r.int(1, 4))])


def randint(r):
    low = r.int(-5, 5)
    return dict(shape=r.shape(1, 3), low=low, high=low + 1, seed=0, dtype=r.pick(2, 3))


def uniform(r):
    value = r.num(-3, 3)
    return constant(r, min=value, max=value, diag_num=0, diag_step=0, diag_val=1.0)


def uniform_like(r):
    value = r.num(-3, 3)
    more = dict(input_dim_idx=0, output_dim_idx=1, diag_num=0, diag_step=0, diag_val=1.0, dtype=5, seed=0)
    return dict(Input=r.f(r.int(1, 4), 2), shape=[3, -1], min=value, max=value, **more)


def zero_or_one(r):
    return dict(X=r.t(r.random.randint(0, 2, r.shape(1, 3)), "float32"), seed=0)


def mask(r):
    return dict(X=r.f(1, 2, 4, 32), Mask=r.f(1, 1, 4, 32))


def attention(r):
    return dict(X=r.f(1, r.int(1, 4), 3, 2, 16), alpha=0.35)


TABLE = [
    op("fused_conv2d", conv2d, n=20, out="Output", formats="program"),
    op("uniform_random", uniform, n=10),
    op("uniform_random_batch_size_like", uniform_like, n=10),
    op("gaussian_random", lambda r: constant(r, mean=r.num(-3, 3), std=0.0), n=10),
    op("truncated_gaussian_random", lambda r: constant(r, mean=r.num(-3, 3), std=0.0), n=10, formats="program"),
    op("randint", randint, n=10, exact=True),
    op("randperm", lambda r: dict(n=1, seed=0, dtype=r.turn(2, 3)), n=10, exact=True),
    op("bernoulli", zero_or_one, n=10, exact=True),
    op("multinomial", lambda r: dict(X=one_hot_rows(r), num_samples=1, replacement=r.maybe()), n=10, exact=True),
    op("self_dp_attention", attention, n=10),
    op("fused_softmax_mask", mask, n=10),
    op("memcpy_h2d", lambda r: dict(X=r.f(r.shape(1, 3)), dst_place_type=1), n=10, formats="program"),
]
