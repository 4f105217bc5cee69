# SPDX-License-Identifier: Apache-2.0
"""Losses, as programs that were saved with their training part hold them."""

import numpy as np

from notation import op


def pair(prediction, label, low=0.05, high=0.95):
    """Two tensors of one shape with values between `low` and `high`."""

    def make(r):
        shape, dtype = r.shape(1, 3), r.pick("float32", "float64")
        values = {name: r.f(shape, lo=low, hi=high, dtype=dtype) for name in (prediction, label)}
        return values

    return make


def log_loss(r):
    n = r.int(1, 9)
    return dict(
        Predicted=r.f(n, 1, lo=0.05, hi=0.95), Labels=r.f(n, 1, lo=0.0, hi=1.0), epsilon=r.pick(1e-4, 1e-2)
    )


def huber(r):
    shape = r.shape(1, 3)
    return dict(X=r.f(shape), Y=r.f(shape), delta=r.pick(0.5, 1.0, 2.0))


def kldiv(r):
    shape = r.shape(1, 3)
    return dict(
        X=r.f(shape, lo=-4, hi=0),
        Target=r.f(shape, lo=-0.2, hi=1),
        reduction=r.turn("none", "mean", "sum", "batchmean"),
    )


def sigmoid_cross_entropy(r):
    shape = r.shape(1, 3)
    label = r.f(shape, lo=0, hi=1).array
    label[r.random.uniform(size=label.shape) < 0.2] = 0
    return dict(
        X=r.f(shape, lo=-6, hi=6),
        Label=r.t(label, "float32"),
        ignore_index=r.pick(0, -100),
        normalize=r.index % 3 == 1,
    )


def labels(r, shape, classes, ignored):
    values = r.random.randint(0, classes, shape)
    values[r.random.uniform(size=shape) < 0.2] = ignored
    return r.t(values, r.pick("int64", "int32")).fixed()


def cross_entropy(r):
    shape, soft = r.shape(2, 3), r.index % 3 == 2
    axis = r.axis(len(shape))
    one = list(shape)
    one[axis] = 1
    label = r.f(shape, lo=0, hi=1) if soft else labels(r, one, shape[axis], -100)
    if soft:
        label.array /= label.array.sum(axis, keepdims=True)
    return dict(
        Logits=r.f(shape, lo=-4, hi=4), Label=label, soft_label=soft, axis=axis, ignore_index=-100, use_softmax=True
    )


def nll(r):
    n, classes = r.int(1, 5), r.int(2, 6)
    rest = r.pick([], [], [r.int(1, 4), r.int(1, 4)])
    label = labels(r, [n] + rest, classes, -100)
    label.array = np.asarray(label.array, "int64")
    label.dtype = "int64"
    case = dict(
        X=r.f([n, classes] + rest), Label=label, ignore_index=-100, reduction=r.turn("mean", "sum", "none")
    )
    if r.maybe():
        case["Weight"] = r.f(classes, lo=0.1, hi=1)
    return case


TABLE = [
    op("bce_loss", pair("X", "Label"), n=10),
    op("log_loss", log_loss, n=10, out="Loss"),
    op("huber_loss", huber, n=10, out="Out Residual"),
    op("kldiv_loss", kldiv, n=12, out="Loss"),
    op("sigmoid_cross_entropy_with_logits", sigmoid_cross_entropy, n=12),
    op("softmax_with_cross_entropy", cross_entropy, n=15, out="Softmax Loss"),
    op("nll_loss", nll, n=12, out="Out Total_weight"),
]
