#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes expected.json: what PaddleX answers to pictures, with its own steps before and after models that the real Paddle runs.

    make_goldens.py --paddle PYTHON --paddle-pir PYTHON --shared DIR --demo-models DIR [--only TASK]      (in an environment with paddlex[ocr-core])

PYTHON: interpreters with Paddle 2.6.2 and 3.3.1 (scripts/oracle-venv.sh)."""
import argparse
import copy
import json
import pathlib
import subprocess
import tempfile
import types

import cv2
import numpy as np
import yaml
from made_up_numbers import fnv
from paddlex.inference.models.anomaly_detection.predictor import UadRunnerPredictor
from paddlex.inference.models.image_classification.predictor import ClasRunnerPredictor
from paddlex.inference.models.image_feature.predictor import ImageFeatureRunnerPredictor
from paddlex.inference.models.image_multilabel_classification.predictor import MLClasPredictor
from paddlex.inference.models.instance_segmentation.predictor import InstanceSegRunnerPredictor
from paddlex.inference.models.keypoint_detection.predictor import KptRunnerPredictor
from paddlex.inference.models.object_detection.predictor import DetRunnerPredictor
from paddlex.inference.models.semantic_segmentation import predictor as segmentation
from paddlex.inference.models.image_unwarping.predictor import WarpRunnerPredictor
from paddlex.inference.models.table_structure_recognition.predictor import TableRunnerPredictor
from paddlex.inference.models.text_detection.predictor import TextDetRunnerPredictor
from paddlex.inference.models.text_recognition.predictor import TextRecRunnerPredictor

cv2.ipp.setUseIPP(False)  # OpenCV's own arithmetic, which all processors share
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SEG = next(c for n, c in vars(segmentation).items() if isinstance(c, type) and hasattr(c, "_build") and n.startswith("Seg"))
PARTS = {"classification": ClasRunnerPredictor, "multilabel": MLClasPredictor, "text-detection": TextDetRunnerPredictor,
         "text-recognition": TextRecRunnerPredictor, "object-detection": DetRunnerPredictor, "segmentation": SEG, "table-structure": TableRunnerPredictor,
         "unwarping": WarpRunnerPredictor, "features": ImageFeatureRunnerPredictor, "anomaly": UadRunnerPredictor,
         "instance-segmentation": InstanceSegRunnerPredictor, "keypoints": KptRunnerPredictor}

# Folder of the model, its description (None: its own), task, pictures.
PHOTOS = ["shared/images-misc/%s" % n for n in ("000000014439.jpg", "000000570688.jpg", "cat.jpg", "daisy.jpg", "flower.jpg", "tabby_cat.jpg")]
WORDS = ["shared/images/imgs_words_en/word_%s.png" % n for n in ("10", "116", "19", "201", "308", "336", "401", "461", "52", "545")]
PAGES = ["source/examples/ocr/demo.jpg"] + ["shared/images/imgs_en/img_%s.jpg" % n for n in ("10", "11", "12", "195")]
CASES = [
    ("shared/pir-PP-LCNet_x0_25_textline_ori", None, "classification", PHOTOS + WORDS),
    ("shared/mobilenetv3_small_x0_35-multilabel", "multilabel.yml", "multilabel", PHOTOS),
    ("shared/mobilenetv3_small_x0_35-multilabel", "topk.yml", "classification", PHOTOS),
    ("demo/ch_PP-OCRv4_det_infer", "text_detection.yml", "text-detection", PAGES),
    ("demo/ch_PP-OCRv4_det_infer", "text_polygons.yml", "text-detection", PAGES),
    ("shared/ppocr-v2.0-en-rec", "english_line.yml", "text-recognition", WORDS),
    ("shared/pphumanseg-v2-lite-portrait", None, "segmentation", PHOTOS),
    ("source/tests/vision/objects", "objects.yml", "object-detection", PAGES[:1] + PHOTOS),
    ("source/tests/vision/objects", "layout.yml", "object-detection", PAGES[:1] + PHOTOS),
    ("source/tests/vision/turned_objects", "objects.yml", "object-detection", PAGES[:1] + PHOTOS),
    ("source/tests/vision/table", None, "table-structure", PAGES[:2]),
    ("shared/mobilenetv3_small_x0_35-multilabel", "features.yml", "features", PHOTOS),
    ("source/tests/vision/anomaly", None, "anomaly", PHOTOS + PAGES[:1]),
    ("source/tests/vision/unwarp", None, "unwarping", PAGES[1:2]),
    ("source/tests/vision/instances", "instances.yml", "instance-segmentation", PHOTOS),
    ("source/tests/vision/unboxed_instances", "unboxed_instances.yml", "instance-segmentation", PHOTOS),
    ("source/tests/vision/keypoints", "keypoints.yml", "keypoints", PHOTOS),
    ("source/tests/vision/keypoints", "stretched_keypoints.yml", "keypoints", PHOTOS),
]


class Paddle:
    """The model in another process; called as PaddleX calls its runners."""

    def __init__(self, python, folder, names):
        self.python, self.names = python, names
        self.program = next(p for n in ("inference.json", "inference.pdmodel", "model.pdmodel") if (p := folder / n).exists())
        self.params = self.program.with_suffix(".pdiparams")

    def __call__(self, x=None, **_):
        arrays = list(x)
        with tempfile.TemporaryDirectory() as work:
            np.savez(work + "/in.npz", **dict(zip(self.names, arrays)))
            params = str(self.params) if self.params.exists() else ""
            subprocess.run([self.python, HERE / "run_paddle.py", self.program, params, work + "/in.npz", work + "/out.npz"],
                           check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            results = np.load(work + "/out.npz")
            return [results[str(i)] for i in range(len(results.files))]


class Batch(types.SimpleNamespace):
    def __len__(self):
        return len(self.instances)


def place(coordinates):
    """left, top, right, bottom of a box; of one that is turned its corners too."""
    if len(coordinates) == 4:
        return {"box": coordinates}
    across, down = coordinates[::2], coordinates[1::2]
    return {"box": [min(across), min(down), max(across), max(down)], "corners": np.reshape(coordinates, (4, 2)).tolist()}


def masked(box, mask, shape):
    """The box, where there is one, and of the mask its area, its middle and how far it reaches to both sides in the picture."""
    whole = np.zeros(shape, bool)
    left, top, right, bottom = (int(round(float(v))) for v in box.get("coordinate", (0, 0, shape[1], shape[0])))
    whole[top:bottom, left:right] = mask != 0
    places = np.nonzero(whole)[::-1]
    found = {"area": int(whole.sum()), "middle": [float(p.mean()) for p in places], "reach": [int(f(p)) for p in places for f in (np.min, np.max)]}
    return {"box": [float(v) for v in box["coordinate"]], **found} if "coordinate" in box else found


def answer(task, result):
    """The result in the words of `coracle predict --json`."""
    if task in ("classification", "multilabel"):
        rows = zip(result["class_ids"][0], result["label_names"][0], result["scores"][0])
        return {"labels": [{"id": int(i), "name": n, "score": float(s)} for i, n, s in rows]}
    if task == "text-detection":
        rows = zip(result["dt_polys"][0], result["dt_scores"][0])
        name = "corners" if isinstance(result["dt_polys"][0], np.ndarray) else "polygon"
        return {"boxes": [{"score": float(s), name: np.asarray(p).tolist()} for p, s in rows]}
    if task == "text-recognition":
        return {"text": result["rec_text"][0], "score": float(result["rec_score"][0])}
    if task == "object-detection":
        return {"objects": [{"id": b["cls_id"], "name": b["label"], "score": b["score"], **place([float(v) for v in b["coordinate"]])}
                            for b in result["boxes"][0]]}
    if task == "instance-segmentation":
        shape = result["input_img"][0].shape[:2]
        return {"objects": [{"id": b.get("cls_id", b.get("class_id")), "name": b["label"], "score": float(b["score"]), **masked(b, m, shape)}
                            for b, m in zip(result["boxes"][0], result["masks"][0])]}
    if task == "keypoints":
        (person,) = result["kpts"][0]
        return {"score": float(person["kpt_score"]), "points": np.asarray(person["keypoints"], float).tolist()}
    if task == "table-structure":
        cells = [np.reshape(cell, (4, 2)).tolist() for cell in result["bbox"][0]]
        return {"html": "".join(result["structure"][0]), "score": float(result["structure_score"][0]), "cells": cells}
    if task == "features":
        return {"features": np.asarray(result["feature"][0], float).tolist()}
    if task == "unwarping":
        height, width = result["doctr_img"][0].shape[:2]
        return {"page": {"width": width, "height": height}}
    if task == "anomaly":
        marks, scores = np.asarray(result["pred"][0])[0], result["scores"]
        return {"map": {"width": marks.shape[1], "height": marks.shape[0], "greatest": float(scores.max()),
                        "mean": float(scores.mean(dtype=float)), "marked": int((marks == 255).sum())}}
    classes = np.asarray(result["pred"][0]).reshape(-1).astype(int)
    return {"pixels": {str(i): int(n) for i, n in zip(*np.unique(classes, return_counts=True))}, "hash": fnv(classes)}


def predictor(task, config, runner):
    """PaddleX's, without the engine that it would load."""
    kind = PARTS[task]
    given = {"config": config, "model_name": config.get("Global", {}).get("model_name", ""), "runner": staticmethod(runner),
             "batch_sampler": types.SimpleNamespace(batch_size=1)}
    part = type("Part", (kind,), given)
    p = part.__new__(part)
    for name in ("topk", "threshold", "limit_side_len", "limit_type", "thresh", "box_thresh", "unclip_ratio", "input_shape", "img_size",
                 "layout_nms", "layout_unclip_ratio", "layout_merge_bboxes_mode", "target_size"):
        setattr(p, name, None)
    p.model_names_only_supports_batchsize_of_one, p.flip, p.use_udp = {"SOLOv2"}, False, None
    p.max_side_limit, p.return_word_box, p.vis_font = 4000, False, None
    built = p._build()
    names = {"classification": ("preprocessors", "postprocessors"), "multilabel": ("preprocessors", "postprocessors"),
             "segmentation": ("preprocessors", "postprocessers"), "table-structure": ("preprocessors", "postprocessors"),
             "unwarping": ("preprocessors", "postprocessors"), "features": ("preprocessors", "postprocessors"),
             "anomaly": ("preprocessors", "postprocessors"),
             "object-detection": ("pre_ops", "post_op"), "instance-segmentation": ("pre_ops", "post_op"),
             "keypoints": ("pre_ops", "post_op")}.get(task, ("pre_tfs", "post_op"))
    for name, value in zip(names, built):
        setattr(p, name, value)
    return p


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--paddle", required=True)
    parser.add_argument("--paddle-pir", required=True)
    parser.add_argument("--shared", type=pathlib.Path, required=True)
    parser.add_argument("--demo-models", type=pathlib.Path, required=True)
    parser.add_argument("--only", help="make the answers of one task, and keep the others")
    arguments = parser.parse_args()
    places = {"shared": arguments.shared / "models", "demo": arguments.demo_models / "models", "source": ROOT}

    def path(name):
        place, rest = name.split("/", 1)
        return places[place] / rest

    cases = []
    made = json.loads((HERE / "expected.json").read_text("utf-8")) if arguments.only else []
    for model, description, task, pictures in CASES:
        if arguments.only and task != arguments.only:
            cases += [c for c in made if (c["model"], c["description"], c["task"]) == (model, description, task)]
            continue
        folder = path(model)
        own = folder / ("deploy.yaml" if task == "segmentation" else "inference.yml")
        config = yaml.safe_load((HERE / "descriptions" / description if description else own).read_text("utf-8"))
        if task == "segmentation" and "Global" not in config:  # PaddleSeg's own export: what it leaves out is not PaddleX's default
            for step in config["Deploy"]["transforms"]:
                if step["type"] == "Resize":
                    step.setdefault("keep_ratio", False)
                    step.setdefault("size_divisor", None)
        python = arguments.paddle_pir if (folder / "inference.json").exists() else arguments.paddle
        names = {"object-detection": ["image", "scale_factor"], "instance-segmentation": ["im_shape", "image", "scale_factor"]}.get(task, ["x"])
        runner = Paddle(python, folder, names)
        if names == ["x"]:
            runner.names = [subprocess.run([python, "-c", "import sys; from paddle import inference as i; c = i.Config(*sys.argv[1:]); "
                                            "c.disable_glog_info(); print('INPUT', i.create_predictor(c).get_input_names()[0])", runner.program,
                                            runner.params if runner.params.exists() else ""], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                           text=True).stdout.split("INPUT ")[1].strip()]
        engine = runner
        if task == "segmentation":  # PaddleSeg: the best class of each pixel
            engine = lambda x, r=runner: [np.argmax(y, axis=1) if y.ndim == 4 else y for y in r(x)]  # noqa: E731
        kept = []
        if task == "anomaly":
            engine = lambda x, r=runner: [kept.append(y.copy()) or y for y in r(x)]  # noqa: E731
        answers = []
        for picture in pictures:
            p = predictor(task, copy.deepcopy(config), engine)
            batch = Batch(instances=[str(path(picture))], input_paths=[str(path(picture))], page_indexes=[None])
            given = [str(path(picture))] if task == "keypoints" else batch
            result = p.process(given)
            if task == "anomaly":  # which PaddleX overwrites with the marks
                result["scores"] = kept[-1]
            answers.append({"picture": picture, **answer(task, result)})
        cases.append({"model": model, "description": description, "task": task, "answers": answers})
        print(model, task, len(answers))
    text = json.dumps(cases, ensure_ascii=False, indent=None)
    text = text.replace('{"model"', '\n{"model"').replace('{"picture"', '\n {"picture"')
    (HERE / "expected.json").write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main()
