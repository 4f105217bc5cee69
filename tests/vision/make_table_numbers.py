#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes table_numbers.txt: what PaddleX makes of made-up cells, lines and outlines of bent text, for tables_test.cc.

    make_table_numbers.py      (in an environment with paddlex[ocr-core] and scikit-learn)"""
import contextlib
import math
import pathlib
import random
import warnings

import cv2
import numpy as np
from made_up_numbers import fnv
from paddlex.inference.pipelines.components import CropByPolys
from paddlex.inference.pipelines.components.common import crop_image_regions
from paddlex.inference.pipelines.table_recognition.pipeline_v2 import _TableRecognitionPipelineV2
from paddlex.inference.pipelines.table_recognition.table_recognition_post_processing_v2 import get_table_recognition_res

HERE = pathlib.Path(__file__).resolve().parent
PIPELINE = _TableRecognitionPipelineV2.__new__(_TableRecognitionPipelineV2)
PAGE = (640, 480)


def numbers(values):
    return " ".join("%.9g" % v for v in np.asarray(values, float).reshape(-1))


def grid_cells(rng, rows, columns, jitter):
    """Cells of a table, some of which take two columns or rows."""
    xs = np.cumsum([rng.uniform(10, 40)] + [rng.uniform(40, 120) for _ in range(columns)])
    ys = np.cumsum([rng.uniform(10, 40)] + [rng.uniform(22, 60) for _ in range(rows)])
    taken, cells = set(), []
    for r in range(rows):
        for c in range(columns):
            if (r, c) in taken:
                continue
            high, wide = rng.choice([(1, 1), (1, 1), (1, 1), (1, 2), (2, 1), (2, 2)])
            high, wide = min(high, rows - r), min(wide, columns - c)
            places = {(r + i, c + j) for i in range(high) for j in range(wide)}
            if places & taken:
                high, wide, places = 1, 1, {(r, c)}
            taken |= places
            box = [xs[c], ys[r], xs[c + wide], ys[r + high]]
            cells.append([float(np.float32(v + rng.uniform(-jitter, jitter))) for v in box])
    return cells


def lines_of(rng, cells):
    """Lines in cells, over several cells and beside them."""
    boxes, texts = [], []
    for x0, y0, x1, y1 in cells:
        for _ in range(rng.choice([0, 1, 1, 1, 2])):
            x, y = rng.uniform(x0 - 8, x1 - 10), rng.uniform(y0 - 4, y1 - 8)
            boxes.append([int(x), int(y), int(x + rng.uniform(8, (x1 - x0) * rng.choice([0.6, 0.6, 0.9, 2.5]))), int(y + rng.uniform(8, y1 - y0))])
            texts.append("".join(rng.choice(["a", "b", "c", "7", " "]) for _ in range(rng.randrange(0, 5))))
    if cells and rng.random() < 0.6:   # One through a row.
        row = [c for c in cells if abs(c[1] - cells[0][1]) < 12]
        boxes.append([int(min(c[0] for c in row) + 3), int(row[0][1] + 1), int(max(c[2] for c in row) - 3), int(row[0][3])])
        texts.append("through")
    return [[max(v, 0) for v in box] for box in boxes], texts


def tokens_of(rng, rows):
    tokens = ["<html>", "<body>", "<table>"]
    head = rng.random() < 0.3
    for i, count in enumerate(rows):
        tokens += (["<thead>"] if head and i == 0 else []) + ["<tr>"]
        for _ in range(count):
            tokens += ["<td></td>"] if rng.random() < 0.8 else ["<td", ' colspan="2"', ">", "</td>"]
        tokens += ["</tr>"] + (["</thead>"] if head and i == 0 else [])
    return tokens + ["</table>", "</body>", "</html>"]


def overlaps(rng):
    for _ in range(12):
        cells = grid_cells(rng, rng.randrange(1, 6), rng.randrange(1, 6), 3)
        for box in list(cells):
            if rng.random() < 0.5:
                cells.append([float(np.float32(v + rng.uniform(-25, 25))) for v in box])
        rng.shuffle(cells)
        scores = [float(np.float32(rng.uniform(0.3, 1))) for _ in cells]
        found, kept = PIPELINE.cells_det_results_nms(cells, scores)
        yield "overlaps %d" % len(cells)
        for box, score in zip(cells, scores):
            yield "cell %s %.9g" % (numbers(box), score)
        yield "kept " + " ".join(str(scores.index(s)) for s in kept)


def fits(rng):
    for _ in range(40):
        cells = grid_cells(rng, rng.randrange(1, 6), rng.randrange(1, 6), 2)
        lines, _ = lines_of(rng, cells)
        structure = len(cells)
        for _ in range(rng.choice([0, 0, 1, 2, 5, 9])):
            if cells:
                cells.pop(rng.randrange(len(cells)))
        wanted = max(1, structure + rng.choice([-4, -2, -1, 0, 0, 0]))
        scores = sorted((float(np.float32(rng.uniform(0.3, 1))) for _ in cells), reverse=True)
        if not cells:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = PIPELINE.cells_det_results_reprocessing(cells, scores, lines, wanted)
        yield "fit %d %d %d" % (wanted, len(cells), len(lines))
        yield "cells " + numbers(cells)
        yield "lines " + numbers(lines)
        yield "fitted " + numbers(sorted(np.asarray(found, float).reshape(-1, 4).tolist()))


class Reader:
    """Reads of a part where it is: the picture's pixels tell their places."""

    def text_rec_model(self, part):
        (y0, x0), (y1, x1) = part[0, 0], part[-1, -1]
        return [{"rec_text": "%d-%d/%d-%d" % (x0, x1 + 1, y0, y1 + 1)}]


def splits(rng):
    PIPELINE.general_ocr_pipeline = Reader()
    ys, xs = np.mgrid[0:PAGE[1], 0:PAGE[0]]
    places = np.stack([ys, xs], axis=2)
    for _ in range(20):
        cells = grid_cells(rng, rng.randrange(1, 5), rng.randrange(1, 6), 2)
        lines, texts = lines_of(rng, cells)
        result = PIPELINE.split_ocr_bboxes_by_table_cells(cells, {"rec_boxes": [list(b) for b in lines], "rec_texts": list(texts)}, places)
        yield "split %d %d %d" % (len(cells), len(lines), len(result["rec_boxes"]))
        yield "cells " + numbers(cells)
        for box, text in zip(lines, texts):
            yield "line %s [%s]" % (numbers(box), text)
        for box, text in zip(result["rec_boxes"], result["rec_texts"]):
            yield "part %s [%s]" % (numbers(box), text)


def grids(rng):
    for _ in range(30):
        cells = grid_cells(rng, rng.randrange(1, 7), rng.randrange(1, 7), rng.choice([0.5, 2, 6]))
        for _ in range(rng.choice([0, 0, 1, 3])):
            if len(cells) > 1:
                cells.pop(rng.randrange(len(cells)))
        rng.shuffle(cells)
        yield "grid %d" % len(cells)
        yield "cells " + numbers(cells)
        yield "html " + "".join(PIPELINE.trans_cells_det_results_to_html(cells))


def tables(rng):
    for _ in range(40):
        rows, columns = rng.randrange(1, 6), rng.randrange(1, 6)
        cells = grid_cells(rng, rows, columns, 2)
        lines, texts = lines_of(rng, cells)
        if not lines:
            continue
        found = {}
        for cell in cells:
            found.setdefault(round(cell[1] / 10), []).append(cell)
        counts = [max(1, len(v) + rng.choice([0, 0, 0, 0, -1, 1])) for v in found.values()]
        structure = tokens_of(rng, counts)
        page = {"output_img": np.zeros((PAGE[1], PAGE[0], 3), np.uint8)}
        ocr = {"rec_boxes": np.array(lines), "rec_texts": texts, "rec_scores": [1] * len(lines), "rec_polys": [[0]] * len(lines), "doc_preprocessor_res": page}
        result = get_table_recognition_res([0, 0, PAGE[0] - 1, PAGE[1] - 1], structure, cells, ocr, {"rec_boxes": lines, "rec_texts": texts}, [], True, True)
        yield "table %d %d" % (len(cells), len(lines))
        yield "cells " + numbers(cells)
        for box, text in zip(lines, texts):
            yield "line %s [%s]" % (numbers(box), text)
        yield "tokens " + "|".join(structure)
        yield "sorted " + numbers(result["cell_box_list"])
        yield "html " + result["pred_html"]


def picture(width, height):
    """Pixels that the test makes, too."""
    ys, xs = np.mgrid[0:height, 0:width]
    return np.stack([(7 * xs + 3 * ys + 60 * c + 5 * ((xs * ys) % 23)) % 256 for c in range(3)], axis=2).astype(np.uint8)


def outline(rng):
    """Of a line on an arc, as a detector may give it, or of any star."""
    if rng.random() < 0.15:
        n, x, y = rng.randrange(4, 12), rng.uniform(80, 160), rng.uniform(80, 160)
        angles = sorted(rng.uniform(0, 2 * math.pi) for _ in range(n))
        return np.array([[x + math.cos(a) * r, y + math.sin(a) * r] for a in angles for r in [rng.uniform(15, 75)]]).astype(np.int32)
    radius, thick = rng.uniform(45, 100), rng.uniform(12, 30)
    begin, sweep = rng.uniform(-math.pi, math.pi), rng.uniform(0.3, 5.2) * (1 if rng.random() < 0.9 else 0.2)
    steps = rng.randrange(3, 13)
    x, y = rng.uniform(90, 150), rng.uniform(90, 150)
    at = lambda r, i: [x + r * math.cos(begin + sweep * i / steps) + rng.uniform(-1, 1), y + r * math.sin(begin + sweep * i / steps) + rng.uniform(-1, 1)]  # noqa: E731
    points = [at(radius + thick / 2, i) for i in range(steps + 1)]
    for _ in range(rng.choice([0, 0, 2])):   # A round end.
        points.append(at(radius + rng.uniform(-thick / 4, thick / 4), steps + 0.3))
    points += [at(radius - thick / 2, i) for i in range(steps, -1, -1)]
    shift = rng.randrange(len(points))
    return np.clip(np.array(points[shift:] + points[:shift]), 0, 239).astype(np.int32)


def bent(rng):
    image = picture(240, 240)
    crop = CropByPolys(det_box_type="poly")
    kinds = []
    run = crop_image_regions.AutoRectifier.run
    crop_image_regions.AutoRectifier.run = lambda *a, **k: (kinds.append(1), run(*a, **k))[1]
    for _ in range(160):
        points = outline(rng)
        kinds.clear()
        with contextlib.suppress(cv2.error):
            result = crop(image, [points])[0]
            yield "bent %d %d %d %d %s" % (len(kinds), result.shape[1], result.shape[0], len(points), fnv(result))
            yield "points " + " ".join(str(v) for v in points.reshape(-1))


def main():
    cv2.ipp.setUseIPP(False)
    rng = random.Random(67)
    lines = [line for make in (overlaps, fits, splits, grids, tables, bent) for line in make(rng)]
    (HERE / "table_numbers.txt").write_text("\n".join(lines) + "\n", "utf-8")


main()
