# SPDX-License-Identifier: Apache-2.0
"""Sequences: rows with offsets (LoD), which come from embeddings and go through operators that need or change them."""

from programs.writer import OPERATORS, PROGRAM, float32, rule, rules, whole

WEIGHT = 5.0


def start(w):
    group = w.fresh("lod")
    lod, rows, count = w.sequences(group)
    ids = w.input("int64", (rows, 1), lod, lo=0, hi=19)
    embedding.write(w, ids)
    if w.r.maybe(0.6):
        other, other_rows, _ = w.sequences(group)
        w.input("float32", (other_rows, w.r.pick(4, 6, 8)), other)
    if w.r.maybe(0.4):
        w.input("float32", (count, w.r.pick(4, 6, 8)))
    if w.r.maybe(0.4):
        w.input("int64", (rows, 1), lod, lo=0, hi=19)


def rows(v):
    return float32(2, 2, lod=True, static=(1,))(v) and v.dims[1] <= 48


def ids(v):
    return whole(2, 2, lod=True)(v) and v.dims[1] == 1 and v.dtype == "int64" and v.size == 19


def count_of(lod):
    return "count(%s)" % lod.split("/")[0]


@rule(ids, weight=2.0, forms=OPERATORS)
def embedding(w, x):
    n = w.r.pick(4, 6, 8)
    attributes = {"padding_idx": w.r.pick(-1, -1, 3), "is_sparse": False, "is_distributed": False}
    w.operator(
        "lookup_table",
        {"Ids": x, "W": w.param(20, n, lo=-1, hi=1)},
        {"Out": ("float32", (x.dims[0], n), x.lod, 1)},
        attributes,
    )


@rule(ids, weight=1.0, forms=OPERATORS)
def embedding_v2(w, x):
    """The newer embedding adds an axis, which goes again."""
    n = w.r.pick(4, 8)
    v = w.call(
        "f.embedding(x, y)", {"x": x, "y": w.param(20, n, lo=-1, hi=1)}, ("float32", (x.dims[0], 1, n), x.lod, 1)
    )
    w.call("p.squeeze(x, 1)", {"x": v}, ("float32", (x.dims[0], n), x.lod, 1))


@rule(rows, weight=3.0, forms=OPERATORS)
def fc(w, x):
    """fc in its three spellings, with an activation."""
    n = w.r.pick(1, 4, 6, 8)
    out = {"Out": ("float32", (x.dims[0], n), x.lod, 1.5 * x.size)}
    kind, attributes = w.r.pick(("mul", {"x_num_col_dims": 1, "y_num_col_dims": 1}), ("matmul", {}), ("matmul_v2", {}))
    v = w.operator(kind, {"X": x, "Y": w.param(x.dims[1], n)}, out, attributes)
    v = w.operator("elementwise_add", {"X": v, "Y": w.param(n)}, out, {"axis": w.r.pick(1, -1)})
    if w.r.maybe(0.6):
        w.operator(w.r.pick("relu", "tanh", "sigmoid"), {"X": v}, out)


@rule(rows, weight=3.0, forms=OPERATORS)
def sequence_pool(w, x):
    kind = w.r.pick("SUM", "AVERAGE", "SQRT", "MAX", "LAST", "FIRST")
    out = {"Out": ("float32", (count_of(x.lod), x.dims[1]), None, x.size * (6 if kind in ("SUM", "SQRT") else 1))}
    w.operator("sequence_pool", {"X": x}, out, {"pooltype": kind, "pad_value": 0.0, "is_test": True}, "MaxIndex")


@rule(rows, weight=2.0, forms=OPERATORS)
def sequence_conv(w, x):
    length, n = w.r.int(1, 4), w.r.pick(3, 4, 8)
    attributes = {
        "contextLength": length,
        "contextStart": -w.r.int(0, length - 1),
        "contextStride": 1,
        "paddingTrainable": False,
    }
    slots = {"X": x, "Filter": w.param(length * x.dims[1], n)}
    w.operator("sequence_conv", slots, {"Out": ("float32", (x.dims[0], n), x.lod, 1.5 * x.size)}, attributes)


@rule(rows, weight=1.5, forms=OPERATORS)
def attend(w, x):
    """A weight for each row of a sequence, its softmax, the weighted sum."""
    v = w.operator(
        "mul",
        {"X": x, "Y": w.param(x.dims[1], 1)},
        {"Out": ("float32", (x.dims[0], 1), x.lod, 1.5 * x.size)},
        {"x_num_col_dims": 1, "y_num_col_dims": 1},
    )
    v = w.operator("sequence_softmax", {"X": v}, {"Out": ("float32", (x.dims[0], 1), x.lod, 1)})
    v = w.operator(
        "elementwise_mul",
        {"X": x, "Y": v},
        {"Out": ("float32", x.dims, x.lod, x.size)},
        {"axis": 0 if w.r.maybe() else -1},
    )
    w.operator(
        "sequence_pool",
        {"X": v},
        {"Out": ("float32", (count_of(x.lod), x.dims[1]), None, x.size)},
        {"pooltype": "SUM", "pad_value": 0.0, "is_test": True},
        "MaxIndex",
    )


def pooled(v):
    return float32(2, 2, static=(1,))(v) and str(v.dims[0]).startswith("count(") and v.lod is None


@rule(pooled, rows, weight=3.0, forms=OPERATORS)
def expand(w, x, y):
    """One row for each sequence, repeated as long as a sequence of the other operand is."""
    if x.dims[0] != count_of(y.lod):
        return
    out = {"Out": ("float32", (y.dims[0], x.dims[1]), y.lod, x.size)}
    if w.form not in PROGRAM or w.r.maybe():
        w.operator(
            "sequence_expand",
            {"X": x, "Y": y},
            {"Out": out["Out"][:2] + (None, x.size)},
            {"ref_level": w.r.pick(0, -1)},
        )
    else:
        w.operator("sequence_expand_as", {"X": x, "Y": y}, out)


@rule(rows, rows, weight=2.0, forms=PROGRAM)
def sequence_concat(w, x, y):
    if count_of(x.lod) != count_of(y.lod) or x.dims[1] != y.dims[1]:
        return
    lod = "%s/(%s+%s)" % (x.lod.split("/")[0], x.lod, y.lod)
    total = w.derived("rows(%s)" % lod, 2)
    w.operator("sequence_concat", {"X": [x, y]}, {"Out": ("float32", (total, x.dims[1]), lod, max(x.size, y.size))})


@rule(rows, weight=1.5, forms=PROGRAM)
def sequence_reverse(w, x):
    w.operator("sequence_reverse", {"X": x}, {"Y": ("float32", x.dims, x.lod, x.size)})


@rule(rows, weight=2.0, forms=PROGRAM)
def pad_and_back(w, x):
    """To a padded batch, something there, and back."""
    n = x.dims[1]
    value = w.call("p.full([1], %r, 'float32')" % w.r.pick(0.0, 0.5), {}, ("float32", (1,), None, 1))
    longest = w.derived("longest(%s)" % x.lod, 1)
    padded = ("float32", (count_of(x.lod), longest, n), None, x.size)
    v, length = w.operator(
        "sequence_pad",
        {"X": x, "PadValue": value},
        {"Out": padded, "Length": ("int64", (count_of(x.lod),), None, 9)},
        {"padded_length": -1},
    )
    if w.r.maybe(0.7):
        v = w.call(
            w.r.pick("p.tanh(x)", "x * 0.5 + 0.1", "p.cumsum(x, axis=1) * 0.25", "f.softmax(x, axis=1)"),
            {"x": v},
            padded,
        )
    if w.r.maybe(0.6):
        w.operator("sequence_unpad", {"X": v, "Length": length}, {"Out": ("float32", x.dims, x.lod, x.size)})
    if w.r.maybe(0.4):
        mask = w.operator(
            "sequence_mask",
            {"X": length},
            {"Y": ("float32", (count_of(x.lod), longest), None, 1)},
            {"maxlen": -1, "out_dtype": 5},
        )
        w.call(
            "p.sum(x * p.unsqueeze(y, -1), axis=1)",
            {"x": v, "y": mask},
            ("float32", (count_of(x.lod), n), None, 6 * x.size),
        )


@rule(rows, rows, weight=1.0, forms=PROGRAM)
def lod_reset(w, x, y):
    """The offsets of another value with as many rows."""
    if x.dims[0] == y.dims[0]:
        w.operator("lod_reset", {"X": x, "Y": y}, {"Out": ("float32", x.dims, y.lod, x.size)})


@rule(rows, weight=0.7, forms=PROGRAM)
def lod_from_data(w, x):
    """Offsets computed from the number of rows: a sequence of one row, then the others; they may be empty."""
    offsets = w.call(
        "p.concat([p.zeros([1], 'int32'), p.ones([1], 'int32'), p.cast(p.shape(x)[0:1], 'int32')])",
        {"x": x},
        ("int32", (3,), None, 1001),
    )
    group = w.fresh("lod")
    w.operator("lod_reset", {"X": x, "Y": offsets}, {"Out": ("float32", x.dims, "%s/0" % group, x.size)})


@rule(rows, weight=0.8, forms=PROGRAM)
def sequence_reshape(w, x):
    n = x.dims[1]
    if n % 2 == 0:
        lod = "%s/half(%s)" % (x.lod.split("/")[0], x.lod)
        w.operator(
            "sequence_reshape",
            {"X": x},
            {"Out": ("float32", (w.derived("rows(%s)" % lod, 2), n // 2), lod, x.size)},
            {"new_dim": n // 2},
        )


@rule(rows, weight=0.8, forms=PROGRAM)
def sequence_slice(w, x):
    """The first row of each sequence, as sequences."""
    zeros = w.operator(
        "sequence_pool",
        {"X": x},
        {"Out": ("float32", (count_of(x.lod), x.dims[1]), None, x.size)},
        {"pooltype": "FIRST", "is_test": True},
        "MaxIndex",
    )
    first = w.call("p.cast(x[:, 0:1] * 0.0, 'int64')", {"x": zeros}, ("int64", (count_of(x.lod), 1), None, 1001))
    one = w.call("x + 1", {"x": first}, ("int64", (count_of(x.lod), 1), None, 1001))
    lod = "%s/one(%s)" % (x.lod.split("/")[0], x.lod)
    w.operator(
        "sequence_slice",
        {"X": x, "Offset": first, "Length": one},
        {"Out": ("float32", (count_of(x.lod), x.dims[1]), lod, x.size)},
    )


@rule(ids, weight=0.8, forms=PROGRAM)
def sequence_enumerate(w, x):
    n = w.r.int(2, 3)
    v = w.operator(
        "sequence_enumerate", {"X": x}, {"Out": ("int64", (x.dims[0], n), x.lod, 19)}, {"win_size": n, "pad_value": 0}
    )
    size = w.r.pick(4, 6)
    e = w.call(
        "f.embedding(x, y)", {"x": v, "y": w.param(20, size, lo=-1, hi=1)}, ("float32", (x.dims[0], n, size), x.lod, 1)
    )
    w.call("p.reshape(x, [-1, %d])" % (n * size), {"x": e}, ("float32", (x.dims[0], n * size), x.lod, 1))


@rule(ids, weight=0.6, forms=PROGRAM)
def sequence_erase(w, x):
    """Rows without some tokens; sequences may become empty."""
    lod = "%s/%s" % (x.lod.split("/")[0], w.fresh("l"))
    w.operator(
        "sequence_erase",
        {"X": x},
        {"Out": ("int64", (w.derived("rows(%s)" % lod, 0), 1), lod, 19)},
        {"tokens": [w.r.int(0, 19) for _ in range(3)]},
    )


def state(w, x, hidden):
    """A value that can be a first state: one row for each sequence."""
    fitting = [v for v in w.values if v.dtype == "float32" and v.dims == (count_of(x.lod), hidden)]
    return w.r.pick(*fitting) if fitting and w.r.maybe(0.5) else None


@rule(rows, weight=2.5, forms=OPERATORS)
def lstm(w, x):
    hidden = w.r.pick(3, 4, 8)
    gates = w.operator(
        "mul",
        {"X": x, "Y": w.param(x.dims[1], 4 * hidden)},
        {"Out": ("float32", (x.dims[0], 4 * hidden), x.lod, 1.5 * x.size)},
        {"x_num_col_dims": 1, "y_num_col_dims": 1},
    )
    if w.r.maybe():
        gates = w.operator(
            "elementwise_add",
            {"X": gates, "Y": w.param(4 * hidden)},
            {"Out": ("float32", gates.dims, x.lod, 1.5 * x.size + 0.5)},
            {"axis": 1},
        )
    peepholes = w.r.maybe()
    slots = {
        "Input": gates,
        "Weight": w.param(hidden, 4 * hidden),
        "Bias": w.param(1, (7 if peepholes else 4) * hidden, lo=-0.5, hi=0.5),
    }
    first = state(w, x, hidden)
    if first:
        slots.update(H0=first, C0=first)
    attributes = {
        "use_peepholes": peepholes,
        "is_reverse": w.r.maybe(),
        "is_test": True,
        "gate_activation": "sigmoid",
        "cell_activation": "tanh",
        "candidate_activation": "tanh",
    }
    out = ("float32", (x.dims[0], hidden), x.lod, 1)
    w.operator("lstm", slots, {"Hidden": out, "Cell": out[:3] + (6,)}, attributes, "BatchGate BatchCellPreAct")


@rule(rows, weight=2.5, forms=OPERATORS)
def gru(w, x):
    hidden = w.r.pick(3, 4, 8)
    gates = w.operator(
        "mul",
        {"X": x, "Y": w.param(x.dims[1], 3 * hidden)},
        {"Out": ("float32", (x.dims[0], 3 * hidden), x.lod, 1.5 * x.size)},
        {"x_num_col_dims": 1, "y_num_col_dims": 1},
    )
    if w.r.maybe():
        gates = w.operator(
            "elementwise_add",
            {"X": gates, "Y": w.param(3 * hidden)},
            {"Out": ("float32", gates.dims, x.lod, 1.5 * x.size + 0.5)},
            {"axis": 1},
        )
    slots = {"Input": gates, "Weight": w.param(hidden, 3 * hidden)}
    if w.r.maybe(0.7):
        slots["Bias"] = w.param(1, 3 * hidden, lo=-0.5, hi=0.5)
    first = state(w, x, hidden)
    if first:
        slots["H0"] = first
    attributes = {
        "activation": "tanh",
        "gate_activation": "sigmoid",
        "is_reverse": w.r.maybe(),
        "origin_mode": w.r.maybe(),
        "is_test": True,
    }
    w.operator(
        "gru",
        slots,
        {"Hidden": ("float32", (x.dims[0], hidden), x.lod, 1)},
        attributes,
        "BatchGate BatchResetHiddenPrev BatchHidden",
    )


@rule(rows, rows, weight=2.0, forms=OPERATORS)
def side_by_side(w, x, y):
    """Two values of the same rows: a sum, or columns side by side (a bidirectional network)."""
    if x.dims[0] != y.dims[0]:
        return
    if x.dims[1] == y.dims[1] and w.r.maybe():
        w.call("x + y", {"x": x, "y": y}, ("float32", x.dims, x.lod, x.size + y.size))
    else:
        w.call(
            "p.concat([x, y], axis=1)",
            {"x": x, "y": y},
            ("float32", (x.dims[0], x.dims[1] + y.dims[1]), x.lod, max(x.size, y.size)),
        )


@rule(rows, weight=0.5, forms=PROGRAM)
def row_conv(w, x):
    w.operator(
        "row_conv",
        {"X": x, "Filter": w.param(w.r.int(1, 3), x.dims[1], lo=-0.6, hi=0.6)},
        {"Out": ("float32", x.dims, x.lod, 2 * x.size)},
    )


@rule(rows, weight=0.6, forms=PROGRAM)
def tags(w, x):
    """A tagger's end: emissions, then the best path."""
    n = w.r.int(3, 5)
    v = w.operator(
        "mul",
        {"X": x, "Y": w.param(x.dims[1], n)},
        {"Out": ("float32", (x.dims[0], n), x.lod, 1.5 * x.size)},
        {"x_num_col_dims": 1, "y_num_col_dims": 1},
    )
    w.operator(
        "crf_decoding",
        {"Emission": v, "Transition": w.param(n + 2, n, lo=-1, hi=1)},
        {"ViterbiPath": ("int64", (x.dims[0], 1), x.lod, 1001)},
    )


TABLE = rules(globals())
