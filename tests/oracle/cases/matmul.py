# SPDX-License-Identifier: Apache-2.0
"""Matrix products, embeddings and small linear algebra."""

import numpy as np

from notation import op


def factors(r, first, second, weight=None):
    """Operands X and Y; Y is often a stored weight."""
    dtype = r.pick("float32", "float32", "float32", "float64")
    y = r.f(second, dtype=dtype)
    y.param = r.maybe(0.5) if weight is None else weight
    return dict(X=r.f(first, dtype=dtype), Y=y)


def matmul(names, **more):
    def make(r):
        m, k, n = r.dim(), r.dim(33), r.dim()
        left, right = r.maybe(0.3), r.maybe(0.4)
        a, b = [k, m] if left else [m, k], [n, k] if right else [k, n]
        kind = r.turn("matrix", "batch", "broadcast", "vector", "weight", "outer", "both", "batch")
        if kind == "batch":
            head = [r.int(1, 3) for _ in range(r.int(1, 2))]
            a, b = head + a, head + b
        elif kind == "broadcast":
            a, b = [r.int(1, 3), 1] + a, [r.int(1, 3)] + b
        elif kind == "weight":
            a = [r.int(1, 3), r.int(1, 3)] + a
        elif kind == "outer":
            b = [r.int(1, 3)] + b
        elif kind == "vector":
            left, right = False, False
            a, b = r.pick(([k], [k, n]), ([m, k], [k]), ([k], [k]), ([2, m, k], [k]), ([k], [2, k, n]))
        elif kind == "both":
            left = right = True
            a, b = [k, m], [n, k]
        case = factors(r, a, b)
        case.update({names[0]: left, names[1]: right})
        case.update({key: draw(r) for key, draw in more.items()})
        return case

    return make


def mul(r):
    rows, columns = r.int(1, 3), r.int(1, 2)
    inner = [r.int(1, 5) for _ in range(r.int(1, 2))]
    x = [r.int(1, 4) for _ in range(rows)] + inner
    y = inner[:1] + inner[1:]
    return dict(
        factors(r, x, y + [r.int(1, 9) for _ in range(r.int(1, 2))]), x_num_col_dims=rows, y_num_col_dims=len(y)
    )


def bmm(r):
    b, m, k, n = r.int(1, 4), r.dim(), r.dim(33), r.dim()
    return factors(r, [b, m, k], [b, k, n])


def embedding(r):
    rows, width = r.int(3, 20), r.dim()
    padding = r.pick(-1, -1, r.int(0, rows - 1))
    return dict(
        Ids=r.i(r.shape(1, 3, elements=30), lo=0, hi=rows - 1, dtype=r.pick("int64", "int32")),
        W=r.w(rows, width, dtype=r.pick("float32", "float32", "float64")),
        padding_idx=padding,
    )


def embedding_v1(r):
    case = embedding(r)
    ids = case["Ids"].array.astype("int64")
    case["Ids"] = r.t(ids[..., None])
    return dict(case, is_sparse=False, is_distributed=False)


def fc(r):
    axes = r.int(1, 2)
    x = [r.int(1, 5) for _ in range(axes)] + [r.int(1, 6) for _ in range(r.int(1, 2))]
    k, n = int(np.prod(x[axes:])), r.dim(33)
    case = dict(Input=r.f(x), W=r.w(k, n), in_num_col_dims=axes, activation_type=r.turn("", "relu"))
    if r.maybe(0.7):
        case["Bias"] = r.w(r.pick([n], [1, n]))
    return case


def dot(r):
    x = r.shape(1, 2)
    dtype = r.pick("float32", "float64", "int32", "int64")
    return dict(X=r.any(x, dtype), Y=r.any(x, dtype))


def mv(r):
    m, k = r.dim(), r.dim()
    return dict(X=r.f(m, k), Vec=r.f(k))


def addmm(r):
    m, k, n = r.dim(), r.dim(), r.dim()
    return dict(
        Input=r.f(r.pick([m, n], [1, n], [n])), X=r.f(m, k), Y=r.f(k, n), Alpha=r.num(0.5, 2), Beta=r.num(0.5, 2)
    )


def kron(r):
    return dict(X=r.f(r.shape(1, 3, elements=20)), Y=r.f(r.shape(1, 3, elements=20)))


def dist(r):
    x = r.shape(1, 3)
    return dict(X=r.f(x), Y=r.f([d if r.maybe(0.7) else 1 for d in x]), p=r.turn(2.0, 1.0, 0.0, float("inf"), 3.0))


def cross(r):
    x = r.shape(1, 3)
    axis = r.int(0, len(x) - 1)
    x[axis] = 3
    return dict(X=r.f(x), Y=r.f(x), dim=axis)


EQUATIONS = [
    ("ij,jk->ik", "ij jk"),
    ("bij,bjk->bik", "bij bjk"),
    ("ij->ji", "ij"),
    ("ij->", "ij"),
    ("i,j->ij", "i j"),
    ("bhid,bhjd->bhij", "bhid bhjd"),
    ("bhij,bhjd->bhid", "bhij bhjd"),
    ("ij,ij->i", "ij ij"),
    ("ijk->ik", "ijk"),
    ("bij,jk->bik", "bij jk"),
    ("i,i->", "i i"),
    ("bchw,bcuv->bhwuv", "bchw bcuv"),
]


def einsum(r):
    equation, operands = EQUATIONS[r.index % len(EQUATIONS)]
    sizes = {}
    shapes = [[sizes.setdefault(c, r.int(1, 5)) for c in word] for word in operands.split()]
    return dict(Operands=[r.f(s) for s in shapes], equation=equation)


def inverse(r):
    n = r.int(1, 6)
    x = r.f(r.pick([n, n], [r.int(1, 3), n, n])).array + 4 * np.eye(n)
    return dict(Input=r.t(x, r.pick("float32", "float64")))


def bilinear(r):
    n, a, b, c = r.int(1, 4), r.int(1, 5), r.int(1, 5), r.int(1, 5)
    case = dict(X=r.f(n, a), Y=r.f(n, b), Weight=r.w(c, a, b))
    if r.maybe(0.6):
        case["Bias"] = r.w(1, c)
    return case


def multi_dot(r):
    d = [r.int(1, 6) for _ in range(5)]
    return dict(X=[r.f(d[i], d[i + 1]) for i in range(r.int(2, 4))])


def positive(r, shape, n):
    """Symmetric positive definite matrices."""
    x = r.f(shape + [n, n]).array
    return x @ np.swapaxes(x, -1, -2) + 2 * np.eye(n)


def square(name="Input"):
    def make(r):
        n = r.int(1, 5)
        x = r.f(r.pick([], [r.int(1, 3)]) + [n, n]).array + 2 * np.eye(n)
        return {name: r.t(x, r.pick("float32", "float64"))}

    return make


def cholesky(r):
    return dict(X=r.t(positive(r, r.pick([], [2]), r.int(1, 5)), r.pick("float32", "float64")), upper=r.maybe())


def cholesky_solve(r):
    n, upper = r.int(1, 5), r.maybe()
    lower = np.linalg.cholesky(positive(r, [], n))
    return dict(X=r.f(n, r.int(1, 3)), Y=r.t(lower.T if upper else lower, "float32"), upper=upper)


def solve(r):
    n = r.int(1, 5)
    return dict(X=r.t(r.f(n, n).array + 3 * np.eye(n), "float32"), Y=r.f(n, r.int(1, 3)))


def repeated_fc(r):
    sizes = [r.int(1, 6) for _ in range(r.int(3, 4))]
    steps = list(zip(sizes, sizes[1:]))
    return dict(
        X=r.f(r.int(1, 5), sizes[0]),
        W=[r.w(a, b) for a, b in steps],
        Bias=[r.w(1, b) for _, b in steps],
        _out={"Out": 1},
        _hidden={"ReluOut": len(steps) - 1},
    )


def squared_mat_sub(r):
    a, b, c = r.int(1, 5), r.int(1, 6), r.int(1, 5)
    return dict(X=r.f(a, b), Y=r.f(b, c), scalar=r.pick(0.5, 1.0, 2.0))


def triangular_solve(r):
    n = r.int(1, 5)
    return dict(
        X=r.t(r.f(n, n).array + 3 * np.eye(n), "float32"),
        Y=r.f(n, r.int(1, 3)),
        upper=r.maybe(),
        transpose=r.maybe(),
        unitriangular=r.maybe(0.3),
    )


def matrix_power(r):
    return dict(square("X")(r), n=r.pick(0, 1, 2, 3, -1, -2))


TABLE = [
    op("matmul_v2", matmul(("trans_x", "trans_y")), n=32),
    op("matmul", matmul(("transpose_X", "transpose_Y"), alpha=lambda r: r.pick(1.0, 1.0, 0.125, 2.5)), n=24),
    op("mul", mul, n=16),
    op("bmm", bmm),
    op("lookup_table_v2", embedding, n=14, exact=True),
    op("lookup_table", embedding_v1, n=12, exact=True),
    op("fc", fc, n=12),
    op("dot", dot),
    op("mv", mv, n=10),
    op("addmm", addmm, n=10),
    op("kron", kron, n=10),
    op("dist", dist, n=10),
    op("cross", cross, n=10),
    op("einsum", einsum, n=12, hidden="InnerCache XShape"),
    op("inverse", inverse, n=10, out="Output"),
    op("bilinear_tensor_product", bilinear, n=10),
    op("determinant", square(), n=10),
    op("slogdeterminant", square(), n=10),
    op("cholesky", cholesky, n=10),
    op("cholesky_solve", cholesky_solve, n=10),
    op("solve", solve, n=10),
    op("triangular_solve", triangular_solve, n=10),
    op("matrix_power", matrix_power, n=10),
    op("multi_dot", multi_dot, n=10),
    op("fusion_repeated_fc_relu", repeated_fc, n=10),
    op("fusion_squared_mat_sub", squared_mat_sub, n=10, hidden="SquaredX SquaredY SquaredXY"),
]
