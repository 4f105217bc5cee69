#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes opencv_numbers.txt: what OpenCV, Clipper and Pillow make of made-up pictures, maps and points, which numbers_test.cc compares with.

    build/oracle-venv/bin/python tests/vision/make_opencv_numbers.py

Made-up values come from a generator that the test has too. Pictures are told by a hash."""
import math
import pathlib

import cv2
import numpy as np
import pyclipper
from made_up_numbers import fnv
from PIL import Image

cv2.ipp.setUseIPP(False)  # OpenCV's own arithmetic, which all processors share
MODES = [cv2.INTER_NEAREST, cv2.INTER_LINEAR, cv2.INTER_CUBIC, cv2.INTER_AREA, cv2.INTER_LANCZOS4]
FILTERS = [Image.NEAREST, Image.BILINEAR, Image.BICUBIC, Image.BOX, Image.LANCZOS]


class Random:
    """x -> x * 6364136223846793005 + 1442695040888963407 modulo 2^64, the upper half of its bits."""

    def __init__(self, seed):
        self.state = seed

    def below(self, limit):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 32) % limit


def picture(random, width, height):
    return np.array([random.below(256) for _ in range(3 * width * height)], np.uint8).reshape(height, width, 3)


def probability(random, width, height):
    """Slanted bars of noise."""
    values = [random.below(200) for _ in range(width * height)]
    for _ in range(8):
        x, y, dx, dy = random.below(width), random.below(height), random.below(9) - 4, random.below(9) - 4
        long, wide, value = random.below(120), random.below(40), 400 + random.below(500)
        for i in range(width * height):
            u, v = i % width - x, i // width - y
            if abs(u * dx + v * dy) <= long and abs(u * dy - v * dx) <= wide:
                values[i] = value + random.below(100)
    return (np.array(values, np.float32) / np.float32(1000)).reshape(height, width)


def small_box(points):
    box = cv2.minAreaRect(points)
    p = sorted(cv2.boxPoints(box).tolist(), key=lambda q: q[0])
    left = p[:2] if p[1][1] > p[0][1] else [p[1], p[0]]
    right = p[2:] if p[3][1] > p[2][1] else [p[3], p[2]]
    return np.array([left[0], right[0], right[1], left[1]], np.float32), min(box[1])


def mean_inside(values, box):
    height, width = values.shape
    low = [int(np.clip(math.floor(box[:, i].min()), 0, s - 1)) for i, s in ((0, width), (1, height))]
    high = [int(np.clip(math.ceil(box[:, i].max()), 0, s - 1)) for i, s in ((0, width), (1, height))]
    mask = np.zeros((high[1] - low[1] + 1, high[0] - low[0] + 1), np.uint8)
    cv2.fillPoly(mask, (box - np.array(low, np.float32)).reshape(1, -1, 2).astype(np.int32), 1)
    return cv2.mean(values[low[1]:high[1] + 1, low[0]:high[0] + 1], mask)[0]


def numbers(box):
    return " ".join("%.9g" % v for v in box.reshape(-1))


def lines():
    random = Random(1)
    for mode, name in enumerate(MODES):
        for case in range(24):
            w, h, to_w, to_h = (1 + random.below(60) for _ in range(4))
            if case % 4 == 0:
                w, h = 2 * to_w, 2 * to_h
            if case % 4 == 1:
                w, h = 3 * to_w, 3 * to_h
            seed = random.below(1 << 30)
            result = cv2.resize(picture(Random(seed), w, h), (to_w, to_h), interpolation=name)
            yield "resize %d %d %d %d %d %d %s" % (mode, seed, w, h, to_w, to_h, fnv(result))
    for _ in range(24):
        w, h, seed = 20 + random.below(60), 20 + random.below(60), random.below(1 << 30)
        x, y = random.below(w), random.below(h)
        quad = [[x, y], [x + 15 + random.below(9), y + random.below(7) - 3], [x + 15 + random.below(9), y + 12 + random.below(7)],
                [x - random.below(5), y + 12 + random.below(5)]]
        to_w, to_h = 16 + random.below(9), 12 + random.below(9)
        plane = np.array([[0, 0], [to_w, 0], [to_w, to_h], [0, to_h]], np.float32)
        result = cv2.warpPerspective(picture(Random(seed), w, h), cv2.getPerspectiveTransform(np.array(quad, np.float32), plane),
                                     (to_w, to_h), borderMode=cv2.BORDER_REPLICATE, flags=cv2.INTER_CUBIC)
        yield "straighten %d %d %d %s %d %d %s" % (seed, w, h, " ".join("%d %d" % tuple(q) for q in quad), to_w, to_h, fnv(result))
    for _ in range(12):
        w, h, seed = 20 + random.below(60), 20 + random.below(60), random.below(1 << 30)
        values = probability(Random(seed), w, h)
        contours = cv2.findContours((values > np.float32(0.3)).astype(np.uint8) * 255, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)[0]
        yield "contours %d %d %d %d %s" % (seed, w, h, len(contours), fnv(np.concatenate([c.reshape(-1) for c in contours])))
        for number, contour in enumerate(contours):
            box, side = small_box(contour)
            if side < 2:
                continue
            yield "rectangle %d %.9g %s" % (number, side, numbers(box))
            yield "mean %.17g" % mean_inside(values, box)
            distance = cv2.contourArea(box) * 1.5 / cv2.arcLength(box, True)
            offset = pyclipper.PyclipperOffset()
            offset.AddPath(box, pyclipper.JT_ROUND, pyclipper.ET_CLOSEDPOLYGON)
            grown = offset.Execute(distance)
            if len(grown) == 1:
                yield "grown %s" % numbers(small_box(np.array(grown[0]))[0])
    for mode, name in enumerate(MODES):
        for case in range(24):
            w, h, seed = 1 + random.below(60), 1 + random.below(60), random.below(1 << 30)
            factor = 0.5 if case % 4 == 0 else (1 + random.below(90)) / (1 + random.below(60))
            if round(w * factor) == 0 or round(h * factor) == 0 or factor > 8:
                continue
            result = cv2.resize(picture(Random(seed), w, h), None, None, fx=factor, fy=factor, interpolation=name)
            yield "factor %d %d %d %d %.17g %d %d %s" % (mode, seed, w, h, factor, result.shape[1], result.shape[0], fnv(result))
    for mode, name in enumerate(FILTERS):
        for case in range(24):
            w, h, to_w, to_h = (1 + random.below(60) for _ in range(4))
            if case % 4 == 0:
                to_w = w
            if case % 4 == 1:
                w, h = 3 * to_w, 3 * to_h
            seed = random.below(1 << 30)
            wide = Image.fromarray(picture(Random(seed), w, h)).resize((to_w, h), name)  # rows first, as Pillow did before 13
            result = np.array(wide.resize((to_w, to_h), name))
            yield "resample %d %d %d %d %d %d %s" % (mode, seed, w, h, to_w, to_h, fnv(result))
    for _ in range(12):
        w, h, seed = 40 + random.below(60), 40 + random.below(60), random.below(1 << 30)
        values = probability(Random(seed), w, h)
        contours = cv2.findContours((values > np.float32(0.3)).astype(np.uint8) * 255, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)[0]
        yield "bent %d %d %d" % (seed, w, h)
        for number, contour in enumerate(contours):
            region = cv2.approxPolyDP(contour, 0.002 * cv2.arcLength(contour, True), True).reshape(-1, 2)
            if len(region) < 8:
                continue
            distance = cv2.contourArea(region) * 0.5 / cv2.arcLength(region, True)
            yield "simplified %d %d %s %.17g %.17g" % (number, len(region), fnv(region), distance, mean_inside(values, region.astype(np.float32)))
            offset = pyclipper.PyclipperOffset()
            offset.AddPath(region, pyclipper.JT_ROUND, pyclipper.ET_CLOSEDPOLYGON)
            grown = offset.Execute(distance)
            if len(grown) == 1:
                yield "outline %.1f %s" % (pyclipper.Area(grown[0]), " ".join("%d %d" % tuple(p) for p in grown[0]))


folder = pathlib.Path(__file__).resolve().parent
(folder / "opencv_numbers.txt").write_text("".join(line + "\n" for line in lines()), "utf-8")
