# SPDX-License-Identifier: Apache-2.0
"""Binary operators with the axis rule of ProgramDesc, variadic sum, scale, cast, clip."""

from notation import NUMBERS, op


def broadcast(r):
    """(shape of X, shape of Y, axis): equal, numpy style, scalars, or Y aligned at an axis."""
    x = r.shape(1, 4)
    kind = r.turn("equal", "numpy", "axis", "tail", "scalar", "both", "trimmed", "axis")
    if kind == "equal":
        return x, x, -1
    if kind == "scalar":
        return x, r.pick([], [1]), -1
    if kind == "tail":
        return x, x[r.int(0, len(x) - 1) :], -1
    if kind == "numpy":
        return x, [d if r.maybe() else 1 for d in x], -1
    if kind == "both":
        full = r.shape(2, 4)
        return [d if r.maybe(0.6) else 1 for d in full], [d if r.maybe(0.6) else 1 for d in full], -1
    if kind == "trimmed":  # trailing sizes of 1 of Y do not count when it is aligned
        x = r.shape(3, 4)
        return x, [x[1]] + [1] * (len(x) - 2), 1
    x = r.shape(2, 4)
    start = r.int(0, len(x) - 1)
    return x, x[start : r.int(start + 1, len(x))], start


def binary(*dtypes, lo=-9, hi=9, y_lo=None, y_hi=None):
    def make(r):
        x, y, axis = broadcast(r)
        dtype = r.pick("float32", *dtypes)
        a = r.any(x, dtype, lo=lo, hi=hi)
        b = r.any(y, dtype, lo=lo if y_lo is None else y_lo, hi=hi if y_hi is None else y_hi)
        b.param = r.maybe(0.25)
        return dict(X=a, Y=b, axis=axis)

    return make


def nonzero(make):
    """Divisors that are not near zero."""

    def made(r):
        case = make(r)
        y = case["Y"].array
        y[abs(y) < 0.3] = 1 if y.dtype.kind != "f" else 0.7
        return case

    return made


def power(r):
    x, y, axis = broadcast(r)
    if r.maybe(0.3):
        dtype = r.pick("int32", "int64")
        return dict(X=r.i(x, lo=-4, hi=4, dtype=dtype), Y=r.i(y, lo=0, hi=5, dtype=dtype), axis=axis)
    dtype = r.pick("float32", "float32", "float64")
    return dict(X=r.f(x, lo=0.1, hi=3, dtype=dtype), Y=r.f(y, dtype=dtype), axis=axis)


def add_n(r):
    shape = r.shape(0, 4)
    dtype = r.pick("float32", "float32", "float64", "int32", "int64")
    return dict(X=[r.any(shape, dtype) for _ in range(r.int(1, 5))])


def scale(r):
    dtype = r.turn("float32", "float32", "int32", "int64", "float64", "float32", "uint8", "int8")
    case = dict(X=r.any(r.shape(0, 4), dtype), bias_after_scale=r.maybe())
    whole = not dtype.startswith("float") and r.maybe()  # integers: both are first converted to the integer type
    case["bias"] = float(r.int(0, 3)) if whole else r.num(0, 3)
    value = float(r.int(1, 4)) if whole else r.num(0.5, 3)
    if r.maybe(0.3) and dtype == "float32":
        case["ScaleTensor"] = r.v([value], dtype)
    else:
        case["scale"] = value
    return case


def cast(r):
    kinds = ["float32", "float64", "int32", "int64", "bool", "uint8", "int8", "float16"]
    source, target = r.pick(*kinds), kinds[r.index % len(kinds)]
    unsigned = target == "uint8"
    return dict(
        X=r.any(r.shape(0, 4), source, lo=0 if unsigned else -30, hi=30),
        in_dtype=NUMBERS[source],
        out_dtype=NUMBERS[target],
    )


def clip(r):
    dtype = r.pick("float32", "float32", "float64", "int32", "int64")
    low, high = (float(r.int(-4, 0)), float(r.int(1, 4))) if dtype[0] == "i" else (r.num(-2, 0), r.num(0.1, 2))
    case = dict(X=r.any(r.shape(0, 4), dtype), min=low, max=high)
    if r.maybe(0.4):
        case["Min"] = r.v([low], dtype)
    if r.maybe(0.4):
        case["Max"] = r.v([high], dtype)
    return case


def pow_(r):
    dtype = r.pick("float32", "float32", "float64", "int32", "int64")
    factor = float(r.int(0, 4)) if dtype[0] == "i" else r.pick(0.5, 2.0, 3.0, -1.0, 1.7, 0.0, 1.0)
    x = r.any(r.shape(0, 4), dtype) if dtype[0] == "i" else r.f(r.shape(0, 4), lo=0.2, hi=3, dtype=dtype)
    case = dict(X=x, factor=factor)
    if r.maybe(0.3) and dtype[0] == "f":
        case["FactorTensor"] = r.v([factor], "float32")
    return case


def increment(r):
    dtype = r.pick("float32", "int32", "int64", "float64")
    return dict(X=r.any(r.pick([], [1]), dtype), step=float(r.int(-3, 5)) if dtype[0] == "i" else r.num(-2, 2))


def atan2(r):
    shape, dtype = r.shape(0, 4), r.pick("float32", "float64")
    return dict(X1=r.f(shape, dtype=dtype), X2=r.f(shape, dtype=dtype))


def pair(r):
    x, y, _ = broadcast(r)
    dtype = r.pick("float32", "float64", "int32", "int64")
    return dict(X=r.any(x, dtype), Y=r.any(y, dtype))


def same_pair(name):
    def make(r):
        shape = r.shape(1, 4)
        dtype = r.pick("float32", "float64")
        return {"X": r.f(shape, dtype=dtype), "Y": r.f(shape, dtype=dtype)}

    return make


def lerp(r):
    shape, dtype = r.shape(1, 3), r.pick("float32", "float64")
    return dict(X=r.f(shape, dtype=dtype), Y=r.f(shape, dtype=dtype), Weight=r.f(r.pick([1], shape), dtype=dtype))


def axpy(r):
    """minus, of 1.x programs."""
    shape = r.shape(1, 4)
    return dict(X=r.f(shape), Y=r.f(shape))


def nextafter(r):
    shape, dtype = r.shape(1, 3), r.pick("float32", "float64")
    return dict(x=r.f(shape, dtype=dtype), y=r.f(shape, dtype=dtype))


def compound(r):
    names = [r.pick("relu", "tanh", "sigmoid", "scale"), r.pick("elementwise_add", "elementwise_mul")]
    x = r.shape(2, 4)
    y = r.pick(x, x[1:], x[-1:])
    return dict(
        X=r.f(x),
        Y=r.f(y),
        axis=-1,
        scale=r.pick(0.5, 2.0),
        save_intermediate_out=False,
        functor_list=names if r.maybe() else names[::-1],
    )


INTS = ("int32", "int64")
TABLE = [
    op("elementwise_add", binary("float32", "float64", "int32", "int64"), n=24),
    op("elementwise_sub", binary("float32", "float64", "int32", "int64"), n=24),
    op("elementwise_mul", binary("float32", "float64", "int32", "int64", "bool"), n=24),
    op("elementwise_div", nonzero(binary("float32", "float64", "int32", "int64")), n=24),
    op("elementwise_max", binary("float64", "int32", "int64"), n=16),
    op("elementwise_min", binary("float64", "int32", "int64"), n=16),
    op("elementwise_fmax", binary("float64", "int32", "int64")),
    op("elementwise_fmin", binary("float64", "int32", "int64")),
    op("elementwise_pow", power, n=16),
    op("elementwise_mod", nonzero(binary("float64", "int32", "int64", lo=-20, hi=20, y_lo=-6, y_hi=6)), n=20),
    op(
        "elementwise_floordiv",
        nonzero(binary("int32", "int64", "int32", "int64", lo=-20, hi=20, y_lo=-6, y_hi=6)),
        n=20,
    ),
    op("elementwise_heaviside", binary("float64", "int32"), n=10),
    op("minus", axpy, n=10),
    op("sum", add_n, n=14),
    op("scale", scale, n=24),
    op("cast", cast, n=36, exact=True),
    op("clip", clip, n=20),
    op("pow", pow_, n=16),
    op("increment", increment, exact=False, n=10),
    op("atan2", atan2),
    op("lerp", lerp),
    op("nextafter", nextafter, n=10, out="out", exact=True),
    op("fused_elemwise_activation", compound, n=12, hidden="IntermediateOut"),
    op("fused_elemwise_add_activation", compound, n=10, hidden="IntermediateOut"),
]
