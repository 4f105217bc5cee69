# SPDX-License-Identifier: Apache-2.0
"""Decompositions of matrices, and functions and random numbers that few models have.

Signs of singular and eigenvectors are arbitrary: where these are results, only the product that gives the matrix again
is compared. Random operators are asked for what leaves nothing to chance.
"""

import numpy as np

from notation import api, op


def matrices(r, square=False, wide=None, dtype="float32"):
    head = r.pick([], [], [r.int(1, 3)], [2, 2])
    m = r.int(1, 7)
    n = m if square else r.int(1, 7)
    return r.f(head + [m, n], dtype=dtype)


def either(r, **more):
    return matrices(r, dtype=r.pick("float32", "float32", "float64"), **more)


def qr(r):
    case = dict(X=either(r), mode=r.turn("reduced", "complete", "r"))
    return dict(case, _out={"R": 1}, _hidden={"Q": 1}) if case["mode"] == "r" else case


def svd(r):
    return dict(X=either(r), full_matrices=r.maybe())


def symmetric(r):
    x = either(r, square=True).array
    return r.t((x + np.swapaxes(x, -1, -2)) / 2)


def eigh(r):
    """Another triangle than the one that counts holds anything."""
    x = symmetric(r).array
    uplo = r.turn("L", "U")
    junk = r.f(x.shape).array
    keep = np.tril(x) if uplo == "L" else np.triu(x)
    return dict(X=r.t(keep + (np.triu(junk, 1) if uplo == "L" else np.tril(junk, -1)), str(x.dtype)), UPLO=uplo)


def lu(r):
    return dict(X=either(r), pivots=True)


def lu_unpack(r):
    x = either(r)
    head, (m, n) = x.shape[:-2], x.shape[-2:]
    k = min(m, n)
    pivots = np.stack([r.random.randint(i, m, head) + 1 for i in range(k)], -1)
    return dict(X=x, Pivots=r.t(pivots, "int32"), unpack_ludata=True, unpack_pivots=True)


def lstsq(r):
    n = r.int(1, 4)
    m = n + r.int(1, 4)
    head = r.pick([], [2])
    return dict(X=r.f(head + [m, n]), Y=r.f(head + [m, r.int(1, 3)]), rcond=1e-6, driver=r.turn("gelsd", "gelss"))


def matrix_rank(r):
    n, k = r.int(2, 6), r.int(1, 6)
    x = r.f(n, min(k, n)).array @ r.f(min(k, n), n).array
    hermitian = r.maybe(0.4)
    if hermitian:
        x = x @ x.T
    default = r.maybe()
    return dict(X=r.t(x, "float32"), tol=0.0 if default else 0.1, use_default_tol=default, hermitian=hermitian)


def attention_lstm(r):
    m, d = r.int(1, 5), r.int(1, 4)
    lod = r.offsets(r.int(1, 3))
    n = len(lod) - 1
    case = dict(
        X=r.f(lod[-1], m, lod=[lod]),
        C0=r.f(n, d),
        AttentionWeight=r.w(m + d, 1),
        LSTMWeight=r.w(d + m, 4 * d),
        LSTMBias=r.w(1, 4 * d),
    )
    if r.maybe():
        case["H0"] = r.f(n, d)
    if r.maybe():
        case["AttentionBias"] = r.w(1, 1)
    if r.index % 3 == 0:
        case.update(AttentionScalar=r.w(1, 1), AttentionScalarBias=r.w(1, 1))
    return dict(case, gate_activation="sigmoid", cell_activation=r.pick("tanh", "relu"), candidate_activation="tanh")


def fused_embedding_fc_lstm(r):
    rows, d = r.int(2, 9), r.int(1, 4)
    lod = r.offsets(r.int(1, 3))
    peepholes = r.maybe()
    case = dict(
        Ids=r.i(lod[-1], 1, lo=0, hi=rows - 1, lod=[lod]),
        Embeddings=r.w(rows, 4 * d),
        WeightH=r.w(d, 4 * d),
        Bias=r.w(1, (7 if peepholes else 4) * d),
        use_peepholes=peepholes,
        is_reverse=r.maybe(),
        use_seq=True,
        gate_activation="sigmoid",
        cell_activation="tanh",
        candidate_activation="tanh",
    )
    if r.maybe():
        case.update(H0=r.f(len(lod) - 1, d), C0=r.f(len(lod) - 1, d))
    return case


def lookup_table_dequant(r):
    rows, words = r.int(2, 8), r.int(1, 4)
    data = np.zeros((rows, words + 2), "float32")
    data[:, 0] = r.random.uniform(-2, 0, rows)
    data[:, 1] = r.random.uniform(0, 2, rows)
    # No pattern that is not a number: such a word may change on its way.
    data[:, 2:] = r.random.randint(0, 127, (rows, words, 4)).astype("uint8").view("float32")[..., 0]
    ids = r.i(r.int(1, 6), 1, lo=0, hi=rows - 1)
    return dict(W=r.t(data, param=True), Ids=ids, padding_idx=r.pick(-1, -1, r.int(0, rows - 1)))


def box_decoder_and_assign(r):
    n, classes = r.int(1, 9), r.int(2, 5)
    return dict(
        PriorBox=r.t(r.boxes(n)),
        PriorBoxVar=r.v([0.1, 0.1, 0.2, 0.2], "float32"),
        TargetBox=r.f(n, classes * 4),
        BoxScore=r.distinct(n, classes, lo=0.01, hi=0.99),
        box_clip=4.135,
    )


def weight_quantize(r):
    k, n = 64 * r.int(1, 2), 16 * r.int(1, 3)
    return dict(x=r.f(k, n, dtype="float16"), algo=r.turn("weight_only_int8", "weight_only_int4", "llm.int8"), arch=80)


def batch_fc(r):
    s, n, k, m = r.int(1, 3), r.int(1, 4), r.int(1, 5), r.int(1, 5)
    return dict(Input=r.f(s, n, k), W=r.w(s, k, m), Bias=r.w(s, m))


def gumbel_softmax(r):
    """One logit so far above the others that no noise brings another to the top."""
    x = r.f(r.int(1, 4), r.int(2, 6)).array
    x[np.arange(len(x)), r.random.randint(0, x.shape[1], len(x))] += 200
    return dict(X=r.t(x), temperature=r.pick(0.5, 1.0), hard=r.maybe(), axis=-1)


def sampling_id(r):
    return dict(X=r.t(np.eye(6, dtype="float32")[r.random.randint(0, 6, r.int(1, 9))]), min=0.1, max=0.9, seed=0)


def polygamma(r):
    return dict(x=r.f(r.shape(1, 3), lo=0.3, hi=6, dtype=r.pick("float32", "float64")), n=r.int(0, 4))


def positive(r):
    return r.f(r.int(1, 4), 5, lo=0.1, hi=6)


def image(r):
    return r.f(1, r.int(1, 3), r.int(5, 9), r.int(5, 9))


def volume(r):
    return r.f(2, 3, 4)


def matrix(r):
    return r.f(r.int(2, 5), r.int(2, 5))


def square(r):
    n = r.int(1, 6)
    return r.f(n, n)


def python(name, function, rtol=None, **inputs):
    def make(r):
        return {n: draw(r) for n, draw in inputs.items()}, lambda paddle, **given: function(paddle, r, **given)

    return api(name, make, n=10, rtol=rtol)


def product_of_svd(p, r, x):
    u, s, vh = p.linalg.svd(x, full_matrices=False)
    return p.matmul(u * p.unsqueeze(s, -2), vh)


def product_of_eigh(p, r, x):
    values, vectors = p.linalg.eigh(p.matmul(x, x, transpose_y=True))
    return values, p.matmul(vectors * p.unsqueeze(values, -2), vectors, transpose_y=True)


def sums_of_eigenvalues(p, r, x):
    """What does not depend on their order: the sums of their powers."""
    values = p.linalg.eigvals(x)
    parts = p.as_real(values)
    return p.sum(parts, axis=0), p.sum(p.abs(values) * p.abs(values))


def certain(p, r, x):
    """Random operators that have no choice."""
    zero = p.zeros_like(x)
    return (
        p.poisson(zero),
        p.binomial(p.full([2, 3], 7, "int64"), p.ones([2, 3])),
        p.nn.functional.gumbel_softmax(x * 0 + p.to_tensor([[300.0, 0.0, -300.0]]), hard=True),
    )


def pooled(p, r, x):
    size = [r.int(2, 4), r.int(2, 4)]
    kernel = r.pick(None, [2, 2])
    return p.nn.functional.fractional_max_pool2d(x, size, kernel_size=kernel, random_u=r.num(0.1, 0.9), return_mask=True)


def pooled_volume(p, r, x):
    return p.nn.functional.fractional_max_pool3d(p.unsqueeze(x, 2), [1, 2, 3], random_u=r.num(0.1, 0.9))


TABLE = [
    op("qr", qr, n=14, out="Q R"),
    op("svd", svd, n=12, out="S", hidden="U VH"),
    op("eigh", eigh, n=12, out="Eigenvalues", hidden="Eigenvectors"),
    op("eigvalsh", lambda r: dict(eigh(r), is_test=True), n=12, out="Eigenvalues", hidden="Eigenvectors"),
    op("lu", lu, n=12, out="Out Pivots", hidden="Infos"),
    op("lu_unpack", lu_unpack, n=12, out="Pmat L U"),
    op("lstsq", lstsq, n=12, out="Solution Rank", hidden="Residuals SingularValues"),
    op("matrix_rank", matrix_rank, n=12),
    op("attention_lstm", attention_lstm, n=12, out="Hidden Cell", hidden="AttentionedX AttentionFCOut LSTMX LSTMOUT"),
    op(
        "fused_embedding_fc_lstm",
        fused_embedding_fc_lstm,
        n=12,
        out="Hidden Cell",
        hidden="XX BatchedInput BatchedHidden BatchedCell ReorderedH0 ReorderedC0",
    ),
    op("lookup_table_dequant", lookup_table_dequant, n=12),
    op("box_decoder_and_assign", box_decoder_and_assign, n=12, out="DecodeBox OutputAssignBox", formats="program"),
    op("weight_quantize", weight_quantize, n=12, out="out scale", formats="program"),
    op("gumbel_softmax", gumbel_softmax, n=12),
    op("sampling_id", sampling_id, n=12, formats="program"),
    op("polygamma", polygamma, n=12, out="out"),
    python("api_svd", product_of_svd, x=matrix),
    python("api_pinv", lambda p, r, x: p.linalg.pinv(x), x=matrix),
    python("api_eigh", product_of_eigh, x=square),
    python("api_eigvals", sums_of_eigenvalues, x=square),
    python("api_svdvals", lambda p, r, x: p.linalg.svdvals(x), x=matrix),
    python("api_matrix_rank", lambda p, r, x: p.linalg.matrix_rank(x), x=matrix),
    python("api_gammaincc", lambda p, r, x: p.gammaincc(x, p.flip(x, [0])), x=positive),
    python("api_gammainc", lambda p, r, x: p.gammainc(x, p.flip(x, [0])), x=positive),
    python("api_polygamma", lambda p, r, x: p.polygamma(x, r.int(0, 3)), x=positive),
    python("api_reduce_as", lambda p, r, x, y: p.reduce_as(x, y), x=volume, y=lambda r: r.f(r.pick([3, 4], [4], [3, 1]))),
    python("api_fractional_max_pool2d", pooled, x=image),
    python("api_fractional_max_pool3d", pooled_volume, x=image),
    python("api_random", certain, x=lambda r: r.f(2, 3)),
    python("api_lu", lambda p, r, x: p.linalg.lu(x)[:2], x=square),
    python("api_qr", lambda p, r, x: p.linalg.qr(x), x=matrix),
]
