# SPDX-License-Identifier: Apache-2.0
"""Object detection: anchors, box coding, suppression, regions of interest.

Scores are drawn without ties; a case whose survivors change with rounding is dropped by the generator.
"""

import numpy as np

from notation import op


def yolo_box(r):
    anchors = [r.int(8, 60) for _ in range(2 * r.int(1, 3))]
    count, classes, n = len(anchors) // 2, r.int(1, 4), r.int(1, 2)
    h, w, aware = r.int(1, 5), r.int(1, 5), r.index % 4 == 3
    return dict(
        X=r.f(n, count * (5 + classes + (1 if aware else 0)), h, w, lo=-3, hi=3),
        ImgSize=r.i(n, 2, lo=60, hi=200, dtype="int32"),
        anchors=anchors,
        class_num=classes,
        conf_thresh=r.pick(0.005, 0.3, 0.5),
        downsample_ratio=r.pick(8, 16, 32),
        clip_bbox=r.maybe(0.7),
        scale_x_y=r.pick(1.0, 1.05, 1.2),
        iou_aware=aware,
        iou_aware_factor=0.4,
    )


def candidates(r, images, count, classes, clusters=True):
    """Boxes [images, count, 4] around a few centres and scores [images, classes, count]."""
    boxes = np.stack([r.boxes(count) for _ in range(images)])
    if clusters and count > 3:
        half = count // 2
        boxes[:, half : 2 * half] = boxes[:, :half] + r.random.uniform(-3, 3, (images, half, 4))
    return boxes.astype("float32"), r.distinct(images, classes, count, lo=0.001, hi=0.999).array


def nms_attributes(r, classes):
    return dict(
        background_label=r.pick(-1, -1, 0),
        score_threshold=r.pick(0.0, 0.05, 0.3, 0.6),
        nms_top_k=r.pick(-1, 5, 20, 400),
        nms_threshold=r.pick(0.3, 0.5, 0.7),
        nms_eta=r.pick(1.0, 1.0, 0.9),
        keep_top_k=r.pick(-1, 5, 100),
        normalized=r.maybe(),
    )


def polygons(r, boxes, points):
    """The boxes [images, count, 4] as outlines of that many points, a little inside them, in either direction."""
    turns = np.linspace(0, 2 * np.pi, points, endpoint=False) + r.num(0, 1)
    directions = np.stack([np.cos(turns), np.sin(turns)], 1)[:: r.pick(1, -1)]
    directions *= r.random.uniform(0.6, 1, boxes.shape[:2] + (points, 1))
    middle, half = (boxes[..., 2:] + boxes[..., :2]) / 2, (boxes[..., 2:] - boxes[..., :2]) / 2
    outline = middle[:, :, None] + directions * half[:, :, None]
    return outline.reshape(boxes.shape[:2] + (2 * points,)).astype("float32")


def multiclass_nms(r):
    classes = r.int(1, 4)
    images, count = r.int(1, 3), r.pick(3, 8, 20, 40)
    boxes, scores = candidates(r, images, count, classes)
    if r.index % 4 == 3:
        boxes = polygons(r, boxes, r.pick(4, 8, 12, 16))
    attributes = nms_attributes(r, classes)
    if r.index % 6 == 5:
        attributes["score_threshold"] = 2.0  # nothing is found
    return dict(BBoxes=r.t(boxes), Scores=r.t(scores), **attributes)


def multiclass_nms3(r):
    case = multiclass_nms(r)
    if r.index % 3 == 2:  # regions with one box per class
        classes, total = r.int(2, 4), r.int(4, 20)
        first = r.int(1, total - 1)
        boxes = np.stack([r.boxes(classes) for _ in range(total)])
        case.update(
            BBoxes=r.t(boxes).fixed(),
            Scores=r.t(r.distinct(total, classes, lo=0.001, hi=0.999).array).fixed(),
            RoisNum=r.v([first, total - first], "int32"),
        )
    return case


def matrix_nms(r):
    classes = r.int(1, 4)
    boxes, scores = candidates(r, r.int(1, 2), r.pick(3, 8, 20), classes)
    return dict(
        BBoxes=r.t(boxes),
        Scores=r.t(scores),
        background_label=r.pick(-1, 0),
        score_threshold=r.pick(0.01, 0.2),
        post_threshold=r.pick(0.0, 0.05, 0.3),
        nms_top_k=r.pick(-1, 10, 400),
        keep_top_k=r.pick(-1, 5, 100),
        use_gaussian=r.turn(False, True),
        gaussian_sigma=2.0,
        normalized=r.maybe(),
    )


def locality_aware_nms(r):
    boxes, scores = candidates(r, 1, r.pick(3, 8, 20), 1)
    case = nms_attributes(r, 1)
    case.update(background_label=-1, nms_eta=1.0)
    return dict(BBoxes=r.t(boxes), Scores=r.t(scores), **case)


def plain_nms(r):
    order = r.boxes(r.pick(1, 5, 20, 40))
    return dict(Boxes=r.t(order), iou_threshold=r.pick(0.2, 0.5))


def image_pair(r):
    h, w = r.int(1, 6), r.int(1, 6)
    return dict(Input=r.f(r.int(1, 2), 2, h, w), Image=r.f(1, 3, h * r.int(4, 16), w * r.int(4, 16)))


def prior_box(r):
    sizes = [float(r.int(4, 30)) for _ in range(r.int(1, 3))]
    case = dict(
        min_sizes=sizes,
        aspect_ratios=r.pick([1.0], [2.0], [1.0, 2.0, 3.0], [2.0, 3.0]),
        flip=r.maybe(),
        clip=r.maybe(),
        variances=[0.1, 0.1, 0.2, 0.2],
        offset=r.pick(0.5, 0.0),
        min_max_aspect_ratios_order=r.maybe(),
    )
    if r.maybe():
        case["max_sizes"] = [s + r.int(2, 20) for s in sizes]
    if r.maybe(0.4):
        case.update(step_w=float(r.int(4, 16)), step_h=float(r.int(4, 16)))
    return dict(image_pair(r), **case)


def density_prior_box(r):
    count = r.int(1, 2)
    return dict(
        image_pair(r),
        fixed_sizes=[float(r.int(8, 40)) for _ in range(count)],
        clip=r.maybe(),
        densities=[r.int(1, 3) for _ in range(count)],
        fixed_ratios=r.pick([1.0], [1.0, 2.0]),
        offset=0.5,
        variances=[0.1, 0.1, 0.2, 0.2],
        flatten_to_2d=r.maybe(),
        step_w=r.pick(0.0, 8.0),
        step_h=r.pick(0.0, 8.0),
    )


def anchor_generator(r):
    return dict(
        Input=r.f(r.int(1, 2), 2, r.int(1, 5), r.int(1, 5)),
        anchor_sizes=[float(r.int(8, 64)) for _ in range(r.int(1, 3))],
        aspect_ratios=r.pick([1.0], [0.5, 1.0, 2.0]),
        variances=[0.1, 0.1, 0.2, 0.2],
        stride=[16.0, 8.0],
        offset=r.pick(0.5, 0.0),
    )


def box_coder(r):
    encode, axis = r.index % 2 == 0, r.pick(0, 1)
    rows, columns = r.int(1, 6), r.int(1, 6)
    priors = columns if encode or axis == 0 else rows
    case = dict(
        PriorBox=r.t(r.boxes(priors)),
        box_normalized=r.maybe(),
        code_type="encode_center_size" if encode else "decode_center_size",
    )
    kind = r.turn("tensor", "tensor", "attribute", "none", "attribute")
    if kind == "tensor":
        case["PriorBoxVar"] = r.f(priors, 4, lo=0.1, hi=0.3)
    if kind == "attribute":
        case["variance"] = [0.1, 0.1, 0.2, 0.2]
    if encode:
        case["TargetBox"] = r.t(r.boxes(rows))
    else:
        case.update(TargetBox=r.f(rows, columns, 4, lo=-1, hi=1), axis=axis)
    return case


def box_clip(r):
    images = r.int(1, 3)
    lod = r.offsets(images)
    boxes = r.f(lod[-1], r.pick(4, 8), lo=-20, hi=120, lod=[lod])
    return dict(
        Input=boxes, ImInfo=r.v([[r.int(30, 90), r.int(30, 90), r.pick(1.0, 2.0)] for _ in range(images)], "float32")
    )


def iou_similarity(r):
    return dict(X=r.t(r.boxes(r.int(1, 8))), Y=r.t(r.boxes(r.int(1, 8))), box_normalized=r.maybe())


def proposals(v2):
    def make(r):
        n, a, h, w = r.int(1, 2), r.int(1, 3), r.int(1, 4), r.int(1, 4)
        anchors = r.boxes(h * w * a, least=8.0).reshape(h, w, a, 4)
        case = dict(
            Scores=r.distinct(n, a, h, w, lo=0.01, hi=0.99),
            BboxDeltas=r.f(n, 4 * a, h, w, lo=-0.5, hi=0.5),
            Anchors=r.t(anchors).fixed(),
            Variances=r.t(np.full((h, w, a, 4), r.pick(1.0, 0.1), "float32")).fixed(),
            pre_nms_topN=r.pick(6000, 10),
            post_nms_topN=r.pick(1000, 5),
            nms_thresh=r.pick(0.5, 0.7),
            min_size=r.pick(0.1, 3.0),
            eta=1.0,
        )
        if v2:
            case.update(
                ImShape=r.v([[r.int(40, 70), r.int(40, 70)] for _ in range(n)], "float32"), pixel_offset=r.maybe()
            )
        else:
            case["ImInfo"] = r.v([[r.int(40, 70), r.int(40, 70), r.pick(1.0, 1.5)] for _ in range(n)], "float32")
        return case

    return make


def distribute(r):
    images, levels = r.int(1, 2), r.int(2, 4)
    counts = [r.int(1, 9) for _ in range(images)]
    rois = r.t(r.boxes(sum(counts), 900, 900, 4.0))
    case = dict(
        FpnRois=rois.fixed(),
        min_level=2,
        max_level=1 + levels,
        refer_level=r.pick(2, 4),
        refer_scale=r.pick(224, 100),
        pixel_offset=r.maybe(),
        _out={"MultiFpnRois": levels, "RestoreIndex": 1, "MultiLevelRoIsNum": levels},
    )
    if r.index % 4 == 3:
        rois.lod = [[0] + [int(v) for v in np.cumsum(counts)]]
        case["_out"].pop("MultiLevelRoIsNum")
    else:
        case["RoisNum"] = r.v(counts, "int32")
    return case


def collect(r):
    images, levels = r.int(1, 2), r.int(1, 3)
    counts = [[r.int(1, 5) for _ in range(images)] for _ in range(levels)]
    totals = [sum(c) for c in counts]
    scores = r.distinct(sum(totals), 1, lo=0.01, hi=0.99).array
    starts = np.cumsum([0] + totals)
    return dict(
        MultiLevelRois=[r.t(r.boxes(t)).fixed() for t in totals],
        MultiLevelScores=[r.t(scores[starts[i] : starts[i + 1]]).fixed() for i in range(levels)],
        MultiLevelRoIsNum=[r.v(c, "int32") for c in counts],
        post_nms_topN=r.pick(3, 5, 100),
    )


def rois(r, channels=None, lod=False):
    images = r.int(1, 2)
    counts = [r.int(1, 4) for _ in range(images)]
    h, w = r.int(3, 8), r.int(3, 8)
    boxes = r.t(r.boxes(sum(counts), w * 4.0, h * 4.0)).fixed()
    case = dict(X=r.f(images, channels or r.int(1, 3), h, w).fixed(), ROIs=boxes)
    if lod:
        boxes.lod = [[0] + [int(v) for v in np.cumsum(counts)]]
    else:
        case["RoisNum"] = r.v(counts, "int32")
    return case


def roi_align(r):
    return dict(
        rois(r, lod=r.index % 5 == 4),
        pooled_height=r.int(1, 4),
        pooled_width=r.int(1, 4),
        spatial_scale=r.pick(0.25, 0.2),
        sampling_ratio=r.turn(-1, 2, 1, -1, 3),
        aligned=r.maybe(),
    )


def roi_pool(r):
    return dict(rois(r), pooled_height=r.int(1, 4), pooled_width=r.int(1, 4), spatial_scale=r.pick(0.25, 0.2))


def psroi_pool(r):
    h, w, channels = r.int(1, 3), r.int(1, 3), r.int(1, 3)
    return dict(
        rois(r, channels * h * w),
        pooled_height=h,
        pooled_width=w,
        output_channels=channels,
        spatial_scale=r.pick(0.25, 0.2),
    )


def retinanet(r):
    images, levels, classes = r.int(1, 2), r.int(1, 2), r.int(1, 3)
    counts = [r.int(2, 9) for _ in range(levels)]
    return dict(
        BBoxes=[r.f(images, c, 4, lo=-0.5, hi=0.5) for c in counts],
        Scores=[r.distinct(images, c, classes, lo=0.01 + 0.001 * i, hi=0.95 + 0.001 * i) for i, c in enumerate(counts)],
        Anchors=[r.t(r.boxes(c)) for c in counts],
        ImInfo=r.v([[60, 60, r.pick(1.0, 2.0)] for _ in range(images)], "float32"),
        score_threshold=r.pick(0.05, 0.3),
        nms_top_k=r.pick(1000, 5),
        nms_threshold=0.4,
        nms_eta=1.0,
        keep_top_k=r.pick(100, 4),
    )


def bipartite_match(r):
    lod = r.offsets(r.int(1, 3), 1, 4)
    columns = r.int(1, 6)
    similarity = r.distinct(lod[-1], columns, lo=0.0, hi=0.95)
    if r.maybe(0.7):
        similarity.lod = [lod]
    return dict(
        DistMat=similarity, match_type=r.turn("bipartite", "per_prediction"), dist_threshold=r.pick(0.5, 0.3, 0.8)
    )


def polygon(r):
    return dict(Input=r.f(r.int(1, 2), 2 * r.int(1, 4), r.int(1, 5), r.int(1, 5)))


TABLE = [
    op("yolo_box", yolo_box, n=20, out="Boxes Scores"),
    op("multiclass_nms3", multiclass_nms3, n=30, out="Out Index NmsRoisNum"),
    op("multiclass_nms", multiclass_nms, n=16),
    op("multiclass_nms2", multiclass_nms, n=12, out="Out Index"),
    op("matrix_nms", matrix_nms, n=16, out="Out Index RoisNum"),
    op("locality_aware_nms", locality_aware_nms, n=10),
    op("nms", plain_nms, n=10, out="KeepBoxesIdxs"),
    op("prior_box", prior_box, n=18, out="Boxes Variances"),
    op("density_prior_box", density_prior_box, n=12, out="Boxes Variances"),
    op("anchor_generator", anchor_generator, n=12, out="Anchors Variances"),
    op("box_coder", box_coder, n=24, out="OutputBox"),
    op("box_clip", box_clip, n=12, out="Output"),
    op("iou_similarity", iou_similarity, n=10),
    op("generate_proposals_v2", proposals(True), n=16, out="RpnRois RpnRoiProbs RpnRoisNum"),
    op("generate_proposals", proposals(False), n=12, out="RpnRois RpnRoiProbs RpnRoisNum"),
    op("distribute_fpn_proposals", distribute, n=16),
    op("collect_fpn_proposals", collect, n=12, out="FpnRois RoisNum"),
    op("roi_align", roi_align, n=20),
    op("roi_pool", roi_pool, n=12, hidden="Argmax"),
    op("psroi_pool", psroi_pool, n=10),
    op("retinanet_detection_output", retinanet, n=10),
    op("bipartite_match", bipartite_match, n=12, out="ColToRowMatchIndices ColToRowMatchDist"),
    op("polygon_box_transform", polygon, n=10, out="Output"),
]
