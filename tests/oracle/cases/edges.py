# SPDX-License-Identifier: Apache-2.0
"""Arguments at the edges of what operators take: bounds beyond the axis, scalars, powers that overflow, shares of a
softmax that vanish, indices smaller than the tensor."""

import numpy as np

from notation import api, op


def each(*makes):
    """One case for each of the makers."""

    def make(r):
        return makes[r.index % len(makes)](r)

    return make


def bounds(size):
    return [(s, e) for s in (-9, -size, -1, 0, 1, size - 1) for e in (-9, -size - 1, -size, -2, -1, 0, 1, size)]


def counted(r, rows):
    return r.t(np.arange(rows * 2, dtype="float32").reshape(rows, 2)).fixed()


def strided_slice(r):
    """Steps back, where a bound before the first element means another thing in each format."""
    start, end = bounds(3)[r.index]
    return dict(x=counted(r, 3)), lambda paddle, x: paddle.strided_slice(x, [0], [start], [end], [r.pick(-1, -2)])


def set_value(r):
    start, end = bounds(3)[r.index]
    return dict(
        Input=counted(r, 3),
        ValueTensor=r.f(1),
        axes=[0],
        starts=[start],
        ends=[end],
        steps=[r.pick(-1, -2)],
        dtype=5,
    )


def scalar(r, value=0.7, dtype="float32"):
    return r.t(np.array(value, dtype))


def integers(dtype):
    most = np.iinfo(dtype).max
    return np.array([0, 1, -1, 2, -3, 7, 10, -10, 1000, 46341, 65536, 123456, most, -most - 1], dtype)


def power(dtype, factor):
    return lambda r: dict(X=r.t(integers(dtype)), factor=factor)


def powers(dtype):
    def make(r):
        x, y = np.meshgrid(integers(dtype), np.array([0, 1, 2, 3, 10, 31, 63], dtype))
        return dict(X=r.t(x.copy()), Y=r.t(y.copy()), axis=-1)

    return make


def steep(r):
    """A line of a softmax whose elements lie far behind the largest."""
    axis, dtype = r.index % 3 - 1, ("float32", "float64")[r.index // 3 % 2]
    x = np.array([[0, -1, -30, -63, -64, -65, -100, -1000], [5] * 7 + [-80]], dtype)
    return {-1: x, 0: x.T.copy(), 1: np.stack([x, x], -1)}[axis], axis


def masked(r):
    """Lines of a softmax that are -inf throughout, or hold an infinity that differs from itself by no number."""
    x = r.random.uniform(-2, 2, (4, (8, 7, 16, 12, 24, 1)[r.index % 6])).astype("float32")
    x[0], x[1, 0], x[2, -1], x[3, 0] = -np.inf, np.inf, -np.inf, np.nan
    return dict(x=r.t(x).fixed()), lambda paddle, x: paddle.nn.functional.softmax(x, -1)


def log_of_softmax(r):
    x, axis = steep(r)
    return dict(x=r.t(x)), lambda paddle, x: paddle.log(paddle.nn.functional.softmax(x, axis))


def cross_entropy(r):
    x, axis = steep(r)
    label = np.full([d for i, d in enumerate(x.shape) if i != axis % x.ndim], 6 if axis != 1 else 0)
    return dict(
        Logits=r.t(x), Label=r.v(np.expand_dims(label, axis)), soft_label=False, ignore_index=-100, axis=axis
    )


SMALLER = [((4, 5), (2, 3), 0), ((4, 5), (2, 3), 1), ((3, 4, 5), (2, 2, 2), 0), ((3, 4, 5), (2, 2, 2), 1)]
SMALLER += [((3, 4, 5), (2, 2, 2), 2), ((3, 4, 5), (1, 6, 1), 1)]


def take_smaller(r):
    x, index, axis = SMALLER[r.index]
    return dict(Input=r.f(x), Index=r.i(index, lo=0, hi=x[axis] - 1), Axis=axis)


def put_smaller(r):
    x, index, axis = SMALLER[r.index % len(SMALLER)]
    case = dict(Input=r.f(x), Axis=axis, Value=r.f(index), Reduce=("add", "mul")[r.index % 2])
    return dict(case, Index=r.i(index, lo=0, hi=x[axis] - 1))


def crf_labels(r):
    batch, steps, tags = 3, 5, 4
    label = r.i([batch, steps] + ([1] if r.index % 2 else []), lo=0, hi=tags - 1)
    emission, transition = r.f(batch, steps, tags), r.w(tags + 2, tags)
    return dict(Emission=emission, Transition=transition, Label=label, Length=r.v([5, 2, 3]))


def heads(r):
    count, transposed = r.turn(2, 3), r.index % 4 > 1
    y = r.f(2, 6, 12) if transposed else r.f(2, 12, 6)
    return dict(X=r.f(2, 3, 12), Y=y, transpose_Y=transposed, alpha=r.pick(1.0, 0.5), head_number=count)


def polygamma(r):
    """Orders from 1 on, of numbers on both sides of zero."""
    x = [-7.25, -2.5, -0.5, 0.25, 0.5, 1, 2, 3.75, 10, 50, 170]
    return dict(x=r.t(np.array(x, ("float32", "float64")[r.index % 2])), n=1 + r.index // 2)


def empty_window(r):
    """A picture without rows, or without columns, of which padding and truncated quotients make results."""
    kernel, stride, padding = r.turn((3, 2, 1), (1, 2, 0), (5, 2, 2), (2, 2, 1), (3, 3, 1))
    size = [0, 8] if r.index % 2 == 0 else [8, 0]
    window = dict(strides=[stride] * 2, paddings=[padding] * 2, padding_algorithm="EXPLICIT", data_format="NCHW")
    return size, kernel, window


def empty_convolution(r):
    size, kernel, window = empty_window(r)
    case = dict(Input=r.f([1, 3] + size), Filter=r.w(4, 3, kernel, kernel), dilations=[1, 1], groups=1)
    return dict(case, **window)


def empty_average(r):
    size, kernel, window = empty_window(r)
    return dict(X=r.f([1, 3] + size), pooling_type="avg", ksize=[kernel] * 2, **window)


FACTORS = (0.0, 2.0, 3.0, 0.5, 2.5, 10.0, 31.0, 63.0)
POWERS = [power(d, f) for d in ("int32", "int64") for f in FACTORS]
FLAT = each(lambda r: dict(X=scalar(r), axis=0))
SUMS = each(*[lambda r, x=x: dict(X=x(r), axis=0, exclusive=True) for x in (scalar, lambda r: r.f(1), lambda r: r.f(3))])

TABLE = [
    api("strided_slice", strided_slice, 48, exact=True, formats="program pir"),
    op("set_value", set_value, 48, exact=True),
    op("conv2d", empty_convolution, 10, out="Output"),
    op("pool2d", empty_average, 10),
    op("flatten2", FLAT, 1, hidden="XShape", formats="program"),
    op("cumsum", SUMS, 3),
    op("arg_max", lambda r: dict(X=scalar(r), axis=0, keepdims=True, flatten=r.index > 0, dtype=3), 2),
    op("pow", each(*POWERS), len(POWERS), exact=True),
    op("elementwise_pow", each(powers("int32"), powers("int64")), 2, exact=True),
    api("masked_softmax", masked, 6, formats="program pir"),
    api("log_of_softmax", log_of_softmax, 6, formats="program pir"),
    op("softmax_with_cross_entropy", cross_entropy, 6, out="Softmax Loss"),
    op("take_along_axis", take_smaller, len(SMALLER), out="Result", exact=True),
    op("put_along_axis", put_smaller, 2 * len(SMALLER), out="Result"),
    op("crf_decoding", crf_labels, 4, out="ViterbiPath", exact=True),
    op("matmul", heads, 4, formats="program"),
    op("matrix_rank", lambda r: dict(X=r.f(2, 3, 3), use_default_tol=True), 2, exact=True),
    op("polygamma", polygamma, 8, out="out"),
    op("logit", lambda r: dict(X=r.t(np.array([0, 1e-7, 0.5, 1 - 1e-7, 1], "float32")), eps=1e-6), 1),
]
