# SPDX-License-Identifier: Apache-2.0
"""The rows of `make bench-operators`: one-operator programs at sizes of real models, in the notation of the oracle's cases
(tests/oracle/notation.py). A row is (what, Entry); `what` says what the operands are."""
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests" / "oracle"))
from notation import NUMBERS, op  # noqa: E402

ROWS = []


def row(what, name, make, **options):
    ROWS.append((what, op(name, make, **options)))


def text(*shapes):
    return " and ".join("x".join(map(str, shape)) for shape in shapes)


def values(r, shape, dtype, low=-9, high=9):
    """Operands of any type; whole numbers are never 0, so that they can divide."""
    if dtype == "bool":
        return r.b(*shape)
    if dtype.startswith("float"):
        return r.f(*shape, lo=low, hi=high, dtype=dtype)
    array = r.i(*shape, lo=low, hi=high, dtype=dtype)
    array.array[array.array == 0] = 1
    return array


def binary(name, dtypes, shapes):
    for dtype in dtypes:
        for x, y in shapes:
            row("%s %s" % (dtype, text(x) if x == y else text(x, y)), name,
                lambda r, x=x, y=y, dtype=dtype: dict(X=values(r, x, dtype), Y=values(r, y, dtype), axis=-1))


def unary(name, shapes, dtypes=("float32",), low=-3.0, high=3.0, **attributes):
    for dtype in dtypes:
        for x in shapes:
            row("%s %s" % (dtype, text(x)), name,
                lambda r, x=x, dtype=dtype: dict(X=values(r, x, dtype, low, high), **attributes))


IMAGE, TOKENS, PLANE = [8, 64, 56, 56], [8, 128, 768], [1, 256, 80, 80]

# ---- arithmetic
SAME, BIAS, CHANNELS = (TOKENS, TOKENS), (TOKENS, [768]), (IMAGE, [1, 64, 1, 1])
for operator in ("elementwise_add", "elementwise_mul"):
    binary(operator, ["float32"], [SAME, BIAS, CHANNELS])
    binary(operator, ["int64"], [SAME, BIAS])
binary("elementwise_add", ["int32", "float64"], [SAME])
for operator in ("elementwise_sub", "elementwise_div", "elementwise_max", "elementwise_min"):
    binary(operator, ["float32", "int64"], [SAME])
binary("elementwise_mod", ["int64", "int32", "float32"], [SAME])
binary("elementwise_floordiv", ["int64", "int32", "float32"], [SAME])
row("float32 " + text(TOKENS), "elementwise_pow", lambda r: dict(X=r.f(*TOKENS, lo=0.1, hi=3), Y=r.f(*TOKENS)))
row("3 of float32 " + text(TOKENS), "sum", lambda r: dict(X=[r.f(*TOKENS) for _ in range(3)]))
for factor in (2.0, 3.0, 0.5):
    row("float32 %s, to %g" % (text(TOKENS), factor), "pow", lambda r, f=factor: dict(X=r.f(*TOKENS, lo=0.1, hi=3), factor=f))
unary("scale", [TOKENS], ("float32", "int64"), scale=2.0, bias=1.0, bias_after_scale=True)
unary("clip", [TOKENS], ("float32", "int64"), min=-1.0, max=2.0)

# ---- comparisons, logic, bits
for operator in ("equal", "not_equal", "less_than", "less_equal", "greater_than", "greater_equal"):
    binary(operator, ["float32", "int64"], [SAME])
binary("greater_than", ["float32", "int32"], [(TOKENS, [1])])
binary("equal", ["int64"], [([128, 1, 512], [1, 512, 1])])
for operator in ("logical_and", "logical_or", "logical_xor"):
    binary(operator, ["bool"], [SAME])
unary("logical_not", [TOKENS], ("bool",))
binary("bitwise_and", ["int64", "bool"], [SAME])
for operator in ("isnan_v2", "isinf_v2", "isfinite_v2"):
    unary(operator, [TOKENS])
for dtype in ("float32", "int64"):
    row("%s %s" % (dtype, text(TOKENS)), "where",
        lambda r, dtype=dtype: dict(Condition=r.b(*TOKENS), X=values(r, TOKENS, dtype), Y=values(r, TOKENS, dtype)))
for operator in ("reduce_all", "reduce_any"):
    row("bool 1024x768, axis 1", operator, lambda r: dict(X=r.b(1024, 768), dim=[1], keep_dim=False))
row("int64 %s, all equal" % text(TOKENS), "equal_all",
    lambda r: dict(X=r.t(np.arange(8 * 128 * 768).reshape(TOKENS)), Y=r.t(np.arange(8 * 128 * 768).reshape(TOKENS))))

# ---- casts
for source, target in [("int64", "float32"), ("float32", "int64"), ("int64", "int32"), ("int32", "int64"), ("bool", "float32"),
                       ("bool", "int64"), ("float32", "bool"), ("uint8", "float32"), ("float32", "float16")]:
    row("%s to %s %s" % (source, target, text(TOKENS)), "cast",
        lambda r, s=source, t=target: dict(X=values(r, TOKENS, s, 0, 9), in_dtype=NUMBERS[s], out_dtype=NUMBERS[t]))

# ---- functions of one operand
for operator in ("relu", "relu6", "sigmoid", "tanh", "hard_sigmoid", "hard_swish", "swish", "silu", "gelu", "leaky_relu", "exp",
                 "square", "reciprocal", "abs", "erf", "floor", "ceil", "round", "sin", "cos", "softplus", "mish", "elu", "atan",
                 "brelu"):
    unary(operator, [IMAGE])
for operator in ("log", "sqrt", "rsqrt"):
    unary(operator, [IMAGE], low=0.1)
unary("abs", [TOKENS], ("int64",))
for x, axis in [([8, 12, 128, 128], -1), ([40, 6625], -1), ([8, 19, 128, 128], 1)]:
    for operator in ("softmax", "log_softmax"):
        unary(operator, [x], axis=axis)
row("float32 %s, per channel" % text(IMAGE), "prelu", lambda r: dict(X=r.f(*IMAGE), Alpha=r.w(64), mode="channel"))

# ---- reductions
for operator in ("reduce_mean", "reduce_sum", "reduce_max", "reduce_min", "reduce_prod"):
    for x, axes in [(TOKENS, [2]), (IMAGE, [2, 3]), (TOKENS, [1]), (IMAGE, [1])]:
        row("float32 %s, axes %s" % (text(x), axes), operator, lambda r, x=x, a=axes: dict(X=r.f(*x), dim=a, keep_dim=False))
for dtype in ("int64", "int32", "float64"):
    for operator in ("reduce_sum", "reduce_max"):
        for axes in ([2], [1]):
            row("%s %s, axes %s" % (dtype, text(TOKENS), axes), operator,
                lambda r, d=dtype, a=axes: dict(X=values(r, TOKENS, d), dim=a, keep_dim=False))
unary("mean", [TOKENS])
for order, axis in [(2.0, -1), (1.0, -1), (float("inf"), -1), (3.0, -1), (2.0, 1)]:
    row("float32 %s, order %g, axis %d" % (text(TOKENS), order, axis), "p_norm",
        lambda r, p=order, a=axis: dict(X=r.f(*TOKENS), porder=p, axis=a, epsilon=1e-12, keepdim=False))
row("float32 " + text(TOKENS), "frobenius_norm", lambda r: dict(X=r.f(*TOKENS), dim=[2], keep_dim=False))
row("float32 %s, axis 2" % text(TOKENS), "norm", lambda r: dict(X=r.f(*TOKENS), axis=2, epsilon=1e-10, is_test=True), hidden="Norm")
for dtype, x, axis in [("float32", [40, 6625], -1), ("float32", [8, 19, 256, 256], 1), ("int64", [1024, 768], -1), ("int32", [1024, 768], 0)]:
    for operator in ("arg_max", "arg_min"):
        row("%s %s, axis %d" % (dtype, text(x), axis), operator,
            lambda r, d=dtype, x=x, a=axis: dict(X=values(r, x, d, -9999, 9999), axis=a, keepdims=False, flatten=False, dtype=3))
for dtype, x, axis in [("float32", [1024, 768], 1), ("float32", [1024, 768], 0), ("int64", [1024, 768], 1), ("int64", [8, 2048], 1),
                       ("float32", [64, 1, 56, 56], 2)]:
    row("%s %s, axis %d" % (dtype, text(x), axis), "cumsum", lambda r, d=dtype, x=x, a=axis: dict(X=values(r, x, d), axis=a))

# ---- searching, sorting, picking
for dtype, x, k in [("float32", [40, 6625], 5), ("float32", [1, 33600], 100), ("float32", [80, 8400], 1000), ("float32", [8, 1000], 5),
                    ("int64", [40, 6625], 5)]:
    row("%s %s, k %d" % (dtype, text(x), k), "top_k_v2", out="Out Indices",
        make=lambda r, d=dtype, x=x, k=k: dict(X=r.distinct(*x, lo=-1e6, hi=1e6, dtype=d), k=k, axis=-1, largest=True, sorted=True))
row("float32 8x100x256, k 5, axis 1", "top_k_v2", out="Out Indices",
    make=lambda r: dict(X=r.distinct(8, 100, 256), k=5, axis=1, largest=True, sorted=True))
row("float32 1x33600, k 100", "top_k", lambda r: dict(X=r.distinct(1, 33600), k=100), out="Out Indices")
for dtype, x, axis in [("float32", [1, 33600], -1), ("float32", [80, 8400], -1), ("int64", [8, 4096], -1), ("float32", [300, 4, 64], 0)]:
    row("%s %s, axis %d" % (dtype, text(x), axis), "argsort", out="Out Indices",
        make=lambda r, d=dtype, x=x, a=axis: dict(X=r.distinct(*x, lo=-1e6, hi=1e6, dtype=d), axis=a, descending=True))


def rare(r, *shape):
    """One in twenty is true, as behind a score threshold."""
    return r.t(r.random.uniform(0, 1, shape) < 0.05)


row("bool %s" % text(TOKENS), "where_index", lambda r: dict(Condition=r.b(*TOKENS)))
row("bool 640x640, one in 20", "where_index", lambda r: dict(Condition=rare(r, 640, 640)))
row("float32 1x33600, one in 20", "where_index", lambda r: dict(Condition=r.t(rare(r, 1, 33600).array, "float32")))
row("float32 %s" % text(TOKENS), "masked_select", lambda r: dict(X=r.f(*TOKENS), Mask=r.b(*TOKENS)), out="Y")
row("int64 640x640, one in 20", "masked_select", lambda r: dict(X=r.i(640, 640), Mask=rare(r, 640, 640)), out="Y")
for dtype in ("int64", "float32"):
    row("%s 100000 of 1000 values" % dtype, "unique", out="Out Index",
        make=lambda r, d=dtype: dict(X=r.i(100000, lo=0, hi=999, dtype=d), return_index=False, return_inverse=True, return_counts=False,
                                     axis=[], dtype=3, is_sorted=True, _out={"Out": 1, "Index": 1}, _hidden={"Indices": 1, "Counts": 1}))
row("float32 30000x768 by int64 1024", "gather", lambda r: dict(X=r.f(30000, 768), Index=r.i(1024, lo=0, hi=29999), axis=0))
row("float32 8x1024x256 by int64 300, axis 1", "gather",
    lambda r: dict(X=r.f(8, 1024, 256), Index=r.i(300, lo=0, hi=1023), axis=1))
row("int64 8x4096 by int64 1024, axis 1", "gather", lambda r: dict(X=r.i(8, 4096), Index=r.i(1024, lo=0, hi=4095), axis=1))
row("float32 8x1024x256 by 8x300x2", "gather_nd",
    lambda r: dict(X=r.f(8, 1024, 256), Index=r.t(np.stack([r.random.randint(0, 8, (8, 300)), r.random.randint(0, 1024, (8, 300))], -1), "int64")))
row("float32 8x64x4096 by 8x64x4096x3", "gather_nd",
    lambda r: dict(X=r.f(8, 64, 4096), Index=r.t(np.stack([r.random.randint(0, n, (8, 64, 4096)) for n in (8, 64, 4096)], -1), "int64")))
row("float32 1024x768 by 300, axis 0", "index_select", lambda r: dict(X=r.f(1024, 768), Index=r.i(300, lo=0, hi=1023), dim=0))
row("float32 256x8400 by 256x300", "index_sample", lambda r: dict(X=r.f(256, 8400), Index=r.i(256, 300, lo=0, hi=8399)))
for axis, x, index in [(1, [8, 8400, 4], [8, 300, 4]), (2, [8, 64, 4096], [8, 64, 1024])]:
    row("float32 %s by %s, axis %d" % (text(x), text(index), axis), "take_along_axis", out="Result",
        make=lambda r, x=x, i=index, a=axis: dict(Input=r.f(*x), Index=r.i(*i, lo=0, hi=x[a] - 1), Axis=a))
for overwrite in (True, False):
    row("float32 8192x256 at 2048, overwrite %s" % overwrite, "scatter",
        lambda r, o=overwrite: dict(X=r.f(8192, 256), Ids=r.t(r.random.permutation(8192)[:2048], "int64"), Updates=r.f(2048, 256), overwrite=o))
row("float32 8192x256 at 2048x1", "scatter_nd_add",
    lambda r: dict(X=r.f(8192, 256), Index=r.i(2048, 1, lo=0, hi=8191), Updates=r.f(2048, 256)))
row("int64 8x128 to 1000", "one_hot_v2", lambda r: dict(X=r.i(8, 128, lo=0, hi=999), depth=1000, dtype=5))
row("int64 8x128 of 30000x768", "lookup_table_v2", lambda r: dict(W=r.w(30000, 768), Ids=r.i(8, 128, lo=0, hi=29999), padding_idx=-1))
row("int64 8 to 512", "sequence_mask", lambda r: dict(X=r.i(256, lo=0, hi=512), maxlen=512, out_dtype=5), out="Y")

# ---- shapes and movement
for x, perm in [([8, 128, 12, 64], [0, 2, 1, 3]), (IMAGE, [0, 2, 3, 1]), ([1024, 768], [1, 0])]:
    for dtype in ("float32", "int64"):
        row("%s %s, %s" % (dtype, text(x), perm), "transpose2", hidden="XShape",
            make=lambda r, x=x, p=perm, d=dtype: dict(X=values(r, x, d), axis=p))
for dtype in ("float32", "int64"):
    for axis in (1, 2):
        row("2 of %s %s, axis %d" % (dtype, text(TOKENS), axis), "concat",
            lambda r, d=dtype, a=axis: dict(X=[values(r, TOKENS, d) for _ in range(2)], axis=a))
    row("%s %s in 3, axis 2" % (dtype, text(TOKENS)), "split",
        lambda r, d=dtype: dict(X=values(r, TOKENS, d), axis=2, num=3, sections=[], _out={"Out": 3}))
    row("%s %s, half of axis 1" % (dtype, text(TOKENS)), "slice",
        lambda r, d=dtype: dict(Input=values(r, TOKENS, d), axes=[1], starts=[32], ends=[96], infer_flags=[1], decrease_axis=[]))
    row("%s %s, every second of axis 2" % (dtype, text(TOKENS)), "strided_slice",
        lambda r, d=dtype: dict(Input=values(r, TOKENS, d), axes=[2], starts=[0], ends=[768], strides=[2], infer_flags=[1], decrease_axis=[]))
row("4 of float32 8x128x256", "stack", lambda r: dict(X=[r.f(8, 128, 256) for _ in range(4)], axis=1), out="Y")
row("float32 8x4x128x256, axis 1", "unstack", lambda r: dict(X=r.f(8, 4, 128, 256), axis=1, num=4, _out={"Y": 4}), out="Y")
row("float32 8x1x768 to 8x128x768", "expand_v2", lambda r: dict(X=r.f(8, 1, 768), shape=TOKENS))
row("int64 1x128 to 8x12x128x128", "expand_v2", lambda r: dict(X=r.i(1, 1, 1, 128), shape=[8, 12, 128, 128]))
row("float32 8x128x256 by 1x2x3", "tile", lambda r: dict(X=r.f(8, 128, 256), repeat_times=[1, 2, 3]))
row("float32 %s" % text(IMAGE), "roll", lambda r: dict(X=r.f(*IMAGE), shifts=[3, 3], axis=[2, 3]))
for axis in (2, 3):
    row("float32 %s, axis %d" % (text(IMAGE), axis), "flip", lambda r, a=axis: dict(X=r.f(*IMAGE), axis=[a]))
for mode in ("constant", "reflect", "replicate"):
    row("float32 %s, %s by 1" % (text(IMAGE), mode), "pad3d",
        lambda r, m=mode: dict(X=r.f(8, 64, 1, 56, 56), paddings=[1, 1, 1, 1, 0, 0], mode=m, value=0.0, data_format="NCDHW"))
row("float32 8x116x28x28, 2 groups", "shuffle_channel", lambda r: dict(X=r.f(8, 116, 28, 28), group=2))
row("float32 1x256x80x80, by 2", "pixel_shuffle", lambda r: dict(X=r.f(*PLANE), upscale_factor=2, data_format="NCHW"))
row("float32 512 and 512", "meshgrid", lambda r: dict(X=[r.f(512), r.f(512)], _out={"Out": 2}))
row("float32 8x512x512", "tril_triu", lambda r: dict(X=r.f(8, 512, 512), diagonal=0, lower=True))
row("float32 %s" % text(TOKENS), "assign", lambda r: dict(X=r.f(*TOKENS)))
row("float32 %s, part" % text(TOKENS), "set_value", hidden="",
    make=lambda r: dict(Input=r.f(*TOKENS), ValueTensor=r.f(8, 64, 768), axes=[1], starts=[32], ends=[96], steps=[1], decrease_axes=[],
                        none_axes=[], dtype=5))
row("float32 2048x128 by 3", "repeat_interleave", lambda r: dict(X=r.f(2048, 128), Repeats=3, dim=0))

# ---- products
for name, x, y, tx, ty in [("128x768 by 768x768", [8, 128, 768], [768, 768], False, False),
                           ("128x768 by 768x768, x transposed", [8, 768, 128], [8, 768, 256], True, False),
                           ("128x768 by 768x768, y transposed", [8, 128, 768], [8, 256, 768], False, True),
                           ("128x64 by 64x128, heads", [8, 12, 128, 64], [8, 12, 128, 64], False, True)]:
    row("float32 8x" + name, "matmul_v2", lambda r, x=x, y=y, tx=tx, ty=ty: dict(X=r.f(*x), Y=r.f(*y), trans_x=tx, trans_y=ty))
row("float32 96x128x64 by 96x64x128", "bmm", lambda r: dict(X=r.f(96, 128, 64), Y=r.f(96, 64, 128)))
row("float32 8x2048 by 2048x1000", "mul", lambda r: dict(X=r.f(8, 2048), Y=r.w(2048, 1000), x_num_col_dims=1, y_num_col_dims=1))
for equation, x, y in [("bij,bjk->bik", [8, 128, 256], [8, 256, 128]), ("bhid,bhjd->bhij", [8, 12, 128, 64], [8, 12, 128, 64]),
                       ("bqc,bchw->bqhw", [1, 100, 256], [1, 256, 80, 80])]:
    row("float32 %s" % equation, "einsum", hidden="InnerCache XShape",
        make=lambda r, e=equation, x=x, y=y: dict(Operands=[r.f(*x), r.f(*y)], equation=e, _hidden={"InnerCache": 2, "XShape": 2}))
row("float32 64x32x32", "inverse", lambda r: dict(Input=r.f(64, 32, 32)), out="Output")

# ---- convolutions, pooling, normalisation


def conv(x, filters, stride=1, pad=1, groups=1, dilation=1, layout="NCHW", computed=False):
    rank = len(filters) - 2
    return lambda r: dict(Input=r.f(*x, lo=-1, hi=1), Filter=r.f(*filters) if computed else r.w(*filters), strides=[stride] * rank, paddings=[pad] * rank,
                          dilations=[dilation] * rank, groups=groups, padding_algorithm="EXPLICIT", data_format=layout)


row("1x64x56x56, 3x3", "conv2d", conv([1, 64, 56, 56], [64, 64, 3, 3]), out="Output")
row("1x256x28x28, 1x1", "conv2d", conv([1, 256, 28, 28], [512, 256, 1, 1], pad=0), out="Output")
row("1x3x224x224, 7x7, stride 2", "conv2d", conv([1, 3, 224, 224], [64, 3, 7, 7], 2, 3), out="Output")
row("1x256x28x28, 3x3, 32 groups", "conv2d", conv([1, 256, 28, 28], [256, 8, 3, 3], groups=32), out="Output")
row("1x64x56x56, 3x3, dilation 2", "conv2d", conv([1, 64, 56, 56], [64, 64, 3, 3], pad=2, dilation=2), out="Output")
row("1x56x56x64 NHWC, 3x3", "conv2d", conv([1, 56, 56, 64], [64, 64, 3, 3], layout="NHWC"), out="Output")
row("1x128x56x56, 3x3", "depthwise_conv2d", conv([1, 128, 56, 56], [128, 1, 3, 3], groups=128), out="Output")
row("1x32x8x56x56, 3x3x3", "conv3d", conv([1, 32, 8, 56, 56], [32, 32, 3, 3, 3], layout="NCDHW"), out="Output")
row("1x64x80x80, 3x3, stride 2", "conv2d_transpose", conv([1, 64, 80, 80], [64, 32, 3, 3], 2), out="Output")
row("1x64x80x80, 3x3, stride 2, computed filter", "conv2d_transpose", conv([1, 64, 80, 80], [64, 32, 3, 3], 2, computed=True), out="Output")
row("1x64x80x80, 4x4, stride 2", "depthwise_conv2d_transpose", conv([1, 64, 80, 80], [64, 1, 4, 4], 2, groups=64), out="Output")
for kind, size, stride in [("max", 3, 2), ("avg", 2, 2)]:
    row("%s %s, %dx%d" % (kind, text(IMAGE), size, size), "pool2d",
        lambda r, k=kind, n=size, s=stride: dict(X=r.f(*IMAGE), pooling_type=k, ksize=[n, n], strides=[s, s], paddings=[n // 2 * (n % 2)] * 2,
                                                 global_pooling=False, adaptive=False, exclusive=True, ceil_mode=False, data_format="NCHW"))
row("float32 %s, 2x2" % text(IMAGE), "max_pool2d_with_index", out="Out Mask",
    make=lambda r: dict(X=r.f(*IMAGE), ksize=[2, 2], strides=[2, 2], paddings=[0, 0], adaptive=False, global_pooling=False))
row("float32 1x64x56x56, 3x3", "unfold", out="Y",
    make=lambda r: dict(X=r.f(1, 64, 56, 56), kernel_sizes=[3, 3], dilations=[1, 1], strides=[1, 1], paddings=[1, 1, 1, 1]))
row("float32 1x576x3136, 3x3", "fold", out="Y",
    make=lambda r: dict(X=r.f(1, 576, 3136), output_sizes=[56, 56], kernel_sizes=[3, 3], dilations=[1, 1], strides=[1, 1], paddings=[1, 1, 1, 1]))
row("1x64x56x56, 3x3", "deformable_conv", out="Output",
    make=lambda r: dict(Input=r.f(1, 64, 56, 56), Offset=r.f(1, 18, 56, 56), Filter=r.w(64, 64, 3, 3), Mask=r.f(1, 9, 56, 56, lo=0, hi=1),
                        strides=[1, 1], paddings=[1, 1], dilations=[1, 1], groups=1, deformable_groups=1, im2col_step=64))
row("float32 " + text(IMAGE), "batch_norm", out="Y", hidden="MeanOut VarianceOut SavedMean SavedVariance",
    make=lambda r: dict(X=r.f(*IMAGE), Scale=r.w(64), Bias=r.w(64), Mean=r.w(64), Variance=r.w(64, lo=0.5, hi=2), epsilon=1e-5,
                        momentum=0.9, is_test=True, data_layout="NCHW", use_global_stats=False,
                        _alias={"MeanOut": "Mean", "VarianceOut": "Variance"}))
row("float32 " + text(TOKENS), "layer_norm", out="Y", hidden="Mean Variance",
    make=lambda r: dict(X=r.f(*TOKENS), Scale=r.w(768), Bias=r.w(768), epsilon=1e-5, begin_norm_axis=2))
row("float32 %s, 32 groups" % text(IMAGE), "group_norm", out="Y", hidden="Mean Variance",
    make=lambda r: dict(X=r.f(*IMAGE), Scale=r.w(64), Bias=r.w(64), epsilon=1e-5, groups=32, data_layout="NCHW"))
row("float32 " + text(IMAGE), "instance_norm", out="Y", hidden="SavedMean SavedVariance",
    make=lambda r: dict(X=r.f(*IMAGE), Scale=r.w(64), Bias=r.w(64), epsilon=1e-5))
row("float32 " + text(IMAGE), "affine_channel", lambda r: dict(X=r.f(*IMAGE), Scale=r.w(64), Bias=r.w(64), data_layout="NCHW"))

# ---- resizing and sampling
for method in ("nearest", "bilinear", "bicubic"):
    for align in (False, True):
        row("float32 1x256x40x40 to 80x80, align %s" % align, method + "_interp_v2",
            lambda r, m=method, a=align: dict(X=r.f(1, 256, 40, 40), data_layout="NCHW", interp_method=m, align_corners=a, align_mode=1,
                                              out_d=-1, out_h=80, out_w=80, scale=[]))
row("float32 8x256x128 to 256", "linear_interp_v2",
    lambda r: dict(X=r.f(8, 256, 128), data_layout="NCHW", interp_method="linear", align_corners=False, align_mode=1, out_d=-1, out_h=-1,
                   out_w=256, scale=[]))
for mode in ("bilinear", "nearest"):
    row("float32 1x64x80x80 at 80x80, %s" % mode, "grid_sampler", out="Output",
        make=lambda r, m=mode: dict(X=r.f(1, 64, 80, 80), Grid=r.f(1, 80, 80, 2, lo=-1.1, hi=1.1), mode=m, padding_mode="zeros", align_corners=True))

# ---- detection


def spread(r, count, size=640.0):
    """Boxes of 8 to 100 pixels in a picture of that size."""
    corner = r.random.uniform(0, size - 100, (count, 2))
    return np.concatenate([corner, corner + r.random.uniform(8, 100, (count, 2))], 1).astype("float32")


row("300 of 1x256x80x80, 7x7", "roi_align",
    lambda r: dict(X=r.f(1, 256, 80, 80), ROIs=r.t(spread(r, 300)).fixed(), RoisNum=r.v([300], "int32"), pooled_height=7, pooled_width=7,
                   spatial_scale=0.125, sampling_ratio=2, aligned=True))
row("300 of 1x392x40x40, 7x7 of 8 channels", "psroi_pool",
    lambda r: dict(X=r.f(1, 392, 40, 40), ROIs=r.t(spread(r, 300)).fixed(), RoisNum=r.v([300], "int32"), pooled_height=7, pooled_width=7,
                   output_channels=8, spatial_scale=0.0625))
row("1x255x52x52", "yolo_box", out="Boxes Scores",
    make=lambda r: dict(X=r.f(1, 255, 52, 52), ImgSize=r.v([[416, 416]], "int32"), anchors=[10, 13, 16, 30, 33, 23], class_num=80,
                        conf_thresh=0.01, downsample_ratio=8, clip_bbox=True, scale_x_y=1.0, iou_aware=False, iou_aware_factor=0.5))
for classes in (1, 80):
    row("8400 boxes, %d classes" % classes, "multiclass_nms3", out="Out Index NmsRoisNum",
        make=lambda r, c=classes: dict(BBoxes=r.t(spread(r, 8400)[None]), Scores=r.t(r.random.uniform(0, 1, (1, c, 8400)) ** 8, "float32"),
                                       background_label=-1, score_threshold=0.3, nms_top_k=1000, nms_threshold=0.6, nms_eta=1.0, keep_top_k=300,
                                       normalized=True))
row("8400 boxes, 80 classes", "matrix_nms", out="Out Index RoisNum",
    make=lambda r: dict(BBoxes=r.t(spread(r, 8400)[None]), Scores=r.t(r.random.uniform(0, 1, (1, 80, 8400)) ** 8, "float32"), background_label=-1,
                        score_threshold=0.3, post_threshold=0.01, nms_top_k=1000, keep_top_k=100, use_gaussian=False, gaussian_sigma=2.0,
                        normalized=True))
row("1x256x80x80 in 640x640", "prior_box", out="Boxes Variances",
    make=lambda r: dict(Input=r.f(*PLANE), Image=r.f(1, 3, 640, 640), min_sizes=[60.0], max_sizes=[100.0], aspect_ratios=[2.0, 3.0], flip=True,
                        clip=False, variances=[0.1, 0.1, 0.2, 0.2], offset=0.5, step_w=8.0, step_h=8.0, min_max_aspect_ratios_order=False))
row("1x256x80x80", "anchor_generator", out="Anchors Variances",
    make=lambda r: dict(Input=r.f(*PLANE), anchor_sizes=[32.0, 64.0], aspect_ratios=[0.5, 1.0, 2.0], stride=[8.0, 8.0], offset=0.5,
                        variances=[1.0, 1.0, 1.0, 1.0]))
row("decode 8400x4", "box_coder", out="OutputBox",
    make=lambda r: dict(PriorBox=r.t(spread(r, 8400)), PriorBoxVar=r.f(8400, 4, lo=0.1, hi=0.3), TargetBox=r.f(1, 8400, 4, lo=-1, hi=1),
                        code_type="decode_center_size", box_normalized=False, axis=0))
row("1000 boxes to 4 levels", "distribute_fpn_proposals",
    lambda r: dict(FpnRois=r.t(spread(r, 1000)).fixed(), RoisNum=r.v([1000], "int32"), min_level=2, max_level=5, refer_level=4, refer_scale=224,
                   pixel_offset=False, _out={"MultiFpnRois": 4, "RestoreIndex": 1, "MultiLevelRoIsNum": 4}))

# ---- recurrent layers


def rnn(mode, time, batch, width, hidden, both):
    gates, directions = {"LSTM": 4, "GRU": 3}[mode], 2 if both else 1
    def make(r):
        weights = [r.w(gates * hidden, n, lo=-0.1, hi=0.1) for _ in range(directions) for n in (width, hidden)]
        biases = [r.w(gates * hidden, lo=-0.1, hi=0.1) for _ in range(2 * directions)]
        return dict(Input=r.f(time, batch, width).fixed(), PreState=[r.f(directions, batch, hidden).fixed() for _ in range(2 if mode == "LSTM" else 1)],
                    WeightList=weights + biases, mode=mode, num_layers=1, is_bidirec=both, input_size=width, hidden_size=hidden, dropout_prob=0.0,
                    is_test=True, seed=0, _out={"Out": 1, "State": 2 if mode == "LSTM" else 1})
    return make


for mode in ("LSTM", "GRU"):
    row("%s, 80 steps of 4x288, 96 both ways" % mode, "rnn", rnn(mode, 80, 4, 288, 96, True), hidden="DropoutState Reserve")
