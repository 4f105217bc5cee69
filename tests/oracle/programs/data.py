# SPDX-License-Identifier: Apache-2.0
"""Sizes and values that only a run knows: shapes computed from data, selections, counts."""

from programs.dense import moved_apart
from programs.writer import boolean, float32, rule, rules, whole

WEIGHT = 1.5


def start(w):
    rows, columns = w.symbol(), w.r.pick(4, 6, 8)
    w.input("float32", (rows, columns))
    if w.r.maybe():
        w.input("int64", (w.symbol(),), lo=0, hi=7)
    if w.r.maybe(0.3):
        w.input("bool", (rows,))


@rule(float32(2, 3), weight=2.0)
def keep_rows(w, x):
    """Rows chosen by a condition on their mean; none may be left."""
    axes = list(range(1, len(x.dims)))
    v = w.call(
        "p.nonzero(p.max(x, axis=%r) > %r)" % (axes, w.r.pick(-0.5, 0.0, 0.3)),
        {"x": x},
        ("int64", (w.symbol(0), 1), None, 1001),
    )
    if w.r.maybe(0.3):
        w.call("p.cast(p.sum(x), 'float32') * 0.1", {"x": v}, ("float32", (), None, 5))
        return
    chosen = w.call(
        "p.gather(x, p.reshape(y, [-1]), axis=0)",
        {"x": x, "y": v},
        ("float32", (v.dims[0],) + x.dims[1:], None, x.size),
    )
    w.call(
        w.r.pick("p.sum(x, axis=0)", "p.sum(x * 0.5, axis=0, keepdim=True)[0]"),
        {"x": chosen},
        ("float32", x.dims[1:], None, 8 * x.size),
    )


@rule(float32(1, 4), weight=2.0)
def masked_select(w, x):
    text = w.r.pick("p.masked_select(x, x > 0.0)", "p.masked_select(x, p.abs(x) < 0.8)")
    w.call(text, {"x": x}, ("float32", (w.symbol(0),), None, x.size))


@rule(float32(2, 3), weight=2.0)
def reshape_by_shape(w, x):
    """Rows and columns exchanged by a shape that the program puts together."""
    dims = x.dims
    if w.r.maybe():
        shape = "[p.shape(x)[%d], -1]" % (len(dims) - 1)
        first = dims[-1]
        second = w.derived("(%s)" % "*".join(map(str, dims[:-1])), 1) if len(dims) > 2 else dims[0]
    else:
        shape = (
            "p.concat([p.shape(x)[1:2], p.shape(x)[0:1], p.shape(x)[2:]])"
            if len(dims) > 2
            else "p.flip(p.shape(x), [0])"
        )
        w.call("p.reshape(x, %s)" % shape, {"x": x}, ("float32", (dims[1], dims[0]) + dims[2:], None, x.size))
        return
    w.call("p.reshape(x, %s)" % shape, {"x": x}, ("float32", (first, second), None, x.size))


@rule(float32(2, 3), weight=1.5)
def fill_by_shape(w, x):
    text, dims = w.r.pick(
        ("p.full([p.shape(x)[0], 3], 0.5, 'float32')", (x.dims[0], 3)),
        ("p.full(p.shape(x), 0.25, 'float32') * x", x.dims),
        ("p.zeros([p.shape(x)[-1], p.shape(x)[0]], 'float32') + 1.0", (x.dims[-1], x.dims[0])),
        ("p.ones(p.shape(x)[0:1], 'float32')", (x.dims[0],)),
    )
    w.call(text, {"x": x}, ("float32", dims, None, max(1, x.size)))


@rule(float32(1, 1), float32(2, 2), weight=1.5)
def expand_like(w, x, y):
    if x.dims[0] == y.dims[1]:
        text = w.r.pick(
            "p.expand(x, [p.shape(y)[0], p.shape(y)[1]])",
            "p.expand(p.unsqueeze(x, 0), p.shape(y))",
            "p.expand_as(x, y)",
        )
        w.call(text, {"x": x, "y": y}, ("float32", y.dims, None, x.size))


@rule(float32(2, 3), weight=1.5)
def half_of_rows(w, x):
    text, how = w.r.pick(
        ("p.slice(x, [0], [p.shape(x)[0] // 2], [p.shape(x)[0]])", "tail"), ("x[:(p.shape(x)[0] + 1) // 2]", "head")
    )
    dim = w.derived("(%s-%s/2)" % (x.dims[0], x.dims[0]), 1)
    if isinstance(x.dims[0], int):
        return
    w.call(text, {"x": x}, ("float32", (dim,) + x.dims[1:], None, x.size))


@rule(float32(2, 3), weight=1.5)
def arange(w, x):
    text = w.r.pick("p.arange(0, p.shape(x)[0], 1)", "p.cumsum(p.ones(p.shape(x)[0:1], 'int64'), axis=0)")
    v = w.call("p.cast(%s, 'int64')" % text, {"x": x}, ("int64", (x.dims[0],), None, 30))
    if w.r.maybe():
        w.call("p.cast(x, 'float32') * 0.1", {"x": v}, ("float32", v.dims, None, 3))


@rule(whole(1, 2), weight=2.0)
def unique(w, x):
    n = w.symbol(1)
    if x.dtype == "int64":
        if w.r.maybe():
            w.call("p.unique(x)", {"x": x}, ("int64", (n,), None, x.size))
        else:
            total = x.dims[0] if len(x.dims) == 1 else w.derived("(%s)" % "*".join(map(str, x.dims)), 1)
            w.call(
                "p.unique(x, return_inverse=True, return_counts=True)",
                {"x": x},
                ("int64", (n,), None, x.size),
                ("int64", (total,), None, 30),
                ("int64", (n,), None, 30),
            )


@rule(float32(2, 3), weight=1.0)
def topk_by_data(w, x):
    """As many of the largest rows' columns as there are rows, at most three."""
    v = w.call(
        "p.minimum(p.cast(p.shape(x)[0:1], 'int32'), p.full([1], %d, 'int32'))" % 2,
        {"x": x},
        ("int32", (1,), None, 1001),
    )
    if isinstance(x.dims[-1], int) and x.dims[-1] >= 2:
        k = w.derived("min(%s,2)" % x.dims[0], 1)
        text = "p.topk(%s, y, axis=-1)" % moved_apart(w, x.dims[-1])
        w.call(
            text,
            {"x": x, "y": v},
            ("float32", x.dims[:-1] + (k,), None, x.size),
            ("int64", x.dims[:-1] + (k,), None, 30),
        )


@rule(float32(2, 2, static=(1,)), weight=1.0)
def scatter_rows(w, x):
    text = w.r.pick(
        "p.scatter(x, p.arange(0, (p.shape(x)[0] + 1) // 2, 1, 'int64'), x[:(p.shape(x)[0] + 1) // 2] * 0.5)",
        "p.scatter_nd_add(x, p.reshape(p.arange(0, p.shape(x)[0], 1, 'int64') // 2, [-1, 1]), x * 0.5)",
        "p.index_select(x, p.arange(0, p.shape(x)[0], 1, 'int64') // 2, axis=0)",
    )
    w.call(text, {"x": x}, ("float32", x.dims, None, 2 * x.size))


@rule(float32(2, 2, static=(1,)), weight=1.0)
def one_hot(w, x):
    n = x.dims[1]
    w.call("f.one_hot(p.argmax(x, axis=1), %d) * x" % n, {"x": x}, ("float32", x.dims, None, x.size))


@rule(float32(2, 2), weight=1.0)
def square(w, x):
    text = w.r.pick("p.tril(x)", "p.triu(x, 1)", "p.linspace(0.0, 1.0, p.shape(x)[1]) + x")
    w.call(text, {"x": x}, ("float32", x.dims, None, x.size + 1))


@rule(boolean(1, 2), weight=1.0)
def count(w, x):
    text = w.r.pick("p.sum(p.cast(x, 'int64'))", "p.shape(p.nonzero(x))[0]")
    v = w.call("p.cast(%s, 'float32') * 0.1" % text, {"x": x}, ("float32", (), None, 5))
    if w.r.maybe():
        w.call(
            "p.cast(p.any(x), 'float32') + p.cast(p.all(x), 'float32') + y", {"x": x, "y": v}, ("float32", (), None, 7)
        )


TABLE = rules(globals())
