# SPDX-License-Identifier: Apache-2.0
"""Operators of the first recurrent networks: rank tables (DynamicRNN), branches by row (IfElse), `recurrent` (StaticRNN).
Paddle 2.6 still runs them, but its Python has no layers for them."""

from notation import api


class Writer:
    """Operators appended to the program that is being built."""

    def __init__(self, paddle):
        from paddle.base import core

        self.types = core.VarDesc.VarType
        self.program = paddle.static.default_main_program()

    def var(self, name, dtype="float32", kind=None):
        block = self.program.current_block()
        dtype = None if kind == self.types.LOD_RANK_TABLE else dtype
        return block.create_var(name=name, dtype=dtype, type=kind or self.types.LOD_TENSOR)

    def op(self, type, inputs, outputs, **attributes):
        self.program.current_block().append_op(type=type, inputs=inputs, outputs=outputs, attrs=attributes)

    def ranks(self, x):
        table = self.var("table", kind=self.types.LOD_RANK_TABLE)
        self.op("lod_rank_table", {"X": [x]}, {"Out": [table]}, level=0)
        return table

    def steps(self, name, x, table):
        array = self.var(name, kind=self.types.LOD_TENSOR_ARRAY)
        self.op("lod_tensor_to_array", {"X": [x], "RankTable": [table]}, {"Out": [array]})
        return array


def sequences(r, width, low=1):
    lod = r.offsets(r.int(1, 5), low)
    return r.f([lod[-1], width], lod=[lod])


def there_and_back(r):
    """Steps of sequences, put together again."""

    def function(paddle, x):
        w = Writer(paddle)
        table = w.ranks(x)
        array, out, longest = w.steps("array", x, table), w.var("out"), w.var("longest", "int64")
        w.op("array_to_lod_tensor", {"X": [array], "RankTable": [table]}, {"Out": [out]})
        w.op("max_sequence_len", {"RankTable": [table]}, {"Out": [longest]})
        return out, longest

    return dict(x=sequences(r, r.int(1, 4))), function


def reorder(r):
    """Another tensor in the order of the table: its sequences, or its rows where it has none."""
    x = sequences(r, 2)
    count = len(x.lod[0]) - 1
    lod = r.offsets(count)
    y = r.f(lod[-1], 3, lod=[lod]) if r.index % 2 else r.f(count, 3)

    def function(paddle, x, y):
        w = Writer(paddle)
        out = w.var("out")
        w.op("reorder_lod_tensor_by_rank", {"X": [y], "RankTable": [w.ranks(x)]}, {"Out": [out]})
        return out

    return dict(x=x, y=y), function


def dynamic_rnn(r):
    """What fluid.layers.DynamicRNN wrote: a loop over the steps, its state with fewer rows from step to step."""
    width = r.int(1, 4)
    x = sequences(r, width)
    count = len(x.lod[0]) - 1

    def function(paddle, x, start, weight):
        w = Writer(paddle)
        table = w.ranks(x)
        array, first = w.steps("array", x, table), w.var("first")
        w.op("reorder_lod_tensor_by_rank", {"X": [start], "RankTable": [table]}, {"Out": [first]})
        longest = w.var("longest", "int64")
        w.op("max_sequence_len", {"RankTable": [table]}, {"Out": [longest]})
        step, more = paddle.full([1], 0, "int64"), w.var("more", "bool")
        states, results = (w.var(n, kind=w.types.LOD_TENSOR_ARRAY) for n in ("states", "results"))
        w.op("write_to_array", {"X": [first], "I": [step]}, {"Out": [states]})
        w.op("less_than", {"X": [step], "Y": [longest]}, {"Out": [more]})
        outer = w.program.current_block()
        scopes = outer.create_var(name="scopes", type=w.types.STEP_SCOPES)
        inner = w.program._create_block()
        now, before, shrunk, state = (w.var(n) for n in ("now", "before", "shrunk", "state"))
        w.op("read_from_array", {"X": [array], "I": [step]}, {"Out": [now]})
        w.op("read_from_array", {"X": [states], "I": [step]}, {"Out": [before]})
        w.op("shrink_rnn_memory", {"X": [before], "RankTable": [table], "I": [step]}, {"Out": [shrunk]})
        product, total = w.var("product"), w.var("total")
        w.op("mul", {"X": [shrunk], "Y": [weight]}, {"Out": [product]}, x_num_col_dims=1, y_num_col_dims=1)
        w.op("elementwise_add", {"X": [product], "Y": [now]}, {"Out": [total]}, axis=-1)
        w.op("tanh", {"X": [total]}, {"Out": [state]})
        w.op("write_to_array", {"X": [state], "I": [step]}, {"Out": [results]})
        w.op("increment", {"X": [step]}, {"Out": [step]}, step=1.0)
        w.op("write_to_array", {"X": [state], "I": [step]}, {"Out": [states]})
        w.op("less_than", {"X": [step], "Y": [longest]}, {"Out": [more]})
        w.program._rollback()
        outer.append_op(
            type="while",
            inputs={"X": [array, states, table, step, longest, weight], "Condition": [more]},
            outputs={"Out": [states, results, step, more], "StepScopes": [scopes]},
            attrs={"sub_block": inner, "is_test": True},
        )
        out = w.var("out")
        w.op("array_to_lod_tensor", {"X": [results], "RankTable": [table]}, {"Out": [out]})
        return out

    inputs = dict(x=x, start=r.f(count, width), weight=r.w(width, width))
    inputs["x"].unknown = inputs["start"].unknown = [0]
    return inputs, function


def masked(r):
    """Rows or sequences in two parts, of which one is changed, and together again: fluid.layers.IfElse."""
    count = r.int(2, 6)
    lod = r.offsets(count)
    x = r.f(lod[-1], 2, lod=[lod]) if r.index % 2 else r.f(count, 3)
    mask = r.random.permutation([[True]] + [[False]] * (count - 1))
    level = {"level": 0}

    def function(paddle, x, mask):
        w = Writer(paddle)
        yes, no, changed, out = (w.var(n) for n in ("yes", "no", "changed", "out"))
        w.op("split_lod_tensor", {"X": [x], "Mask": [mask]}, {"OutTrue": [yes], "OutFalse": [no]}, **level)
        w.op("scale", {"X": [yes]}, {"Out": [changed]}, scale=2.0, bias=1.0, bias_after_scale=True)
        merged = {"X": [x], "Mask": [mask], "InTrue": [changed], "InFalse": [no]}
        w.op(("merge_lod_tensor", "merge_lod_tensor_infer")[r.index // 2 % 2], merged, {"Out": [out]}, **level)
        return out

    return dict(x=x, mask=r.v(mask, "bool")), function


def static_rnn(r):
    """A block run for each step of [steps, batch, width], forwards or backwards."""
    steps, batch, width = r.int(1, 5), r.int(1, 3), r.int(1, 4)

    def function(paddle, x, start, weight):
        w = Writer(paddle)
        outer = w.program.current_block()
        result = outer.create_var(name="state", dtype="float32", shape=[-1, batch, width])
        scopes = outer.create_var(name="scopes", type=w.types.STEP_SCOPES)
        inner = w.program._create_block()
        inner.create_var(name="x", dtype="float32", shape=[batch, width])
        before = inner.create_var(name="before", dtype="float32", shape=[batch, width])
        product, total, state = (w.var(n) for n in ("product", "total", "state"))
        w.op("mul", {"X": [before], "Y": [weight]}, {"Out": [product]}, x_num_col_dims=1, y_num_col_dims=1)
        w.op("elementwise_add", {"X": [product], "Y": ["x"]}, {"Out": [total]}, axis=-1)
        w.op("tanh", {"X": [total]}, {"Out": [state]})
        w.program._rollback()
        outer.append_op(
            type="recurrent",
            inputs={"inputs": [x], "initial_states": [start], "parameters": [weight]},
            outputs={"outputs": [result], "step_scopes": [scopes]},
            attrs={
                "ex_states": ["before"],
                "states": ["state"],
                "has_states": True,
                "sub_block": inner,
                "reverse": bool(r.index % 2),
                "is_train": False,
            },
        )
        return result

    return dict(x=r.f(steps, batch, width), start=r.f(batch, width), weight=r.w(width, width)), function


TABLE = [
    api("lod_tensor_to_array", there_and_back, 6, exact=True, formats="program"),
    api("reorder_lod_tensor_by_rank", reorder, 6, exact=True, formats="program"),
    api("dynamic_rnn", dynamic_rnn, 8, formats="program"),
    api("merge_lod_tensor", masked, 8, formats="program"),
    api("recurrent", static_rnn, 6, formats="program"),
]
