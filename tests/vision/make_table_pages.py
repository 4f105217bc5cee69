#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes table_pages.txt: what PaddleX's pipelines for tables and seals answer to made-up pages, for table_pages_test.cc.

    make_table_pages.py      (in an environment with paddlex[ocr-core], scikit-learn and shapely)

No model runs. Where one would, rules that the test has, too, give its outputs: dark pixels are text, characters tell how dark a line is in
parts of 8 pixels, and layouts, kinds, structures and cells are those of the case."""
import random

import numpy as np
import yaml
from make_goldens import HERE, Batch, predictor
from paddlex.inference.pipelines.components import CropByBoxes, CropByPolys, SortPolyBoxes, SortQuadBoxes
from paddlex.inference.pipelines.ocr.pipeline import _OCRPipeline
from paddlex.inference.pipelines.table_recognition.pipeline_v2 import _TableRecognitionPipelineV2

WIDTH, HEIGHT = 420, 360
TASKS = {"orientation": "classification", "kind": "classification", "layout": "object-detection", "structure": "table-structure",
         "cells": "object-detection", "det": "text-detection", "seal": "text-detection", "rec": "text-recognition"}
DESCRIPTIONS = {"orientation": "../orientation/inference.yml", "kind": "table_kind.yml", "layout": "seal_layout.yml", "structure": "../table/inference.yml",
                "cells": "table_cells.yml", "det": "text_detection.yml", "seal": "text_polygons.yml", "rec": "made_up_line.yml"}
TOKENS = 50  # sos, 48 tokens, eos
TR, TR_END, TD, TD_BEGIN, TAG_END, TD_END, COLSPAN2, EOS = 5, 6, 48, 7, 8, 9, 10, 49
TABLE = [18.5, 17.25, 402.0, 203.5]
SEAL = [248.0, 214.5, 404.25, 352.0]


def page(dark, discs):
    ys, xs = np.mgrid[0:HEIGHT, 0:WIDTH]
    inside = np.zeros((HEIGHT, WIDTH), bool)
    for x0, y0, x1, y1 in dark:
        inside[y0:y1, x0:x1] = True
    for x, y, r in discs:
        inside |= (xs - x) ** 2 + (ys - y) ** 2 <= r * r
    texture = np.stack([(7 * xs + 13 * ys + 29 * c) % 80 for c in range(3)], axis=2)
    return np.where(inside[:, :, None], texture, 255).astype(np.uint8)


def sure(classes, chosen, probability=0.9):
    scores = np.zeros((1, len(chosen), classes), np.float32)
    scores[0, range(len(chosen)), chosen] = probability
    return scores


def read(x):
    """Parts of lines as classes: the darker, the lower."""
    n, _, height, width = x.shape
    parts = x[:, 0, :, :width // 8 * 8].astype(np.float64).reshape(n, height, width // 8, 8).mean(axis=(1, 3))
    return np.concatenate([sure(32, np.clip(np.floor((row + 1) / 2 * 12) + 1, 1, 31).astype(int)) for row in parts])


class Model:
    """A stage, called as PaddleX's pipelines call theirs."""

    def __init__(self, stage, run):
        config = yaml.safe_load((HERE / "descriptions" / DESCRIPTIONS[stage]).read_text("utf-8"))
        self.stage = stage
        self.predictor = predictor(TASKS[stage], config, lambda x=None, **_: run(*x))
        self.batch = 6 if stage == "rec" else 1
        self.predictor.batch_sampler.batch_size = self.batch
        self.predictor.model_name = config["Global"]["model_name"]

    def __call__(self, images, threshold=None, **_):
        images = images if isinstance(images, list) else [images]
        images = [np.ascontiguousarray(image) for image in images]
        options = {"threshold": threshold} if self.stage == "cells" else {}
        for i in range(0, len(images), self.batch):
            part = images[i:i + self.batch]
            result = self.predictor.process(Batch(instances=part, input_paths=[None] * len(part), page_indexes=[None] * len(part)), **options)
            keys = [k for k in result if k not in ("input_path", "page_index", "input_img") and len(result[k]) == len(part)]
            for j in range(len(part)):
                yield {k: result[k][j] for k in keys}


def ocr(detector, recogniser, seal=False):
    """PaddleX's pipeline for text, or for that of seals."""
    pipeline = _OCRPipeline.__new__(_OCRPipeline)
    pipeline.use_doc_preprocessor, pipeline.use_textline_orientation = False, False
    pipeline.text_type = "seal" if seal else "general"
    pipeline._sort_boxes, pipeline._crop_by_polys = SortPolyBoxes() if seal else SortQuadBoxes(), CropByPolys(det_box_type="poly" if seal else "quad")
    pipeline.text_det_model, pipeline.text_rec_model = detector, recogniser
    pipeline.text_rec_score_thresh, pipeline.return_word_box = 0, False
    for name in ("limit_side_len", "limit_type", "max_side_limit", "thresh", "box_thresh", "unclip_ratio"):
        setattr(pipeline, "text_det_" + name, None)  # as the models are described
    pipeline.batch_sampler = lambda images: [Batch(instances=[images], input_paths=[None], page_indexes=[None])]
    pipeline.img_reader = lambda images: images
    return pipeline


class Text:
    def __init__(self, pipeline):
        self.pipeline, self.text_rec_model = pipeline, pipeline.text_rec_model

    def __call__(self, image, **_):
        return self.pipeline.predict(np.ascontiguousarray(image))


class Tables(_TableRecognitionPipelineV2):
    """With lines split where they are: PaddleX compares lines of the page with cells of the table's picture, and cuts from that."""

    def predict_single_table_recognition_res(self, picture, text, box, *arguments, **options):
        self.text, self.box = text, box
        return super().predict_single_table_recognition_res(picture, text, box, *arguments, **options)

    def split_ocr_bboxes_by_table_cells(self, cells, text, picture, k=2):
        x, y = self.box[:2]
        moved = [[c[0] + x, c[1] + y, c[2] + x, c[3] + y] for c in cells]
        return super().split_ocr_bboxes_by_table_cells(moved, text, self.text["doc_preprocessor_res"]["output_img"], k)


def found(rows):
    boxes = np.array(rows, np.float32).reshape(-1, 6)
    return [boxes, np.array([len(boxes)], np.int32)]


def structure(rows, size):
    """Tokens of rows, whose cells are (left, top, right, bottom, columns) of the picture, and their corners as parts of its longer side."""
    tokens, corners = [], []
    for row in rows:
        tokens.append(TR)
        for *box, columns in row:
            begin = len(tokens)
            tokens += [TD] if columns == 1 else [TD_BEGIN, COLSPAN2, TAG_END, TD_END]
            corners.append((begin, [box[i] / size for i in (0, 1, 2, 1, 2, 3, 0, 3)]))
        tokens.append(TR_END)
    places = np.zeros((1, len(tokens) + 1, 8), np.float32)
    for step, corner in corners:
        places[0, step] = corner
    return tokens + [EOS], places


def grid(width, height, columns, rows, wide=()):
    """Cells of a table that fills a picture; those at `wide` (row, column) take two columns."""
    cells = []
    for r in range(rows):
        row, c = [], 0
        while c < columns:
            span = 2 if (r, c) in wide and c + 1 < columns else 1
            row.append((c * width / columns + 2, r * height / rows + 2, (c + span) * width / columns - 2, (r + 1) * height / rows - 2, span))
            c += span
        cells.append(row)
    return cells


def words(table, columns, rows, rng, through=()):
    """Dark rectangles in the cells of a table on the page, and through two cells from `through` on."""
    left, top, right, bottom = table
    dark = []
    for r in range(rows):
        for c in range(columns):
            x, y = left + c * (right - left) / columns, top + r * (bottom - top) / rows
            high, wide = (bottom - top) / rows, (right - left) / columns
            if (r, c) in through:
                dark.append([int(x + 8), int(y + high / 2 - 8), int(x + 2 * wide - 9), int(y + high / 2 + 8)])
            elif (r, c - 1) not in through and rng.random() < 0.85:
                dark.append([int(x + 12), int(y + high / 2 - 6), int(x + wide * rng.uniform(0.4, 0.8)), int(y + high / 2 + 6)])
    return dark


def cases():
    rng = random.Random(68)
    width, height = int(TABLE[2]) - int(TABLE[0]), int(TABLE[3]) - int(TABLE[1])
    arc = [[325 + round(47 * np.cos(a)), 292 + round(47 * np.sin(a)), 9] for a in np.arange(2.6, 7.0, 0.05)]
    common = {"layout": True, "kind": 0, "degrees": 0, "wired": (True, True), "wireless": (True, False), "split": True, "drop": 0}
    for name, own in (("cells and structure", {"through": [(1, 1)]}), ("end to end", {"kind": 1}), ("cells alone", {"wired": (False, True), "layout": False}),
                      ("not split", {"through": [(0, 2)], "split": False}), ("turned", {"degrees": 90}), ("turned back", {"degrees": 270}),
                      ("upside down", {"degrees": 180, "kind": 1, "wireless": (True, True)}), ("cells missing", {"drop": 4}), ("cells in excess", {"drop": -2})):
        case = {**common, "through": [], **own, "name": name}
        columns, rows = rng.choice([(3, 4), (4, 4), (4, 3)])
        turned = case["degrees"] in (90, 270)
        w, h = (width, height) if case["layout"] else (WIDTH, 200)
        if turned:
            w, h, columns, rows = h, w, rows, columns
        shown = grid(w, h, columns, rows, () if case["through"] else {(0, 0)})
        cells = [c for row in shown for c in row]
        if case["drop"] > 0:
            cells = rng.sample(cells, len(cells) - case["drop"])
        for _ in range(-case["drop"]):
            x, y = rng.uniform(0, w - 60), rng.uniform(0, h - 40)
            cells.append((x, y, x + 20, y + 9, 1))
        rng.shuffle(cells)
        case["cells"] = [[0, rng.uniform(0.4, 0.99)] + [v + rng.uniform(-1.5, 1.5) for v in c[:4]] for c in cells] + [[0, 0.2, 0, 0, 50, 50]]
        case["tokens"], case["places"] = structure(shown, max(w, h))
        table = TABLE if case["layout"] else [0, 0, WIDTH, 200]
        case["dark"] = words(table, *((rows, columns) if turned else (columns, rows)), rng, case["through"])
        case["dark"].append([30, 230, 200, 246])
        case["discs"] = arc if case["layout"] else []
        if case["layout"]:
            case["dark"].append([300, 318, 352, 330])
        case["regions"] = [[0, 0.9] + TABLE, [1, 0.8] + SEAL, [2, 0.7, 20, 220, 210, 260]]
        yield case


def numbers(values):
    return " ".join("%.9g" % v for v in np.asarray(values, float).reshape(-1))


def answer(case):
    image = page(case["dark"], case["discs"])
    text = lambda x: [np.where(x[:, :1] < 0, 0.95, 0.05).astype(np.float32)]  # noqa: E731
    models = {"rec": Model("rec", lambda x: [read(x)]), "det": Model("det", text), "seal": Model("seal", text),
              "kind": Model("kind", lambda x: [sure(2, [case["kind"]])[0]]), "orientation": Model("orientation", lambda x: [sure(4, [case["degrees"] // 90])[0]]),
              "layout": Model("layout", lambda *x: found(case["regions"])), "cells": Model("cells", lambda *x: found(case["cells"])),
              "structure": Model("structure", lambda x: [case["places"], sure(TOKENS, case["tokens"])])}
    pipeline = Tables.__new__(Tables)
    pipeline.use_doc_preprocessor, pipeline.use_layout_detection, pipeline.use_ocr_model = False, case["layout"], True
    pipeline.table_cls_model, pipeline.table_orientation_classify_model = models["kind"], models["orientation"]
    pipeline.wired_table_rec_model = pipeline.wireless_table_rec_model = models["structure"]
    pipeline.wired_table_cells_detection_model = pipeline.wireless_table_cells_detection_model = models["cells"]
    pipeline.layout_det_model, pipeline._crop_by_boxes = models["layout"], CropByBoxes()
    pipeline.general_ocr_pipeline = Text(ocr(models["det"], models["rec"]))
    pipeline.batch_sampler = lambda images: [Batch(instances=[images], input_paths=[None], page_indexes=[None])]
    pipeline.img_reader = lambda images: images
    result = next(pipeline.predict(
        image, use_e2e_wired_table_rec_model=not case["wired"][1], use_e2e_wireless_table_rec_model=not case["wireless"][1],
        use_wired_table_cells_trans_to_html=not case["wired"][0], use_wireless_table_cells_trans_to_html=not case["wireless"][0],
        use_ocr_results_with_table_cells=case["split"]))
    seals = []
    if case["layout"]:
        x, y = int(SEAL[0]), int(SEAL[1])
        crop = image[y:int(SEAL[3]), x:int(SEAL[2])]
        read_seal = next(iter(ocr(models["seal"], models["rec"], True).predict(np.ascontiguousarray(crop))))
        seals = [(t, np.asarray(p) + [x, y]) for t, p in zip(read_seal["rec_texts"], read_seal["rec_polys"])]
    return result["table_res_list"], seals


def main():
    lines = []
    for case in cases():
        tables, seals = answer(case)
        lines.append("case %d %d %d %d %d %d %d %d %s" % (case["layout"], case["kind"], case["degrees"], *case["wired"], *case["wireless"], case["split"], case["name"]))
        for key in ("dark", "discs", "regions", "cells", "tokens", "places"):
            lines.append("%s %s" % (key, numbers(case[key])))
        for table in tables:
            lines += ["html " + table["pred_html"], "found " + numbers(table["cell_box_list"])]
        lines.append("seals %d" % len(seals))
        lines += ["seal %s %s" % (text, numbers(points)) for text, points in seals]
        print(case["name"], [t["pred_html"] for t in tables], [t for t, _ in seals])
    (HERE / "table_pages.txt").write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    main()
