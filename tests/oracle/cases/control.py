# SPDX-License-Identifier: Apache-2.0
"""Branches, loops and tensor arrays, built by Paddle's Python API."""

from notation import api


def branch(r):
    """One of two results of the same type."""
    x = r.f(r.shape(1, 3))

    def function(paddle, x, flag):
        return paddle.static.nn.cond(flag, lambda: x * 2.0, lambda: paddle.exp(x) - 1.0)

    return dict(x=x, flag=r.v([r.index % 2 == 0], "bool")), function


def branch_two(r):
    """Two results, and a condition that is computed."""
    shape = r.shape(1, 2)

    def function(paddle, x, y):
        smaller = paddle.sum(x) < paddle.sum(y)
        return paddle.static.nn.cond(smaller, lambda: (x + y, x * y), lambda: (x - y, paddle.maximum(x, y)))

    return dict(x=r.f(shape), y=r.f(shape)), function


def branch_nested(r):
    def function(paddle, x, n):
        return paddle.static.nn.cond(
            n > 2, lambda: paddle.static.nn.cond(n > 5, lambda: x * 3.0, lambda: x + 1.0), lambda: paddle.tanh(x)
        )

    return dict(x=r.f(r.shape(1, 2)), n=r.v([r.int(0, 8)], "int64")), function


def branch_weight(r):
    """A weight that only one branch uses."""
    k, n = r.int(1, 5), r.int(1, 5)

    def function(paddle, x, w, flag):
        return paddle.static.nn.cond(flag, lambda: paddle.matmul(x, w), lambda: paddle.matmul(x, w) * 0.5 + 1.0)

    return dict(x=r.f(r.int(1, 4), k), w=r.w(k, n), flag=r.v([r.maybe()], "bool")), function


def switch(r):
    def function(paddle, x, n):
        return paddle.static.nn.switch_case(
            n, {0: lambda: x + 1.0, 1: lambda: x * 2.0, 2: lambda: -x}, default=lambda: x * x
        )

    return dict(x=r.f(r.shape(1, 2)), n=r.v([r.int(0, 3)], "int32")), function


def count_loop(r):
    def function(paddle, x, n):
        i = paddle.full([1], 0, "int64")
        return paddle.static.nn.while_loop(lambda i, v: i < n, lambda i, v: [i + 1, v * 0.5 + 1.0], [i, x])

    return dict(x=r.f(r.shape(1, 3)), n=r.v([r.int(0, 6)], "int64")), function


def power_loop(r):
    """The number of rounds depends on the values."""
    size = r.int(1, 5)

    def function(paddle, x, w):
        i = paddle.full([1], 0, "int64")
        limit = paddle.full([1], 9, "int64")

        def more(i, v):
            return paddle.logical_and(i < limit, paddle.sum(paddle.abs(v)) > 0.5)

        return paddle.static.nn.while_loop(more, lambda i, v: [i + 1, paddle.tanh(paddle.matmul(v, w))], [i, x])

    return dict(x=r.f(r.int(1, 3), size), w=r.w(size, size, lo=-0.6, hi=0.6)), function


def branch_in_loop(r):
    def function(paddle, x, n):
        i = paddle.full([1], 0, "int64")

        def body(i, v):
            even = paddle.equal(i % 2, paddle.zeros_like(i))
            return [i + 1, paddle.static.nn.cond(even, lambda: v + 1.0, lambda: v * 2.0)]

        return paddle.static.nn.while_loop(lambda i, v: i < n, body, [i, x])

    return dict(x=r.f(r.shape(1, 2)), n=r.v([r.int(1, 5)], "int64")), function


def growing_loop(r):
    """A tensor that gets longer in each round, as decoders do."""

    def function(paddle, x, n):
        i = paddle.full([1], 0, "int64")
        result = paddle.static.nn.while_loop(
            lambda i, v: i < n, lambda i, v: [i + 1, paddle.concat([v, v[:, -1:] * 2.0], axis=1)], [i, x]
        )
        return result[1]

    inputs = dict(x=r.f(r.int(1, 3), r.int(1, 3)), n=r.v([r.int(1, 5)], "int64"))
    inputs["x"].unknown = [1]
    return inputs, function


def array_loop(r):
    """A loop writes an array, whose elements are stacked afterwards."""
    rounds = r.int(1, 4)

    def function(paddle, x):
        i = paddle.full([1], 0, "int64")
        n = paddle.full([1], rounds, "int64")
        array = paddle.tensor.create_array("float32")
        array = paddle.tensor.array_write(x, i, array=array)

        def body(i, array):
            previous = paddle.tensor.array_read(array, i)
            i = i + 1
            array = paddle.tensor.array_write(previous * 0.5 + 1.0, i, array=array)
            return [i, array]

        i, array = paddle.static.nn.while_loop(lambda i, a: i < n, body, [i, array])
        return [paddle.tensor.array_read(array, i), paddle.tensor.array_length(array)]

    return dict(x=r.f(r.shape(1, 3))), function


def array_read_write(r):
    count = r.int(1, 4)

    def function(paddle, **values):
        array = paddle.tensor.create_array("float32")
        for i, value in enumerate(values.values()):
            index = paddle.full([1], i, "int64")
            array = paddle.tensor.array_write(value, index, array=array)
        last = paddle.full([1], count - 1, "int64")
        return [paddle.tensor.array_read(array, last), paddle.tensor.array_length(array)]

    shape = r.shape(1, 3)
    return {"x%d" % i: r.f(shape) for i in range(count)}, function


def array_to_tensor(r):
    count, stacked = r.int(1, 4), r.maybe()
    shape = r.shape(2, 3)
    axis = r.int(0, 1)

    def function(paddle, **values):
        array = paddle.tensor.create_array("float32")
        for i, value in enumerate(values.values()):
            array = paddle.tensor.array_write(value, paddle.full([1], i, "int64"), array=array)
        joined, sizes = paddle.tensor.manipulation.tensor_array_to_tensor(array, axis=axis, use_stack=stacked)
        return [joined, sizes] if "3." <= paddle.__version__ else [joined]  # Paddle 2.6 does not fill the sizes

    return {"x%d" % i: r.f(shape) for i in range(count)}, function


def append(paddle, kind, inputs, outputs, attributes=None):
    """One operator that the Python API does not offer; returns its outputs, given as {slot: dtype}."""
    block = paddle.static.default_main_program().global_block()
    made = {slot: block.create_var(name="%s_%s" % (kind, slot), dtype=dtype) for slot, dtype in outputs.items()}
    block.append_op(type=kind, inputs=inputs, outputs=made, attrs=attributes or {})
    return list(made.values())


def beam_search_decode(r):
    """Sentences of two steps of a beam search and more: each beam goes on with one word."""
    sources, beam, steps = r.int(1, 2), r.int(1, 3), r.int(2, 4)
    n = sources * beam
    inputs = {}
    for step in range(steps):
        first = [[i for i in range(sources + 1)], [beam * i for i in range(sources + 1)]]
        later = [[beam * i for i in range(sources + 1)], list(range(n + 1))]
        lod = first if step == 0 else later
        inputs["ids%d" % step] = r.i(n, 1, lo=1, hi=9, lod=lod)
        inputs["scores%d" % step] = r.f(n, 1, lo=-3, hi=0, lod=lod)

    def function(paddle, **values):
        arrays = [paddle.tensor.create_array("int64"), paddle.tensor.create_array("float32")]
        for step in range(steps):
            index = paddle.full([1], step, "int64")
            for array, name in zip(arrays, ("ids", "scores")):
                paddle.tensor.array_write(values["%s%d" % (name, step)], index, array=array)
        return append(
            paddle,
            "beam_search_decode",
            {"Ids": arrays[0], "Scores": arrays[1]},
            {"SentenceIds": "int64", "SentenceScores": "float32"},
            {"beam_size": beam, "end_id": 0},
        )

    return inputs, function


def select_output(r):
    """One of two outputs is written, and read back."""

    def function(paddle, x, mask):
        block = paddle.static.default_main_program().global_block()
        outs = [block.create_var(name="chosen_%d" % i, dtype="float32", shape=x.shape) for i in range(2)]
        block.append_op(type="select_output", inputs={"X": x, "Mask": mask}, outputs={"Out": outs})
        result = block.create_var(name="joined", dtype="float32", shape=x.shape)
        block.append_op(type="select_input", inputs={"X": outs, "Mask": mask}, outputs={"Out": result})
        return result

    return dict(x=r.f(r.shape(1, 3)), mask=r.v([r.index % 2], "int32")), function


def assertion(r):
    """assert and print have no effect on results."""

    def function(paddle, x):
        paddle.static.nn.control_flow.Assert(paddle.max(x) < 100.0, [x])
        return paddle.static.Print(x) * 2.0

    return dict(x=r.f(r.shape(1, 3))), function


BOTH = dict(formats="program pir")
TABLE = [
    api("branch", branch, **BOTH),
    api("branch_two", branch_two, **BOTH),
    api("branch_nested", branch_nested, **BOTH),
    api("branch_weight", branch_weight, **BOTH),
    api("switch", switch, **BOTH),
    api("count_loop", count_loop, **BOTH),
    api("power_loop", power_loop, **BOTH),
    api("branch_in_loop", branch_in_loop, **BOTH),
    api("growing_loop", growing_loop, **BOTH),
    api("array_loop", array_loop, **BOTH),
    api("array_read_write", array_read_write, **BOTH),
    api("array_to_tensor", array_to_tensor, **BOTH),
    api("beam_search_decode", beam_search_decode, formats="program"),
    api("select_output", select_output, formats="program"),
    api("assertion", assertion, **BOTH),
]
