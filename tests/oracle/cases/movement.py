# SPDX-License-Identifier: Apache-2.0
"""Repeating, padding, shifting, shuffling and cropping: values are copied, so results are equal bit by bit."""

from cases.shape import pieces
from notation import op


def expand(r):
    target = r.shape(1, 4)
    x = [d if r.maybe(0.6) else 1 for d in target[r.int(0, len(target) - 1) :]]
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
    x = [d if r.maybe(0.6) else 1 for d in target[r.int(0, len(target) - 1) :]]
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
    return dict(
        X=r.any(x, "float32", "float64", "int32", "int64"),
        paddings=[r.int(0, 3) for _ in range(2 * len(x))],
        pad_value=float(r.int(-2, 2)),
    )


def pad3d(r):
    mode = r.turn("constant", "reflect", "replicate", "circular")
    layout = r.pick("NCDHW", "NCDHW", "NDHWC")
    x = [r.int(1, 2), r.int(1, 3), r.int(2, 5), r.int(2, 5), r.int(2, 5)]
    size = x[1:4] if layout == "NDHWC" else x[2:5]
    limit = [s - 1 if mode == "reflect" else s if mode == "circular" else 4 for s in size[::-1]]
    pads = [r.int(0, most) for most in limit for _ in (0, 1)]
    case = dict(
        X=r.any(x, "float32", "float32", "float64", "int32", "int64"),
        mode=mode,
        data_format=layout,
        value=float(r.int(-2, 2)),
        paddings=pads,
    )
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
    return dict(
        X=r.any(x, "float32", "float64", "int32", "int64", "bool"), diagonal=r.int(-3, 3), lower=r.turn(True, False)
    )


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


def partial(negative):
    """A negative start needs a length, and partial_sum takes none: Paddle reads outside of the row."""

    def make(r):
        rows, columns = r.int(1, 5), r.int(3, 9)
        start = r.int(0, columns - 2)
        tensors = [r.f(rows, columns) for _ in range(r.int(1, 3))]
        if negative and r.maybe(0.3):
            return dict(X=tensors, start_index=start - columns, length=r.int(1, columns - start))
        return dict(X=tensors, start_index=start, length=r.pick(-1, r.int(1, columns - start)))

    return make


def broadcast_tensors(r):
    target = r.shape(1, 3)
    dtype, count = r.pick("float32", "int32", "int64"), r.int(1, 3)
    return dict(X=[r.any([d if r.maybe(0.6) else 1 for d in target], dtype) for _ in range(count)], _out={"Out": count})


def frame(r):
    length, hop = r.int(2, 5), r.int(1, 4)
    samples = length + hop * r.int(0, 4) + r.int(0, hop - 1)
    axis = r.turn(-1, 0)
    lead = r.pick([], [r.int(1, 3)])
    return dict(
        X=r.f(lead + [samples] if axis else [samples] + lead), frame_length=length, hop_length=hop, axis=axis
    )


def overlap_add(r):
    length, hop, frames = r.int(2, 6), r.int(1, 4), r.int(1, 5)
    axis = r.turn(-1, 0)
    lead = r.pick([], [r.int(1, 3)])
    return dict(X=r.f(lead + [length, frames] if axis else [frames, length] + lead), hop_length=min(hop, length), axis=axis)



EXACT = dict(exact=True)
TABLE = [
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
    op("partial_concat", partial(True), n=10, **EXACT),
    op("partial_sum", partial(False), n=10),
    op("broadcast_tensors", broadcast_tensors, n=10, **EXACT),
    op("frame", frame, n=10),
    op("overlap_add", overlap_add, n=10),
]
