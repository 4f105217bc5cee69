#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes keypoint_numbers.txt: how OpenCV brings a person into a model's input, and what OpenCV and NumPy make of made-up heat maps.

    build/oracle-venv/bin/python tests/vision/make_keypoint_numbers.py"""
import pathlib

import cv2
import numpy as np
from made_up_numbers import fnv, made_up_numbers

cv2.ipp.setUseIPP(False)  # OpenCV's own arithmetic, which all processors share
SIZES = [(640, 404), (404, 640), (224, 224), (33, 120), (501, 37), (1, 1), (97, 256)]
INPUTS = [(96, 128), (192, 256), (31, 57)]
WIDTH, HEIGHT = 24, 32
CENTRES = [(11.25, 15.75), (4.5, 20), (2, 2), (1, 15), (21.75, 29.5), (22, 3), (12.5, 0)]


def picture(seed, width, height):
    return np.floor(made_up_numbers(seed, 3 * width * height) * np.float32(256)).astype(np.uint8).reshape(height, width, 3)


def matrix(width, height, to_width, to_height):
    """Middle to middle, width to width: by three points, as PaddleX has it."""
    def triangle(w, h, side):
        return np.float32([[w / 2, h / 2], [w / 2, h / 2 - side / 2], [w / 2 - side / 2, h / 2 - side / 2]])
    return cv2.getAffineTransform(triangle(width, height, width), triangle(to_width, to_height, to_width))


def maps():
    """Flat bells with some noise, and a map below zero."""
    noise = made_up_numbers(3, (len(CENTRES) + 1) * HEIGHT * WIDTH).reshape(-1, HEIGHT, WIDTH) * np.float32(0.02)
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH].astype(np.float64)
    bells = [np.maximum(1 - ((x - cx) ** 2 + (y - cy) ** 2) / 32, 0) for cx, cy in CENTRES] + [np.full((HEIGHT, WIDTH), -1.0)]
    return np.array(bells).astype(np.float32) + noise


def top(heat):
    """The hottest place, moved by a step of Newton's method on the smoothed map's logarithm."""
    y, x = np.unravel_index(np.argmax(heat), heat.shape)
    if heat[y, x] <= 0:
        return np.zeros(2)
    if not (1 < x < WIDTH - 2 and 1 < y < HEIGHT - 2):
        return np.array([x, y], np.float64)
    smooth = cv2.GaussianBlur(np.pad(heat.astype(np.float64), 1), (3, 3), 0)[1:-1, 1:-1].astype(np.float32)
    log = np.log(np.maximum(smooth * (heat.max() / smooth.max()), 1e-10)).astype(np.float64)
    gradient = np.array([log[y, x + 1] - log[y, x - 1], log[y + 1, x] - log[y - 1, x]]) / 2
    mixed = (log[y + 1, x + 1] - log[y - 1, x + 1] - log[y + 1, x - 1] + log[y - 1, x - 1]) / 4
    hessian = np.array([[(log[y, x + 2] - 2 * log[y, x] + log[y, x - 2]) / 4, mixed],
                        [mixed, (log[y + 2, x] - 2 * log[y, x] + log[y - 2, x]) / 4]])
    return np.array([x, y]) - np.linalg.inv(hessian) @ gradient


def lines():
    for number, (width, height) in enumerate(SIZES):
        image = picture(number + 1, width, height)
        for to_width, to_height in INPUTS:
            placed = cv2.warpAffine(image, matrix(width, height, to_width, to_height), (to_width, to_height), flags=cv2.INTER_LINEAR)
            stretch = np.float32([[(to_width - 1) / width, 0, 0], [0, (to_height - 1) / height, 0]])
            stretched = cv2.warpAffine(image, stretch, (to_width, to_height), flags=cv2.INTER_LINEAR)
            yield "person %d %d %d %d %d %s %s" % (number + 1, width, height, to_width, to_height, fnv(placed), fnv(stretched))
    back = matrix(WIDTH, HEIGHT, 333, 250)
    for heat in maps():
        yield "point %.6f %.4f %.4f" % (heat.max(), *(back @ [*top(heat), 1.0]))


folder = pathlib.Path(__file__).resolve().parent
(folder / "keypoint_numbers.txt").write_text("".join(line + "\n" for line in lines()), "utf-8")
