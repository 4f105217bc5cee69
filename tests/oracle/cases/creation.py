# SPDX-License-Identifier: Apache-2.0
"""Operators that make tensors: constants, ranges, diagonals, one-hot rows."""

from cases.shape import pieces
from notation import NUMBERS, op

KINDS = ("float32", "int32", "int64", "bool", "float64", "uint8", "int8", "float16")


def fill_constant(r):
    shape, dtype = r.shape(0, 4, elements=100), KINDS[r.index % len(KINDS)]
    value = float(r.int(0, 1)) if dtype == "bool" else float(r.int(0, 9)) if dtype[0] in "iu" else r.int(-20, 20) / 8.0
    case = dict(shape=shape, dtype=NUMBERS[dtype], value=value, str_value="", force_cpu=False)
    kind = r.pick("plain", "plain", "string", "tensor", "list", "value")
    if kind == "string":
        case["str_value"] = r.pick("inf", "-inf", "nan", "1e-7") if dtype.startswith("float") else "1"
    elif kind == "tensor" and shape:
        case.update(ShapeTensor=r.v(shape, r.pick("int32", "int64")), shape=[])
    elif kind == "list" and shape:
        case.update(ShapeTensorList=pieces(r, shape), shape=shape)
    elif kind == "value" and dtype != "float16":
        case["ValueTensor"] = r.v([value], dtype)
    return case


def fill_any_like(r):
    dtype = r.turn(-1, NUMBERS["float32"], NUMBERS["int64"], NUMBERS["int32"], -1, NUMBERS["bool"])
    return dict(X=r.any(r.shape(0, 4), "float32", "int64", "int32", "float64"), dtype=dtype, value=float(r.int(0, 3)))


def fill_zeros_like(r):
    return dict(X=r.any(r.shape(0, 4), "float32", "int64", "int32", "float64", "bool"))


def batch_size_like(r):
    x, shape = r.shape(1, 3), r.shape(1, 3, elements=100)
    dtype = r.pick("float32", "int32", "int64", "float64", "bool")
    target = r.int(0, len(shape) - 1)
    shape[target] = -1
    return dict(
        Input=r.f(x),
        shape=shape,
        input_dim_idx=r.int(0, len(x) - 1),
        output_dim_idx=target,
        dtype=NUMBERS[dtype],
        value=float(r.int(0, 1)),
        str_value="",
        force_cpu=False,
    )


def assign_value(r):
    shape, dtype = r.shape(0, 3, elements=30), r.turn("float32", "int32", "int64", "bool")
    values = r.any(shape, dtype).array.reshape(-1)
    key, kind = {
        "float32": ("fp32_values", float),
        "int32": ("int32_values", int),
        "int64": ("int64_values", int),
        "bool": ("bool_values", int),
    }[dtype]
    return {"shape": shape, "dtype": NUMBERS[dtype], key: [kind(v) for v in values]}


def range_(r):
    dtype = r.pick("float32", "int32", "int64", "int64", "float64")
    if dtype[0] == "f":
        start, step = float(r.int(-3, 3)), r.pick(0.5, 0.25, 1.0, -0.75)
        end = start + step * r.int(1, 12) - step * r.pick(0.0, 0.4)
    else:
        start, step = r.int(-5, 5), r.pick(1, 2, 3, -1, -2)
        end = start + step * r.int(1, 12) - r.pick(0, 0, step // abs(step))
    shape = r.pick([], [1])
    return {
        k: r.v(r.v([v], dtype).array.reshape(shape), dtype) for k, v in (("Start", start), ("End", end), ("Step", step))
    }


def linspace(r):
    dtype = r.pick("float32", "float32", "int32", "int64", "float64")
    low, high = (r.int(-9, 9), r.int(-9, 30)) if dtype[0] == "i" else (r.num(-3, 3), r.num(-3, 9))
    return dict(
        Start=r.v([low], dtype),
        Stop=r.v([high], dtype),
        Num=r.v([r.pick(1, 2, 5, 17, 30)], "int32"),
        dtype=NUMBERS[dtype],
    )


def logspace(r):
    return dict(
        Start=r.v([r.num(-1, 1)], "float32"),
        Stop=r.v([r.num(1, 3)], "float32"),
        Num=r.v([r.pick(1, 5, 9)], "int32"),
        Base=r.v([r.pick(2.0, 10.0)], "float32"),
        dtype=NUMBERS["float32"],
    )


def eye(r):
    return dict(
        num_rows=r.int(1, 9),
        num_columns=r.pick(-1, r.int(1, 9)),
        dtype=NUMBERS[r.pick("float32", "int32", "int64", "float64")],
    )


def diag(r):
    x = r.shape(1, 2)
    dtype = r.pick("float32", "int32", "int64", "float64")
    limit = 2 if len(x) == 1 else max(min(x) - 1, 0)
    return dict(X=r.any(x, dtype), offset=r.int(-limit, limit), padding_value=float(r.pick(0, 0, 3)))


def diag_embed(r):
    x = r.shape(1, 3, elements=60)
    return dict(Input=r.any(x, "float32", "int32", "int64"), offset=r.int(-2, 2), dim1=r.pick(-2, 0), dim2=-1)


def diagonal(r):
    x = r.shape(2, 4, least=2)
    return dict(Input=r.any(x, "float32", "int32", "int64"), offset=r.int(-1, 1), axis1=0, axis2=r.pick(1, -1))


def one_hot(r):
    depth = r.int(2, 9)
    case = dict(
        X=r.i(r.shape(1, 3, elements=40), lo=0, hi=depth - 1, dtype=r.pick("int64", "int32")),
        depth=depth,
        dtype=NUMBERS["float32"],
        allow_out_of_range=False,
    )
    if r.maybe(0.3):
        case["depth_tensor"] = r.v([depth], "int32")
    if r.maybe(0.25):
        case["X"].array.reshape(-1)[:1] = r.pick(-1, depth + 2)
        case["allow_out_of_range"] = True
    return case


def indices(second):
    def make(r):
        return {"rows": r.int(1, 6), second: r.int(1, 6), "offset": r.int(-2, 2), "dtype": r.pick(2, 3)}

    return make


def triu_indices(r):
    return {"row": r.int(1, 6), "col": r.int(1, 6), "offset": r.int(-2, 2), "dtype": r.pick(2, 3)}


def fill_diagonal(r):
    x = r.shape(2, 2)
    return dict(
        X=r.any(x, "float32", "int32", "int64"), value=float(r.int(-3, 3)), offset=r.int(-1, 1), wrap=r.maybe(0.3)
    )


def fill_diagonal_tensor(r):
    n, m = r.int(2, 5), r.int(2, 5)
    return dict(X=r.f(n, m), Y=r.f(min(n, m)), offset=0, dim1=0, dim2=1)


EXACT = dict(exact=True)
TABLE = [
    op("fill_constant", fill_constant, n=30, **EXACT),
    op("fill_any_like", fill_any_like, n=14, **EXACT),
    op("fill_zeros_like", fill_zeros_like, n=10, **EXACT),
    op("fill_constant_batch_size_like", batch_size_like, n=12, **EXACT),
    op("assign_value", assign_value, n=16, **EXACT),
    op("range", range_, n=20),
    op("linspace", linspace, n=14),
    op("logspace", logspace, n=10),
    op("eye", eye, n=12, **EXACT),
    op("diag_v2", diag, n=14, **EXACT),
    op("diag_embed", diag_embed, n=10, **EXACT),
    op("diagonal", diagonal, n=10, **EXACT),
    op("one_hot_v2", one_hot, n=14, **EXACT),
    op("fill_diagonal", fill_diagonal, n=10, **EXACT),
    op("fill_diagonal_tensor", fill_diagonal_tensor, n=10, **EXACT),
    op("tril_indices", indices("cols"), n=10, out="out", **EXACT),
    op("triu_indices", triu_indices, n=10, out="out", **EXACT),
]
