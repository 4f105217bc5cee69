# SPDX-License-Identifier: Apache-2.0
"""Comparisons, logical and bitwise operators."""

from cases.elementwise import broadcast
from notation import op


def compare(r):
    """Since 2.x comparisons ignore `axis`: the numpy rule holds."""
    x, y, _ = broadcast(r)
    dtype = r.pick("float32", "float32", "float64", "int32", "int64", "bool", "uint8")
    return dict(
        X=r.t(r.any(x, dtype, lo=-3, hi=3).array.round()), Y=r.t(r.any(y, dtype, lo=-3, hi=3).array.round()), axis=-1
    )


def logical(r):
    x, y, _ = broadcast(r)
    if r.maybe(0.6):
        return dict(X=r.b(x), Y=r.b(y))
    dtype = r.pick("float32", "int32", "int64")
    return dict(X=r.i(x, lo=-1, hi=1, dtype=dtype), Y=r.i(y, lo=-1, hi=1, dtype=dtype))


def logical_not(r):
    return dict(X=r.b(r.shape(0, 4)) if r.maybe(0.7) else r.i(r.shape(0, 4), lo=-1, hi=1, dtype="int32"))


def bitwise(r):
    x, y, _ = broadcast(r)
    dtype = r.pick("bool", "int32", "int64", "uint8", "int8")
    return dict(X=r.any(x, dtype, lo=-100, hi=100), Y=r.any(y, dtype, lo=-100, hi=100))


def bitwise_not(r):
    return dict(X=r.any(r.shape(0, 4), "bool", "int32", "int64", "uint8", "int8", lo=-100, hi=100))


def equal_all(r):
    x, dtype = r.shape(1, 3), r.pick("float32", "int32", "int64", "bool")
    a = r.any(x, dtype)
    return dict(X=a, Y=r.t(a.array.copy()) if r.maybe() else r.any(x, dtype))


def close(r):
    x = r.shape(1, 3)
    a = r.f(x).array
    return dict(Input=r.t(a), Other=r.t(a * r.pick(1.0, 1.0 + 1e-3, 1.5)), rtol="1e-2", atol="1e-3", equal_nan=False)


def is_empty(r):
    return dict(X=r.any(r.pick([0, 3], [2, 3], [1], []), "float32", "int32", "int64"))


EXACT = dict(exact=True)
TABLE = [
    op("equal", compare, n=16, **EXACT),
    op("not_equal", compare, n=14, **EXACT),
    op("less_than", compare, n=14, **EXACT),
    op("less_equal", compare, n=14, **EXACT),
    op("greater_than", compare, n=14, **EXACT),
    op("greater_equal", compare, n=14, **EXACT),
    op("logical_and", logical, n=12, **EXACT),
    op("logical_or", logical, n=12, **EXACT),
    op("logical_xor", logical, n=12, **EXACT),
    op("logical_not", logical_not, n=12, **EXACT),
    op("bitwise_and", bitwise, n=12, **EXACT),
    op("bitwise_or", bitwise, n=12, **EXACT),
    op("bitwise_xor", bitwise, n=12, **EXACT),
    op("bitwise_not", bitwise_not, n=12, **EXACT),
    op("equal_all", equal_all, n=10, **EXACT),
    op("isclose", close, n=10, **EXACT),
    op("allclose", close, n=10, **EXACT),
    op("is_empty", is_empty, n=10, **EXACT),
]
