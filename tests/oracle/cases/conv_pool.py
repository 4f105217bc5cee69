# SPDX-License-Identifier: Apache-2.0
"""Convolution, transposed and deformable convolution, pooling, unpooling, im2col."""

from notation import op


def conv(depthwise=False, rank=2):
    def make(r):
        layout = r.pick(*(["NCHW", "NCHW", "NCHW", "NHWC"] if rank == 2 else ["NCDHW", "NCDHW", "NDHWC"]))
        if depthwise:
            groups = inner = r.pick(1, 2, 3, 4, 8, 9, 16)
            outer = groups * r.pick(1, 1, 1, 2)
        else:
            groups = r.pick(1, 1, 1, 2, 3)
            inner, outer = groups * r.pick(1, 2, 3, 4, 8), groups * r.pick(1, 2, 3, 4, 7, 8, 16, 17)
        kernel = [r.pick(1, 1, 2, 3, 3, 5)] * rank if r.maybe(0.7) else [r.int(1, 4) for _ in range(rank)]
        dilation = [r.pick(1, 1, 1, 2) for _ in range(rank)]
        stride = [r.pick(1, 1, 2, 3)] * rank if r.maybe(0.7) else [r.int(1, 3) for _ in range(rank)]
        size = [d * (k - 1) + r.int(1, 9 if rank == 2 else 4) for k, d in zip(kernel, dilation)]
        algorithm = r.turn("EXPLICIT", "EXPLICIT", "EXPLICIT", "SAME", "EXPLICIT", "VALID")
        paddings = [r.int(0, 2) for _ in range(r.pick(rank, rank, 2 * rank))]
        batch = r.int(1, 2)
        x = [batch, inner] + size if layout.startswith("NC") else [batch] + size + [inner]
        return dict(
            Input=r.f(x, lo=-1, hi=1),
            Filter=r.w([outer, inner // groups] + kernel),
            strides=stride,
            paddings=paddings,
            dilations=dilation,
            groups=groups,
            padding_algorithm=algorithm,
            data_format=layout,
        )

    return make


def transpose(depthwise=False, rank=2):
    def make(r):
        layout = r.pick(*(["NCHW", "NCHW", "NHWC"] if rank == 2 else ["NCDHW"]))
        groups = r.pick(2, 3, 4, 8) if depthwise else r.pick(1, 1, 1, 2)
        inner = groups if depthwise else groups * r.pick(1, 2, 3, 8)
        outer = groups if depthwise else groups * r.pick(1, 2, 3, 8)
        kernel = [r.int(1, 4)] * rank if r.maybe(0.7) else [r.int(1, 4) for _ in range(rank)]
        stride = [r.pick(1, 2, 2, 3)] * rank
        dilation = [r.pick(1, 1, 1, 2)] * rank
        paddings = [r.int(0, min(1, kernel[0] - 1)) for _ in range(r.pick(rank, rank, 2 * rank))]
        size = [r.int(2, 6 if rank == 2 else 3) for _ in range(rank)]
        algorithm = r.turn("EXPLICIT", "EXPLICIT", "EXPLICIT", "EXPLICIT", "SAME", "VALID")
        extra = dict(output_padding=[], output_size=[])
        if algorithm == "EXPLICIT" and r.maybe(0.3) and stride[0] > 1:
            extra["output_padding"] = [r.int(0, stride[0] - 1) for _ in range(rank)]
        elif algorithm == "EXPLICIT" and r.maybe(0.3):
            before = paddings[::2] if len(paddings) > rank else paddings
            after = paddings[1::2] if len(paddings) > rank else paddings
            least = [
                (n - 1) * s - b - a + d * (k - 1) + 1
                for n, s, b, a, d, k in zip(size, stride, before, after, dilation, kernel)
            ]
            extra["output_size"] = [v + r.int(0, s - 1) for v, s in zip(least, stride)]
        batch = r.int(1, 2)
        x = [batch, inner] + size if layout.startswith("NC") else [batch] + size + [inner]
        return dict(
            Input=r.f(x, lo=-1, hi=1),
            Filter=r.w([inner, outer // groups] + kernel),
            strides=stride,
            paddings=paddings,
            dilations=dilation,
            groups=groups,
            padding_algorithm=algorithm,
            data_format=layout,
            **extra
        )

    return make


def pool(rank=2):
    def make(r):
        layout = r.pick(*(["NCHW", "NCHW", "NCHW", "NHWC"] if rank == 2 else ["NCDHW", "NCDHW", "NDHWC"]))
        kind = r.turn("window", "adaptive", "window", "global", "window", "same", "ceil", "adaptive one", "valid")
        kernel = [r.int(1, 4)] * rank if r.maybe(0.6) else [r.int(1, 4) for _ in range(rank)]
        stride = [r.pick(1, 2, 2, 3)] * rank
        size = [k + r.int(0, 7 if rank == 2 else 4) for k in kernel]
        adaptive = kind.startswith("adaptive")
        if adaptive:
            kernel = [1] * rank if kind == "adaptive one" else [r.int(1, s) for s in size]
        paddings = [r.int(0, k // 2) for k in kernel]
        if kind == "ceil" and r.maybe():
            paddings = [0] * rank
        if kind == "window" and r.maybe(0.25):
            paddings = [p for k in kernel for p in (r.int(0, k // 2), r.int(0, k // 2))]
        average = r.turn(False, True) if r.maybe(0.8) else r.maybe()
        average = average or adaptive  # the operator ignores `adaptive` for max (max_pool2d_with_index has it)
        exclusive = r.maybe(0.6)
        if kind == "ceil" and average:  # Paddle divides by a window that may lie wholly in the padding
            paddings = [0] * rank
        channels, batch = r.pick(1, 2, 3, 8, 9), r.int(1, 2)
        x = [batch, channels] + size if layout.startswith("NC") else [batch] + size + [channels]
        algorithm = {"same": "SAME", "valid": "VALID"}.get(kind, "EXPLICIT")
        return dict(
            X=r.f(x, dtype=r.pick("float32", "float32", "float32", "float64")),
            ksize=kernel,
            strides=stride,
            paddings=[0] * rank if adaptive or kind == "global" else paddings,
            ceil_mode=kind == "ceil",
            exclusive=exclusive,
            adaptive=adaptive,
            global_pooling=kind == "global",
            data_format=layout,
            pooling_type="avg" if average else "max",
            padding_algorithm=algorithm,
        )

    return make


def pool_with_index(rank=2):
    def make(r):
        kernel = [r.int(1, 3) for _ in range(rank)]
        size = [k + r.int(0, 5) for k in kernel]
        adaptive = r.index % 4 == 3
        return dict(
            X=r.distinct([r.int(1, 2), r.int(1, 4)] + size),
            ksize=[r.int(1, s) for s in size] if adaptive else kernel,
            strides=[r.int(1, 3) for _ in range(rank)],
            adaptive=adaptive,
            global_pooling=r.index % 6 == 5,
            paddings=[0 if adaptive else r.int(0, k // 2) for k in kernel],
        )

    return make


def unpool(r):
    batch, channels, k = r.int(1, 2), r.int(1, 3), r.pick(2, 3)
    h, w = r.int(1, 4), r.int(1, 4)
    out = [h * k, w * k]
    indices = [
        [[(y * k + r.int(0, k - 1)) * out[1] + x * k + r.int(0, k - 1) for x in range(w)] for y in range(h)]
        for _ in range(batch * channels)
    ]
    index = r.v(indices, "int32").array.reshape(batch, channels, h, w)
    return dict(
        X=r.f(batch, channels, h, w),
        Indices=r.t(index),
        ksize=[k, k],
        strides=[k, k],
        paddings=[0, 0],
        unpooling_type="max",
        output_size=out,
        data_format="NCHW",
    )


def unfold(r):
    kernel = [r.int(1, 3), r.int(1, 3)]
    dilation = [r.pick(1, 1, 2), r.pick(1, 1, 2)]
    size = [d * (k - 1) + r.int(1, 6) for k, d in zip(kernel, dilation)]
    return dict(
        X=r.f([r.int(1, 2), r.int(1, 3)] + size),
        kernel_sizes=kernel,
        dilations=dilation,
        strides=[r.int(1, 2), r.int(1, 2)],
        paddings=[r.int(0, 2) for _ in range(4)],
    )


def fold(r):
    kernel, stride = [r.int(1, 3), r.int(1, 3)], [r.int(1, 2), r.int(1, 2)]
    pads, dilation = [r.int(0, 1) for _ in range(4)], [1, r.pick(1, 2)]
    size = [d * (k - 1) + r.int(1, 6) for k, d in zip(kernel, dilation)]
    blocks = [(size[i] + pads[i] + pads[i + 2] - dilation[i] * (kernel[i] - 1) - 1) // stride[i] + 1 for i in (0, 1)]
    return dict(
        X=r.f(r.int(1, 2), r.int(1, 3) * kernel[0] * kernel[1], blocks[0] * blocks[1]),
        output_sizes=size,
        kernel_sizes=kernel,
        strides=stride,
        paddings=pads,
        dilations=dilation,
    )


def deformable(mask):
    def make(r):
        groups, deformable_groups = r.pick(1, 1, 2), r.pick(1, 1, 2)
        inner, outer = 2 * r.int(1, 3), groups * r.int(1, 4)
        kernel, stride = [r.pick(1, 3, 3), r.pick(1, 3)], [r.int(1, 2)] * 2
        dilation, pads = [r.pick(1, 1, 2)] * 2, [r.int(0, 2)] * 2
        size = [max(d * (k - 1) + 1 - 2 * p, 1) + r.int(0, 6) for k, d, p in zip(kernel, dilation, pads)]
        out = [(n + 2 * p - d * (k - 1) - 1) // s + 1 for n, p, d, k, s in zip(size, pads, dilation, kernel, stride)]
        batch, points = r.int(1, 2), deformable_groups * kernel[0] * kernel[1]
        case = dict(
            Input=r.f([batch, inner] + size),
            Offset=r.f([batch, 2 * points] + out, lo=-1.5, hi=1.5),
            Filter=r.w([outer, inner // groups] + kernel),
            strides=stride,
            paddings=pads,
            dilations=dilation,
            groups=groups,
            deformable_groups=deformable_groups,
            im2col_step=r.pick(1, 64),
        )
        if mask:
            case["Mask"] = r.f([batch, points] + out, lo=0, hi=1)
        return case

    return make


def row_conv(r):
    context, width, lod = r.int(1, 4), r.int(1, 6), r.offsets(r.int(1, 3))
    if r.maybe():
        return dict(X=r.f(lod[-1], width, lod=[lod]), Filter=r.w(context, width))
    return dict(X=r.f(r.int(1, 3), r.int(1, 6), width), Filter=r.w(context, width))


def spectral_norm(r):
    h, w = r.int(2, 5), r.int(2, 6)
    return dict(Weight=r.w(h, w), U=r.w(h, lo=0.1), V=r.w(w, lo=0.1), dim=0, power_iters=r.int(0, 3), eps=1e-12)


TABLE = [
    op("conv2d", conv(), n=60, out="Output"),
    op("depthwise_conv2d", conv(depthwise=True), n=36, out="Output"),
    op("conv2d_transpose", transpose(), n=36, out="Output"),
    op("depthwise_conv2d_transpose", transpose(depthwise=True), n=14, out="Output"),
    op("conv3d", conv(rank=3), n=16, out="Output"),
    op("conv3d_transpose", transpose(rank=3), n=12, out="Output"),
    op("pool2d", pool(), n=60),
    op("pool3d", pool(3), n=24),
    op("max_pool2d_with_index", pool_with_index(), n=16, out="Out Mask", exact=True),
    op("max_pool3d_with_index", pool_with_index(3), n=10, out="Out Mask", exact=True),
    op("unpool", unpool, n=10, exact=True),
    op("unfold", unfold, n=14, out="Y", exact=True),
    op("fold", fold, n=12, out="Y"),
    op("deformable_conv", deformable(True), n=16, out="Output"),
    op("deformable_conv_v1", deformable(False), n=12, out="Output"),
    op("row_conv", row_conv, n=10),
    op("spectral_norm", spectral_norm, n=10),
]
