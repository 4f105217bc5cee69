# SPDX-License-Identifier: Apache-2.0
"""Resizing and sampling of images."""

from cases.shape import pieces
from notation import op

METHODS = {"nearest": 2, "bilinear": 2, "bicubic": 2, "linear": 1, "trilinear": 3}


def interp(method, v1=False):
    rank = METHODS[method]

    def make(r):
        size = [r.int(1, 7 if rank < 3 else 4) for _ in range(rank)]
        out = [r.int(1, 12 if rank < 3 else 6) for _ in range(rank)]
        channels = r.pick(1, 2, 3, 8)
        first = r.maybe(0.8)
        layout = "NCHW" if first else "NHWC"  # these two names for every rank
        x = [r.int(1, 2), channels] + size if first else [r.int(1, 2)] + size + [channels]
        align = r.turn(False, True, False)
        case = dict(
            X=r.f(x),
            data_layout=layout,
            interp_method=method,
            align_corners=align,
            align_mode=r.pick(0, 1),
            out_d=-1,
            out_h=-1,
            out_w=-1,
            scale=0.0 if v1 else [],
        )
        kind = r.turn("size", "scale", "tensor", "list", "scale", "scale tensor", "one")
        factors = [r.pick(2.0, 0.5, 1.5, 3.0, 0.7, 1.0) for _ in range(rank)]
        if kind in ("scale", "one", "scale tensor"):
            if kind == "one" or v1:
                factors = factors[:1] * rank
            while min(int(n * f) for n, f in zip(size, factors)) < 1:
                factors = [2.0] * rank
            if kind == "scale tensor":
                case["Scale"] = r.v(factors[:1] if v1 else factors, "float32")
            elif v1:
                case["scale"] = factors[0]
            else:
                case["scale"] = factors[:1] if kind == "one" else factors
        else:
            for name, value in zip(("out_w", "out_h", "out_d"), out[::-1]):
                case[name] = value
            if kind == "tensor":
                case["OutSize"] = r.v([r.int(1, 9) for _ in out], "int32")
            if kind == "list":
                case["SizeTensor"] = pieces(r, [r.int(1, 9) for _ in out])
        return case

    return make


def grid_sampler(r):
    rank = r.turn(2, 2, 2, 3)
    x = [r.int(1, 2), r.int(1, 3)] + [r.int(1, 6) for _ in range(rank)]
    grid = [x[0]] + [r.int(1, 6) for _ in range(rank)] + [rank]
    return dict(
        X=r.f(x),
        Grid=r.f(grid, lo=-1.4, hi=1.4),
        mode=r.turn("bilinear", "nearest"),
        padding_mode=r.pick("zeros", "border", "reflection"),
        align_corners=r.maybe(),
    )


def affine_grid(r):
    shape = [r.int(1, 3), 3, r.int(2, 5), r.int(2, 5)]
    case = dict(Theta=r.f(shape[0], 2, 3), align_corners=r.maybe(), output_shape=shape)
    if r.maybe(0.3):
        case.update(OutputShape=r.v(shape, "int32"), output_shape=[])
    return case


TABLE = [
    op("nearest_interp_v2", interp("nearest"), n=28),
    op("bilinear_interp_v2", interp("bilinear"), n=36),
    op("bicubic_interp_v2", interp("bicubic"), n=20),
    op("linear_interp_v2", interp("linear"), n=16),
    op("trilinear_interp_v2", interp("trilinear"), n=14),
    op("nearest_interp", interp("nearest", v1=True), n=16),
    op("bilinear_interp", interp("bilinear", v1=True), n=20),
    op("bicubic_interp", interp("bicubic", v1=True), n=10),
    op("linear_interp", interp("linear", v1=True), n=10),
    op("trilinear_interp", interp("trilinear", v1=True), n=10),
    op("grid_sampler", grid_sampler, n=30, out="Output"),
    op("affine_grid", affine_grid, n=10, out="Output"),
]
