#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the test models orientation, unwarp and table, stages of documents without training, with the real Paddle 2.6.2:

    make_document_models.py DIR

They have the inputs and outputs of PP-LCNet_x1_0_doc_ori, UVDoc and SLANet_plus: four classes, by where the picture is brightest; the
picture seen askew; and the tokens of a table with places of its cells, which the picture's mean colours move."""
import os
import sys

import numpy as np
import paddle

TOKENS = 50  # sos, 48 tokens, eos
TD, TD_BEGIN, TAG_END, TD_END, COLSPAN2, EOS = 48, 7, 8, 9, 10, 49
THEAD, THEAD_END, TBODY, TBODY_END, TR, TR_END = 1, 2, 3, 4, 5, 6
SEQUENCE = ([0, THEAD, TR, TD_BEGIN, COLSPAN2, TAG_END, TD_END, TD, TR_END, THEAD_END, TBODY]
            + 2 * [TR, TD, TD, TD, TR_END] + [TBODY_END, EOS, TD, EOS])
COLUMNS, ROWS = 3, 3


def save(folder, inputs, outputs):
    executor = paddle.static.Executor(paddle.CPUPlace())
    executor.run(paddle.static.default_startup_program())
    os.makedirs(folder, exist_ok=True)
    paddle.static.save_inference_model(folder + "/inference", inputs, outputs, executor)


def orientation(folder):
    x = paddle.static.data("x", [-1, 3, 224, 224], "float32")
    bright = paddle.mean(x, axis=[1])
    sides = [paddle.mean(part, axis=[1, 2]) for part in (bright[:, :56], bright[:, :, 168:], bright[:, 168:], bright[:, :, :56])]
    save(folder, [x], [paddle.nn.functional.softmax(paddle.stack(sides, axis=1) * 4.0)])


def unwarp(folder):
    x = paddle.static.data("img", [-1, 3, -1, -1], "float32")
    askew = paddle.assign(np.array([[[0.97, 0.04, 0.01], [-0.03, 0.96, -0.02]]], "float32"))
    grid = paddle.nn.functional.affine_grid(askew, paddle.shape(x), align_corners=True)
    save(folder, [x], [paddle.nn.functional.grid_sample(x, grid, align_corners=True, padding_mode="border")])


def table(folder):
    x = paddle.static.data("x", [-1, 3, 488, 488], "float32")
    steps = len(SEQUENCE)
    likely = np.full((1, steps, TOKENS), -4, "float32")
    places = np.zeros((1, steps, 8), "float32")
    cells = [(0, 0, 2), (0, 2, 1)] + [(r, c, 1) for r in (1, 2) for c in range(3)] + [(0, 0, 1)]
    for step, token in enumerate(SEQUENCE):
        likely[0, step, token] = 4
        if token in (TD, TD_BEGIN):
            row, column, span = cells.pop(0)
            left, right = column / COLUMNS, (column + span) / COLUMNS
            top, bottom = row / ROWS, (row + 1) / ROWS
            places[0, step] = [left, top, right, top, right, bottom, left, bottom]
    colours = paddle.mean(x, axis=[0, 2, 3])
    moved = paddle.assign(places) * 0.6 + 0.02 * paddle.reshape(paddle.mean(colours), [1, 1, 1])
    scores = paddle.nn.functional.softmax(paddle.assign(likely) + paddle.reshape(colours[0], [1, 1, 1]) * paddle.assign(likely) * 0.1)
    save(folder, [x], [moved, scores])


def main():
    for make in (orientation, unwarp, table):
        paddle.enable_static()
        with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
            make(os.path.join(sys.argv[1], make.__name__))


main()
