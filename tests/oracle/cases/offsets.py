# SPDX-License-Identifier: Apache-2.0
"""Sequence offsets of results: some operators take over those of an operand, some where the rows stay, some in PIR."""

from notation import api, op


def offset_rows(r, *tail):
    return r.f(7, *tail, lod=[[0, 2, 3, 7]])


LODS = [
    ("reshape2", "XShape", lambda r: dict(X=offset_rows(r, 6), shape=[0, 2, 3])),
    ("reshape2", "XShape", lambda r: dict(X=offset_rows(r, 6), shape=[-1, 3])),
    ("flatten2", "XShape", lambda r: dict(X=offset_rows(r, 2, 3), axis=1)),
    ("flatten2", "XShape", lambda r: dict(X=offset_rows(r, 2, 3), axis=2)),
    ("flatten_contiguous_range", "XShape", lambda r: dict(X=offset_rows(r, 2, 3), start_axis=1, stop_axis=2)),
    ("squeeze2", "XShape", lambda r: dict(X=offset_rows(r, 1, 3), axes=[1])),
    ("unsqueeze2", "XShape", lambda r: dict(X=offset_rows(r, 3), axes=[1])),
    ("unsqueeze2", "XShape", lambda r: dict(X=offset_rows(r, 3), axes=[0])),
    ("transpose2", "XShape", lambda r: dict(X=offset_rows(r, 2, 3), axis=[0, 2, 1])),
    ("slice", "", lambda r: dict(Input=offset_rows(r, 4), axes=[1], starts=[1], ends=[3])),
    ("slice", "", lambda r: dict(Input=offset_rows(r, 4), axes=[0], starts=[0], ends=[7])),
    ("concat", "", lambda r: dict(X=[offset_rows(r, 2), offset_rows(r, 3)], axis=1)),
    ("concat", "", lambda r: dict(X=[offset_rows(r, 3), r.f(3, 3, lod=[[0, 1, 3]])], axis=0)),
    ("stack", "", lambda r: dict(X=[offset_rows(r, 2), offset_rows(r, 2)], axis=1, _out={"Y": 1})),
    ("split", "", lambda r: dict(X=offset_rows(r, 4), axis=1, num=2, _out={"Out": 2})),
    ("mul", "", lambda r: dict(X=offset_rows(r, 4), Y=r.w(4, 3))),
    ("lookup_table", "", lambda r: dict(Ids=r.i(7, 1, lo=0, hi=5, lod=[[0, 2, 3, 7]]), W=r.w(6, 3))),
    ("matmul_v2", "", lambda r: dict(X=offset_rows(r, 4), Y=r.w(4, 3))),
    ("matmul_v2", "", lambda r: dict(X=offset_rows(r, 7), Y=r.f(7, 3), trans_x=True)),
    ("matmul", "", lambda r: dict(X=offset_rows(r, 4), Y=r.w(4, 3))),
    ("layer_norm", "Mean Variance", lambda r: dict(X=offset_rows(r, 4), begin_norm_axis=1, _out={"Y": 1})),
    ("top_k_v2", "", lambda r: dict(X=offset_rows(r, 4), k=2, _out={"Out": 1, "Indices": 1})),
    ("cumsum", "", lambda r: dict(X=offset_rows(r, 4), axis=1)),
    ("gather", "", lambda r: dict(X=offset_rows(r, 4), Index=r.v([3, 0, 5]))),
    ("where", "", lambda r: dict(Condition=r.b(7, 2), X=offset_rows(r, 2), Y=r.f(7, 2))),
    ("expand_v2", "", lambda r: dict(X=offset_rows(r, 1), shape=[7, 3])),
    ("tile", "", lambda r: dict(X=offset_rows(r, 2), repeat_times=[1, 2])),
    ("reduce_sum", "", lambda r: dict(X=offset_rows(r, 2), dim=[1], keep_dim=True)),
    ("abs", "", lambda r: dict(X=offset_rows(r, 2))),
]


def lods():
    """An entry for each operator."""
    for name in dict.fromkeys(n for n, _, _ in LODS):
        makes = [m for n, _, m in LODS if n == name]
        hidden = next(h for n, h, _ in LODS if n == name)
        formats = "program" if name == "flatten2" else "program pir"  # which the translator to PIR does not know
        yield op(name, lambda r, m=makes: m[r.index % len(m)](r), len(makes), hidden=hidden, formats=formats)


# Of the Python API: (name, inputs, function); x and y have offsets, which are not the same, z has those of x.
FUNCTIONS = [
    ("complex", "xy", lambda p, x, y: p.as_real(p.complex(x, y))),
    ("as_complex", "z", lambda p, z: p.as_real(p.as_complex(z))),
    ("matmul", "xyz", lambda p, x, y, z: [p.matmul(x, y), p.matmul(z, p.ones([2, 7])), p.nn.functional.linear(y, x)]),
]
FUNCTIONS_OF_PIR = [
    ("baddbmm", "xyz", lambda p, x, y, z: p.baddbmm(*(p.reshape(v, [7, 7, 1]) for v in (x, y)), z[:, :1, :1])),
    ("fft", "z", lambda p, z: p.as_real(p.fft.fft(p.as_complex(z)))),
    ("gammaincc", "xy", lambda p, x, y: p.gammaincc(p.abs(x) + 0.5, p.abs(y) + 0.5)),
    ("lp_pool2d", "x", lambda p, x: p.nn.functional.lp_pool2d(p.reshape(x, [7, 1, 7, 1]), 2.0, [2, 1])),
    ("repeat_interleave", "x", lambda p, x: p.repeat_interleave(x, p.full([7], 2, "int64"), 1)),
    ("swiglu", "xy", lambda p, x, y: p.nn.functional.swiglu(x, y)),
]
EQUATIONS = [
    "ij,jk->ik",
    "ij,jk->ki",
    "ij,kj->ik",
    "ji,jk->ik",
    "ij,ij->i",
    "ij,ik->ijk",
    "ij,jk->ijk",
    "ij,jk->jk",
    "ij->ij",
    "ij->ji",
    "ij,jk,jkl->il",
]


def sum_of(equation):
    letters = "xyz"[: equation.count(",") + 1]
    return letters, lambda p, **inputs: p.einsum(equation, *(inputs[i] for i in letters))


def function_entry(name, letters, function, formats):
    def make(r):
        inputs = {"x": offset_rows(r, 7), "y": r.f(7, 7, lod=[[0, 1, 5, 7]]), "z": offset_rows(r, 7, 2)}
        return {i: inputs[i] for i in letters}, lambda paddle, **given: function(paddle, **given)

    return api("offsets_" + name, make, 1, formats=formats)


TABLE = list(lods())
TABLE += [function_entry(*row, "program pir") for row in FUNCTIONS]
TABLE += [function_entry(*row, "pir") for row in FUNCTIONS_OF_PIR]
TABLE += [function_entry("einsum%d" % i, *sum_of(e), "program pir") for i, e in enumerate(EQUATIONS)]
