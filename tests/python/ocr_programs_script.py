# SPDX-License-Identifier: Apache-2.0
"""A program of PyPI reads pictures, as its users call it; ocr_programs_test.py and bench/ocr_programs.py run this.

    ocr_programs_script.py PROGRAM ENGINE MODELS RESULTS.json PICTURE... [--paddle FOLDER] [--onednn on|off] [--threads 2]
    ocr_programs_script.py PROGRAM ENGINE MODELS - [--paddle FOLDER] [--onednn on|off] [--threads 2]

ENGINE: "paddle" (the real one in FOLDER, which stands last in sys.path, or what `import paddle` gives), "coracle", "onnxruntime",
"openvino". MODELS is the folder of the package rapidocr_paddle; the same models as ONNX are those of the package rapidocr_onnxruntime.
--onednn turns oneDNN on or off where the program has no option for it. RESULTS: by picture the lines, each [text, confidence, box].
With "-" the paths of pictures come on standard input, one a line, and each is answered by one line of JSON: the lines, the seconds they took,
of the clock and of processors, and the bytes of memory that the process has and had at most.
"""
import argparse
import importlib.util
import json
import os
import pathlib
import sys
import time


def keys(models):
    return models / "ch_ppocr_rec" / "ppocr_keys_v1.txt"


def onnx_model(name):
    return pathlib.Path(importlib.util.find_spec("rapidocr_onnxruntime").origin).parent / "models" / (name + ".onnx")


def rapidocr(models, engine):
    """RapidOCR 3: engine types paddle, onnxruntime, openvino; models by their folders, or their files of ONNX."""
    from rapidocr import EngineType, OCRVersion, RapidOCR
    params = {"Global.log_level": "error"}
    for part, folder in (("Det", "ch_PP-OCRv4_det_infer"), ("Cls", "ch_ppocr_mobile_v2_cls_infer"), ("Rec", "ch_PP-OCRv4_rec_infer")):
        params[part + ".engine_type"] = {"paddle": EngineType.PADDLE, "onnxruntime": EngineType.ONNXRUNTIME, "openvino": EngineType.OPENVINO}[engine]
        params[part + ".ocr_version"] = OCRVersion.PPOCRV4
        if engine == "paddle":
            params[part + ".model_dir"] = str(models / "models" / folder)
            params[part + ".cpu_math_library_num_threads"] = OPTIONS.threads   # Read here; that of EngineConfig.paddle has no effect.
        else:
            params[part + ".model_path"] = str(onnx_model(folder.replace("v2_cls", "v2.0_cls")))
    params["Rec.rec_keys_path"] = str(keys(models))
    params["EngineConfig.onnxruntime.intra_op_num_threads"] = params["EngineConfig.openvino.inference_num_threads"] = OPTIONS.threads
    reader = RapidOCR(params=params)

    def read(path):
        found = reader(path)
        if found.txts is None:
            return []
        return [[text, float(score), box.tolist()] for text, score, box in zip(found.txts, found.scores, found.boxes)]
    return read


def rapidocr_paddle(models, engine):
    from rapidocr_paddle import RapidOCR
    reader = RapidOCR(cpu_math_library_num_threads=OPTIONS.threads)

    def read(path):
        found, _ = reader(path)
        return [[text, float(score), box] for box, text, score in found or ()]
    return read


def paddleocr2(models, engine):
    """PaddleOCR 2.10, which is tools/infer/predict_system.py behind a class."""
    from paddleocr import PaddleOCR
    reader = PaddleOCR(det_model_dir=str(models / "models/ch_PP-OCRv4_det_infer"), rec_model_dir=str(models / "models/ch_PP-OCRv4_rec_infer"),
                       cls_model_dir=str(models / "models/ch_ppocr_mobile_v2_cls_infer"), rec_char_dict_path=str(keys(models)), use_gpu=False,
                       use_angle_cls=True, show_log=False, cpu_threads=OPTIONS.threads)
    return lambda path: [[text, float(score), box] for box, (text, score) in reader.ocr(path, cls=True)[0] or ()]


def paddlex_models(models, folder, onnx=False):
    """The models with the inference.yml that PaddleX wants beside them; `onnx`: the same as ONNX."""
    import yaml
    characters = [each for each in keys(models).read_text("utf-8").split("\n") if each]
    detection = [{"DecodeImage": {"channel_first": False, "img_mode": "BGR"}}, {"DetLabelEncode": None}, {"DetResizeForTest": {"resize_long": 960}},
                 {"NormalizeImage": {"mean": [0.485, 0.456, 0.406], "order": "hwc", "scale": "1./255.", "std": [0.229, 0.224, 0.225]}},
                 {"ToCHWImage": None}, {"KeepKeys": {"keep_keys": ["image", "shape", "polys", "ignore_tags"]}}]
    recognition = [{"DecodeImage": {"channel_first": False, "img_mode": "BGR"}}, {"MultiLabelEncode": {"gtc_encode": "NRTRLabelEncode"}},
                   {"RecResizeImg": {"image_shape": [3, 48, 320]}}, {"KeepKeys": {"keep_keys": ["image", "label_ctc", "label_gtc", "length"]}}]
    parts = {"det": ("PP-OCRv4_mobile_det", detection, {"name": "DBPostProcess", "thresh": 0.3, "box_thresh": 0.6, "max_candidates": 1000, "unclip_ratio": 1.5}),
             "rec": ("PP-OCRv4_mobile_rec", recognition, {"name": "CTCLabelDecode", "character_dict": characters})}
    found = {}
    for part, (title, transforms, post_process) in parts.items():
        found[part] = pathlib.Path(folder) / (title + "_infer")
        found[part].mkdir(parents=True, exist_ok=True)
        kept = models / "models" / ("ch_PP-OCRv4_%s_infer" % part)
        for name, file in {"inference.onnx": onnx_model(kept.name)}.items() if onnx else ((each.name, each) for each in kept.iterdir()):
            if not (found[part] / name).exists():
                (found[part] / name).symlink_to(file.resolve())
        text = yaml.safe_dump({"Global": {"model_name": title}, "PreProcess": {"transform_ops": transforms}, "PostProcess": post_process}, allow_unicode=True)
        (found[part] / "inference.yml").write_text(text, "utf-8")
    return found


def engine_options(engine):
    try:
        import paddlex.inference.models.engines
    except ImportError:   # PaddleX before 3.5 has Paddle only.
        from paddlex.inference import PaddlePredictorOption
        option = PaddlePredictorOption()
        option.run_mode, option.cpu_threads = "paddle", OPTIONS.threads
        return {"pp_option": option}
    options = {"paddle": {"paddle_static": {"run_mode": "paddle", "cpu_threads": OPTIONS.threads}}, "coracle": {"threads": OPTIONS.threads},
               "onnxruntime": {"intra_op_num_threads": OPTIONS.threads}}
    return {"engine": engine, "engine_config": options[engine]}


def paddleocr3(models, engine):
    from paddleocr import PaddleOCR
    folders = paddlex_models(models, OPTIONS.work, engine == "onnxruntime")
    reader = PaddleOCR(text_detection_model_name="PP-OCRv4_mobile_det", text_detection_model_dir=str(folders["det"]),
                       text_recognition_model_name="PP-OCRv4_mobile_rec", text_recognition_model_dir=str(folders["rec"]),
                       use_doc_orientation_classify=False, use_doc_unwarping=False, use_textline_orientation=False, **engine_options(engine))

    def read(path):
        (found,) = reader.predict(path)
        return [[text, float(score), box.tolist()] for text, score, box in zip(found["rec_texts"], found["rec_scores"], found["rec_polys"])]
    return read


def paddlex(models, engine):
    """create_model: detection, and recognition of what the boxes enclose."""
    import cv2
    from paddlex import create_model
    folders = paddlex_models(models, OPTIONS.work, engine == "onnxruntime")
    detector, recognizer = (create_model(name, model_dir=str(folders[part]), **engine_options(engine))
                            for name, part in (("PP-OCRv4_mobile_det", "det"), ("PP-OCRv4_mobile_rec", "rec")))

    def read(path):
        (found,) = detector.predict(path)
        image, boxes = cv2.imread(path), found["dt_polys"]
        lines = recognizer.predict([image[box[:, 1].min():box[:, 1].max(), box[:, 0].min():box[:, 0].max()] for box in boxes]) if len(boxes) else ()
        return [[line["rec_text"], float(line["rec_score"]), box.tolist()] for line, box in zip(lines, boxes)]
    return read


PROGRAMS = {each.__name__: each for each in (rapidocr, rapidocr_paddle, paddleocr2, paddleocr3, paddlex)}


def set_onednn(on):
    """Every predictor that is made from now on has oneDNN, with the bound on its cache that PaddleOCR and PaddleX set, or does not."""
    import paddle.inference
    create = paddle.inference.create_predictor

    def create_predictor(config):
        if on:
            config.enable_mkldnn()
            config.set_mkldnn_cache_capacity(10)
        else:
            config.disable_mkldnn()
        return create(config)
    paddle.inference.create_predictor = create_predictor


def status(name):
    """Bytes of memory of this process: "VmRSS" now, "VmHWM" at most."""
    for line in pathlib.Path("/proc/self/status").read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) * 1024
    raise LookupError(name)


def serve(read, answers):
    for path in map(str.strip, sys.stdin):
        start, cpu = time.perf_counter(), time.process_time()
        lines = read(path)
        answer = {"lines": lines, "seconds": time.perf_counter() - start, "cpu": time.process_time() - cpu, "memory": status("VmRSS"), "peak": status("VmHWM")}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("program", choices=PROGRAMS)
    parser.add_argument("engine")
    parser.add_argument("models", type=pathlib.Path)
    parser.add_argument("results")
    parser.add_argument("pictures", nargs="*")
    parser.add_argument("--paddle")
    parser.add_argument("--onednn", choices=("on", "off"))
    parser.add_argument("--threads", type=int, default=2, help="of the models' runs")
    parser.add_argument("--work", default="/tmp/coracle-paddlex-models")
    OPTIONS = parser.parse_args()
    if OPTIONS.results == "-":   # What programs print goes elsewhere.
        answers = os.fdopen(os.dup(1), "w")
        os.dup2(2, 1)
    if OPTIONS.paddle:
        sys.path.append(OPTIONS.paddle)
    if OPTIONS.onednn:
        set_onednn(OPTIONS.onednn == "on")
    if OPTIONS.engine == "coracle":
        import coracle.paddlex
    read = PROGRAMS[OPTIONS.program](OPTIONS.models, OPTIONS.engine)
    if OPTIONS.results == "-":
        serve(read, answers)
    else:
        lines = {path: read(path) for path in OPTIONS.pictures}
        paddle = sys.modules.get("paddle")
        inference = sys.modules.get("paddle.inference")
        pathlib.Path(OPTIONS.results).write_text(json.dumps({"lines": lines, "paddle": getattr(paddle, "__file__", None),
                                                             "inference": getattr(inference, "__name__", None)}), "utf-8")
