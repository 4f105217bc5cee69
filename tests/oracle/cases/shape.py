# SPDX-License-Identifier: Apache-2.0
"""Reshaping, moving, cutting, joining and repeating: values are copied, so results are equal bit by bit."""

import numpy as np

from notation import op

DTYPES = ("float32", "float32", "int64", "int32", "bool", "float64", "uint8")
INT_MAX = 2147483647


def pieces(r, values, dtype=None):
    """A list of one-element tensors, as an attribute given by tensors has."""
    return [r.v([v], dtype or "int32") for v in values]


def reshape(r):
    x = r.shape(1, 4)
    total = int(np.prod(x))
    kind = r.turn("split", "flat", "zero", "minus", "ones", "list", "tensor", "scalar")
    divisor = r.pick(*[d for d in range(1, total + 1) if total % d == 0])
    target = {
        "split": [divisor, total // divisor],
        "flat": [total],
        "zero": [0] * (len(x) - 1) + [-1],
        "minus": [-1, divisor],
        "ones": [1, total, 1],
        "list": [divisor, -1],
        "tensor": [divisor, total // divisor],
        "scalar": [total],
    }[kind]
    if kind == "scalar":
        x, target = r.pick([1], [1, 1]), []
    case = dict(X=r.any(x, *DTYPES), shape=target)
    if kind == "tensor":
        case.update(Shape=r.v(target, r.pick("int32", "int64")), shape=[1, -1])
    if kind == "list":
        case["ShapeTensor"] = pieces(r, target)
    return case


def transpose(r):
    x = r.shape(1, 5)
    perm = r.perm(len(x))
    if r.maybe(0.2):
        perm = [p - len(x) for p in perm]
    return dict(X=r.any(x, *DTYPES), axis=perm)


def flatten_range(r):
    x = r.shape(1, 5)
    start = r.int(0, len(x) - 1)
    stop = r.int(start, len(x) - 1)
    return dict(
        X=r.any(x, *DTYPES),
        start_axis=start - len(x) if r.maybe(0.3) else start,
        stop_axis=stop - len(x) if r.maybe(0.4) else stop,
    )


def flatten2(r):
    x = r.shape(1, 5)
    return dict(X=r.any(x, "float32", "int32", "int64"), axis=r.int(0, len(x)))


def squeeze(r):
    x = r.shape(1, 5)
    ones = [a for a in range(len(x)) if r.maybe()] or [0]
    for a in ones:
        x[a] = 1
    kind = r.turn("all", "some", "negative", "wrong")
    axes = {"all": [], "some": ones[:1], "negative": [a - len(x) for a in ones], "wrong": [r.int(0, len(x) - 1)]}[kind]
    return dict(X=r.any(x, *DTYPES), axes=axes)


def unsqueeze(r):
    x = r.shape(0, 3)
    kind = r.turn("one", "two", "negative", "tensor", "list", "three")
    axes = {"two": [0, 2], "negative": [-1], "three": [0, 1, 0]}.get(kind, [r.int(0, len(x))])
    if kind == "two" and not x:
        axes = [0, 1]
    case = dict(X=r.any(x, *DTYPES), axes=axes)
    if kind == "tensor":
        case["AxesTensor"] = r.v(axes, "int32")
    if kind == "list":
        case["AxesTensorList"] = pieces(r, axes)
    return case


def concat(r):
    x, count = r.shape(1, 4, elements=200), r.int(1, 4)
    axis, dtype = r.int(0, len(x) - 1), r.pick(*DTYPES)
    parts = []
    for _ in range(count):
        shape = list(x)
        shape[axis] = r.int(1, 5)
        parts.append(r.any(shape, dtype))
        parts[-1].param = r.maybe(0.2)
    case = dict(X=parts, axis=axis - len(x) if r.maybe(0.3) else axis)
    if r.maybe(0.2):
        case["AxisTensor"] = r.v([axis], "int32")
    return case


def split(r):
    x = r.shape(1, 4)
    axis = r.int(0, len(x) - 1)
    kind = r.turn("num", "sections", "rest", "tensor", "list", "num")
    if kind == "num":
        num = r.int(1, 4)
        x[axis] = num * r.int(1, 4)
        extra = dict(num=num, sections=[], _out={"Out": num})
    else:
        sections = [r.int(1, 4) for _ in range(r.int(1, 4))]
        x[axis] = sum(sections)
        extra = dict(num=0, _out={"Out": len(sections)})
        if kind == "list":
            extra["SectionsTensorList"] = pieces(r, sections)
        if kind == "rest":
            sections = list(sections)
            sections[r.int(0, len(sections) - 1)] = -1
        extra["sections"] = sections
    case = dict(X=r.any(x, *DTYPES[:-1]).fixed(), axis=axis - len(x) if kind != "list" and r.maybe(0.4) else axis)
    case.update(extra)  # with a list of tensors Paddle takes a negative axis for the first one
    if kind == "tensor":
        case["AxisTensor"] = r.v([axis], "int32")
    return case


def cut(r, shape, strides=False):
    """Axes with starts, ends (and strides) that leave at least one element each."""
    axes = sorted(int(a) for a in r.random.permutation(len(shape))[: r.int(1, len(shape))])
    starts, ends, steps = [], [], []
    for a in axes:
        size = shape[a]
        low = r.int(0, size - 1)
        high = r.int(low + 1, size)
        step = r.pick(1, 1, 2, 3) if strides else 1
        if strides and r.maybe(0.35):  # backwards
            last = low - 1
            starts.append(r.pick(high - 1, high - 1 - size))
            ends.append(last if last >= 0 else -size - 1)
            steps.append(-step)
            continue
        starts.append(r.pick(low, low - size))
        ends.append(r.pick(high, high if high == size else high - size, INT_MAX if high == size else high))
        steps.append(step)
    return axes, starts, ends, steps


def slice_(r):
    x = r.shape(1, 4)
    axes, starts, ends, _ = cut(r, x)
    decrease = []
    if r.maybe(0.4):
        for i in range(len(axes)):
            if r.maybe(0.6):
                starts[i] = starts[i] if starts[i] >= 0 else starts[i] + x[axes[i]]
                ends[i] = starts[i] + 1
                decrease.append(axes[i])
    case = dict(Input=r.any(x, *DTYPES[:-1]).fixed(), axes=axes, starts=starts, ends=ends, decrease_axis=decrease)
    kind = r.turn("plain", "plain", "tensors", "lists", "start list", "plain")
    flags = [1] * len(axes)
    if kind == "tensors":
        case.update(StartsTensor=r.v(starts, "int32"), EndsTensor=r.v(ends, "int32"))
        flags = [-1] * len(axes)
    if kind in ("lists", "start list"):
        case["StartsTensorList"] = pieces(r, starts)
        flags = [-1] * len(axes)
    if kind == "lists":
        case["EndsTensorList"] = pieces(r, ends)
    case["infer_flags"] = flags
    return case


def strided_slice(r):
    x = r.shape(1, 4)
    axes, starts, ends, steps = cut(r, x, strides=True)
    case = dict(
        Input=r.any(x, "float32", "int32", "int64", "bool", "float64").fixed(),
        axes=axes,
        starts=starts,
        ends=ends,
        strides=steps,
        infer_flags=[1] * len(axes),
        decrease_axis=[],
    )
    if r.index % 4 == 3:
        case.update(
            StartsTensor=r.v(starts, "int32"),
            EndsTensor=r.v(ends, "int32"),
            StridesTensor=r.v(steps, "int32"),
            infer_flags=[-1] * len(axes),
        )
    return case


def stack(r):
    x, dtype = r.shape(0, 3, elements=200), r.pick("float32", "int32", "int64", "float64")
    return dict(X=[r.any(x, dtype) for _ in range(r.int(1, 4))], axis=r.axis(len(x) + 1))


def unstack(r):
    x = r.shape(1, 4, elements=200)
    axis = r.int(0, len(x) - 1)
    x[axis] = r.int(1, 5)
    return dict(
        X=r.any(x, "float32", "int32", "int64").fixed(),
        axis=r.pick(axis, axis - len(x)),
        num=x[axis],
        _out={"Y": x[axis]},
    )


def unbind(r):
    x = r.shape(1, 4, elements=200)
    axis = r.int(0, len(x) - 1)
    x[axis] = r.int(1, 5)
    return dict(
        X=r.any(x, "float32", "int32", "int64").fixed(), axis=r.pick(axis, axis - len(x)), _out={"Out": x[axis]}
    )


def whole(r):
    return dict(Input=r.any(r.shape(0, 4), *DTYPES))


def copy(r):
    return dict(X=r.any(r.shape(0, 4), *DTYPES))


def memcpy(r):
    return dict(X=r.any(r.shape(0, 4), *DTYPES), dst_place_type=0)


EXACT = dict(exact=True)
TABLE = [
    op("reshape2", reshape, n=24, hidden="XShape", **EXACT),
    op("reshape", reshape, n=12, **EXACT),
    op("transpose2", transpose, n=24, hidden="XShape", **EXACT),
    op("transpose", transpose, n=12, **EXACT),
    op("flatten_contiguous_range", flatten_range, n=16, hidden="XShape", **EXACT),
    op("flatten2", flatten2, hidden="XShape", **EXACT),
    op("squeeze2", squeeze, n=16, hidden="XShape", **EXACT),
    op("unsqueeze2", unsqueeze, n=18, hidden="XShape", **EXACT),
    op("concat", concat, n=24, **EXACT),
    op("split", split, n=24, **EXACT),
    op("slice", slice_, n=30, **EXACT),
    op("strided_slice", strided_slice, n=24, **EXACT),
    op("stack", stack, n=14, out="Y", **EXACT),
    op("unstack", unstack, out="Y", **EXACT),
    op("unbind", unbind, **EXACT),
    op("shape", whole, n=14, **EXACT),
    op("size", whole, n=12, **EXACT),
    op("assign", copy, n=14, **EXACT),
    op("share_data", copy, n=12, **EXACT),
    op("memcpy", memcpy, n=10, **EXACT),
    op("memcpy_h2d", memcpy, n=10, formats="program", **EXACT),
]
