# SPDX-License-Identifier: Apache-2.0
"""Functions of the Python API with operands of every element type: what Paddle makes of the types before an operator sees
them (promotion, casts) is a part of the program. Entries of the family `types`."""

import numpy as np

from notation import api

TYPES = ["bool", "uint8", "int8", "int32", "int64", "float16", "float32", "float64"]
PAIRS = [("int32", "int64"), ("float32", "int64"), ("bool", "int32"), ("uint8", "int8"), ("float64", "float32")]
PAIRS += [("int64", "float64"), ("float16", "float32"), ("float32", "bool")]

UNARY = """abs acos acosh asin asinh atan atanh bitwise_not ceil cos cosh deg2rad rad2deg digamma erf erfinv exp expm1
floor frac i0 i0e i1 i1e isfinite isinf isnan isneginf isposinf isreal lgamma gammaln log log10 log1p log2 logical_not logit
neg reciprocal round rsqrt sgn sigmoid sign signbit sin sinc sinh sqrt square stanh tan tanh trunc nan_to_num positive
angle real numel rank shape tril triu diag diagflat zeros_like ones_like assign is_empty trace increment nonzero unique
unique_consecutive bincount vander flatten t matrix_rank cov corrcoef ravel bitwise_invert isin"""

FUNCTIONAL = """relu relu6 gelu silu elu celu selu softplus softsign hardswish hardsigmoid hardtanh leaky_relu mish swish
tanhshrink softshrink hardshrink log_sigmoid thresholded_relu softmax log_softmax normalize glu"""

REDUCTIONS = """sum mean max min amax amin prod all any logsumexp std var median nanmedian nansum nanmean argmax argmin
count_nonzero cumsum cumprod cummax cummin logcumsumexp sort argsort mode quantile diff flip unbind squeeze unsqueeze"""

BINARY = """add subtract multiply divide floor_divide remainder pow maximum minimum fmax fmin atan2 copysign logaddexp hypot
heaviside gcd lcm ldexp nextafter equal not_equal less_than less_equal greater_than greater_equal logical_and logical_or
logical_xor bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift kron dot inner outer isclose allclose
equal_all dist matmul mm bmm cross minimum gammainc gammaincc"""

REST = {
    "scale": lambda p, x: p.scale(x, 2.5, 1.5),
    "scale_first": lambda p, x: p.scale(x, 2.5, 1.5, bias_after_scale=False),
    "pow_two": lambda p, x: p.pow(x, 2),
    "pow_half": lambda p, x: p.pow(x, 0.5),
    "pow_negative": lambda p, x: p.pow(x, -1),
    "pow_long": lambda p, x: p.pow(x, 7),
    "clip": lambda p, x: p.clip(x, -1.5, 1.5),
    "clip_low": lambda p, x: p.clip(x, min=1),
    "plus_real": lambda p, x: x + 1.5,
    "plus_whole": lambda p, x: x + 3,
    "minus_from": lambda p, x: 2 - x,
    "times_real": lambda p, x: x * 0.5,
    "over_real": lambda p, x: x / 2.0,
    "over_whole": lambda p, x: x / 2,
    "floor_over": lambda p, x: x // 2,
    "rest_of": lambda p, x: x % 3,
    "power_of": lambda p, x: x**2,
    "real_power_of": lambda p, x: x**1.5,
    "powers": lambda p, x: 2**x,
    "negative": lambda p, x: -x,
    "compared": lambda p, x: x > 0.5,
    "sum_of_type": lambda p, x: p.sum(x, dtype="float64"),
    "cumsum_of_type": lambda p, x: p.cumsum(x, axis=0, dtype="float32"),
    "topk": lambda p, x: p.topk(x, 2),
    "smallest": lambda p, x: p.topk(x, 2, largest=False),
    "kthvalue": lambda p, x: p.kthvalue(x, 2),
    "where": lambda p, x: p.where(x > 0, x, p.zeros_like(x)),
    "concat": lambda p, x: p.concat([x, x], 1),
    "stack": lambda p, x: p.stack([x, x], 1),
    "split": lambda p, x: p.split(x, 2, 0),
    "tile": lambda p, x: p.tile(x, [2, 1]),
    "expand": lambda p, x: p.expand(x, [2, 4, 6]),
    "transpose": lambda p, x: p.transpose(x, [1, 0]),
    "reshape": lambda p, x: p.reshape(x, [6, 4]),
    "roll": lambda p, x: p.roll(x, 1),
    "rot90": lambda p, x: p.rot90(x),
    "gather": lambda p, x: p.gather(x, p.to_tensor([1, 0]) if False else p.full([2], 1, "int64")),
    "index_select": lambda p, x: p.index_select(x, p.full([2], 1, "int32")),
    "take_along_axis": lambda p, x: p.take_along_axis(x, p.full([1, 6], 1, "int64"), 0),
    "masked_select": lambda p, x: p.masked_select(x, x > 0),
    "masked_fill": lambda p, x: p.masked_fill(x, x > 0, 1),
    "scatter": lambda p, x: p.scatter(x, p.full([1], 1, "int64"), x[:1]),
    "put_along_axis": lambda p, x: p.put_along_axis(x, p.full([1, 6], 1, "int64"), 1, 0),
    "index_add": lambda p, x: p.index_add(x, p.full([1], 1, "int64"), 0, x[:1]),
    "searchsorted": lambda p, x: p.searchsorted(p.sort(x[0]), x),
    "bucketize": lambda p, x: p.bucketize(x, p.sort(x[0])),
    "histogram": lambda p, x: p.histogram(x, 4, -3, 3),
    "norm": lambda p, x: p.linalg.norm(x),
    "norm_one": lambda p, x: p.linalg.norm(x, 1, 0),
    "norm_inf": lambda p, x: p.linalg.norm(x, float("inf"), 1),
    "pad": lambda p, x: p.nn.functional.pad(x, [1, 2, 0, 1], value=1.5),
    "one_hot": lambda p, x: p.nn.functional.one_hot(p.abs(x), 8),
    "embedding": lambda p, x: p.nn.functional.embedding(p.abs(x), p.ones([8, 3])),
    "dropout": lambda p, x: p.nn.functional.dropout(x, 0.5, training=False),
    "interpolate_nearest": lambda p, x: p.nn.functional.interpolate(p.reshape(x, [1, 1, 4, 6]), [8, 9]),
    "interpolate_linear": lambda p, x: p.nn.functional.interpolate(p.reshape(x, [1, 1, 4, 6]), [8, 9], mode="bilinear"),
    "max_pool": lambda p, x: p.nn.functional.max_pool2d(p.reshape(x, [1, 1, 4, 6]), 2),
    "avg_pool": lambda p, x: p.nn.functional.avg_pool2d(p.reshape(x, [1, 1, 4, 6]), 2),
    "layer_norm": lambda p, x: p.nn.functional.layer_norm(x, [6]),
    "cosine_similarity": lambda p, x: p.nn.functional.cosine_similarity(x, x, 1),
    "unfold": lambda p, x: p.nn.functional.unfold(p.reshape(x, [1, 1, 4, 6]), 2),
    "einsum": lambda p, x: p.einsum("ij,kj->ik", x, x),
    "addmm": lambda p, x: p.addmm(p.matmul(x, x, transpose_y=True), x, p.transpose(x, [1, 0])),
    "lerp": lambda p, x: p.lerp(x, x + 1, 0.5),
    "full_like": lambda p, x: p.full_like(x, 2.7),
    "arange_to": lambda p, x: p.arange(0, p.max(p.abs(x)) + 1, 1),
    "strided_slice": lambda p, x: p.strided_slice(x, [0, 1], [3, 5], [0, 0], [-1, -2]),
    "multiplex": lambda p, x: p.multiplex([x, x + x], p.full([4, 1], 1, "int32")),
    "repeat_interleave": lambda p, x: p.repeat_interleave(x, 2, 0),
    "meshgrid": lambda p, x: p.meshgrid(x[0], x[1]),
    "broadcast_tensors": lambda p, x: p.broadcast_tensors([x, x[:1]]),
    "sequence_mask": lambda p, x: p.nn.functional.sequence_mask(p.abs(x), 4, "float32"),
    "multinomial_shape": lambda p, x: p.shape(x) * 2,
    "add_n": lambda p, x: p.add_n([x, x, x]),
    "cast_int": lambda p, x: p.cast(x, "int32"),
    "cast_bool": lambda p, x: p.cast(x, "bool"),
    "cast_uint8": lambda p, x: p.cast(x, "uint8"),
    "cast_half": lambda p, x: p.cast(x, "float16"),
}


def values(r, dtype, dims=(4, 6)):
    if dtype == "bool":
        return r.b(*dims)
    if dtype.startswith("float"):
        return r.f(*dims, lo=-3.0, hi=3.0, dtype=dtype)
    return r.i(*dims, lo=0 if dtype == "uint8" else -5, hi=6, dtype=dtype)


def one(name, function, dtype):
    return api(name, lambda r: (dict(x=values(r, dtype)), lambda paddle, x: function(paddle, x)), 1, formats="program pir")


def two(name, dtypes):
    def make(r):
        dims = (6, 6) if name in ("matmul", "mm") else (2, 3, 3) if name in ("bmm", "cross") else (4, 6)
        x, y = values(r, dtypes[0], dims), values(r, dtypes[1], dims)
        if "shift" in name:
            y.array = np.abs(y.array.astype("int64")).astype(y.array.dtype)
        if name in ("floor_divide", "remainder") and y.array.dtype.kind != "b":
            y.array[y.array == 0] = 2
        return dict(x=x, y=y), lambda paddle, x, y: getattr(paddle, name)(x, y)

    return api(name, make, 1, formats="program pir")


def table():
    """Entries with the part of their case's name that says the types."""
    functions = {name: lambda p, x, n=name: getattr(p, n)(x) for name in UNARY.split()}
    functions |= {"functional_" + n: lambda p, x, n=n: getattr(p.nn.functional, n)(x) for n in FUNCTIONAL.split()}
    for n in REDUCTIONS.split():
        functions[n + "_axis"] = lambda p, x, n=n: getattr(p, n)(x, 1)
    functions |= {n + "_all": lambda p, x, n=n: getattr(p, n)(x) for n in REDUCTIONS.split()[:21]}
    functions |= REST
    for name, function in functions.items():
        for dtype in TYPES:
            yield one(name, function, dtype), dtype
    for name in BINARY.split():
        for dtypes in [(t, t) for t in TYPES] + PAIRS:
            yield two(name, dtypes), "_".join(dtypes) if dtypes[0] != dtypes[1] else "both_" + dtypes[0]
