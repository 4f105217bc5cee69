# SPDX-License-Identifier: Apache-2.0
"""Pieces of transformers and of recurrent networks on padded batches."""

from programs.writer import OPERATORS, float32, rule, rules

WEIGHT = 2.0
GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}


def start(w):
    width = w.r.pick(4, 8, 12, 16)
    batch, length = w.symbol(kind="few"), w.symbol()
    if w.r.maybe():
        ids = w.input("int64", (batch, length), lo=0, hi=19)
        w.call(
            "f.embedding(x, y)",
            {"x": ids, "y": w.param(20, width, lo=-1, hi=1)},
            ("float32", (batch, length, width), None, 1),
        )
    else:
        w.input("float32", (batch, length, width))


def tokens(v):
    return float32(3, 3, static=(2,))(v) and v.dims[2] <= 32


def same(x):
    return "float32", x.dims, x.lod, x.size


@rule(tokens, weight=3.0)
def attention(w, x):
    n = x.dims[2]
    heads = w.r.pick(*[h for h in (1, 2, 4) if n % h == 0])
    inner = (x.dims[0], heads, x.dims[1], n // heads)

    def split(v, axis=1):
        weight = w.param(n, n)
        text = "p.transpose(p.reshape(p.matmul(x, y), [0, 0, %d, %d]), [0, 2, 1, 3])" % (heads, n // heads)
        return w.call(text, {"x": v, "y": weight}, ("float32", inner, None, 1.5 * v.size))

    memory = w.like(x)
    q, k, v = split(x), split(memory), split(memory)
    scale = (n // heads) ** -0.5
    scores = w.call(
        "p.matmul(x * %r, y, transpose_y=True)" % scale,
        {"x": q, "y": k},
        ("float32", (x.dims[0], heads, x.dims[1], x.dims[1]), None, 5),
    )
    if w.r.maybe(0.4):
        mask = "x + p.triu(p.full([p.shape(x)[-1], p.shape(x)[-1]], -1e4, 'float32'), 1)"
        scores = w.call(mask, {"x": scores}, ("float32", scores.dims, None, 5))
    probabilities = w.call("f.softmax(x)", {"x": scores}, ("float32", scores.dims, None, 1))
    mixed = w.call("p.matmul(x, y)", {"x": probabilities, "y": v}, ("float32", inner, None, v.size))
    y = w.call(
        "p.reshape(p.transpose(x, [0, 2, 1, 3]), [0, 0, %d])" % n, {"x": mixed}, ("float32", x.dims, None, v.size)
    )
    if w.r.maybe(0.7):
        y = w.call(
            "f.linear(x, y, z)", {"x": y, "y": w.param(n, n), "z": w.param(n)}, ("float32", x.dims, None, 1.5 * v.size)
        )
    if w.r.maybe(0.7):
        y = w.call("x + y", {"x": y, "y": x}, ("float32", x.dims, None, y.size + x.size))
        w.call(
            "f.layer_norm(x, [%d], y, z)" % n,
            {"x": y, "y": w.param(n, lo=0.5, hi=1.5), "z": w.param(n)},
            ("float32", x.dims, None, 5),
        )


@rule(tokens, weight=2.0)
def feed_forward(w, x):
    n, m = x.dims[2], 2 * x.dims[2]
    act = w.r.pick("f.gelu(x)", "f.relu(x)", "f.silu(x)")
    v = w.call(
        "f.linear(x, y, z)",
        {"x": x, "y": w.param(n, m), "z": w.param(m)},
        ("float32", x.dims[:2] + (m,), None, 1.5 * x.size),
    )
    v = w.call(act, {"x": v}, same(v))
    v = w.call(
        "p.matmul(x, y) + z", {"x": v, "y": w.param(m, n), "z": w.param(n)}, ("float32", x.dims, None, 1.5 * v.size)
    )
    w.call("x + y", {"x": x, "y": v}, ("float32", x.dims, None, x.size + v.size))


@rule(tokens, weight=1.0)
def positions(w, x):
    n = x.dims[2]
    w.call(
        "x + f.embedding(p.arange(0, p.shape(x)[1], 1, 'int64') % 16, y)",
        {"x": x, "y": w.param(16, n, lo=-0.5, hi=0.5)},
        ("float32", x.dims, None, x.size + 0.5),
    )


@rule(tokens, weight=1.0)
def first_token(w, x):
    w.call("x[:, 0]", {"x": x}, ("float32", (x.dims[0], x.dims[2]), None, x.size))


@rule(tokens, weight=1.0)
def gate(w, x):
    y = w.like(x)
    w.call("x * f.sigmoid(y) + y * (1.0 - f.sigmoid(y))", {"x": x, "y": y}, ("float32", x.dims, None, x.size + y.size))


@rule(tokens, weight=1.0)
def conv1d(w, x):
    n = x.dims[2]
    m = w.r.pick(4, 8)
    text = "p.transpose(f.conv1d(p.transpose(x, [0, 2, 1]), y, padding=1), [0, 2, 1])"
    w.call(text, {"x": x, "y": w.param(m, n, 3, lo=-0.4, hi=0.4)}, ("float32", x.dims[:2] + (m,), None, 2 * x.size))


@rule(tokens, weight=2.5, forms=OPERATORS)
def recurrent(w, x):
    """The rnn operator: steps first, states of zeros or of the batch's size."""
    mode, layers, both = w.r.pick("LSTM", "GRU", "RNN_TANH", "RNN_RELU"), w.r.pick(1, 1, 2), w.r.maybe()
    hidden, directions, width = w.r.pick(3, 4, 8), 2 if both else 1, x.dims[2]
    weights, biases = [], []
    for layer in range(layers):
        for _ in range(directions):
            inner = width if layer == 0 else hidden * directions
            weights += [w.param(GATES[mode] * hidden, size, lo=-0.4, hi=0.4) for size in (inner, hidden)]
            biases += [w.param(GATES[mode] * hidden, lo=-0.4, hi=0.4) for _ in range(2)]
    steps = w.call("p.transpose(x, [1, 0, 2])", {"x": x}, ("float32", (x.dims[1], x.dims[0], width), None, x.size))
    shape = [layers * directions, -1, hidden]
    attributes = {"shape": shape, "dtype": 5, "value": w.r.pick(0.0, 0.25), "input_dim_idx": 1, "output_dim_idx": 1}
    state = ("float32", (layers * directions, x.dims[0], hidden), None, 1)
    states = [
        w.operator("fill_constant_batch_size_like", {"Input": steps}, {"Out": state}, attributes)
        for _ in range(2 if mode == "LSTM" else 1)
    ]
    slots = {"Input": steps, "PreState": states, "WeightList": weights + biases}
    if w.r.maybe(0.3):
        most = w.call(
            "p.cast(p.full_like(x[0, :, 0], 1.0) * 2.0, 'int32') * 0 + p.shape(x)[0]",
            {"x": steps},
            ("int32", (x.dims[0],), None, 9),
        )
        slots["SequenceLength"] = most
    options = {
        "mode": mode,
        "num_layers": layers,
        "is_bidirec": both,
        "input_size": width,
        "hidden_size": hidden,
        "dropout_prob": 0.0,
        "is_test": True,
        "seed": 0,
    }
    rnn(w, slots, options, (x.dims[1], x.dims[0], hidden * directions), state)


def rnn(w, slots, options, dims, state):
    out = w.value("float32", dims, None, 9)
    states = [w.value(*state) for _ in slots["PreState"]]
    hidden = [w.fresh("h"), w.fresh("h")]
    w.body.append(
        {
            "op": "rnn",
            "in": {
                s: [x if isinstance(x, str) else x.name for x in (v if isinstance(v, list) else [v])]
                for s, v in slots.items()
            },
            "out": {
                "Out": [out.name],
                "State": [v.name for v in states],
                "DropoutState": hidden[:1],
                "Reserve": hidden[1:],
            },
            "at": options,
            "dtype": {},
        }
    )
    w.add([out] + states)
    w.call("p.transpose(x, [1, 0, 2])", {"x": out}, ("float32", (dims[1], dims[0], dims[2]), None, 9))


TABLE = rules(globals())
