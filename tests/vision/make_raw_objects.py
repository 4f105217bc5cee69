#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints raw_objects.txt: what PaddleDetection's post-processing of detectors without non-maximum suppression makes of made-up
outputs, by its formulas in NumPy."""
import numpy as np
from made_up_numbers import made_up_numbers

CLASSES = 3
BINS = 8
HEIGHT, WIDTH = 64, 96  # of the input
RESIZED = (60, 96)      # of the picture in it
PICTURE = (120, 144)


def area(boxes):
    return np.prod(np.clip(boxes[..., 2:4] - boxes[..., :2], 0, None), axis=-1)


def overlaps(box, boxes):
    both = np.concatenate([np.maximum(box[:2], boxes[:, :2]), np.minimum(box[2:4], boxes[:, 2:4])], axis=1)
    return area(both) / (area(box) + area(boxes) - area(both) + 1e-5)


def suppressed(boxes, scores, threshold, limit, most):
    """Rows of class, score, box: of each class, the best first."""
    rows = []
    for c in range(scores.shape[1]):
        left = np.nonzero(scores[:, c] > threshold)[0]
        left = left[np.argsort(-scores[left, c], kind="stable")][:most]
        while len(left):
            rows.append([c, scores[left[0], c], *boxes[left[0]]])
            left = left[1:][overlaps(boxes[left[0]], boxes[left[1:]]) <= limit]
    return np.array(rows)


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def by_distances(strides, limit):
    boxes, scores = [], []
    for level, stride in enumerate(strides):
        down, across = -(-HEIGHT // stride), -(-WIDTH // stride)
        y, x = np.meshgrid(np.arange(down), np.arange(across), indexing="ij")
        centres = (np.stack([x, y, x, y], axis=-1).reshape(-1, 4) + 0.5) * stride
        scores.append(made_up_numbers(10 + level, down * across * CLASSES).reshape(-1, CLASSES))
        logits = made_up_numbers(20 + level, down * across * 4 * BINS).reshape(-1, 4, BINS) * 6
        distances = (softmax(logits.astype(np.float64)) * np.arange(BINS)).sum(axis=-1) * stride
        boxes.append(centres + np.array([-1, -1, 1, 1]) * distances)
    rows = suppressed(np.concatenate(boxes), np.concatenate(scores), 0.5, limit, 200)
    rows[:, [2, 4]] = rows[:, [2, 4]].clip(0, RESIZED[1]) / (RESIZED[1] / PICTURE[1])
    rows[:, [3, 5]] = rows[:, [3, 5]].clip(0, RESIZED[0]) / (RESIZED[0] / PICTURE[0])
    return rows


def by_boxes(count, limit):
    corners = made_up_numbers(1, count * 4).reshape(-1, 4) * np.float32(60)
    boxes = np.concatenate([corners[:, :2], corners[:, :2] + corners[:, 2:] + 20], axis=1)
    scores = made_up_numbers(2, CLASSES * count).reshape(CLASSES, -1).T
    return suppressed(boxes, scores, 0.5, limit, 1000)


def show(name, rows):
    print(name, len(rows))
    for row in rows:
        print("%d %.6f %.4f %.4f %.4f %.4f" % tuple(row))


show("distances", by_distances([8, 16, 32], 0.5))
show("boxes", by_boxes(80, 0.7))
