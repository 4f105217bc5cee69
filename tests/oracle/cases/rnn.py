# SPDX-License-Identifier: Apache-2.0
"""The rnn operator of the 2.x API (padded input) and single steps."""

from notation import op

GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}


def rnn(r):
    mode = r.turn("LSTM", "GRU", "RNN_TANH", "LSTM", "GRU", "RNN_RELU")
    layers, both = r.int(1, 2), r.maybe()
    time, batch, width, hidden = r.int(1, 5), r.int(1, 3), r.int(1, 7), r.pick(1, 2, 3, 5, 8, 9)
    directions, gates = 2 if both else 1, GATES[mode]
    weights, biases = [], []
    for layer in range(layers):
        for _ in range(directions):
            inner = width if layer == 0 else hidden * directions
            weights += [r.w(gates * hidden, inner, lo=-0.5, hi=0.5), r.w(gates * hidden, hidden, lo=-0.5, hi=0.5)]
            biases += [r.w(gates * hidden, lo=-0.5, hi=0.5), r.w(gates * hidden, lo=-0.5, hi=0.5)]
    states = 2 if mode == "LSTM" else 1
    case = dict(
        Input=r.f(time, batch, width).fixed(),
        PreState=[r.f(layers * directions, batch, hidden).fixed() for _ in range(states)],
        WeightList=weights + biases,
        mode=mode,
        num_layers=layers,
        is_bidirec=both,
        input_size=width,
        hidden_size=hidden,
        dropout_prob=0.0,
        is_test=True,
        seed=0,
        _out={"Out": 1, "State": states},
    )
    if r.maybe(0.4):
        case["SequenceLength"] = r.i(batch, lo=1, hi=time, dtype="int32").fixed()
    return case


def gru_unit(r):
    batch, hidden = r.int(1, 4), r.int(1, 6)
    case = dict(
        Input=r.f(batch, 3 * hidden),
        HiddenPrev=r.f(batch, hidden),
        Weight=r.w(hidden, 3 * hidden),
        activation=r.pick(2, 2, 1, 3, 0),
        gate_activation=r.pick(1, 1, 2),
        origin_mode=r.maybe(),
    )
    if r.maybe(0.7):
        case["Bias"] = r.w(1, 3 * hidden)
    return case


TABLE = [
    op("rnn", rnn, n=40, hidden="DropoutState Reserve"),
    op("gru_unit", gru_unit, n=14, out="Hidden", hidden="Gate ResetHiddenPrev"),
]
