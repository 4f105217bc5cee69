# SPDX-License-Identifier: Apache-2.0
"""Pieces of convolutional networks, with images of any size."""

from programs.writer import OPERATORS, float32, rule, rules

WEIGHT = 3.0
SMALLEST = 3  # convolutions and pools leave smaller images alone


def start(w):
    channels = w.r.pick(1, 3, 4, 8)
    w.input("float32", (w.symbol(kind="few"), channels, w.symbol(5, "image"), w.symbol(5, "image")))


def image(v):
    return float32(4, 4, static=(1,))(v) and v.dims[1] <= 40


def least_sides(w, x):
    return min(w.at_least(d) for d in x.dims[2:])


def side(w, size, kernel, stride, padding, dilation=1, ceil=False):
    """The symbol of a side behind a window; the same text for the same arithmetic."""
    span = dilation * (kernel - 1) + 1
    if padding == "SAME":
        least, text = -(-w.at_least(size) // stride), "same(%s,%d)" % (size, stride)
        return size if stride == 1 else int(least) if isinstance(size, int) else w.derived(text, least)
    before = 0 if padding == "VALID" else 2 * padding
    count = (w.at_least(size) + before - span + (stride - 1 if ceil else 0)) // stride + 1
    if isinstance(size, int):
        return count
    if stride == 1 and before == span - 1:
        return size
    return w.derived("win(%s,%d,%d,%d,%d)" % (size, span, stride, before, ceil), count)


@rule(image, weight=6.0)
def conv(w, x):
    kernel, stride = w.r.pick((1, 1), (3, 1), (3, 2), (5, 1), (2, 2), (3, 1), (1, 2))
    dilation = w.r.pick(1, 1, 1, 2) if stride == 1 else 1
    padding = w.r.pick("SAME", "VALID", 0, 1, kernel // 2)
    if padding == "SAME":
        dilation = 1
    if least_sides(w, x) < dilation * (kernel - 1) + 1:
        return
    inner, outer = x.dims[1], w.r.pick(1, 3, 4, 8, 16)
    groups = 1
    kind = w.r.pick("plain", "plain", "grouped", "depthwise")
    if kind == "depthwise":
        groups, outer = inner, inner * w.r.pick(1, 1, 2)
    elif kind == "grouped" and inner % 2 == 0 and outer % 2 == 0:
        groups = 2
    weight = w.param(
        outer,
        inner // groups,
        kernel,
        kernel,
        lo=-1.2 / (inner / groups * kernel**2) ** 0.5,
        hi=1.2 / (inner / groups * kernel**2) ** 0.5,
    )
    dims = (x.dims[0], outer) + tuple(side(w, d, kernel, stride, padding, dilation) for d in x.dims[2:])
    text = "f.conv2d(x, y, %sstride=%d, padding=%r, dilation=%d, groups=%d)"
    operands = {"x": x, "y": weight}
    bias = w.r.maybe()
    if bias:
        operands["z"] = w.param(outer)
    text %= ("z, " if bias else "", stride, padding, dilation, groups)
    v = w.call(text, operands, ("float32", dims, None, 1.5 * x.size + 0.5))
    if w.r.maybe():
        v = batch_norm_of(w, v)
    if w.r.maybe():
        w.call(
            w.r.pick("f.relu(x)", "f.hardswish(x)", "f.relu6(x)", "f.silu(x)", "f.leaky_relu(x, 0.1)"),
            {"x": v},
            ("float32", dims, None, v.size),
        )


@rule(image, weight=3.0)
def conv_transpose(w, x):
    kernel, stride = w.r.pick((2, 2), (3, 2), (3, 1), (4, 2), (1, 1))
    padding = w.r.pick("SAME", "VALID", 0, 1 if kernel > 2 else 0)
    if any(w.at_least(d) > 30 for d in x.dims[2:]) or least_sides(w, x) < 2:
        return
    inner, outer = x.dims[1], w.r.pick(1, 3, 4, 8)
    groups = 2 if inner % 2 == 0 and outer % 2 == 0 and w.r.maybe(0.3) else 1
    scale = 1.2 / (inner * kernel**2 / stride**2) ** 0.5
    weight = w.param(inner, outer // groups, kernel, kernel, lo=-scale, hi=scale)
    more = 1 if stride == 2 and padding in (0, 1) and w.r.maybe(0.3) else 0

    cut = 2 * padding if isinstance(padding, int) else 0

    def out(d):
        if isinstance(d, int):
            return d * stride if padding == "SAME" else (d - 1) * stride + kernel - cut + more
        return w.derived("up(%s,%d,%d,%s,%d)" % (d, kernel, stride, padding, more), (w.at_least(d) - 1) * stride + 1)

    text = "f.conv2d_transpose(x, y, stride=%d, padding=%r, groups=%d%s)" % (
        stride,
        padding,
        groups,
        ", output_padding=1" if more else "",
    )
    dims = (x.dims[0], outer) + tuple(out(d) for d in x.dims[2:])
    w.call(text, {"x": x, "y": weight}, ("float32", dims, None, 1.5 * x.size))


@rule(image, weight=3.0)
def pool(w, x):
    kernel, stride = w.r.pick((2, 2), (3, 2), (3, 1), (2, 1))
    if least_sides(w, x) < kernel:
        return
    padding, ceil = w.r.pick(0, 0, 1, "SAME", "VALID"), w.r.maybe(0.3)
    if padding != 0:  # a window that lies in the padding altogether has no largest value
        ceil = False
    dims = x.dims[:2] + tuple(side(w, d, kernel, stride, padding, 1, ceil) for d in x.dims[2:])
    if w.r.maybe():
        text = "f.max_pool2d(x, %d, %d, %r, ceil_mode=%s)" % (kernel, stride, padding, ceil)
    else:
        text = "f.avg_pool2d(x, %d, %d, %r, ceil_mode=%s, exclusive=%s)" % (kernel, stride, padding, ceil, w.r.maybe())
    w.call(text, {"x": x}, ("float32", dims, None, x.size))


def batch_norm_of(w, x):
    n = x.dims[1]
    names = [w.param(n), w.param(n, lo=0.5, hi=1.5), w.param(n, lo=0.5, hi=1.5), w.param(n)]
    return w.call(
        "f.batch_norm(x, m, y, z, b, training=False)",
        dict(zip("myzb", names), x=x),
        ("float32", x.dims, None, 2.5 * x.size + 1),
    )


@rule(image, weight=2.0)
def batch_norm(w, x):
    batch_norm_of(w, x)


@rule(image, weight=0.7)
def instance_norm(w, x):
    if least_sides(w, x) > 2:
        w.call("f.instance_norm(x)", {"x": x}, ("float32", x.dims, None, 5))


@rule(image, weight=0.7, forms=OPERATORS)
def group_norm(w, x):
    n = x.dims[1]
    if n % 2 == 0 and least_sides(w, x) > 2:
        slots = {"X": x, "Scale": w.param(n, lo=0.5, hi=1.5), "Bias": w.param(n)}
        w.operator(
            "group_norm",
            slots,
            {"Y": ("float32", x.dims, None, 5)},
            {"groups": n // 2, "epsilon": 1e-5, "data_layout": "NCHW"},
            "Mean Variance",
        )


@rule(image, weight=1.5)
def squeeze_excite(w, x):
    n = x.dims[1]
    v = w.call("f.adaptive_avg_pool2d(x, 1)", {"x": x}, ("float32", x.dims[:2] + (1, 1), None, x.size))
    v = w.call(
        "f.relu(f.conv2d(x, y))",
        {"x": v, "y": w.param(2, n, 1, 1)},
        ("float32", (x.dims[0], 2, 1, 1), None, x.size + 1),
    )
    v = w.call(
        "f.hardsigmoid(f.conv2d(x, y))", {"x": v, "y": w.param(n, 2, 1, 1)}, ("float32", x.dims[:2] + (1, 1), None, 1)
    )
    w.call("x * y", {"x": x, "y": v}, ("float32", x.dims, None, x.size))


@rule(image, weight=1.0)
def adaptive_pool(w, x):
    n = w.r.pick(1, 2, 3)
    if n == 1 or least_sides(w, x) >= n:
        w.call(
            "f.adaptive_%s_pool2d(x, %d)" % (w.r.pick("avg", "max"), n),
            {"x": x},
            ("float32", x.dims[:2] + (n, n), None, x.size),
        )


@rule(image, weight=2.0)
def resize(w, x):
    if any(w.at_least(d) > 24 or str(d).count("twice") > 1 for d in x.dims[2:]):
        return
    mode = w.r.pick("nearest", "bilinear", "bilinear', align_corners=True, data_format='NCHW")
    dims = x.dims[:2] + tuple(
        2 * d if isinstance(d, int) else w.derived("twice(%s)" % d, 2 * w.at_least(d)) for d in x.dims[2:]
    )
    w.call("f.interpolate(x, scale_factor=2, mode='%s')" % mode, {"x": x}, ("float32", dims, None, x.size))


@rule(image, image, weight=3.0)
def join(w, x, y):
    """Branches that meet again: a sum, or channels side by side; another size is first resized."""
    if x.dims[0] != y.dims[0]:
        return
    if x.dims[2:] != y.dims[2:]:
        if all(isinstance(d, int) for d in x.dims[2:]):
            size = repr(list(x.dims[2:]))
        else:
            size = "p.shape(x)[2:]"
        mode = w.r.pick("nearest", "bilinear")
        y = w.call(
            "f.interpolate(y, size=%s, mode='%s')" % (size, mode),
            {"x": x, "y": y},
            ("float32", y.dims[:2] + x.dims[2:], None, y.size),
        )
    if x.dims[1] == y.dims[1] and w.r.maybe():
        w.call("x + y", {"x": x, "y": y}, ("float32", x.dims, None, x.size + y.size))
    elif x.dims[1] + y.dims[1] <= 32:
        dims = (x.dims[0], x.dims[1] + y.dims[1]) + x.dims[2:]
        w.call("p.concat([x, y], axis=1)", {"x": x, "y": y}, ("float32", dims, None, max(x.size, y.size)))


@rule(image, weight=1.0)
def shuffle(w, x):
    n = x.dims[1]
    if n % 4 == 0 and w.r.maybe():
        dims = (x.dims[0], n // 4) + tuple(
            2 * d if isinstance(d, int) else w.derived("twice(%s)" % d, 2 * w.at_least(d)) for d in x.dims[2:]
        )
        w.call("f.pixel_shuffle(x, 2)", {"x": x}, ("float32", dims, None, x.size))
    elif n % 2 == 0:
        text = "p.reshape(p.transpose(p.reshape(x, [0, 2, %d, p.shape(x)[2], p.shape(x)[3]]), [0, 2, 1, 3, 4]), [0, %d, p.shape(x)[2], p.shape(x)[3]])"
        text = "f.channel_shuffle(x, 2)" if w.r.maybe() else text % (n // 2, n)
        w.call(text, {"x": x}, ("float32", x.dims, None, x.size))


@rule(image, weight=0.8)
def pad(w, x):
    amounts = [w.r.int(0, 2) for _ in range(4)]
    if least_sides(w, x) <= 2:
        return

    def out(d, n):
        return d + n if isinstance(d, int) else d if n == 0 else w.derived("(%s+%d)" % (d, n), w.at_least(d) + n)

    dims = x.dims[:2] + (out(x.dims[2], amounts[2] + amounts[3]), out(x.dims[3], amounts[0] + amounts[1]))
    mode = w.r.pick("constant", "reflect", "replicate")
    w.call("f.pad(x, %r, mode='%s')" % (amounts, mode), {"x": x}, ("float32", dims, None, x.size))


@rule(image, weight=0.8)
def prelu(w, x):
    w.call(
        "f.prelu(x, y)",
        {"x": x, "y": w.param(w.r.pick(1, x.dims[1]), lo=0.05, hi=0.5)},
        ("float32", x.dims, None, x.size),
    )


@rule(image, weight=0.8)
def to_sequence(w, x):
    """As text recognisers do: columns become steps."""
    v = w.call("p.mean(x, axis=2)", {"x": x}, ("float32", x.dims[:2] + (x.dims[3],), None, x.size))
    w.call("p.transpose(x, [0, 2, 1])", {"x": v}, ("float32", (x.dims[0], x.dims[3], x.dims[1]), None, x.size))


TABLE = rules(globals())
