#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Models that run on a GPU whole: `coracle explain --device cuda` has one copy to it, one from it, and nothing on the CPU in between. That
is so of those that end with multiclass_nms3, too; of SSD, which ends with matrix_nms, it is all in front of it.

whole_models_test.py PROGRAM MODELS FILLED: MODELS is the folder of models beside the repository, FILLED that of weights for those that have
none. Exit code 77 where MODELS or the device is missing.
"""
import json
import pathlib
import subprocess
import sys

TEXT = ["%s=1,16" % name for name in ("input_ids", "token_type_ids", "position_ids", "attention_mask")]
# Model, its parameters in FILLED (None: its own), and a size of each input.
WHOLE = [
    ("ppocr-v2-ch-det", None, ["x=1,3,640,640"]),
    ("ppocr-v3-ch-det", None, ["x=1,3,640,640"]),
    ("int8-ppocr-v3-det-slim", None, ["x=1,3,320,320"]),
    ("ppocr-v2.0-cls", None, ["x=1,3,48,192"]),
    ("pir-PP-LCNet_x0_25_textline_ori", None, ["x=4,3,80,160"]),
    ("ppocr-v2.0-en-rec", None, ["x=1,3,32,320"]),
    ("serving-blazeface", None, ["image=1,3,128,128"]),
    ("pphumanseg-v2-lite-portrait", None, ["x=1,3,144,256"]),
    ("mobilenetv3_small_x0_35-multilabel", None, ["x=1,3,224,224"]),
    ("program-only/ch_PP-OCRv4_det_infer/inference.pdmodel", "ch_PP-OCRv4_det_infer", ["x=1,3,640,640"]),
    ("program-only/ch_PP-OCRv4_rec_infer/inference.pdmodel", "ch_PP-OCRv4_rec_infer", ["x=1,3,48,320"]),
    ("program-only-pir/PP-OCRv5_mobile_rec_infer", "PP-OCRv5_mobile_rec_infer", ["x=1,3,48,320"]),
    ("program-only/picodet_lcnet_x1_0_fgd_layout_infer/model.pdmodel", "picodet_lcnet_x1_0_fgd_layout_infer", None),
    ("program-only-zoo/resnet50/inference.pdmodel", "resnet50", ["x=1,3,224,224"]),
    ("program-only-zoo/vit_tiny_patch16_224/inference.pdmodel", "vit_tiny_patch16_224", ["x=1,3,224,224"]),
    ("program-only-zoo/swin_block/inference.pdmodel", "swin_block", None),
    ("program-only-pir/UVDoc", "UVDoc", ["image=1,3,128,128"]),
    ("program-only-zoo/bilstm_ctc/inference.pdmodel", "bilstm_ctc", ["x=1,3,32,100"]),
    ("program-only-zoo/gru_tagger/inference.pdmodel", "gru_tagger", ["words=2,9", "length=2"]),
    ("program-only-zoo/lstm_classifier/inference.pdmodel", "lstm_classifier", ["words=2,9", "length=2"]),
    ("program-only-zoo/ssd_head/inference.pdmodel", "ssd_head", ["x=1,3,64,64"]),
    ("program-only-zoo/yolo_head/inference.pdmodel", "yolo_head", ["x=1,3,64,64", "im_shape=1,2"]),
    ("program-only-zoo/ernie_tiny/inference.pdmodel", "ernie_tiny", TEXT),
]
WITH_NMS = ["program-only-zoo/yolo_head/inference.pdmodel"]


def steps(program, model, params, shapes):
    command = [program, "explain", model, "--device", "cuda", "--json"]
    command += ["--params", params] if params else []
    for shape in shapes or []:
        command += ["--shape", shape]
    done = subprocess.run(command, capture_output=True, text=True)
    if "OpenCL has no device" in done.stderr:
        sys.exit(77)
    if done.returncode != 0:
        sys.exit("%s: %s" % (" ".join(map(str, command)), done.stderr))
    return json.loads(done.stdout)


def main():
    program, models, filled = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    if not models.is_dir():
        print("skipped: there is no %s" % models)
        sys.exit(77)
    wrong = []
    for name, params, shapes in WHOLE:
        weights = params and filled / (params + ".pdiparams")
        if weights and not weights.exists():
            print("left out: there is no %s" % weights)
            continue
        found = steps(program, models / name, weights, shapes)
        copies = [s["direction"] for s in found if s["op"] == "copy"]
        if name in WITH_NMS and not any(s["op"] == "multiclass_nms3" for s in found):
            wrong.append("%s has no NMS on the device" % name)
        elsewhere = ["%s (%s): %s" % (s["node"], s["op"], s.get("cause")) for s in found if s["place"] != "cuda"]
        print("%s: %d steps, copies %s" % (name, len(found) - len(copies), ", ".join(copies)))
        if copies != ["to", "from"] or elsewhere:
            wrong.append("%s is not on the device whole: copies %s; %s" % (name, copies, "; ".join(elsewhere)))
    sys.exit("\n".join(wrong) or 0)


main()
