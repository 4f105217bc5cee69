# SPDX-License-Identifier: Apache-2.0
"""Branches, loops and tensor arrays, up to three deep. What an inner block makes goes into its results."""

from programs.writer import DEPTH, float32, rule, rules

WEIGHT = 2.0


def start(w):
    if w.r.maybe(0.7):
        w.input("int64", (1,), lo=0, hi=5)
    if w.r.maybe(0.5):
        w.input("bool", (1,))
    w.input("float32", (w.symbol(), w.r.pick(3, 4, 8)))


def condition(w, x):
    """A value of one truth: of an input, or computed."""
    given = [v for v in w.values if v.dtype == "bool" and v.dims == (1,)]
    if given and w.r.maybe(0.4):
        return w.r.pick(*given)
    text = w.r.pick(
        "p.mean(x) > %r" % w.r.pick(-0.2, 0.0, 0.2),
        "p.shape(x)[0] > 3",
        "p.sum(x) < p.max(x)",
        "p.any(x > 1.0)",
        "p.numel(x) % 2 == 0",
    )
    return w.call(text, {"x": x}, ("bool", (), None, 1))


def limit(w, x):
    """How often a loop runs: 0 to 4 times."""
    given = [v for v in w.values if v.dtype == "int64" and v.dims == (1,) and v.size <= 19]
    if given and w.r.maybe(0.5):
        return w.call("p.minimum(x, p.full([1], 4, 'int64'))", {"x": w.r.pick(*given)}, ("int64", (1,), None, 1001))
    text = w.r.pick(
        "p.full([1], %d, 'int64')" % w.r.int(0, 3), "p.cast(p.shape(x)[0:1] %% %d, 'int64')" % w.r.int(2, 4)
    )
    return w.call(text, {"x": x}, ("int64", (1,), None, 1001))


def blend(w, x, made):
    """A value like x in which what was made has a part."""
    real = [v for v in made if v.dtype == "float32"]
    same = [v for v in real if v.dims == x.dims]
    if same and w.r.maybe(0.5):
        y = w.small(same[-1])
        if w.r.maybe(0.3):
            return y
        return w.call(
            w.r.pick("x * 0.5 + y * 0.5", "p.maximum(x, y)", "x - y"),
            {"x": x, "y": y},
            ("float32", x.dims, x.lod, x.size + y.size),
        )
    if real:
        y = w.small(real[-1])
        return w.call("x * 0.75 + p.tanh(p.sum(y)) * 0.5", {"x": x, "y": y}, ("float32", x.dims, x.lod, x.size))
    text = w.r.pick("x * 0.5 + 0.25", "p.tanh(x)", "x", "p.assign(x)", "p.sin(x)")
    return x if text == "x" else w.call(text, {"x": x}, ("float32", x.dims, x.lod, x.size))


def few(w):
    return w.r.int(0, 4 if w.depth == 0 else 2)


@rule(float32(1, 4), weight=4.0)
def branch(w, x):
    """One of two blocks, with one or two results, which may read anything from outside."""
    if w.depth >= DEPTH:
        return
    flag = condition(w, x)
    others = [w.like(x)] if w.r.maybe(0.3) else []
    shapes = [x] + others
    bodies, results = [], []
    for _ in range(2):
        body, names = w.inside(few(w), [], lambda made: [blend(w, v, made).name for v in shapes])
        bodies.append(body)
        results.append(names)
    outs = [w.value("float32", v.dims, None, v.size + 3) for v in shapes]
    w.body.append(
        {"if": flag.name, "then": bodies[0], "else": bodies[1], "results": results, "out": [v.name for v in outs]}
    )
    w.add(outs)


@rule(float32(2, 3), weight=1.0)
def branch_of_sizes(w, x):
    """Results of different sizes."""
    if w.depth >= DEPTH:
        return
    flag = condition(w, x)
    bodies, results = [], []
    for text in w.r.pick(
        ("p.concat([x, x], axis=0)", "x * 2.0"), ("x[0:1]", "p.tanh(x)"), ("p.flip(x, [0])", "x[0:1]")
    ):
        body, name = w.inside(
            few(w), [], lambda made: w.call(text, {"x": blend(w, x, made)}, ("float32", x.dims, None, x.size)).name
        )
        bodies.append(body)
        results.append([name])
    out = w.value("float32", (w.symbol(),) + x.dims[1:], None, 2 * x.size + 3)
    w.body.append({"if": flag.name, "then": bodies[0], "else": bodies[1], "results": results, "out": [out.name]})
    w.add([out])


@rule(float32(1, 4), weight=4.0)
def loop(w, x):
    """A counted loop that carries one or two values."""
    if w.depth >= DEPTH:
        return
    rounds = limit(w, x)
    carried = [x] + ([w.r.pick(*[v for v in w.values if float32(1, 3)(v)])] if w.r.maybe(0.4) else [])
    inner = [w.value("float32", v.dims, None, v.size) for v in carried]
    counter = w.value("int64", (1,), None, 19)
    body, following = w.inside(few(w), [counter] + inner, lambda made: [w.small(blend(w, v, made)).name for v in inner])
    outs = [w.value("float32", v.dims, None, v.size + 10) for v in carried]
    names = [counter.name] + [v.name for v in inner]
    w.body.append(
        {
            "while": [v.name for v in carried],
            "limit": rounds.name,
            "names": names,
            "body": body,
            "next": following,
            "out": [v.name for v in outs],
        }
    )
    w.add(outs)


@rule(float32(2, 3), weight=1.0)
def growing_loop(w, x):
    """A value that gets longer in each round."""
    if w.depth >= DEPTH or isinstance(x.dims[0], int):
        return
    rounds = limit(w, x)
    longer = w.value("float32", (w.symbol(),) + x.dims[1:], None, x.size)
    counter = w.value("int64", (1,), None, 19)

    def finish(made):
        last = w.call("x[-1:]", {"x": longer}, ("float32", (1,) + x.dims[1:], None, x.size))
        row = blend(w, last, made)
        if row.dims != last.dims:
            row = last
        return [
            w.call(
                "p.concat([x, y * 0.5], axis=0)", {"x": longer, "y": row}, ("float32", longer.dims, None, x.size)
            ).name
        ]

    body, following = w.inside(few(w), [counter, longer], finish)
    out = w.value("float32", (w.symbol(),) + x.dims[1:], None, x.size + 3)
    w.body.append(
        {
            "while": [x.name],
            "limit": rounds.name,
            "names": [counter.name, longer.name],
            "body": body,
            "next": following,
            "out": [out.name],
        }
    )
    w.add([out])


def write_array(w, array, index, value):
    text = (
        "p.tensor.array_write(x, p.full([1], %d, 'int64'), array=a)" % index
        if isinstance(index, int)
        else "p.tensor.array_write(x, i, array=a)"
    )
    operands = {"x": value, "a": array}
    if not isinstance(index, int):
        operands["i"] = index
    return w.call(text, operands, ("array", (), None, 0))


def read_array(w, array, count, x):
    """What is made of an array that is full."""
    how = w.r.int(0, 3)
    if how == 0:
        w.call(
            "p.tensor.array_read(a, p.full([1], %d, 'int64'))" % w.r.int(0, count - 1),
            {"a": array},
            ("float32", x.dims, None, x.size),
        )
    elif how == 1:
        w.call("p.cast(p.tensor.array_length(a), 'float32') * 0.5", {"a": array}, ("float32", (1,), None, 2))
        w.call("p.tensor.array_read(a, p.tensor.array_length(a) - 1)", {"a": array}, ("float32", x.dims, None, x.size))
    elif len(x.dims) > 1 and isinstance(x.dims[1], int) and how == 2:
        text = "p.tensor.manipulation.tensor_array_to_tensor(a, axis=1)[0]"
        w.call(text, {"a": array}, ("float32", (x.dims[0], w.symbol()) + x.dims[2:], None, x.size))
    else:
        text = "p.tensor.manipulation.tensor_array_to_tensor(a, axis=0, use_stack=True)[0]"
        w.call(text, {"a": array}, ("float32", (w.symbol(),) + x.dims, None, x.size))


@rule(float32(1, 3), weight=2.0)
def array(w, x):
    """An array filled with values of one shape, then read."""
    if w.depth >= DEPTH:
        return
    values = w.call("p.tensor.create_array('float32')", {}, ("array", (), None, 0))
    count = w.r.int(1, 3)
    for index in range(count):
        values = write_array(w, values, index, x if index == 0 else w.like(x))
    if w.r.maybe(0.3):
        values = write_array(w, values, w.r.int(0, count - 1), x)
    read_array(w, values, count, x)


@rule(float32(1, 3), weight=1.5)
def array_loop(w, x):
    """A loop reads the last element of an array and writes the next one."""
    if w.depth >= DEPTH:
        return
    values = w.call("p.tensor.create_array('float32')", {}, ("array", (), None, 0))
    values = write_array(w, values, 0, x)
    rounds = limit(w, x)
    counter, inner = w.value("int64", (1,), None, 19), w.value("array", (), None, 0)

    def finish(made):
        last = w.call("p.tensor.array_read(a, i)", {"a": inner, "i": counter}, ("float32", x.dims, None, x.size))
        index = w.call("i + 1", {"i": counter}, ("int64", (1,), None, 19))
        return [write_array(w, inner, index, w.small(blend(w, last, made))).name]

    body, following = w.inside(few(w), [counter, inner], finish)
    out = w.value("array", (), None, 0)
    w.body.append(
        {
            "while": [values.name],
            "limit": rounds.name,
            "names": [counter.name, inner.name],
            "body": body,
            "next": following,
            "out": [out.name],
        }
    )
    w.add([out])
    read_array(w, out, 1, x)


TABLE = rules(globals())
