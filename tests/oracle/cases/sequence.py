# SPDX-License-Identifier: Apache-2.0
"""Operators on sequences: tensors with offsets (LoD) and their padded successors.

An empty sequence gives `pad_value` in sequence_pool for every pool type.
"""

import numpy as np

from notation import op


def rows(r, width=None, dtype="float32", sequences=None, low=1):
    """A tensor [total, width] of a few sequences."""
    lod = r.offsets(sequences or r.int(1, 4), low)
    shape = [lod[-1], width or r.int(1, 6)]
    return r.f(shape, lod=[lod]) if dtype == "float32" else r.i(shape, lo=0, hi=9, dtype=dtype, lod=[lod])


def lstm(r):
    hidden = r.pick(1, 2, 3, 5, 8, 9)
    x = rows(r, 4 * hidden)
    peepholes, sequences = r.maybe(), len(x.lod[0]) - 1
    case = dict(
        Input=x,
        Weight=r.w(hidden, 4 * hidden),
        Bias=r.w(1, (7 if peepholes else 4) * hidden),
        use_peepholes=peepholes,
        is_reverse=r.maybe(),
        is_test=True,
        gate_activation="sigmoid",
        cell_activation=r.pick("tanh", "tanh", "relu"),
        candidate_activation=r.pick("tanh", "tanh", "relu"),
    )
    if r.maybe(0.4):
        case.update(H0=r.f(sequences, hidden), C0=r.f(sequences, hidden))
    return case


def gru(r):
    hidden = r.pick(1, 2, 3, 5, 8, 9)
    x = rows(r, 3 * hidden)
    case = dict(
        Input=x,
        Weight=r.w(hidden, 3 * hidden),
        activation=r.pick("tanh", "tanh", "relu"),
        gate_activation="sigmoid",
        is_reverse=r.maybe(),
        origin_mode=r.maybe(),
        is_test=True,
    )
    if r.maybe(0.7):
        case["Bias"] = r.w(1, 3 * hidden)
    if r.maybe(0.4):
        case["H0"] = r.f(len(x.lod[0]) - 1, hidden)
    return case


def sequence_pool(r):
    kind = r.turn("SUM", "AVERAGE", "SQRT", "MAX", "LAST", "FIRST")
    return dict(X=rows(r, low=0 if r.maybe(0.3) else 1), pooltype=kind, pad_value=r.pick(0.0, 1.5), is_test=True)


def sequence_conv(r):
    x, length = rows(r), r.int(1, 4)
    return dict(
        X=x,
        Filter=r.w(length * x.shape[1], r.int(1, 6)),
        contextLength=length,
        contextStart=-r.int(0, length - 1),
        contextStride=1,
        paddingTrainable=False,
    )


def sequence_expand(r):
    reference = r.offsets(r.int(1, 4), 0 if r.maybe(0.3) else 1, 3)
    y = r.f(reference[-1], 1, lod=[reference])
    count = len(reference) - 1
    if r.maybe():
        return dict(X=r.f(count, r.int(1, 4)), Y=y, ref_level=r.pick(0, -1))
    x = rows(r, sequences=count)
    return dict(X=x, Y=y, ref_level=0)


def sequence_expand_as(r):
    reference = r.offsets(r.int(1, 4), 1, 3)
    return dict(X=r.f(len(reference) - 1, r.int(1, 4)), Y=r.f(reference[-1], 1, lod=[reference]))


def sequence_softmax(r):
    return dict(X=rows(r, 1))


def sequence_mask(r):
    x = r.i(r.shape(1, 2, elements=20), lo=0, hi=6, dtype=r.pick("int64", "int32"))
    case = dict(X=x, maxlen=r.turn(-1, 7, 9), out_dtype=r.pick(2, 3, 5, 0))
    if r.index % 4 == 3:
        case["MaxLenTensor"] = r.v([8], "int32")
    return case


def sequence_pad(r):
    x = rows(r)
    longest = max(b - a for a, b in zip(x.lod[0], x.lod[0][1:]))
    return dict(X=x, PadValue=r.f(r.pick([1], x.shape[1:])), padded_length=r.pick(-1, longest, longest + 2))


def sequence_unpad(r):
    n, most = r.int(1, 4), r.int(1, 5)
    return dict(X=r.f([n, most] + r.pick([], [r.int(1, 4)])), Length=r.i(n, lo=1, hi=most))


def one(name="X"):
    def make(r):
        return {name: rows(r, dtype=r.pick("float32", "int64"))}

    return make


def sequence_concat(r):
    sequences, width = r.int(1, 3), r.int(1, 4)
    return dict(X=[rows(r, width, sequences=sequences) for _ in range(r.int(1, 3))])


def sequence_reshape(r):
    lod = [0] + [int(v) * 2 for v in np.cumsum(r.random.randint(1, 4, r.int(1, 3)))]
    return dict(X=r.f(lod[-1], 3, lod=[lod]), new_dim=r.pick(6, 3, 1, 2))


def sequence_slice(r):
    x = rows(r, low=2)
    lengths = [b - a for a, b in zip(x.lod[0], x.lod[0][1:])]
    offsets = [r.int(0, n - 1) for n in lengths]
    return dict(
        X=x,
        Offset=r.v([[o] for o in offsets], "int64"),
        Length=r.v([[r.int(1, n - o)] for n, o in zip(lengths, offsets)], "int64"),
    )


def sequence_enumerate(r):
    return dict(X=rows(r, 1, r.pick("int64", "int32")), win_size=r.int(1, 4), pad_value=r.int(0, 3))


def sequence_erase(r):
    return dict(X=rows(r, 1, r.pick("int64", "int32"), low=2), tokens=[r.int(0, 9) for _ in range(r.int(1, 3))])


def sequence_scatter(r):
    lod = r.offsets(r.int(1, 3), 1, 3)
    width = r.int(3, 6)
    return dict(
        X=r.f(len(lod) - 1, width),
        Ids=r.i(lod[-1], 1, lo=0, hi=width - 1, lod=[lod]),
        Updates=r.f(lod[-1], 1, lod=[lod]),
    )


def im2sequence(r):
    kernel = [r.int(1, 3), r.int(1, 3)]
    return dict(
        X=r.f(r.int(1, 2), r.int(1, 3), kernel[0] + r.int(0, 4), kernel[1] + r.int(0, 4)),
        kernels=kernel,
        strides=[r.int(1, 2), r.int(1, 2)],
        paddings=[r.int(0, 1) for _ in range(4)],
    )


def lod_reset(r):
    total = r.int(2, 8)
    cut = r.int(1, total - 1)
    kind = r.turn("attribute", "tensor", "lod")
    case = dict(X=r.f(total, 2, lod=[[0, total]]).fixed())
    if kind == "attribute":
        case["target_lod"] = [0, cut, total]
    elif kind == "tensor":
        case["Y"] = r.v([0, cut, total], "int32")
    else:
        case["Y"] = r.f(total, 1, lod=[[0, cut, total]]).fixed()
    return case


def crf_decoding(r):
    tags = r.int(2, 6)
    transition = r.w(tags + 2, tags)
    if r.index % 3 == 2:
        n, most = r.int(1, 3), r.int(1, 5)
        return dict(Emission=r.f(n, most, tags).fixed(), Transition=transition, Length=r.i(n, lo=1, hi=most).fixed())
    return dict(Emission=rows(r, tags), Transition=transition)


def viterbi_decode(r):
    n, most, tags = r.int(1, 3), r.int(2, 6), r.int(3, 6)
    return dict(
        Input=r.f(n, most, tags),
        Transition=r.f(tags, tags),
        Length=r.i(n, lo=1, hi=most),
        include_bos_eos_tag=r.maybe(),
    )


def ctc_align(r):
    blank, merge = r.pick(0, 3), r.maybe(0.7)
    if r.index % 2:
        n, most = r.int(1, 3), r.int(2, 7)
        return dict(
            Input=r.i(n, most, lo=0, hi=4, dtype="int32"),
            InputLength=r.i(n, 1, lo=1, hi=most),
            blank=blank,
            merge_repeated=merge,
            padding_value=r.pick(0, -1),
            _out={"Output": 1, "OutputLength": 1},
        )
    lod = r.offsets(r.int(1, 3), 2, 6)
    return dict(
        Input=r.i(lod[-1], 1, lo=0, hi=4, dtype="int32", lod=[lod]),
        blank=blank,
        merge_repeated=merge,
        padding_value=0,
        _out={"Output": 1},
    )


def beam_search(r):
    sources, beam, k = r.int(1, 3), r.int(1, 3), 4
    n = sources * beam
    lod = [[0] + [beam * (i + 1) for i in range(sources)], list(range(n + 1))]
    pre_ids = r.i(n, 1, lo=1, hi=9, lod=lod)
    if r.maybe(0.4):
        pre_ids.array[r.int(0, n - 1)] = 0  # a finished beam
    scores = r.distinct(n, k, lo=-4, hi=-0.1)
    scores.lod = lod
    ids = r.t(np.stack([r.random.permutation(9)[:k] + 1 for _ in range(n)]), "int64", lod=lod)
    return dict(
        pre_ids=pre_ids,
        pre_scores=r.f(n, 1, lo=-2, hi=-0.1, lod=lod),
        ids=ids,
        scores=scores,
        level=0,
        beam_size=beam,
        end_id=0,
        is_accumulated=r.maybe(0.7),
    )


def cvm(r):
    x = rows(r, r.int(3, 7), sequences=None)
    return dict(
        X=r.t(abs(x.array) + 0.1, lod=x.lod), CVM=r.f(len(x.array), 2, lo=0.1, hi=2), use_cvm=r.turn(True, False)
    )


def embedding_pool(r):
    lod, vocabulary = r.offsets(r.int(1, 3)), r.int(3, 9)
    return dict(
        W=r.w(vocabulary, r.int(1, 6)),
        Ids=r.i(lod[-1], 1, lo=0, hi=vocabulary - 1, lod=[lod]),
        combiner="sum",
        padding_idx=-1,
        is_sparse=False,
    )


def match_matrix(r):
    # With two widths Paddle reads beyond its products.
    sequences, width, t = r.int(1, 3), r.int(1, 4), r.int(1, 3)
    x, y = rows(r, width, sequences=sequences), rows(r, width, sequences=sequences)
    return dict(X=x, Y=y, W=r.w(width, t, width), dim_t=t)


def lengths_of(r, count, most):
    return r.v([r.int(1, most) for _ in range(count)], "int64")


def edit_distance(r):
    normalized = r.maybe()
    if r.index % 2:
        n, most = r.int(1, 4), r.int(2, 6)
        return dict(
            Hyps=r.i(n, most, lo=0, hi=3).fixed(),
            Refs=r.i(n, most, lo=0, hi=3).fixed(),
            HypsLength=lengths_of(r, n, most),
            RefsLength=lengths_of(r, n, most),
            normalized=normalized,
        )
    sequences = r.int(1, 4)
    hyps, refs = r.offsets(sequences, 0), r.offsets(sequences)
    return dict(
        Hyps=r.i(hyps[-1], 1, lo=0, hi=3, lod=[hyps]) if hyps[-1] else r.i(refs[-1], 1, lo=0, hi=3, lod=[refs]),
        Refs=r.i(refs[-1], 1, lo=0, hi=3, lod=[refs]),
        normalized=normalized,
    )


def fusion_lstm(r):
    width, hidden = r.int(1, 5), r.pick(1, 2, 4, 8)
    x, peepholes = rows(r, width), r.maybe()
    case = dict(
        X=x,
        WeightX=r.w(width, 4 * hidden),
        WeightH=r.w(hidden, 4 * hidden),
        Bias=r.w(1, (7 if peepholes else 4) * hidden),
        use_peepholes=peepholes,
        is_reverse=r.maybe(),
        use_seq=True,
        gate_activation="sigmoid",
        cell_activation="tanh",
        candidate_activation=r.pick("tanh", "relu"),
    )
    if r.maybe(0.4):
        case.update(H0=r.f(len(x.lod[0]) - 1, hidden), C0=r.f(len(x.lod[0]) - 1, hidden))
    return case


def fusion_gru(r):
    width, hidden = r.int(1, 5), r.pick(1, 2, 4, 8)
    x = rows(r, width)
    case = dict(
        X=x,
        WeightX=r.w(width, 3 * hidden),
        WeightH=r.w(hidden, 3 * hidden),
        activation=r.pick("tanh", "relu"),
        gate_activation="sigmoid",
        is_reverse=r.maybe(),
        origin_mode=False,
        use_seq=True,
    )
    if r.maybe(0.7):
        case["Bias"] = r.w(1, 3 * hidden)
    if r.maybe(0.4):
        case["H0"] = r.f(len(x.lod[0]) - 1, hidden)
    return case


def fusion_seqconv(r):
    case = sequence_conv(r)
    case.pop("paddingTrainable")
    return dict(case, Bias=r.w(1, case["Filter"].shape[1]))


def fusion_seqexpand(r):
    first = rows(r, r.int(1, 4))
    count = len(first.lod[0]) - 1
    one_each = [list(range(count + 1))]
    others = [r.f(count, r.int(1, 4), lod=one_each) for _ in range(r.int(1, 2))]
    width, height = r.int(1, 5), first.shape[1] + sum(x.shape[1] for x in others)
    case = dict(
        X=[first] + others,
        FCWeight=r.w(height, width),
        fc_activation=r.pick("identity", "relu", "tanh", "sigmoid"),
    )
    if r.maybe(0.7):
        case["FCBias"] = r.w(*r.pick([width], [1, width]))
    return case


def fusion_seqpool(r):
    sequences, width = r.int(1, 3), r.int(2, 5)
    return dict(
        X=[rows(r, width, sequences=sequences) for _ in range(r.int(2, 3))],
        pooltype=r.turn("SUM", "AVERAGE", "SQRT"),
        axis=1,
    )


def fusion_seqpool_cvm(r):
    case = fusion_seqpool(r)
    for x in case["X"]:
        x.array = abs(x.array)
    return dict(case, CVM=r.f(len(case["X"][0].lod[0]) - 1, 2, lo=0.1, hi=2), use_cvm=True)


def hash_(r):
    return dict(X=rows(r, r.int(1, 3), r.pick("int64", "int32")), num_hash=r.int(1, 4), mod_by=r.pick(1000, 97))


EXACT = dict(exact=True)
LSTM_PARTS = "XX BatchedInput BatchedHidden BatchedCell ReorderedH0 ReorderedC0 CheckedCell"
TABLE = [
    op("lstm", lstm, n=24, out="Hidden Cell", hidden="BatchGate BatchCellPreAct"),
    op("gru", gru, n=24, out="Hidden", hidden="BatchGate BatchResetHiddenPrev BatchHidden"),
    op("sequence_pool", sequence_pool, n=18, hidden="MaxIndex"),
    op("sequence_conv", sequence_conv, n=14),
    op("sequence_expand", sequence_expand, n=14, **EXACT),
    op("sequence_expand_as", sequence_expand_as, n=10, **EXACT),
    op("sequence_softmax", sequence_softmax, n=10),
    op("sequence_mask", sequence_mask, n=12, out="Y", **EXACT),
    op("sequence_pad", sequence_pad, n=12, out="Out Length", **EXACT),
    op("sequence_unpad", sequence_unpad, n=10, **EXACT),
    op("sequence_reverse", one(), n=10, out="Y", **EXACT),
    op("sequence_concat", sequence_concat, n=10, **EXACT),
    op("sequence_reshape", sequence_reshape, n=10, **EXACT),
    op("sequence_slice", sequence_slice, n=10, **EXACT),
    op("sequence_enumerate", sequence_enumerate, n=10, **EXACT),
    op("sequence_erase", sequence_erase, n=10, **EXACT),
    op("sequence_scatter", sequence_scatter, n=10),
    op("im2sequence", im2sequence, n=12, **EXACT),
    op("lod_reset", lod_reset, n=12, **EXACT),
    op("crf_decoding", crf_decoding, n=14, out="ViterbiPath", **EXACT),
    op("viterbi_decode", viterbi_decode, n=12, out="Scores Path"),
    op("ctc_align", ctc_align, n=14, **EXACT),
    op("beam_search", beam_search, n=14, out="selected_ids selected_scores parent_idx"),
    op("cvm", cvm, n=10, out="Y"),
    op("fused_embedding_seq_pool", embedding_pool, n=10),
    op("match_matrix_tensor", match_matrix, n=10, hidden="Tmp"),
    op("hash", hash_, n=10, **EXACT),
    op("edit_distance", edit_distance, n=14, out="Out SequenceNum"),
    op("fusion_lstm", fusion_lstm, n=14, out="Hidden Cell", hidden=LSTM_PARTS),
    op("fusion_gru", fusion_gru, n=14, out="Hidden", hidden="XX BatchedInput BatchedOut ReorderedH0"),
    op("fusion_seqconv_eltadd_relu", fusion_seqconv, n=10, hidden="ColMat"),
    op("fusion_seqexpand_concat_fc", fusion_seqexpand, n=10, hidden="FCOut"),
    op("fusion_seqpool_concat", fusion_seqpool, n=10),
    op("fusion_seqpool_cvm_concat", fusion_seqpool_cvm, n=10),
]
