# SPDX-License-Identifier: Apache-2.0
"""The operators that special_values.py asks, as tables: operator, or operator/variant, and what it takes."""

import numpy as np

from notation import Tensor

# Functions of one number, in the slot X: their attributes.
SINGLE = {
    "relu": {},
    "relu6": dict(threshold=6.0),
    "leaky_relu": dict(alpha=0.1),
    "leaky_relu/alpha above 1": dict(alpha=1.5),
    "sigmoid": {},
    "logsigmoid": {},
    "tanh": {},
    "tanh_shrink": {},
    "stanh": dict(scale_a=0.67, scale_b=1.7159),
    "hard_swish": dict(threshold=6.0, scale=6.0, offset=3.0),
    "hard_sigmoid": dict(slope=0.2, offset=0.5),
    "hard_shrink": dict(threshold=0.5),
    "softshrink": {"lambda": 0.5},
    "thresholded_relu": dict(threshold=1.0),
    "brelu": dict(t_min=-1.0, t_max=1.0),
    "clip": dict(min=-1.0, max=2.5),
    "swish": dict(beta=1.0),
    "silu": {},
    "gelu": dict(approximate=False),
    "gelu/tanh": dict(approximate=True),
    "elu": dict(alpha=1.0),
    "selu": {},
    "celu": dict(alpha=1.5),
    "celu/alpha 0": dict(alpha=0.0),
    "softplus": dict(beta=1.0, threshold=20.0),
    "softsign": {},
    "soft_relu": dict(threshold=40.0),
    "mish": dict(threshold=20.0),
    "logit": dict(eps=0.0),
    "logit/eps": dict(eps=0.1),
    "abs": {},
    "sign": {},
    "exp": {},
    "expm1": {},
    "log": {},
    "log2": {},
    "log10": {},
    "log1p": {},
    "sqrt": {},
    "rsqrt": {},
    "reciprocal": {},
    "square": {},
    "floor": {},
    "ceil": {},
    "round": {},
    "trunc": {},
    "erf": {},
    "erfinv": {},
    "lgamma": {},
    "digamma": {},
    "sin": {},
    "cos": {},
    "tan": {},
    "asin": {},
    "acos": {},
    "atan": {},
    "sinh": {},
    "cosh": {},
    "asinh": {},
    "acosh": {},
    "atanh": {},
    "isnan_v2": {},
    "isinf_v2": {},
    "isfinite_v2": {},
    "logical_not": {},
    "scale": dict(scale=2.0, bias=1.0, bias_after_scale=True),
    "scale/by 0": dict(scale=0.0, bias=1.0, bias_after_scale=True),
    "pow/2": dict(factor=2.0),
    "pow/3": dict(factor=3.0),
    "pow/0.5": dict(factor=0.5),
    "pow/-1": dict(factor=-1.0),
    "pow/0": dict(factor=0.0),
    "cast/bool": dict(in_dtype=5, out_dtype=0),
    "cast/int32": dict(in_dtype=5, out_dtype=2),
    "cast/int64": dict(in_dtype=5, out_dtype=3),
    "cast/uint8": dict(in_dtype=5, out_dtype=20),
    "cast/float64": dict(in_dtype=5, out_dtype=6),
    "cast/float16": dict(in_dtype=5, out_dtype=4),
}

# Functions of two numbers, in X and Y.
PAIRS = {
    "elementwise_%s" % name: dict(axis=-1)
    for name in "add sub mul div max min fmax fmin pow mod floordiv heaviside".split()
}
PAIRS.update({name: dict(axis=-1) for name in "less_than less_equal greater_than greater_equal equal not_equal".split()})
PAIRS.update({"logical_%s" % name: {} for name in "and or xor".split()})

E32 = "float32"


def x_only(out="Out", hidden="", **attributes):
    return (lambda lines: dict(X=Tensor(lines), **attributes), out, hidden)


def small_x(out="out", hidden="", **attributes):
    return (lambda lines: dict(x=Tensor(lines), **attributes), out, hidden)


def image(lines, channels=1):
    """The first 16 of each line as a picture of 4 x 4, moved on by one from channel to channel."""
    pictures = np.stack([np.roll(lines[:, :16], c, axis=1) for c in range(channels)], axis=1)
    return Tensor(pictures.reshape(-1, channels, 4, 4))


def volume(lines):
    return Tensor(lines[:, None, :16].reshape(-1, 1, 2, 2, 4).copy())


def picture(out="Out", hidden="", channels=1, key="X", weights=(), **attributes):
    def make(lines):
        r = np.random.RandomState(3)
        case = {key: image(lines, channels)}
        case.update({slot: Tensor(r.uniform(0.5, 1.5, shape).astype(E32), True) for slot, shape in weights})
        return dict(case, **attributes)

    return (make, out, hidden)


def solid(out="Out", hidden="", key="X", weights=(), **attributes):
    def make(lines):
        r = np.random.RandomState(3)
        case = {key: volume(lines)}
        case.update({slot: Tensor(r.uniform(0.5, 1.5, shape).astype(E32), True) for slot, shape in weights})
        return dict(case, **attributes)

    return (make, out, hidden)


def rows(out="Out", hidden="", weights=(), **attributes):
    def make(lines):
        r = np.random.RandomState(3)
        case = {"X": Tensor(lines)}
        case.update({slot: Tensor(r.uniform(0.5, 1.5, shape).astype(E32), True) for slot, shape in weights})
        return dict(case, **attributes)

    return (make, out, hidden)


def resized(method, layout="NCHW", align_corners=False, align_mode=0, size=7):
    return picture(
        interp_method=method,
        data_layout=layout,
        align_corners=align_corners,
        align_mode=align_mode,
        out_h=size,
        out_w=size,
        out_d=-1,
        scale=[],
    )


def pooled(kind, **attributes):
    rest = dict(strides=[2, 2], paddings=[0, 0], ksize=[2, 2])
    rest.update(attributes)
    return picture(pooling_type=kind, **rest)


def window(lines):
    return dict(ksize=[2, 2], strides=[2, 2])


def nms_case(kind):
    def make(lines):
        count = lines.shape[1]
        r = np.random.RandomState(11)
        corner = r.uniform(0, 40, (count, 2))
        boxes = np.concatenate([corner, corner + 12], 1).astype(E32)
        scores = np.clip((lines + 2.5) / 6, -np.inf, np.inf).astype(E32)[:, None, :]
        images = len(lines)
        case = dict(
            BBoxes=Tensor(np.repeat(boxes[None], images, 0).copy()),
            Scores=Tensor(scores.copy()),
            background_label=-1,
            score_threshold=0.1,
            nms_top_k=10,
            keep_top_k=8,
        )
        if kind == "matrix_nms":
            case.update(post_threshold=0.05, use_gaussian=False, gaussian_sigma=2.0, normalized=True)
        else:
            case.update(nms_threshold=0.3, nms_eta=1.0, normalized=True)
        return case

    return make


LINES = {
    "reduce_sum": x_only(dim=[1], keep_dim=False, reduce_all=False),
    "reduce_mean": x_only(dim=[1], keep_dim=False, reduce_all=False),
    "reduce_prod": x_only(dim=[1], keep_dim=False, reduce_all=False),
    "reduce_max": x_only(dim=[1], keep_dim=False, reduce_all=False),
    "reduce_min": x_only(dim=[1], keep_dim=False, reduce_all=False),
    "reduce_amax": x_only(dim=[1], keep_dim=False, reduce_all=False),
    "reduce_amin": x_only(dim=[1], keep_dim=False, reduce_all=False),
    "reduce_max/columns": x_only(dim=[0], keep_dim=False, reduce_all=False),
    "reduce_min/columns": x_only(dim=[0], keep_dim=False, reduce_all=False),
    "mean": x_only(),
    "logsumexp": x_only(axis=[1], keepdim=False, reduce_all=False),
    "arg_max": x_only(axis=1, keepdims=False, flatten=False, dtype=3),
    "arg_min": x_only(axis=1, keepdims=False, flatten=False, dtype=3),
    "p_norm/2": x_only(porder=2.0, axis=1, keepdim=False, epsilon=1e-12, asvector=False),
    "p_norm/1": x_only(porder=1.0, axis=1, keepdim=False, epsilon=1e-12, asvector=False),
    "p_norm/inf": x_only(porder=float("inf"), axis=1, keepdim=False, epsilon=1e-12, asvector=False),
    "p_norm/-inf": x_only(porder=float("-inf"), axis=1, keepdim=False, epsilon=1e-12, asvector=False),
    "p_norm/0": x_only(porder=0.0, axis=1, keepdim=False, epsilon=1e-12, asvector=False),
    "norm": x_only(hidden="Norm", axis=1, epsilon=1e-10, is_test=False),
    "frobenius_norm": x_only(dim=[1], keep_dim=False, reduce_all=False),
    "l1_norm": x_only(),
    "squared_l2_norm": x_only(),
    "clip_by_norm": x_only(max_norm=2.0),
    "cumsum": x_only(axis=1, flatten=False, exclusive=False, reverse=False),
    "cumprod": x_only(dim=1),
    "cummax": small_x(out="out indices", axis=1, dtype=3),
    "cummin": small_x(out="out indices", axis=1, dtype=3),
    "logcumsumexp": x_only(axis=1, flatten=False, exclusive=False, reverse=False),
    "softmax": x_only(axis=-1),
    "softmax/columns": x_only(axis=0),
    "log_softmax": x_only(axis=-1),
    "top_k_v2": x_only(out="Out Indices", k=5, axis=-1, largest=True, sorted=True),
    "top_k_v2/smallest": x_only(out="Out Indices", k=5, axis=-1, largest=False, sorted=True),
    "top_k": x_only(out="Out Indices", k=5),
    "argsort": x_only(out="Out Indices", axis=-1, descending=False),
    "argsort/descending": x_only(out="Out Indices", axis=-1, descending=True),
    "kthvalue": x_only(out="Out Indices", k=3, axis=1, keepdim=False),
    "mode": x_only(out="Out Indices", axis=1, keepdim=False),
    "nanmedian": x_only(hidden="MedianIndex", axis=[1], keepdim=False),
    "isnan": x_only(),
    "isinf": x_only(),
    "isfinite": x_only(),
    "unique_consecutive": x_only(out="Out", hidden="Index Counts", return_inverse=False, return_counts=False, axis=[], dtype=3),
    "where_index": (lambda lines: dict(Condition=Tensor(lines)), "Out", ""),
    "histogram": x_only(bins=5, min=-2, max=3),
    "layer_norm": rows("Y", "Mean Variance", [("Scale", [19]), ("Bias", [19])], begin_norm_axis=1, epsilon=1e-5),
    "renorm": x_only(axis=0, p=2.0, max_norm=1.0),
    "prelu/all": rows(weights=[("Alpha", [1])], mode="all"),
    "prelu/channel": picture(channels=3, weights=[("Alpha", [3])], mode="channel", data_format="NCHW"),
    "maxout": picture(channels=4, groups=2, axis=1),
    "batch_norm": picture(
        "Y",
        "MeanOut VarianceOut SavedMean SavedVariance ReserveSpace",
        3,
        weights=[("Scale", [3]), ("Bias", [3]), ("Mean", [3]), ("Variance", [3])],
        is_test=True,
        epsilon=1e-5,
        momentum=0.9,
        data_layout="NCHW",
        use_global_stats=False,
        trainable_statistics=False,
        _alias={"MeanOut": "Mean", "VarianceOut": "Variance"},
    ),
    "group_norm": picture("Y", "Mean Variance", 4, groups=2, epsilon=1e-5, data_layout="NCHW"),
    "instance_norm": picture("Y", "SavedMean SavedVariance", 2, epsilon=1e-5),
    "lrn": picture(hidden="MidOut", channels=5, n=5, k=1.0, alpha=0.1, beta=0.75, data_format="NCHW"),
    "pool2d/max": pooled("max"),
    "pool2d/max padded": pooled("max", ksize=[3, 3], paddings=[1, 1]),
    "pool2d/max global": pooled("max", global_pooling=True),
    "pool2d/max adaptive": pooled("max", adaptive=True, ksize=[2, 2]),
    "pool2d/max NHWC": pooled("max", data_format="NHWC"),
    "pool2d/avg": pooled("avg"),
    "pool2d/avg padded": pooled("avg", ksize=[3, 3], paddings=[1, 1], exclusive=True),
    "pool2d/avg global": pooled("avg", global_pooling=True),
    "pool2d/avg adaptive": pooled("avg", adaptive=True, ksize=[3, 3]),
    "pool3d/max": solid(pooling_type="max", ksize=[2, 2, 2], strides=[2, 2, 2], paddings=[0, 0, 0]),
    "pool3d/avg": solid(pooling_type="avg", ksize=[2, 2, 2], strides=[2, 2, 2], paddings=[0, 0, 0]),
    "max_pool2d_with_index": picture("Out Mask", ksize=[2, 2], strides=[2, 2], paddings=[0, 0], adaptive=False, global_pooling=False),
    "max_pool2d_with_index/adaptive": picture("Out Mask", ksize=[2, 2], strides=[2, 2], paddings=[0, 0], adaptive=True, global_pooling=False),
    "max_pool3d_with_index": solid("Out Mask", ksize=[2, 2, 2], strides=[2, 2, 2], paddings=[0, 0, 0], adaptive=False, global_pooling=False),
    "conv2d": picture("Output", key="Input", channels=3, weights=[("Filter", [8, 3, 3, 3])], strides=[1, 1], paddings=[1, 1], dilations=[1, 1], groups=1, padding_algorithm="EXPLICIT", data_format="NCHW"),
    "conv2d/1x1": picture("Output", key="Input", channels=3, weights=[("Filter", [8, 3, 1, 1])], strides=[1, 1], paddings=[0, 0], dilations=[1, 1], groups=1, padding_algorithm="EXPLICIT", data_format="NCHW"),
    "depthwise_conv2d": picture("Output", key="Input", channels=8, weights=[("Filter", [8, 1, 3, 3])], strides=[1, 1], paddings=[1, 1], dilations=[1, 1], groups=8, padding_algorithm="EXPLICIT", data_format="NCHW"),
    "conv2d_transpose": picture("Output", key="Input", channels=3, weights=[("Filter", [3, 4, 2, 2])], strides=[2, 2], paddings=[0, 0], dilations=[1, 1], groups=1, padding_algorithm="EXPLICIT", data_format="NCHW", output_padding=[], output_size=[]),
    "matmul_v2": rows(weights=[("Y", [19, 5])], trans_x=False, trans_y=False),
    "nearest_interp_v2": resized("nearest"),
    "bilinear_interp_v2": resized("bilinear"),
    "bilinear_interp_v2/corners": resized("bilinear", align_corners=True),
    "bilinear_interp_v2/mode 1": resized("bilinear", align_mode=1),
    "bilinear_interp_v2/double": resized("bilinear", size=8),
    "bilinear_interp_v2/NHWC": resized("bilinear", layout="NHWC"),
    "bicubic_interp_v2": resized("bicubic"),
    "bicubic_interp_v2/double": resized("bicubic", size=8),
    "trilinear_interp_v2": solid(interp_method="trilinear", data_layout="NCHW", align_corners=False, align_mode=0, out_d=3, out_h=3, out_w=7, scale=[]),
    "linear_interp_v2": (lambda lines: dict(X=Tensor(lines[:, None, :].copy()), interp_method="linear", data_layout="NCHW", align_corners=False, align_mode=0, out_d=-1, out_h=-1, out_w=30, scale=[]), "Out", ""),
    "grid_sampler": picture("Output", weights=[("Grid", [19, 5, 5, 2])], mode="bilinear", padding_mode="zeros", align_corners=True),
    "roi_align": (lambda lines: dict(X=image(lines), ROIs=Tensor(np.array([[0, 0, 3, 3]] * len(lines), E32)), RoisNum=Tensor(np.ones(len(lines), "int32")), pooled_height=2, pooled_width=2, spatial_scale=1.0, sampling_ratio=2, aligned=False), "Out", ""),
    "roi_pool": (lambda lines: dict(X=image(lines), ROIs=Tensor(np.array([[0, 0, 3, 3]] * len(lines), E32)), RoisNum=Tensor(np.ones(len(lines), "int32")), pooled_height=2, pooled_width=2, spatial_scale=1.0), "Out", "Argmax"),
    "multiclass_nms3": (nms_case("multiclass_nms3"), "Out Index NmsRoisNum", ""),
    "matrix_nms": (nms_case("matrix_nms"), "Out Index RoisNum", ""),
    "iou_similarity": (lambda lines: dict(X=Tensor(lines[:, :4].copy()), Y=Tensor(np.array([[0, 0, 1, 1], [-1, -1, 2, 2]], E32)), box_normalized=True), "Out", ""),
    "yolo_box": (lambda lines: dict(X=Tensor(np.repeat(lines[:, :6], 4, 1).reshape(-1, 6, 2, 2).copy()), ImgSize=Tensor(np.full((len(lines), 2), 64, "int32")), anchors=[10, 13], class_num=1, conf_thresh=0.01, downsample_ratio=32, clip_bbox=True, scale_x_y=1.0, iou_aware=False, iou_aware_factor=0.5), "Boxes Scores", ""),
    "box_clip": (lambda lines: dict(Input=Tensor(lines[:, :4].copy(), lod=[[0, len(lines)]]), ImInfo=Tensor(np.array([[2, 2, 1]], E32))), "Output", ""),
    "sigmoid_cross_entropy_with_logits": (lambda lines: dict(X=Tensor(lines), Label=Tensor(np.full(lines.shape, 0.3, E32)), ignore_index=-100, normalize=False), "Out", ""),
    "temporal_shift": (lambda lines: dict(X=image(lines[:18], 4), seg_num=2, shift_ratio=0.25, data_format="NCHW"), "Out", ""),
}

# Which of equal numbers they take is not asked.
UNORDERED = {"argsort", "argsort/descending", "mode", "top_k"}

# Where Coracle's answers are not Paddle's: an operator with all its variants, one variant, or one of a form; why is in
# docs/special-values.md.
KNOWN = {
    "logsigmoid",
    "sqrt",
    "pow/3",
    "pow/-1",
    "digamma",
    "program elementwise_max",
    "program elementwise_min",
    "program reduce_max",
    "program reduce_min",
    "program reduce_amax",
    "program reduce_amin",
    "program reduce_max/columns",
    "program reduce_min/columns",
    "p_norm/inf",
    "p_norm/-inf",
    "norm",
    "frobenius_norm",
    "logcumsumexp",
    "top_k",
    "unique_consecutive",
    "lrn",
    "program bilinear_interp_v2/NHWC",
    "matrix_nms",
}
