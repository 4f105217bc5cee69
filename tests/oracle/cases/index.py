# SPDX-License-Identifier: Apache-2.0
"""Gathering, scattering, searching, sorting. Sorted values have no ties, because ties may come in any order."""

import numpy as np

from cases.shape import cut, pieces
from notation import NUMBERS, op

DATA = ("float32", "float32", "int64", "int32", "float64")


def gather(r):
    x = r.shape(1, 4)
    axis = r.int(0, len(x) - 1) if r.maybe(0.6) else 0
    index = r.i(
        r.pick([r.int(1, 9)], [r.int(1, 9)], [r.int(1, 5), 1] if axis == 0 else [4], []),
        lo=0,
        hi=x[axis] - 1,
        dtype=r.pick("int64", "int32"),
    )
    case = dict(X=r.any(x, *DATA).fixed(), Index=index.fixed(), axis=axis, overwrite=True)
    if r.index % 4 == 3:
        case["Axis"] = r.v([axis], r.pick("int64", "int32"))
    return case


def gather_nd(r):
    x = r.shape(1, 4)
    depth = r.int(1, len(x))
    head = r.shape(1, 2, elements=20)
    index = np.stack([r.random.randint(0, x[d], head) for d in range(depth)], -1)
    return dict(X=r.any(x, *DATA + ("bool",)), Index=r.t(index, r.pick("int64", "int32")))


def index_select(r):
    x = r.shape(1, 4)
    axis = r.int(0, len(x) - 1)
    return dict(
        X=r.any(x, *DATA),
        Index=r.i(r.int(1, 9), lo=0, hi=x[axis] - 1, dtype=r.pick("int64", "int32")),
        dim=r.pick(axis, axis - len(x)),
    )


def index_sample(r):
    rows, columns = r.int(1, 6), r.int(1, 9)
    return dict(
        X=r.any([rows, columns], *DATA),
        Index=r.i(rows, r.int(1, 9), lo=0, hi=columns - 1, dtype=r.pick("int64", "int32")),
    )


def index_add(r):
    x = r.shape(1, 3)
    axis, count = r.int(0, len(x) - 1), r.int(1, 5)
    dtype = r.pick("float32", "int32", "int64", "float64")
    added = list(x)
    added[axis] = count
    return dict(
        X=r.any(x, dtype),
        Index=r.i(count, lo=0, hi=x[axis] - 1, dtype=r.pick("int64", "int32")),
        AddValue=r.any(added, dtype),
        axis=axis,
    )


def take_along(r):
    x = r.shape(1, 4)
    axis = r.int(0, len(x) - 1)
    index = list(x)
    index[axis] = r.int(1, 6)
    return dict(
        Input=r.any(x, *DATA), Index=r.i(index, lo=0, hi=x[axis] - 1, dtype=r.pick("int64", "int32")), Axis=axis
    )


def put_along(r):
    x = r.shape(1, 3)
    axis = r.int(0, len(x) - 1)
    index = list(x)
    index[axis] = r.int(1, x[axis])
    order = np.argsort(r.random.uniform(size=x), axis=axis)  # no index twice
    order = np.take(order, np.arange(index[axis]), axis=axis)
    dtype = r.pick("float32", "int32", "int64", "float64")
    return dict(
        Input=r.any(x, dtype),
        Index=r.t(order, "int64"),
        Value=r.any(index, dtype),
        Axis=axis,
        Reduce=r.turn("assign", "add", "mul"),
        Include_self=True,
    )


def scatter(r):
    x = r.shape(1, 3, least=2)
    count = r.int(1, x[0])
    overwrite = r.maybe(0.6)
    ids = r.random.permutation(x[0])[:count] if overwrite else r.random.randint(0, x[0], count)
    dtype = r.pick("float32", "float32", "int32", "int64", "float64")
    return dict(
        X=r.any(x, dtype).fixed(),
        Ids=r.t(ids, r.pick("int64", "int32")).fixed(),
        Updates=r.any([count] + x[1:], dtype).fixed(),
        overwrite=overwrite,
    )


def scatter_nd_add(r):
    x = r.shape(1, 4)
    depth = r.int(1, len(x))
    head = r.shape(1, 2, elements=20)
    index = np.stack([r.random.randint(0, x[d], head) for d in range(depth)], -1)
    dtype = r.pick("float32", "float64", "int32", "int64")
    return dict(X=r.any(x, dtype), Index=r.t(index, r.pick("int64", "int32")), Updates=r.any(head + x[depth:], dtype))


def index_put(r):
    x = r.shape(1, 3, least=2)
    depth, count = r.int(1, len(x)), r.int(1, 3)
    flat = r.random.permutation(int(np.prod(x[:depth])))[:count]
    where = np.unravel_index(flat, x[:depth])
    dtype = r.pick("float32", "int32", "int64")
    return dict(
        x=r.any(x, dtype),
        indices=[r.t(w, "int64") for w in where],
        value=r.any([count] + x[depth:], dtype),
        accumulate=r.maybe(),
    )


def top_k(r):
    x = r.shape(1, 4)
    k = r.int(1, x[-1])
    case = dict(X=r.distinct(x, dtype=r.pick("float32", "float64")), k=k)
    if r.index % 4 == 3:
        case["K"] = r.v([k], "int32")
    return case


def top_k_v2(r):
    x = r.shape(1, 4)
    axis = r.int(0, len(x) - 1)
    if r.maybe(0.6):
        axis = len(x) - 1
    k = r.int(1, x[axis])
    case = dict(
        X=r.distinct(x, dtype=r.pick("float32", "float32", "float64")),
        k=k,
        axis=r.pick(axis, axis - len(x)),
        largest=r.maybe(0.7),
        sorted=True,
    )
    if r.maybe(0.3):
        case["X"] = r.t(r.random.permutation(int(np.prod(x))).reshape(x), r.pick("int32", "int64"))
    if r.index % 4 == 3:
        case["K"] = r.v([k], "int32")
    return case


def argsort(r):
    x = r.shape(1, 4)
    case = dict(
        X=r.distinct(x, dtype=r.pick("float32", "float32", "float64")), axis=r.axis(len(x)), descending=r.maybe()
    )
    if r.maybe(0.3):
        case["X"] = r.t(r.random.permutation(int(np.prod(x))).reshape(x), r.pick("int32", "int64"))
    return case


def where(r):
    x = r.shape(0, 4)
    dtype = r.pick(*DATA + ("bool",))
    return dict(Condition=r.b(x), X=r.any(x, dtype), Y=r.any(x, dtype))


def where_index(r):
    x = r.shape(1, 4)
    if r.maybe(0.5):
        return dict(Condition=r.b(x))
    return dict(
        Condition=r.any(x, "int32", "int64", "float32", lo=0, hi=1) if r.maybe() else r.i(x, lo=-1, hi=1, dtype="int32")
    )


def masked_select(r):
    x = r.shape(1, 4)
    return dict(X=r.any(x, *DATA), Mask=r.b(x))


def unique(r):
    dtype = r.pick("int32", "int64", "float32", "float64")
    x = r.shape(1, 2, elements=40)
    axis = [r.int(0, len(x) - 1)] if r.maybe(0.35) else []
    data = r.i(x, lo=-3, hi=3, dtype="int64").array
    case = dict(
        X=r.t(data, dtype),
        return_index=r.maybe(),
        return_inverse=True,
        return_counts=r.maybe(),
        axis=axis,
        dtype=r.pick(2, 3),
        is_sorted=True,
    )
    case["_out"] = {"Out": 1, "Index": 1}
    for flag, slot in (("return_index", "Indices"), ("return_counts", "Counts")):
        if case[flag]:
            case["_out"][slot] = 1
    return case


def unique_consecutive(r):
    data = np.sort(r.i(r.int(1, 20), lo=-3, hi=3, dtype="int64").array)
    return dict(
        X=r.t(data, r.pick("int32", "int64", "float32")),
        return_inverse=True,
        return_counts=True,
        axis=[],
        dtype=r.pick(2, 3),
    )


def unique_with_counts(r):
    return dict(X=r.i(r.int(1, 20), lo=-3, hi=3, dtype=r.pick("int32", "int64")), dtype=r.pick(2, 3))


def searchsorted(r):
    rows, n = r.shape(0, 2, elements=6), r.int(1, 9)
    dtype = r.pick("float32", "int32", "int64", "float64")
    ordered = np.sort(r.i(rows + [n], lo=-5, hi=5).array, -1)
    return dict(
        SortedSequence=r.t(ordered, dtype),
        Values=r.t(r.i(rows + [r.int(1, 7)], lo=-6, hi=6).array, dtype),
        out_int32=r.maybe(),
        right=r.turn(False, True),
    )


def set_value(r):
    x = r.shape(1, 4, least=2)
    axes, starts, ends, _ = cut(r, x)
    starts = [s + x[a] if s < 0 else s for s, a in zip(starts, axes)]
    ends = [e + x[a] if e < 0 else min(e, x[a]) for e, a in zip(ends, axes)]
    steps = [r.pick(1, 1, 2) for _ in axes]
    size = list(x)
    for a, s, e, t in zip(axes, starts, ends, steps):
        size[a] = -(-(e - s) // t)
    dtype = r.pick("float32", "float32", "int32", "int64", "bool")
    decrease = []
    if r.maybe(0.3):
        i = r.int(0, len(axes) - 1)
        ends[i], steps[i], decrease = starts[i] + 1, 1, [axes[i]]
        size[axes[i]] = 1
    part = [d for a, d in enumerate(size) if a not in decrease]
    case = dict(
        Input=r.any(x, dtype).fixed(),
        axes=axes,
        starts=starts,
        ends=ends,
        steps=steps,
        decrease_axes=decrease,
        none_axes=[],
        dtype=NUMBERS[dtype],
    )
    kind = r.turn("scalar", "tensor", "broadcast", "lists", "tensor")
    if kind in ("scalar", "lists"):
        case.update(shape=[1], values=[{"float32": 1.5, "bool": True}.get(dtype, 7)])
    elif kind == "tensor":
        case.update(ValueTensor=r.any(part or [1], dtype).fixed(), shape=[])
    else:
        case.update(ValueTensor=r.any([d if r.maybe() else 1 for d in part] or [1], dtype).fixed(), shape=[])
    if kind == "lists":
        case.update(
            StartsTensorList=pieces(r, starts, "int64"),
            EndsTensorList=pieces(r, ends, "int64"),
            StepsTensorList=pieces(r, steps, "int64"),
        )
    return case


def multiplex(r):
    count, rows, columns = r.int(2, 4), r.int(1, 5), r.int(1, 5)
    return dict(X=[r.f(rows, columns) for _ in range(count)], Ids=r.i(rows, 1, lo=0, hi=count - 1, dtype="int32"))


def shard_index(r):
    shards = r.int(1, 4)
    return dict(
        X=r.i(r.int(1, 9), 1, lo=0, hi=19), index_num=20, nshards=shards, shard_id=r.int(0, shards - 1), ignore_value=-1
    )


def histogram(r):
    low = r.pick(0, -2)
    return dict(
        X=r.any(r.shape(1, 2), "float32", "int32", "int64"),
        bins=r.int(1, 9),
        min=low,
        max=r.pick(0, 2) if low else r.pick(0, 3),
    )


def bincount(r):
    return dict(X=r.i(r.int(1, 20), lo=0, hi=9, dtype=r.pick("int32", "int64")), minlength=r.pick(0, 5, 15))


def gather_tree(r):
    steps, batch, beam = r.int(1, 5), r.int(1, 3), r.int(1, 4)
    dtype = r.pick("int64", "int32")
    return dict(
        Ids=r.i(steps, batch, beam, lo=0, hi=9, dtype=dtype),
        Parents=r.i(steps, batch, beam, lo=0, hi=beam - 1, dtype=dtype),
    )


def mode(r):
    x = r.shape(1, 3)
    # Values repeat, the most frequent one of each line is single.
    values = r.random.randint(0, 50, x).astype("float64")
    axis = r.int(0, len(x) - 1)
    np.moveaxis(values, axis, -1)[..., : (x[axis] + 2) // 2] = r.random.randint(60, 90)
    values = np.apply_along_axis(r.random.permutation, axis, values)
    return dict(X=r.t(values, r.pick("float32", "float64", "int64")), axis=r.pick(axis, axis - len(x)), keepdim=r.maybe())


def segment_pool(r):
    rows, dtype = r.int(1, 9), r.pick("float32", "float64")
    ids = np.sort(r.random.randint(0, r.int(1, 6), rows))
    return dict(
        X=r.f([rows] + r.shape(1, 2, elements=12), dtype=dtype).fixed(),
        SegmentIds=r.v(ids, r.pick("int64", "int32")),
        pooltype=r.turn("SUM", "MEAN", "MAX", "MIN"),
    )


def edges(r, nodes, case, source, target):
    count, dtype = r.int(1, 9), r.pick("int64", "int32")
    case[source] = r.v(r.random.randint(0, nodes, count), dtype)
    case[target] = r.v(r.random.randint(0, nodes, count), dtype)
    return count


def graph_send_recv(r):
    nodes = r.int(1, 6)
    case = dict(
        X=r.f([nodes] + r.shape(1, 2, elements=12)).fixed(), reduce_op=r.turn("SUM", "MEAN", "MAX", "MIN"), out_size=[0]
    )
    edges(r, nodes, case, "Src_index", "Dst_index")
    if r.maybe(0.3):
        case["out_size"] = [nodes + r.int(0, 2)]
    return case


def graph_send_ue_recv(r):
    nodes, row = r.int(1, 6), r.shape(1, 2, elements=12)
    case = dict(
        X=r.f([nodes] + row).fixed(),
        message_op=r.turn("ADD", "MUL"),
        reduce_op=r.pick("SUM", "MEAN", "MAX", "MIN"),
        out_size=[0],
    )
    count = edges(r, nodes, case, "Src_index", "Dst_index")
    case["Y"] = r.f([count] + [d if r.maybe(0.7) else 1 for d in row]).fixed()
    return case


def graph_send_uv(r):
    nodes, row = r.int(1, 6), r.shape(1, 2, elements=12)
    case = dict(x=r.f([nodes] + row).fixed(), y=r.f([nodes] + row).fixed(), message_op=r.turn("ADD", "MUL"))
    edges(r, nodes, case, "src_index", "dst_index")
    return case


def graph_reindex(r):
    nodes, kinds, dtype = r.int(1, 5), r.int(1, 2), r.pick("int64", "int32")
    count = r.random.randint(0, 4, nodes * kinds)
    return dict(
        X=r.v(r.random.permutation(12)[:nodes], dtype),
        Neighbors=r.v(r.random.randint(0, 12, max(1, int(count.sum())))[: int(count.sum())], dtype),
        Count=r.v(count, "int32"),
    )


EXACT = dict(exact=True)
TABLE = [
    op("gather", gather, n=20, **EXACT),
    op("gather_nd", gather_nd, n=14, **EXACT),
    op("index_select", index_select, n=12, **EXACT),
    op("index_sample", index_sample, n=10, **EXACT),
    op("index_add", index_add, n=10),
    op("take_along_axis", take_along, n=14, out="Result", **EXACT),
    op("put_along_axis", put_along, n=14, out="Result"),
    op("scatter", scatter, n=16),
    op("scatter_nd_add", scatter_nd_add, n=12),
    op("index_put", index_put, n=10, out="out"),
    op("top_k", top_k, n=12, out="Out Indices", **EXACT),
    op("top_k_v2", top_k_v2, n=20, out="Out Indices", **EXACT),
    op("argsort", argsort, n=16, out="Out Indices", **EXACT),
    op("where", where, n=14, **EXACT),
    op("where_index", where_index, n=14, **EXACT),
    op("masked_select", masked_select, n=12, out="Y", **EXACT),
    op("unique", unique, n=16, **EXACT),
    op("unique_consecutive", unique_consecutive, n=10, out="Out Index Counts", **EXACT),
    op("unique_with_counts", unique_with_counts, n=10, out="Out Index Count", **EXACT),
    op("searchsorted", searchsorted, n=12, **EXACT),
    op("set_value", set_value, n=24, **EXACT),
    op("multiplex", multiplex, n=10, **EXACT),
    op("shard_index", shard_index, n=10, **EXACT),
    op("histogram", histogram, n=10, **EXACT),
    op("bincount", bincount, n=10, **EXACT),
    op("gather_tree", gather_tree, n=10, **EXACT),
    op("mode", mode, n=10, hidden="Indices", **EXACT),
    op("segment_pool", segment_pool, n=12, hidden="SummedIds"),
    op("graph_send_recv", graph_send_recv, n=12, hidden="Dst_count"),
    op("graph_send_ue_recv", graph_send_ue_recv, n=12, hidden="Dst_count"),
    op("graph_send_uv", graph_send_uv, n=10, out="out"),
    op("graph_reindex", graph_reindex, n=10, out="Reindex_Src Reindex_Dst Out_Nodes", **EXACT),
]
