# SPDX-License-Identifier: Apache-2.0
"""Reductions over axes, cumulative operators, arg_max and norms that reduce."""

import numpy as np

from notation import op


def reduce_(*dtypes, lo=-9, hi=9):
    def make(r):
        x = r.shape(0, 4)
        every = r.maybe(0.2) or not x
        case = dict(X=r.any(x, *dtypes, lo=lo, hi=hi), keep_dim=r.maybe(), reduce_all=every)
        case["dim"] = (
            r.pick([0], []) if every and not x else r.pick([0], [], list(range(len(x)))) if every else r.axes(len(x))
        )
        return case

    return make


def mean(r):
    return dict(X=r.f(r.shape(0, 4), dtype=r.pick("float32", "float32", "float64")))


def cumulative(*dtypes):
    def make(r):
        x = r.shape(1, 4)
        return dict(
            X=r.any(x, *dtypes), axis=r.axis(len(x)), flatten=r.maybe(0.2), exclusive=r.maybe(0.3), reverse=r.maybe(0.4)
        )

    return make


def logcumsumexp(r):
    x = r.shape(1, 4)
    return dict(X=r.f(x), axis=r.axis(len(x)), flatten=False, exclusive=False, reverse=r.maybe(0.4))


def cumprod(r):
    x = r.shape(1, 4)
    return dict(X=r.f(x, dtype=r.pick("float32", "float64")), dim=r.axis(len(x)))


def cummax(r):
    x = r.shape(1, 4)
    return dict(x=r.distinct(x), axis=r.axis(len(x)), dtype=r.pick(2, 3))


def arg(r):
    x = r.shape(1, 4)
    dtype = r.pick("float32", "float32", "float64", "int32", "int64")
    if r.maybe(0.75):
        case = dict(X=r.distinct(x, dtype="float32" if dtype[0] == "i" else dtype))
    else:
        case = dict(X=r.any(x, dtype, lo=-3, hi=3))  # the first of equal values counts
    if dtype[0] == "i":
        case["X"] = r.any(x, dtype)
    case.update(axis=r.axis(len(x)), keepdims=r.maybe(), flatten=r.maybe(0.2), dtype=r.turn(3, 2))
    return case


def p_norm(r):
    x = r.shape(1, 4)
    return dict(
        X=r.f(x, dtype=r.pick("float32", "float64")),
        porder=r.turn(2.0, 1.0, float("inf"), 3.0, 0.0, float("-inf")),
        axis=r.axis(len(x)),
        keepdim=r.maybe(),
        epsilon=1e-12,
        asvector=r.maybe(0.2),
    )


def l2_norm(r):
    x = r.shape(1, 4)
    return dict(X=r.f(x), axis=r.axis(len(x)), epsilon=r.pick(1e-10, 1e-5), is_test=False)


def frobenius(r):
    x = r.shape(2, 4)
    every = r.maybe(0.3)
    a = r.int(0, len(x) - 2)
    return dict(
        X=r.f(x),
        dim=list(range(len(x))) if every else r.pick([a, a + 1], [-2, -1]),
        keep_dim=r.maybe(),
        reduce_all=every,
    )


def logsumexp(r):
    x = r.shape(1, 4)
    every = r.maybe(0.2)
    return dict(
        X=r.f(x, dtype=r.pick("float32", "float64")),
        axis=list(range(len(x))) if every else r.axes(len(x)),
        keepdim=r.maybe(),
        reduce_all=every,
    )


def one(r):
    return dict(X=r.f(r.shape(1, 4)))


def max_norm(r):
    return dict(X=r.f(r.shape(1, 3)), max_norm=r.num(0.5, 3))


def axis_keepdim(**more):
    def make(r):
        x = r.shape(1, 3)
        case = dict(X=r.distinct(x), axis=r.axis(len(x)), keepdim=r.maybe())
        case.update({k: f(r, x[case["axis"]]) for k, f in more.items()})
        return case

    return make


def trace(r):
    x = r.shape(2, 4, least=2)
    return dict(Input=r.f(x), offset=r.int(-1, 1), axis1=0, axis2=r.pick(1, -1))


def nanmedian(r):
    x = r.shape(1, 3)
    values = r.distinct(x).array
    values[r.random.uniform(size=values.shape) < 0.15] = np.nan
    axis = sorted({a % len(x) for a in r.axes(len(x))}) if r.maybe(0.7) else []
    return dict(X=r.t(values), axis=axis, keepdim=r.maybe())


NUMBERS = ("float32", "float32", "float64", "int32", "int64")
TABLE = [
    op("reduce_mean", reduce_("float32", "float32", "float64"), n=24),
    op("reduce_sum", reduce_(*NUMBERS + ("bool",)), n=24),
    op("reduce_max", reduce_(*NUMBERS), n=16, exact=True),
    op("reduce_min", reduce_(*NUMBERS), n=16, exact=True),
    op("reduce_amax", reduce_(*NUMBERS), n=10, exact=True),
    op("reduce_amin", reduce_(*NUMBERS), n=10, exact=True),
    op("reduce_prod", reduce_(*NUMBERS, lo=-3, hi=4), n=16),
    op("reduce_all", reduce_("bool"), n=14, exact=True),
    op("reduce_any", reduce_("bool"), n=14, exact=True),
    op("mean", mean),
    op("cumsum", cumulative(*NUMBERS), n=18),
    op("logcumsumexp", logcumsumexp, n=10),
    op("cumprod", cumprod),
    op("cummax", cummax, n=10, out="out indices", exact=True),
    op("cummin", cummax, n=10, out="out indices", exact=True),
    op("arg_max", arg, n=20, exact=True),
    op("arg_min", arg, n=14, exact=True),
    op("p_norm", p_norm, n=20),
    op("norm", l2_norm, n=12, hidden="Norm"),
    op("frobenius_norm", frobenius, n=12),
    op("logsumexp", logsumexp, n=14),
    op("squared_l2_norm", one, n=10),
    op("l1_norm", one, n=10),
    op("clip_by_norm", max_norm, n=10),
    op("kthvalue", axis_keepdim(k=lambda r, size: r.int(1, size)), n=10, out="Out Indices"),
    op("trace", trace, n=10),
    op("nanmedian", nanmedian, n=12, hidden="MedianIndex"),
]
