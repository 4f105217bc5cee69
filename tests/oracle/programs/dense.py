# SPDX-License-Identifier: Apache-2.0
"""Elementwise operators, reductions, moves and products of tensors of any shape."""

from programs.writer import OPERATORS, boolean, float32, real, rule, rules, whole

WEIGHT = 2.0


def start(w):
    rows, columns = w.symbol(), w.r.pick(3, 4, 6, 8, 9)
    w.input("float32", (rows, columns))
    if w.r.maybe():
        w.input("float32", (rows, columns) if w.r.maybe() else (w.symbol(), w.symbol(), columns))
    if w.r.maybe(0.3):
        w.input(w.r.pick("int64", "int32"), (rows, columns), lo=-9, hi=9)
    if w.r.maybe(0.2):
        w.input("float64", (rows, columns))


# Where a function jumps, it does so beside the numbers that others give often (0, 1, what saturates).
# ---- one operand, the same shape: (expression, bound of the result; None keeps it, a number n >= 0 is absolute)
UNARY = [
    ("f.relu(x)", None),
    ("p.tanh(x)", 1),
    ("f.sigmoid(x)", 1),
    ("f.relu6(x)", 6),
    ("f.hardswish(x)", None),
    ("f.hardsigmoid(x)", 1),
    ("f.leaky_relu(x, 0.1)", None),
    ("f.elu(x)", None),
    ("f.gelu(x)", None),
    ("f.gelu(x, approximate=True)", None),
    ("f.silu(x)", None),
    ("f.swish(x)", None),
    ("f.softplus(x)", None),
    ("f.softsign(x)", 1),
    ("f.mish(p.clip(x, -5.0, 30.0))", None),
    ("p.abs(x)", None),
    ("p.floor(x + 0.0173)", None),
    ("p.sign(x + 0.0173)", 1),
    ("p.sin(x)", 1),
    ("p.cos(x)", 1),
    ("p.erf(x)", 1),
    ("p.exp(p.clip(x, -2.0, 1.5))", 4.5),
    ("p.sqrt(p.abs(x) + 0.25)", None),
    ("p.rsqrt(p.abs(x) + 0.25)", 2),
    ("p.log(p.abs(x) + 0.5)", 3.5),
    ("p.reciprocal(p.abs(x) + 0.5)", 2),
    ("p.square(p.clip(x, -3.0, 3.0))", 9),
    ("p.pow(p.abs(x) + 0.5, 1.5)", None),
    ("p.clip(x, -0.75, 1.25)", 1.25),
    ("x * 0.5 + 0.25", None),
    ("1.0 - x", None),
    ("x / 3.0", None),
    ("-x", None),
    ("p.scale(x, 1.5, -0.5, bias_after_scale=False)", None),
    ("f.dropout(x, 0.3, training=False)", None),
    ("f.dropout(x, 0.3, training=False, mode='downscale_in_infer')", None),
    ("p.cast(p.cast(p.floor(x * 8.0 + 0.137), 'float16'), x.dtype) * 0.125", None),  # Paddle's casts to half cut off
    ("p.cumsum(x, axis=-1)", "sum"),
    ("p.flip(x, [-1])", None),
    ("p.roll(x, 2, -1)", None),
    ("p.sort(x, axis=-1)", None),
    ("f.softmax(x, axis=-1)", 1),
    ("f.softmax(x, axis=0)", 1),
    ("f.log_softmax(x, axis=-1)", "sum"),
    ("x - p.mean(x, axis=-1, keepdim=True)", None),
    ("x / (p.sum(p.abs(x), axis=-1, keepdim=True) + 1.0)", 1),
    ("p.where(x > 0.0, x, x * 0.1)", None),
    ("p.assign(x)", None),
    ("p.zeros_like(x) + x", None),
    ("p.full_like(x, 0.5) * x", None),
]
# ---- two operands that broadcast
BINARY = [
    ("x + y", "add"),
    ("x - y", "add"),
    ("x * y", "mul"),
    ("p.maximum(x, y)", "max"),
    ("p.minimum(x, y)", "max"),
    ("x / (p.abs(y) + 1.0)", "max"),
    ("p.where(x > y, x, y)", "max"),
    ("p.where(x <= y, x * 0.5, y)", "max"),
]
COMPARISONS = ["x > y", "x <= y", "p.logical_and(x > 0.0173, y > 0.0173)", "p.logical_or(x < -0.5173, y > 0.5173)"]
INTEGER = ["x + y", "x - y", "p.maximum(x, y)", "x // (p.abs(y) + 1)", "x % (p.abs(y) + 1)"]


def bound(x, how):
    if how == "sum":
        return x.size * 8
    return x.size + 0.5 if how is None else float(how)


@rule(real(), weight=14.0)
def unary(w, x):
    text, how = w.r.pick(*UNARY)
    w.call(text, {"x": x}, (x.dtype, x.dims, x.lod, bound(x, how)))


def broadcast(a, b):
    """The dims of a result, or None; sizes must be seen to be equal or 1."""
    a, b = (1,) * (len(b) - len(a)) + tuple(a), (1,) * (len(a) - len(b)) + tuple(b)
    if all(m == n or 1 in (m, n) for m, n in zip(a, b)):
        return tuple(n if m == 1 else m for m, n in zip(a, b))
    return None


def partner(w, x, dtypes):
    fitting = [v for v in w.values if v.dtype in dtypes and broadcast(x.dims, v.dims) is not None]
    return w.small(w.r.pick(*fitting))


@rule(real(), weight=10.0)
def binary(w, x):
    y = partner(w, x, (x.dtype,))
    text, how = w.r.pick(*BINARY)
    size = {"add": x.size + y.size, "mul": x.size * y.size, "max": max(x.size, y.size)}[how]
    lod = x.lod if len(x.dims) >= len(y.dims) and broadcast(x.dims, y.dims) == x.dims else None
    w.call(text, {"x": x, "y": y}, (x.dtype, broadcast(x.dims, y.dims), lod, size))


@rule(real(), weight=1.5)
def compare(w, x):
    y = partner(w, x, (x.dtype,))
    w.call(w.r.pick(*COMPARISONS), {"x": x, "y": y}, ("bool", broadcast(x.dims, y.dims), None, 1))


@rule(boolean(), float32(), weight=2.0)
def use_flags(w, flags, x):
    if broadcast(flags.dims, x.dims) == x.dims:
        text = w.r.pick("p.where(x, y, -y)", "p.cast(x, 'float32') * y", "p.where(p.logical_not(x), y * 0.5, y)")
        w.call(text, {"x": flags, "y": x}, (x.dtype, x.dims, None, x.size))


@rule(whole(), weight=2.0)
def integers(w, x):
    if x.size > 1000:
        return
    y = partner(w, x, (x.dtype,))
    if y.size < 1000:
        w.call(w.r.pick(*INTEGER), {"x": x, "y": y}, (x.dtype, broadcast(x.dims, y.dims), None, x.size + y.size))


@rule(whole(), weight=1.5)
def from_integers(w, x):
    text = w.r.pick(
        "p.cast(x, 'float32') * 0.1",
        "f.softsign(p.cast(x, 'float32'))",
        "p.cast(x % 3, 'float32')",
        "p.cast(x > 1, 'float32')",
    )
    w.call(text, {"x": x}, ("float32", x.dims, x.lod, min(x.size, 30)))


@rule(float32(), weight=1.0)
def other_type(w, x):
    kind, text, size = w.r.pick(
        ("int64", "p.cast(p.floor(x * 3.0 + 0.5), 'int64')", 3 * x.size),
        ("int32", "p.cast(x * 2.0, 'int32')", 2 * x.size),
        ("float64", "p.cast(x, 'float64') * 0.7", x.size),
        ("bool", "x > 0.25", 1),
    )
    w.call(text, {"x": x}, (kind, x.dims, x.lod, size))


@rule(real(), weight=0.5)
def to_float32(w, x):
    if x.dtype == "float64":
        w.call("p.cast(x, 'float32')", {"x": x}, ("float32", x.dims, x.lod, x.size))


@rule(real(2), weight=5.0)
def reduce(w, x):
    axis, keep = w.r.int(0, len(x.dims) - 1), w.r.maybe()
    kind = w.r.pick("mean", "max", "min", "sum", "logsumexp")
    dims = x.dims[:axis] + ((1,) if keep else ()) + x.dims[axis + 1 :]
    if kind == "sum":
        size = x.size * 8
    else:
        size = x.size + 3
    shown = axis - len(x.dims) if w.r.maybe(0.4) else axis
    lod = x.lod if axis > 0 else None
    w.call("p.%s(x, axis=%d, keepdim=%s)" % (kind, shown, keep), {"x": x}, (x.dtype, dims, lod, size))


@rule(real(2), weight=1.0)
def arg(w, x):
    axis = w.r.int(0, len(x.dims) - 1)
    dims = x.dims[:axis] + x.dims[axis + 1 :]
    w.call("p.%s(x, axis=%d)" % (w.r.pick("argmax", "argmin"), axis), {"x": x}, ("int64", dims, None, 30))


def moved_apart(w, n):
    """x with n columns, of which equal ones differ afterwards: each by a step that no other statement takes."""
    return "x + p.cast(p.arange(%d), x.dtype) * %r" % (n, round(0.0137 + 0.00073 * w.count, 5))


@rule(real(2, static=(-1,)), weight=1.5)
def topk(w, x):
    """Of values that are moved apart: which of equal ones comes first is not defined."""
    n = x.dims[-1]
    k = w.r.int(1, n)
    dims = x.dims[:-1] + (k,)
    text = "p.topk(%s, %d, axis=-1)" % (moved_apart(w, n), k)
    w.call(text, {"x": x}, (x.dtype, dims, None, x.size), ("int64", dims, None, 30))


@rule(real(2), weight=3.0)
def transpose(w, x):
    perm = w.r.perm(len(x.dims))
    w.call("p.transpose(x, %r)" % perm, {"x": x}, (x.dtype, [x.dims[a] for a in perm], None, x.size))


@rule(real(1), weight=4.0)
def concat(w, x):
    axis = w.r.int(0, len(x.dims) - 1)
    fits = [
        v
        for v in w.values
        if v.dtype == x.dtype
        and len(v.dims) == len(x.dims)
        and v.dims[:axis] + v.dims[axis + 1 :] == x.dims[:axis] + x.dims[axis + 1 :]
    ]
    y = w.r.pick(*fits)
    a, b = x.dims[axis], y.dims[axis]
    total = (
        a + b
        if isinstance(a, int) and isinstance(b, int)
        else w.derived("(%s+%s)" % (a, b), w.at_least(a) + w.at_least(b))
    )
    dims = x.dims[:axis] + (total,) + x.dims[axis + 1 :]
    w.call(
        "p.concat([x, y], axis=%d)" % axis,
        {"x": x, "y": y},
        (x.dtype, dims, x.lod if axis > 0 else None, max(x.size, y.size)),
    )


@rule(real(1, static=(-1,)), weight=2.0)
def split(w, x):
    n = x.dims[-1]
    if n % 2 == 0:
        half = (x.dtype, x.dims[:-1] + (n // 2,), x.lod if len(x.dims) > 1 else None, x.size)
        w.call("p.split(x, 2, axis=-1)", {"x": x}, half, half)
    elif n > 1:
        a, b = [(x.dtype, x.dims[:-1] + (m,), x.lod if len(x.dims) > 1 else None, x.size) for m in (1, n - 1)]
        w.call("p.split(x, [1, %d], axis=-1)" % (n - 1), {"x": x}, a, b)


@rule(real(1, 3), weight=1.5)
def stack(w, x):
    axis = w.r.int(0, len(x.dims))
    y = w.like(x)
    w.call(
        "p.stack([x, y], axis=%d)" % axis,
        {"x": x, "y": y},
        (x.dtype, x.dims[:axis] + (2,) + x.dims[axis:], None, max(x.size, y.size)),
    )


@rule(real(1, 4), weight=2.5)
def part(w, x):
    """A slice of an axis, of known size or not."""
    axis = w.r.int(0, len(x.dims) - 1)
    size = x.dims[axis]
    if isinstance(size, int):
        first = w.r.int(0, size - 1)
        last = w.r.int(first + 1, size)
        step = w.r.pick(1, 1, 2)
        count = (last - first + step - 1) // step
        index = "%d:%d:%d" % (first, last, step) if step > 1 else "%d:%d" % (first, last)
    else:
        index, count = w.r.pick(
            ("-1:", 1),
            ("0:1", 1),
            ("::2", w.derived("half(%s)" % size, (w.at_least(size) + 1) // 2)),
        )
    places = ", ".join([":"] * axis + [index])
    dims = x.dims[:axis] + (count,) + x.dims[axis + 1 :]
    w.call("x[%s]" % places, {"x": x}, (x.dtype, dims, None, x.size))


@rule(real(2, 4), weight=1.0)
def pick_one(w, x):
    axis = w.r.int(0, len(x.dims) - 1)
    places = ", ".join([":"] * axis + [w.r.pick("0", "-1")])
    w.call("x[%s]" % places, {"x": x}, (x.dtype, x.dims[:axis] + x.dims[axis + 1 :], None, x.size))


@rule(real(1, 3), weight=1.0)
def unsqueeze(w, x):
    axis = w.r.int(0, len(x.dims))
    w.call("p.unsqueeze(x, %d)" % axis, {"x": x}, (x.dtype, x.dims[:axis] + (1,) + x.dims[axis:], None, x.size))


@rule(real(2, 4), weight=1.0)
def squeeze(w, x):
    ones = [a for a, d in enumerate(x.dims) if d == 1]
    if ones:
        axis = w.r.pick(*ones)
        w.call("p.squeeze(x, %d)" % axis, {"x": x}, (x.dtype, x.dims[:axis] + x.dims[axis + 1 :], None, x.size))


@rule(real(2, 4, static=(-1,)), weight=1.5)
def reshape(w, x):
    n = x.dims[-1]
    divisors = [d for d in range(1, n + 1) if n % d == 0]
    d = w.r.pick(*divisors)
    if len(x.dims) < 4 and w.r.maybe():
        zeros = [0] * (len(x.dims) - 1)
        w.call("p.reshape(x, %r)" % (zeros + [n // d, d]), {"x": x}, (x.dtype, x.dims[:-1] + (n // d, d), None, x.size))
    else:
        a = w.derived("(%s)/%d" % ("*".join(map(str, x.dims)), d), 1)
        w.call("p.reshape(x, [-1, %d])" % d, {"x": x}, (x.dtype, (a, d), None, x.size))


@rule(real(2, 4), weight=0.8)
def flatten(w, x):
    inner = x.dims[1:]
    if all(isinstance(d, int) for d in inner):
        total = 1
        for d in inner:
            total *= d
    else:
        total = w.derived("(%s)" % "*".join(map(str, inner)), 1)
    w.call("p.flatten(x, 1)", {"x": x}, (x.dtype, (x.dims[0], total), None, x.size))


@rule(real(2, 3, static=(-1,)), weight=0.8)
def tile(w, x):
    dims = x.dims[:-1] + (2 * x.dims[-1],)
    if dims[-1] < 40:
        w.call("p.tile(x, %r)" % ([1] * (len(dims) - 1) + [2]), {"x": x}, (x.dtype, dims, None, x.size))


@rule(real(2, 3, static=(-1,)), weight=0.8)
def take(w, x):
    index = w.param(w.r.int(1, 5), lo=0, hi=x.dims[-1] - 1, dtype="int64")
    count = w.params[index].shape[0]
    axis = len(x.dims) - 1
    text = w.r.pick("p.gather(x, y, axis=%d)", "p.index_select(x, y, axis=%d)") % axis
    w.call(text, {"x": x, "y": index}, (x.dtype, x.dims[:-1] + (count,), None, x.size))


@rule(float32(2, 4, static=(-1,)), weight=3.0)
def linear(w, x):
    n = w.r.pick(1, 3, 4, 6, 8, 9, 16)
    weight, bias = w.param(x.dims[-1], n), w.param(n)
    dims, size = x.dims[:-1] + (n,), 1.5 * x.size + 0.5
    text = w.r.pick(
        "f.linear(x, y, z)",
        "p.matmul(x, y) + z",
        "p.matmul(x, y)",
        "f.relu(p.matmul(x, y) + z)",
        "p.add(p.matmul(x, y), z)",
    )
    operands = {"x": x, "y": weight, "z": bias} if "z" in text else {"x": x, "y": weight}
    w.call(text, operands, ("float32", dims, x.lod, size))


@rule(float32(2, 4, static=(-1,)), weight=3.0, forms=OPERATORS)
def old_linear(w, x):
    """fc as older exporters write it."""
    n = w.r.pick(1, 3, 4, 6, 8, 9, 16)
    weight, bias, axis = w.param(x.dims[-1], n), w.param(n), len(x.dims) - 1
    dims, size = x.dims[:-1] + (n,), 1.5 * x.size + 0.5
    kind = w.r.pick("mul", "matmul", "matmul_v2")
    attributes = {
        "mul": {"x_num_col_dims": axis, "y_num_col_dims": 1},
        "matmul": {"transpose_X": False, "transpose_Y": False, "alpha": w.r.pick(1.0, 1.0, 0.5)},
        "matmul_v2": {"trans_x": False, "trans_y": False},
    }[kind]
    y = w.operator(kind, {"X": x, "Y": weight}, {"Out": ("float32", dims, x.lod, size)}, attributes)
    y = w.operator(
        "elementwise_add", {"X": y, "Y": bias}, {"Out": ("float32", dims, x.lod, size)}, {"axis": w.r.pick(axis, -1)}
    )
    if w.r.maybe():
        w.operator(w.r.pick("relu", "tanh", "sigmoid"), {"X": y}, {"Out": ("float32", dims, x.lod, size)})


@rule(float32(2, 3, static=(-1,)), weight=1.5)
def product(w, x):
    """Of values with themselves or each other, transposed."""
    y = w.like(x)
    if len(x.dims) == 2:
        square = (x.dims[0], x.dims[0])
    else:
        square = (x.dims[0], x.dims[1], x.dims[1])
    w.call(
        "p.matmul(x, y, transpose_y=True) * 0.25",
        {"x": x, "y": y},
        ("float32", square, None, x.size * y.size * x.dims[-1] / 8),
    )


@rule(float32(2, 4, static=(-1,)), weight=1.5)
def layer_norm(w, x):
    n = x.dims[-1]
    scale, bias = w.param(n, lo=0.5, hi=1.5), w.param(n)
    if n > 1:
        w.call("f.layer_norm(x, [%d], y, z)" % n, {"x": x, "y": scale, "z": bias}, ("float32", x.dims, x.lod, 5))


@rule(float32(2, 2, static=(-1,)), weight=1.0)
def batch_norm(w, x):
    n = x.dims[-1]
    names = [w.param(n), w.param(n, lo=0.5, hi=1.5), w.param(n, lo=0.5, hi=1.5), w.param(n)]
    operands = dict(zip("myzb", names), x=x)
    w.call("f.batch_norm(x, m, y, z, b, training=False)", operands, ("float32", x.dims, x.lod, 2.5 * x.size + 1))


@rule(float32(2, 3), weight=2.0, forms=OPERATORS)
def in_place(w, x):
    """Writes a variable that exists: what reads it later sees the new value."""
    kind, attributes = w.r.pick(
        ("relu", {}),
        ("tanh", {}),
        ("scale", {"scale": 0.5, "bias": 0.25, "bias_after_scale": True}),
        ("elementwise_add", {"axis": -1}),
    )
    if any(v.name == x.name for v, _, _ in w.inputs) or w.depth:
        return
    slots = {"X": [x.name]} if kind != "elementwise_add" else {"X": [x.name], "Y": [w.like(x).name]}
    w.body.append({"op": kind, "in": slots, "out": {"Out": [x.name]}, "at": attributes, "dtype": {x.name: x.dtype}})


TABLE = rules(globals())
