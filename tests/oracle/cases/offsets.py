# SPDX-License-Identifier: Apache-2.0
"""Sequence offsets of results, by Paddle 2.6: some operators take over those of an operand, some where the rows stay."""

from notation import op


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
        yield op(name, lambda r, m=makes: m[r.index % len(m)](r), len(makes), hidden=hidden, formats="program")


TABLE = list(lods())
