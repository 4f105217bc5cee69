# SPDX-License-Identifier: Apache-2.0
"""Programs of the Python API as users export them: PIR operators with the operands and attributes that the API gives.

Sizes of the batch are unknown in every second case, so that shapes are computed when the program runs.
"""

import numpy

from notation import api


def entry(name, function, n=10, exact=False, formats="program pir", **inputs):
    """function(paddle, functional, r, inputs...): `r` is the draw of the case, for attributes."""

    def make(r):
        tensors = {key: draw(r) for key, draw in inputs.items()}
        if r.index % 2:
            for key, tensor in tensors.items():
                if key == "x" and len(tensor.shape) > 1 and not tensor.param:
                    tensor.unknown = [0]
        return tensors, lambda paddle, **variables: function(paddle, paddle.nn.functional, r, **variables)

    return api(name, make, n, exact, formats=formats)


def real(low=1, high=4, **more):
    return lambda r: r.f(r.shape(low, high), **more)


def image(r):
    return r.f(r.int(1, 2), 4, r.int(4, 8), r.int(4, 8))


def weight(*shape):
    return lambda r: r.w(*shape)


def matrix(r):
    return r.f(r.int(1, 4), 6)


def tokens(r):
    return r.f(r.int(1, 2), r.int(1, 5), 8)


def attention(p, f, r, x, q, k, v, o):
    """Two heads, written out as models do."""

    def heads(w):
        return p.transpose(p.reshape(p.matmul(x, w), [0, 0, 2, 4]), [0, 2, 1, 3])

    scores = p.matmul(heads(q) * 0.5, heads(k), transpose_y=True)
    mixed = p.transpose(p.matmul(f.softmax(scores, axis=-1), heads(v)), [0, 2, 1, 3])
    return p.matmul(p.reshape(mixed, [0, 0, 8]), o)


def squeeze_excite(p, f, r, x, w, v):
    pooled = f.adaptive_avg_pool2d(x, 1)
    return x * f.hardsigmoid(f.conv2d(f.relu(f.conv2d(pooled, w)), v))


def norm_by_hand(p, f, r, x):
    centred = x - p.mean(x, axis=-1, keepdim=True)
    return centred / p.sqrt(p.mean(centred * centred, axis=-1, keepdim=True) + 1e-5)


def assign_slice(p, f, r, x):
    return p.static.setitem(p.assign(x), (slice(None), 0), 1.5)


def tail(p, f, r, x):
    """Shape arithmetic: the last half of the rows."""
    size = p.shape(x)
    return p.slice(x, [0], [size[0] // 2], [size[0]])


def resize_like(p, f, r, x):
    size = p.shape(x)[2:] * 2
    return f.interpolate(x, size=size, mode="bilinear", align_corners=r.maybe())


def channel_shuffle(p, f, r, x):
    b, h, w = p.shape(x)[0], x.shape[2], x.shape[3]
    y = p.transpose(p.reshape(x, [b, 2, 2, h, w]), [0, 2, 1, 3, 4])
    return p.reshape(y, [b, 4, h, w])


ONE = [
    ("relu", lambda p, f, r, x: f.relu(x)),
    ("relu6", lambda p, f, r, x: f.relu6(x)),
    ("gelu", lambda p, f, r, x: f.gelu(x, approximate=r.maybe())),
    ("silu", lambda p, f, r, x: f.silu(x)),
    ("swish", lambda p, f, r, x: f.swish(x)),
    ("hardswish", lambda p, f, r, x: f.hardswish(x)),
    ("hardsigmoid", lambda p, f, r, x: f.hardsigmoid(x)),
    ("hardtanh", lambda p, f, r, x: f.hardtanh(x, -0.5, 1.0)),
    ("leaky_relu", lambda p, f, r, x: f.leaky_relu(x, r.pick(0.01, 0.2))),
    ("elu", lambda p, f, r, x: f.elu(x, 0.7)),
    ("mish", lambda p, f, r, x: f.mish(x)),
    ("softplus", lambda p, f, r, x: f.softplus(x)),
    ("thresholded_relu", lambda p, f, r, x: f.thresholded_relu(x, 0.5)),
    ("clip", lambda p, f, r, x: p.clip(x, -0.5, 0.75)),
    ("scale", lambda p, f, r, x: x * 2.5 + 1.0),
    ("reverse_arithmetic", lambda p, f, r, x: 1.0 - x / 2.0),
    ("power", lambda p, f, r, x: x**2),
    ("round", lambda p, f, r, x: p.round(x * 4)),
    ("sum", lambda p, f, r, x: p.sum(x, axis=r.axis(len(x.shape)))),
    ("mean", lambda p, f, r, x: p.mean(x, axis=r.axis(len(x.shape)), keepdim=r.maybe())),
    ("max", lambda p, f, r, x: p.max(x, axis=r.axis(len(x.shape)))),
    ("min", lambda p, f, r, x: p.min(x)),
    ("argmax", lambda p, f, r, x: p.argmax(x, axis=-1)),
    ("cumsum", lambda p, f, r, x: p.cumsum(x, axis=-1)),
    ("softmax", lambda p, f, r, x: f.softmax(x, axis=r.axis(len(x.shape)))),
    ("log_softmax", lambda p, f, r, x: f.log_softmax(x)),
    ("norm", lambda p, f, r, x: p.norm(x, p=2, axis=-1)),
    ("flatten", lambda p, f, r, x: p.flatten(x)),
    ("unsqueeze", lambda p, f, r, x: p.unsqueeze(x, [0, -1])),
    ("cast", lambda p, f, r, x: p.cast(x * 5, r.pick("int32", "int64", "bool", "float64"))),
    ("numel", lambda p, f, r, x: p.numel(x)),
    ("shape", lambda p, f, r, x: p.shape(x)),
    ("zeros_like", lambda p, f, r, x: p.zeros_like(x)),
    ("full_like", lambda p, f, r, x: p.full_like(x, 2.5)),
    ("split", lambda p, f, r, x: p.split(p.concat([x, x], axis=-1), 2, axis=-1)),
    ("stack", lambda p, f, r, x: p.stack([x, x * 2.0], axis=0)),
    ("flip", lambda p, f, r, x: p.flip(x, [-1])),
    ("roll", lambda p, f, r, x: p.roll(x, 2, -1)),
    ("tile", lambda p, f, r, x: p.tile(x, [2] + [1] * (len(x.shape) - 1))),
    ("topk", lambda p, f, r, x: p.topk(x, 1, axis=-1)),
    ("sort", lambda p, f, r, x: p.sort(x, axis=-1, descending=r.maybe())),
    ("where", lambda p, f, r, x: p.where(x > 0.0, x, x * 0.1)),
    ("nonzero", lambda p, f, r, x: p.nonzero(x > 0.0)),
    ("masked_select", lambda p, f, r, x: p.masked_select(x, x > 0.0)),
    ("logsumexp", lambda p, f, r, x: p.logsumexp(x, axis=-1)),
    ("isnan", lambda p, f, r, x: p.isnan(x)),
    ("all", lambda p, f, r, x: p.all(x > -1.9)),
    ("expm1", lambda p, f, r, x: p.expm1(x)),
    ("dropout", lambda p, f, r, x: f.dropout(x, 0.3, training=False)),
    ("dropout_downgrade", lambda p, f, r, x: f.dropout(x, 0.3, training=False, mode="downscale_in_infer")),
    ("norm_by_hand", norm_by_hand),
]
IMAGE = [
    ("adaptive_pool", lambda p, f, r, x: f.adaptive_avg_pool2d(x, r.pick(1, 2, 3))),
    ("max_pool", lambda p, f, r, x: f.max_pool2d(x, 2, 2, ceil_mode=r.maybe())),
    ("avg_pool", lambda p, f, r, x: f.avg_pool2d(x, 3, 2, 1, exclusive=r.maybe())),
    ("global_pool", lambda p, f, r, x: p.mean(x, axis=[2, 3])),
    ("interpolate_nearest", lambda p, f, r, x: f.interpolate(x, scale_factor=2, mode="nearest")),
    (
        "interpolate_bilinear",
        lambda p, f, r, x: f.interpolate(x, size=[5, 7], mode="bilinear", align_corners=r.maybe()),
    ),
    ("interpolate_bicubic", lambda p, f, r, x: f.interpolate(x, scale_factor=1.5, mode="bicubic")),
    ("resize_like", resize_like),
    ("pad", lambda p, f, r, x: f.pad(x, [1, 2, 0, 1], mode=r.pick("constant", "reflect"))),
    ("pixel_shuffle", lambda p, f, r, x: f.pixel_shuffle(x, 2)),
    ("channel_shuffle", channel_shuffle),
    ("unfold", lambda p, f, r, x: f.unfold(x, 3, 1, 1)),
    ("instance_norm", lambda p, f, r, x: f.instance_norm(x)),
    ("transpose", lambda p, f, r, x: p.transpose(x, [0, 2, 3, 1])),
    ("slice", lambda p, f, r, x: x[:, 1:3, ::2]),
    ("index", lambda p, f, r, x: x[:, -1]),
    ("strided", lambda p, f, r, x: x[:, :, ::-1]),
    ("assign_slice", assign_slice),
]
TABLE = [entry("api_" + name, function, x=real(2, 3, lo=-3, hi=3), n=10) for name, function in ONE]
TABLE += [entry("api_" + name, function, x=image) for name, function in IMAGE]
TABLE += [
    entry(
        "api_complex",
        lambda p, f, r, x: [
            p.as_real(p.as_complex(x)),
            p.abs(p.as_complex(x)),
            p.real(p.as_complex(x)),
            p.imag(p.conj(p.as_complex(x))),
        ],
        x=lambda r: r.f(r.int(1, 3), r.int(1, 5), 2),
    ),
    entry(
        "api_rotate",
        lambda p, f, r, x, w: p.as_real(p.as_complex(x) * p.as_complex(w)),
        x=lambda r: r.f(r.int(1, 3), 4, 2),
        w=weight(4, 2),
    ),
    entry(
        "api_complex_functions",
        lambda p, f, r, x, w: [
            p.as_real(g(p.complex(x, x * 0.5 - w)))
            for g in (p.exp, p.sin, p.cos, p.tan, p.sinh, p.cosh, p.tanh, p.asin, p.acos, p.atan, f.silu)
        ],
        x=lambda r: r.f(r.int(1, 3), 6, lo=-1.5, hi=1.5),
        w=weight(6),
        formats="pir",
    ),
    entry(
        "api_complex_logarithms",
        lambda p, f, r, x, w: [
            p.as_real(g(p.complex(x + 2.0, x * 0.5 - w)))
            for g in (p.log, p.log10, p.sqrt, p.square, p.reciprocal, f.sigmoid)
        ],
        x=lambda r: r.f(r.int(1, 3), 6, lo=-1.5, hi=1.5),
        w=weight(6),
        formats="pir",
    ),
    entry(
        "api_complex_arithmetic",
        lambda p, f, r, x, w: [
            p.as_real(p.sum(p.complex(x, w * 0.5), axis=r.pick(0, 1, None), keepdim=r.maybe())),
            p.as_real(p.exp(p.complex(x, w * 0.5))),
            p.as_real(p.matmul(p.complex(x, x - 1.0), p.complex(w, 0.5 - w), transpose_y=r.maybe())),
        ],
        x=lambda r: r.f(6, 6),
        w=weight(6, 6),
    ),
    entry(
        "api_complex_averages",
        lambda p, f, r, x, w: [
            p.as_real(p.mean(p.complex(x, x * w), axis=r.pick(0, -1))),
            p.as_real(p.scale(p.complex(x, x * w), 2.5, 0.5, bias_after_scale=r.maybe())),
            p.as_real(p.einsum(r.pick("bi,bi->b", "bi,bo->io"), p.complex(x, x - 1.0), p.complex(x * w, x))),
        ],
        x=matrix,
        w=weight(6),
        formats="pir",
    ),
    entry(
        "api_complex_creation",
        lambda p, f, r, x: [
            p.as_real(p.zeros([1, 6], "complex64") + p.complex(x, x - 1.0) * p.full([6], 1.5, "complex64")),
            p.as_real(p.ones_like(p.complex(x, x)) + p.add_n([p.complex(x, x - 1.0), p.complex(x * 2.0, x)])),
        ],
        x=matrix,
        formats="pir",
    ),
    entry(
        "api_complex_sized",
        lambda p, f, r, x: p.as_real(p.full(p.shape(x), 1.5, "complex64") + p.complex(x, x - 1.0)),
        x=matrix,
        formats="program pir",
    ),
    entry(
        "api_complex_pad",
        lambda p, f, r, x: p.as_real(f.pad(p.complex(x, x - 1.0), [0, r.int(0, 2), 1, r.int(0, 3)], value=0.5)),
        x=matrix,
        formats="pir",
    ),
    entry(
        "api_complex_scans",
        lambda p, f, r, x: [
            p.as_real(p.cumsum(p.complex(x, x - 1.0), axis=r.pick(0, -1))),
            p.as_real(p.cumprod(p.complex(x, x - 1.0), dim=r.pick(0, -1))),
            p.as_real(p.prod(p.complex(x, 0.5 - x), axis=r.pick(0, -1, None), keepdim=r.maybe())),
            p.as_real(p.trace(p.complex(x, x * x), offset=r.pick(-1, 0, 1))),
        ],
        x=matrix,
        formats="pir",
    ),
    entry(
        "api_complex_vectors",
        lambda p, f, r, x, w: [
            p.as_real(p.dot(p.complex(x, x - 1.0), p.complex(w, w * w))),
            p.as_real(p.kron(p.complex(x, x - 1.0), p.complex(w, w * w))),
        ],
        x=lambda r: r.f(6),
        w=weight(6),
        formats="pir",
    ),
    entry(
        "api_complex_powers",
        lambda p, f, r, x: [
            p.as_real(p.diag(p.pow(p.complex(x, x - 1.0), r.pick(2.0, 2.5)), offset=r.pick(-1, 0, 2))),
            p.as_real(p.pow(p.complex(x + 2.0, x), p.complex(x, x * 0.5))),
        ],
        x=lambda r: r.f(6),
        formats="pir",
    ),
    entry(
        "api_complex_equality",
        lambda p, f, r, x: [
            p.equal(p.complex(x, x), p.complex(x, p.abs(x))),
            p.not_equal(p.complex(x, x), p.complex(p.abs(x), x)),
        ],
        x=matrix,
        exact=True,
        formats="pir",
    ),
    entry(
        "api_complex_classes",
        lambda p, f, r, x: [
            g(p.complex(p.exp(x * 400.0), r.pick(p.log, p.exp)(x))) for g in (p.isnan, p.isinf, p.isfinite)
        ],
        x=matrix,
        exact=True,
        formats="pir",
    ),
    entry(
        "api_complex_values",
        lambda p, f, r, x: p.as_real(
            p.complex(x, x - 1.0) * p.assign(numpy.array([1 + 2j, 2, 3j, -1, 0.5, 0], "complex64"))
        ),
        x=matrix,
        formats="pir",
    ),
    entry(
        "api_complex_set_value",
        lambda p, f, r, x: p.as_real(
            p.static.setitem(p.complex(x, x - 1.0), (slice(0, 1), slice(1, 3)), r.pick(0.5, 2, 0.5 + 2j))
        ),
        x=matrix,
        formats="pir",
    ),
    entry(
        "api_complex_logarithms_near_1",
        lambda p, f, r, x: [p.as_real(g(p.complex(x + 2.0, x * 0.5))) for g in (p.expm1, p.log1p, p.log2)],
        x=lambda r: r.f(r.int(1, 3), 6, lo=-1.5, hi=1.5),
        formats="pir",
    ),
    entry(
        "api_resize_factors",
        lambda p, f, r, x: [
            f.interpolate(x, scale_factor=[1.0, factor], mode=r.pick("nearest", "bilinear", "bicubic"))
            for factor in (0.3, 0.7, 1.1, 1.7, 2.3)
        ],
        x=lambda r: r.f(1, 2, 2, r.int(10, 50)),
        n=12,
    ),
    entry("api_angle", lambda p, f, r, x: p.angle(p.complex(x, x * 0.5 - 1.0)), x=matrix),
    entry("api_masked_fill", lambda p, f, r, x: p.masked_fill(x, x > 0.5, -1.0), x=matrix, formats="pir"),
    entry(
        "api_shift",
        lambda p, f, r, x, y: [p.bitwise_left_shift(x, y), p.bitwise_right_shift(x, y)],
        x=lambda r: r.i(3, 4, lo=-50, hi=50),
        y=lambda r: r.i(3, 4, lo=0, hi=5),
        formats="pir",
    ),
    entry("api_copysign", lambda p, f, r, x, y: p.copysign(x, y), x=matrix, y=lambda r: r.f(1, 6), formats="pir"),
    entry(
        "api_baddbmm",
        lambda p, f, r, x, y: p.baddbmm(x, x, y, beta=0.5),
        x=lambda r: r.f(2, 4, 4),
        y=lambda r: r.f(2, 4, 4),
        formats="pir",
    ),
    entry(
        "api_fft",
        lambda p, f, r, x: [
            p.as_real(p.fft.rfft(x, norm=r.pick("backward", "ortho", "forward"))),
            p.as_real(p.fft.fft2(p.cast(x, "complex64"))),
            p.fft.irfft(p.fft.rfft(x), n=r.pick(6, 7, 4)),
            p.abs(p.fft.ifft(p.cast(x, "complex64"), axis=0)),
        ],
        x=matrix,
        formats="pir",
    ),
    entry(
        "api_stft",
        lambda p, f, r, x: p.as_real(p.signal.stft(x, 8, r.pick(2, 4), center=r.maybe(), onesided=r.maybe())),
        x=lambda r: r.f(r.int(1, 2), r.int(16, 30)),
        formats="pir",
    ),
    entry(
        "api_unpool3d",
        lambda p, f, r, x: f.max_unpool3d(*f.max_pool3d(x, 2, 2, return_mask=True), kernel_size=2),
        x=lambda r: r.f(1, r.int(1, 3), 4, 4, 6),
    ),
    entry("api_median", lambda p, f, r, x: p.median(x, axis=r.pick(1, None), keepdim=r.maybe()), x=matrix, formats="pir"),
    entry(
        "api_median_min",
        lambda p, f, r, x: [*p.median(x, axis=1, mode="min"), *p.nanmedian(x, axis=0, keepdim=True, mode="min")],
        x=matrix,
        formats="pir",
    ),
    entry(
        "api_antialias",
        lambda p, f, r, x: f.interpolate(
            x,
            size=[r.int(1, 11), r.int(1, 11)],
            mode=r.pick("bilinear", "bicubic"),
            align_corners=r.maybe(0.3),
            antialias=True,
        ),
        n=20,
        x=image,
        formats="pir",
    ),
    entry(
        "api_antialias_scale",
        lambda p, f, r, x: f.interpolate(
            x, scale_factor=[r.num(0.3, 2), r.num(0.3, 2)], mode=r.pick("bilinear", "bicubic"), antialias=True
        ),
        x=image,
        formats="pir",
    ),
    entry(
        "api_trunc_divide",
        lambda p, f, r, x, y: p.divide(x, y, rounding_mode="trunc"),
        x=lambda r: r.any([3, 4], r.turn("float32", "int32", "int64"), lo=-30, hi=30),
        y=lambda r: r.any([4], r.turn("float32", "int32", "int64"), lo=2, hi=5),
        formats="pir",
    ),
    # Tenths, whose quotients float32 often rounds up to whole numbers.
    entry(
        "api_trunc_divide_tenths",
        lambda p, f, r, x, y: p.divide(x, y, rounding_mode="trunc"),
        x=lambda r: r.t(r.i(8, 16, lo=1, hi=400).array.astype("float32") / 10, "float32"),
        y=lambda r: r.t(r.i(16, lo=1, hi=9).array.astype("float32") / 10, "float32"),
        formats="pir",
    ),
    entry(
        "api_lu_solve",
        lambda p, f, r, m, b: p.linalg.lu_solve(b, *p.linalg.lu(m)[:2], trans=r.pick("N", "T")),
        m=lambda r: r.f(*r.turn([4, 4], [2, 3, 3], [1, 1])),
        b=lambda r: r.f(*r.turn([4, 2], [2, 3, 1], [1, 5])),
        formats="pir",
    ),
    entry(
        "api_accuracy",
        lambda p, f, r, x, label: p.metric.accuracy(x, label, k=r.int(1, 3)),
        x=lambda r: r.f(5, 6),
        label=lambda r: r.i(5, 1, lo=0, hi=5),
    ),
    entry(
        "api_diagonal_scatter",
        lambda p, f, r, x, y: p.diagonal_scatter(x, y, offset=r.pick(0, 1)),
        x=lambda r: r.f(4, 5),
        y=lambda r: r.f(4),
    ),
    entry("api_gammaln", lambda p, f, r, x: p.gammaln(p.abs(x) + 0.5), x=matrix, formats="pir"),
    entry("api_swiglu", lambda p, f, r, x: p.incubate.nn.functional.swiglu(x), x=matrix, formats="pir"),
    entry("api_lp_pool", lambda p, f, r, x: f.lp_pool2d(x, 2.0, 2), x=image, formats="pir"),
    entry(
        "api_repeats",
        lambda p, f, r, x, repeats: p.repeat_interleave(x, repeats, 1),
        x=matrix,
        repeats=lambda r: r.i(6, lo=1, hi=3),
        formats="pir",
    ),
    entry("api_ones", lambda p, f, r, x: x + p.ones([6]) * 2.0 - p.zeros([1, 6]) + p.ones_like(x), x=matrix),
    entry(
        "api_unpool",
        lambda p, f, r, x: f.max_unpool2d(*f.max_pool2d(x, 2, 2, return_mask=True), kernel_size=2),
        x=image,
    ),
    # Paddle 2.6 hangs when it builds this one.
    entry("api_repeat_interleave", lambda p, f, r, x: p.repeat_interleave(x, 2, -1), x=real(2, 3), formats="pir"),
    entry(
        "api_conv2d",
        lambda p, f, r, x, w, b: f.conv2d(x, w, b, stride=r.pick(1, 2), padding=r.pick(0, 1, "SAME")),
        x=image,
        w=weight(6, 4, 3, 3),
        b=weight(6),
    ),
    entry(
        "api_depthwise",
        lambda p, f, r, x, w: f.relu6(f.conv2d(x, w, padding=1, groups=4)),
        x=image,
        w=weight(4, 1, 3, 3),
    ),
    entry(
        "api_conv2d_transpose", lambda p, f, r, x, w: f.conv2d_transpose(x, w, stride=2), x=image, w=weight(4, 3, 2, 2)
    ),
    entry(
        "api_batch_norm",
        lambda p, f, r, x, m, v, s, b: f.batch_norm(x, m, v * v + 0.5, s, b, training=False),
        x=image,
        m=weight(4),
        v=weight(4),
        s=weight(4),
        b=weight(4),
    ),
    entry("api_squeeze_excite", squeeze_excite, x=image, w=weight(2, 4, 1, 1), v=weight(4, 2, 1, 1)),
    entry("api_linear", lambda p, f, r, x, w, b: f.linear(x, w, b), x=matrix, w=weight(6, 9), b=weight(9)),
    entry("api_layer_norm", lambda p, f, r, x, w, b: f.layer_norm(x, [8], w, b), x=tokens, w=weight(8), b=weight(8)),
    entry("api_attention", attention, x=tokens, q=weight(8, 8), k=weight(8, 8), v=weight(8, 8), o=weight(8, 8)),
    entry(
        "api_embedding",
        lambda p, f, r, x, w: f.embedding(x, w),
        x=lambda r: r.i(r.int(1, 3), r.int(1, 5), lo=0, hi=9),
        w=weight(10, 7),
    ),
    entry("api_one_hot", lambda p, f, r, x: f.one_hot(x, 10), x=lambda r: r.i(r.int(1, 3), r.int(1, 5), lo=0, hi=9)),
    entry("api_tail", tail, x=lambda r: r.f(r.int(2, 6), 3)),
    entry("api_arange", lambda p, f, r, x: p.arange(0, p.shape(x)[0], 1), x=matrix),
    entry("api_linspace", lambda p, f, r, x: x + p.linspace(0.0, 1.0, 6), x=matrix),
    entry("api_tril", lambda p, f, r, x: p.tril(x) + p.triu(x, 1), x=matrix),
    entry("api_meshgrid", lambda p, f, r, x: p.meshgrid(p.cast(p.arange(3), "float32"), p.sum(x, axis=1)), x=matrix),
    entry("api_einsum", lambda p, f, r, x, w: p.einsum("ij,jk->ik", x, w), x=matrix, w=weight(6, 5)),
    entry(
        "api_gather", lambda p, f, r, x, i: p.gather(x, i, axis=1), x=matrix, i=lambda r: r.i(r.int(1, 4), lo=0, hi=5)
    ),
    entry("api_gather_nd", lambda p, f, r, x, i: p.gather_nd(x, i), x=matrix, i=lambda r: r.i(3, 1, lo=0, hi=0)),
    entry(
        "api_index_select", lambda p, f, r, x, i: p.index_select(x, i, axis=1), x=matrix, i=lambda r: r.i(3, lo=0, hi=5)
    ),
    entry("api_take_along_axis", lambda p, f, r, x: p.take_along_axis(x, p.argsort(x, axis=1), 1), x=matrix),
    entry(
        "api_scatter",
        lambda p, f, r, x, i, u: p.scatter(x, i, u),
        x=lambda r: r.f(4, 3),
        i=lambda r: r.t(r.perm(4)[:2], "int64"),
        u=lambda r: r.f(2, 3),
    ),
    entry(
        "api_grid_sample",
        lambda p, f, r, x, g: f.grid_sample(x, g, align_corners=r.maybe()),
        x=lambda r: r.f(2, 3, 4, 5),
        g=lambda r: r.f(2, 3, 3, 2, lo=-1.2, hi=1.2),
    ),
    entry(
        "api_compare",
        lambda p, f, r, x, y: [x < y, x >= y, p.logical_and(x > 0.0, y > 0.0)],
        x=matrix,
        y=lambda r: r.f(1, 6),
    ),
    entry("api_expand", lambda p, f, r, x: p.expand(p.unsqueeze(x, 0), [3, -1, -1]), x=matrix),
    entry("api_bmm", lambda p, f, r, x: p.bmm(x, p.transpose(x, [0, 2, 1])), x=tokens),
    entry(
        "api_integers",
        lambda p, f, r, x, y: [x + y, x - y, x * y, x // y, x % y, p.maximum(x, y)],
        x=lambda r: r.i(3, 4, lo=-9, hi=9),
        y=lambda r: r.t(r.i(3, 4, lo=1, hi=4).array * r.pick(1, -1)),
    ),
]
