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
    target = {"split": [divisor, total // divisor], "flat": [total], "zero": [0] * (len(x) - 1) + [-1],
              "minus": [-1, divisor], "ones": [1, total, 1], "list": [divisor, -1], "tensor": [divisor, total // divisor],
              "scalar": [total]}[kind]
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
    return dict(X=r.any(x, *DTYPES), start_axis=start - len(x) if r.maybe(0.3) else start,
                stop_axis=stop - len(x) if r.maybe(0.4) else stop)


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
    case = dict(X=r.any(x, *DTYPES[:-1]).fixed(), axis=axis - len(x) if r.maybe(0.4) else axis)
    case.update(extra)
    if kind == "tensor":
        case["AxisTensor"] = r.v([axis], "int32")
    return case


def cut(r, shape, strides=False):
    """Axes with starts, ends (and strides) that leave at least one element each."""
    axes = sorted(int(a) for a in r.random.permutation(len(shape))[:r.int(1, len(shape))])
    starts, ends, steps = [], [], []
    for a in axes:
        size = shape[a]
        low = r.int(0, size - 1)
        high = r.int(low + 1, size)
        step = r.pick(1, 1, 2, 3) if strides else 1
        if strides and r.maybe(0.35):                         # backwards
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
    case = dict(Input=r.any(x, "float32", "int32", "int64", "bool", "float64").fixed(), axes=axes, starts=starts,
                ends=ends, strides=steps, infer_flags=[1] * len(axes), decrease_axis=[])
    if r.index % 4 == 3:
        case.update(StartsTensor=r.v(starts, "int32"), EndsTensor=r.v(ends, "int32"), StridesTensor=r.v(steps, "int32"),
                    infer_flags=[-1] * len(axes))
    return case


def stack(r):
    x, dtype = r.shape(0, 3, elements=200), r.pick("float32", "int32", "int64", "float64")
    return dict(X=[r.any(x, dtype) for _ in range(r.int(1, 4))], axis=r.axis(len(x) + 1))


def unstack(r):
    x = r.shape(1, 4, elements=200)
    axis = r.int(0, len(x) - 1)
    x[axis] = r.int(1, 5)
    return dict(X=r.any(x, "float32", "int32", "int64").fixed(), axis=r.pick(axis, axis - len(x)), num=x[axis],
                _out={"Y": x[axis]})


def unbind(r):
    x = r.shape(1, 4, elements=200)
    axis = r.int(0, len(x) - 1)
    x[axis] = r.int(1, 5)
    return dict(X=r.any(x, "float32", "int32", "int64").fixed(), axis=r.pick(axis, axis - len(x)),
                _out={"Out": x[axis]})


def expand(r):
    target = r.shape(1, 4)
    x = [d if r.maybe(0.6) else 1 for d in target[r.int(0, len(target) - 1):]]
    offset = len(target) - len(x)
    asked = [-1 if i >= offset and x[i - offset] == d and r.maybe(0.5) else d for i, d in enumerate(target)]
    kind = r.turn("attribute", "attribute", "tensor", "list")
    case = dict(X=r.any(x, "float32", "int32", "int64", "bool", "float64").fixed(), shape=asked)
    if kind == "tensor":
        case.update(Shape=r.v(asked, "int32"), shape=[])
    if kind == "list":
        case.update(expand_shapes_tensor=pieces(r, asked))
    return case


def expand_v1(r):
    x = r.shape(1, 4, elements=60)
    times = [r.int(1, 3) for _ in x]
    case = dict(X=r.any(x, "float32", "int32", "int64", "bool"), expand_times=times)
    if r.maybe(0.25):
        case["ExpandTimes"] = r.v(times, "int32")
    return case


def expand_as(r):
    target = r.shape(1, 4)
    x = [d if r.maybe(0.6) else 1 for d in target[r.int(0, len(target) - 1):]]
    dtype = r.pick("float32", "int32", "int64", "bool")
    return dict(X=r.any(x, dtype).fixed(), Y=r.any(target, dtype).fixed(), target_shape=target)


def tile(r):
    x = r.shape(0, 3, elements=60)
    times = [r.int(1, 3) for _ in range(r.int(max(len(x) - 1, 1), len(x) + 1))]
    case = dict(X=r.any(x, "float32", "int32", "int64", "bool", "float64"), repeat_times=times)
    kind = r.turn("attribute", "attribute", "tensor", "list")
    if kind == "tensor":
        case["RepeatTimes"] = r.v(times, "int32")
    if kind == "list":
        case["repeat_times_tensor"] = pieces(r, times)
    return case


def roll(r):
    x = r.shape(1, 4)
    if r.maybe(0.25):
        axes, shifts = [], [r.int(-9, 9)]
    else:
        axes = r.axes(len(x))
        shifts = [r.int(-7, 7) for _ in axes]
    case = dict(X=r.any(x, "float32", "int32", "int64", "float64"), axis=axes, shifts=shifts)
    if r.maybe(0.2):
        case["ShiftsTensor"] = r.v(shifts, "int64")
    return case


def flip(r):
    x = r.shape(1, 4)
    return dict(X=r.any(x, "float32", "int32", "int64", "bool", "float64"), axis=r.axes(len(x)))


def reverse(r):
    x = r.shape(1, 4)
    return dict(X=r.any(x, "float32", "int32", "int64", "float64"), axis=r.axes(len(x)))


def pad(r):
    x = r.shape(1, 4, elements=150)
    return dict(X=r.any(x, "float32", "float64", "int32", "int64"), paddings=[r.int(0, 3) for _ in range(2 * len(x))],
                pad_value=float(r.int(-2, 2)))


def pad3d(r):
    mode = r.turn("constant", "reflect", "replicate", "circular")
    layout = r.pick("NCDHW", "NCDHW", "NDHWC")
    x = [r.int(1, 2), r.int(1, 3), r.int(2, 5), r.int(2, 5), r.int(2, 5)]
    size = x[1:4] if layout == "NDHWC" else x[2:5]
    limit = [s - 1 if mode == "reflect" else s if mode == "circular" else 4 for s in size[::-1]]
    pads = [r.int(0, most) for most in limit for _ in (0, 1)]
    case = dict(X=r.any(x, "float32", "float32", "float64", "int32", "int64"), mode=mode, data_format=layout,
                value=float(r.int(-2, 2)), paddings=pads)
    if r.index % 5 == 4:
        case["Paddings"] = r.v(pads, "int32")
    return case


def shuffle_channel(r):
    group = r.int(1, 4)
    return dict(X=r.f(r.int(1, 2), group * r.int(1, 4), r.int(1, 5), r.int(1, 5)), group=group)


def channel_shuffle(r):
    group, layout = r.int(1, 4), r.pick("NCHW", "NHWC")
    x = [r.int(1, 2), r.int(1, 4), r.int(1, 4), r.int(1, 4)]
    x[1 if layout == "NCHW" else 3] = group * r.int(1, 4)
    return dict(X=r.f(x), groups=group, data_format=layout)


def pixel_shuffle(r):
    factor, layout = r.int(1, 3), r.pick("NCHW", "NHWC")
    x = [r.int(1, 2), r.int(1, 4), r.int(1, 4), r.int(1, 4)]
    x[1 if layout == "NCHW" else 3] = factor * factor * r.int(1, 3)
    return dict(X=r.f(x), upscale_factor=factor, data_format=layout)


def pixel_unshuffle(r):
    factor, layout = r.int(1, 3), r.pick("NCHW", "NHWC")
    x = [r.int(1, 2)] + [factor * r.int(1, 3) for _ in range(3)]
    return dict(X=r.f(x), downscale_factor=factor, data_format=layout)


def tril_triu(r):
    x = r.shape(2, 4)
    return dict(X=r.any(x, "float32", "float64", "int32", "int64", "bool"), diagonal=r.int(-3, 3), lower=r.turn(True, False))


def meshgrid(r):
    count, dtype = r.int(1, 4), r.pick("float32", "int32", "int64", "float64")
    return dict(X=[r.any([r.int(1, 5)], dtype) for _ in range(count)], _out={"Out": count})


def crop_tensor(r):
    x = r.shape(1, 4)
    offsets = [r.int(0, d - 1) for d in x]
    shape = [r.int(1, d - o) for d, o in zip(x, offsets)]
    case = dict(X=r.any(x, "float32", "int32", "int64", "float64").fixed(), shape=shape, offsets=offsets)
    kind = r.turn("attribute", "tensor", "list")
    if kind == "tensor":
        case.update(Shape=r.v(shape, "int32"), Offsets=r.v(offsets, "int32"))
    if kind == "list":
        case.update(ShapeTensor=pieces(r, shape), OffsetsTensor=pieces(r, offsets))
    return case


def crop(r):
    x = r.shape(1, 4)
    offsets = [r.int(0, d - 1) for d in x]
    shape = [r.int(1, d - o) for d, o in zip(x, offsets)]
    case = dict(X=r.f(x), shape=shape, offsets=offsets)
    if r.maybe(0.3):
        case["Offsets"] = r.v(offsets, "int32")
    if r.maybe(0.3):
        case["Y"] = r.f(shape)
    return case


def repeat_interleave(r):
    x = r.shape(1, 4, elements=150)
    axis = r.int(0, len(x) - 1)
    case = dict(X=r.any(x, "float32", "int32", "int64", "float64"), dim=axis)
    if r.index % 3 == 2:
        case["RepeatsTensor"] = r.i(x[axis], lo=1, hi=3, dtype=r.pick("int32", "int64"))
    else:
        case["Repeats"] = r.int(1, 3)
    return case


def temporal_shift(r):
    segments, layout = r.int(1, 4), r.pick("NCHW", "NHWC")
    x = [segments * r.int(1, 2), r.int(2, 8), r.int(2, 8), r.int(2, 8)]
    return dict(X=r.f(x), seg_num=segments, shift_ratio=r.pick(0.25, 0.125, 0.3), data_format=layout)


def partial(r):
    rows, columns = r.int(1, 5), r.int(3, 9)
    start = r.int(0, columns - 2)
    return dict(X=[r.f(rows, columns) for _ in range(r.int(1, 3))], start_index=r.pick(start, start - columns),
                length=r.pick(-1, r.int(1, columns - start)))


def whole(r):
    return dict(Input=r.any(r.shape(0, 4), *DTYPES))


def copy(r):
    return dict(X=r.any(r.shape(0, 4), *DTYPES))


def memcpy(r):
    return dict(X=r.any(r.shape(0, 4), *DTYPES), dst_place_type=0)


def broadcast_tensors(r):
    target = r.shape(1, 3)
    dtype, count = r.pick("float32", "int32", "int64"), r.int(1, 3)
    return dict(X=[r.any([d if r.maybe(0.6) else 1 for d in target], dtype) for _ in range(count)], _out={"Out": count})


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
    op("expand_v2", expand, n=18, **EXACT),
    op("expand", expand_v1, **EXACT),
    op("expand_as_v2", expand_as, **EXACT),
    op("tile", tile, n=16, **EXACT),
    op("roll", roll, n=14, **EXACT),
    op("flip", flip, **EXACT),
    op("reverse", reverse, n=10, **EXACT),
    op("pad", pad, **EXACT),
    op("pad3d", pad3d, n=20, **EXACT),
    op("shuffle_channel", shuffle_channel, n=10, **EXACT),
    op("channel_shuffle", channel_shuffle, n=10, **EXACT),
    op("pixel_shuffle", pixel_shuffle, n=12, **EXACT),
    op("pixel_unshuffle", pixel_unshuffle, n=10, **EXACT),
    op("tril_triu", tril_triu, n=14, **EXACT),
    op("meshgrid", meshgrid, n=12, **EXACT),
    op("crop_tensor", crop_tensor, n=12, **EXACT),
    op("crop", crop, n=10, **EXACT),
    op("repeat_interleave", repeat_interleave, n=12, **EXACT),
    op("temporal_shift", temporal_shift, n=12, **EXACT),
    op("partial_concat", partial, n=10, **EXACT),
    op("partial_sum", partial, n=10),
    op("shape", whole, n=14, **EXACT),
    op("size", whole, n=12, **EXACT),
    op("assign", copy, n=14, **EXACT),
    op("share_data", copy, n=12, **EXACT),
    op("memcpy", memcpy, n=10, **EXACT),
    op("memcpy_h2d", memcpy, n=10, formats="program", **EXACT),
    op("broadcast_tensors", broadcast_tensors, n=10, **EXACT),
]
