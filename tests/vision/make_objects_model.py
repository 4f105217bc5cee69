#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the test models objects/inference.pdmodel, an object detector without training, raw_objects/inference.pdmodel, the same
without non-maximum suppression, and turned_objects/inference.pdmodel, which turns its boxes by 30 degrees, with the real Paddle 2.6.2:

    make_objects_model.py OBJECTS_DIR RAW_OBJECTS_DIR TURNED_OBJECTS_DIR

Its 16 boxes lie on a grid that the picture's mean colours move, its scores are those colours, and its non-maximum
suppression and inputs (image, scale_factor) are those of PaddleDetection's exports."""
import sys

import numpy as np
import paddle
from paddle.common_ops_import import LayerHelper

CELLS = 4
SIDE = 96


def main():
    paddle.enable_static()
    image = paddle.static.data("image", [1, 3, SIDE, SIDE], "float32")
    scale = paddle.static.data("scale_factor", [1, 2], "float32")
    colours = paddle.nn.functional.adaptive_avg_pool2d(image, CELLS)
    scores = paddle.nn.functional.sigmoid(paddle.reshape(colours, [1, 3, CELLS * CELLS]))
    step = SIDE / CELLS
    corners = [[x * step, y * step] for y in range(CELLS) for x in range(CELLS)]
    low = paddle.assign(np.array([corners], "float32"))
    size = paddle.transpose(scores, [0, 2, 1])[:, :, :2] * (1.5 * step) + 8.0
    boxes = paddle.concat([low - 4.0, low + size], axis=2)
    turned = paddle.flip(scale, axis=[1])
    boxes = boxes / paddle.reshape(paddle.concat([turned, turned], axis=1), [1, 1, 4])
    out, number = suppressed(boxes, scores)
    middle, half = paddle.unsqueeze((boxes[:, :, :2] + boxes[:, :, 2:]) / 2, 2), (boxes[:, :, 2:] - boxes[:, :, :2]) / 2
    sides = paddle.unsqueeze(half, 2) * paddle.assign(np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], "float32"))
    cos, sin = float(np.cos(np.pi / 6)), float(np.sin(np.pi / 6))
    corners = middle + paddle.matmul(sides, paddle.assign(np.array([[cos, sin], [-sin, cos]], "float32")))
    turned_out, turned_number = suppressed(paddle.reshape(corners, [1, CELLS * CELLS, 8]), scores)
    executor = paddle.static.Executor(paddle.CPUPlace())
    executor.run(paddle.static.default_startup_program())
    paddle.static.save_inference_model(sys.argv[1] + "/inference", [image, scale], [out, number], executor)
    paddle.static.save_inference_model(sys.argv[2] + "/inference", [image, scale], [boxes, scores], executor)
    paddle.static.save_inference_model(sys.argv[3] + "/inference", [image, scale], [turned_out, turned_number], executor)


def suppressed(boxes, scores):
    helper = LayerHelper("multiclass_nms3")
    out = helper.create_variable_for_type_inference("float32")
    index = helper.create_variable_for_type_inference("int32")
    number = helper.create_variable_for_type_inference("int32")
    helper.append_op(type="multiclass_nms3", inputs={"BBoxes": boxes, "Scores": scores},
                     outputs={"Out": out, "Index": index, "NmsRoisNum": number},
                     attrs={"background_label": -1, "score_threshold": 0.3, "nms_top_k": 1000, "nms_threshold": 0.5,
                            "keep_top_k": 100, "nms_eta": 1.0, "normalized": False})
    return out, number


main()
