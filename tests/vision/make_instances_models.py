#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes models without training with the real Paddle 2.6.2, whose outputs are those of published ones:

    make_instances_models.py FOLDER

FOLDER/instances gives boxes and masks, as Mask R-CNN does; FOLDER/unboxed_instances classes, scores and masks, as SOLOv2 does;
FOLDER/keypoints heat maps of 17 points, as PP-TinyPose does. The mean colours of a picture's parts are scores, and move boxes and points;
masks are ellipses in the boxes, of the picture's size."""
import sys

import numpy as np
import paddle

CELLS = 4
SIDE = 96
HEAT = (32, 24)  # height, width of heat maps
POINTS = 17


def constant(values):
    return paddle.assign(np.array(values, "float32"))


def colours(image, cells):
    """Of each part of the picture, from 0 to 1: [1, 3, parts]."""
    return paddle.nn.functional.sigmoid(paddle.reshape(paddle.nn.functional.adaptive_avg_pool2d(image, cells), [1, 3, -1]))


def save(path, inputs, outputs):
    executor = paddle.static.Executor(paddle.CPUPlace())
    executor.run(paddle.static.default_startup_program())
    paddle.static.save_inference_model(path + "/inference", inputs, outputs, executor)


def instances(folder, boxed):
    size = paddle.static.data("im_shape", [1, 2], "float32")
    image = paddle.static.data("image", [1, 3, SIDE, SIDE], "float32")
    scale = paddle.static.data("scale_factor", [1, 2], "float32")
    scores = paddle.reshape(colours(image, CELLS), [3, CELLS * CELLS])
    step = SIDE / CELLS
    low = constant([[x * step - 4, y * step - 4] for y in range(CELLS) for x in range(CELLS)])
    sides = paddle.transpose(scores, [1, 0])[:, :2] * (1.5 * step) + 12.0
    back = paddle.flip(scale, axis=[1])
    low, sides = low / back, sides / back
    height, width = paddle.split(paddle.floor(size / scale + 0.5), 2, axis=1)
    down = paddle.reshape(paddle.arange(0, paddle.reshape(height, [1]), 1, "float32"), [1, -1, 1])
    across = paddle.reshape(paddle.arange(0, paddle.reshape(width, [1]), 1, "float32"), [1, 1, -1])
    x, y = paddle.split(paddle.reshape(low + sides / 2.0, [-1, 2, 1]), 2, axis=1)
    wide, high = paddle.split(paddle.reshape(sides / 2.0, [-1, 2, 1]), 2, axis=1)
    masks = paddle.square((across - x) / wide) + paddle.square((down - y) / high) <= constant([1.1])
    best, ids = paddle.max(scores, axis=0), paddle.argmax(scores, axis=0)
    number = paddle.assign(np.array([CELLS * CELLS], "int32"))
    if not boxed:
        return save(folder + "/unboxed_instances", [size, image, scale], [number, ids, best, paddle.cast(masks, "uint8")])
    rows = paddle.concat([paddle.cast(paddle.unsqueeze(ids, 1), "float32"), paddle.unsqueeze(best, 1), low, low + sides], axis=1)
    save(folder + "/instances", [size, image, scale], [rows, number, paddle.cast(masks, "int32")])


def keypoints(folder):
    image = paddle.static.data("image", [1, 3, 4 * HEAT[0], 4 * HEAT[1]], "float32")
    parts = paddle.reshape(colours(image, (5, 4))[:, :, :POINTS], [3, POINTS, 1, 1])
    x, y = parts[0] * float(HEAT[1]), parts[1] * float(HEAT[0])
    across = constant(np.arange(HEAT[1]).reshape(1, 1, -1))
    down = constant(np.arange(HEAT[0]).reshape(1, -1, 1))
    bells = paddle.exp((paddle.square(across - x) + paddle.square(down - y)) * -0.125) * parts[2]
    maps = paddle.unsqueeze(bells, 0)
    save(folder + "/keypoints", [image], [maps, paddle.argmax(paddle.reshape(maps, [1, POINTS, -1]), axis=2)])


paddle.enable_static()
for make in (lambda f: instances(f, True), lambda f: instances(f, False), keypoints):
    with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
        make(sys.argv[1])
