# SPDX-License-Identifier: Apache-2.0
"""PaddleX's and PaddleOCR's interface: clients written as in their documentation, whose answers are compared with those of the programs
coracle and coracle-ocr."""
import base64
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess

import numpy as np
import pytest

from pipeline_client import DEMO_PICTURE, MODELS, ROOT, STAGES, ask, is_jpeg, needs_demo, png, short, size_of_png, with_description


def program(variable, *arguments):
    path = os.environ.get(variable)
    if not path or not pathlib.Path(path).exists():
        pytest.skip("%s names no program to compare with" % variable)
    return json.loads(subprocess.run([path, *map(str, arguments)], capture_output=True, check=True, text=True).stdout)


def read_by_program(tmp_path, picture, *arguments, least=0):
    """The page as the program coracle-ocr reads it."""
    file = tmp_path / "picture"
    file.write_bytes(picture)
    stages = ["--det", STAGES["det"], "--rec", STAGES["rec"], "--cls", STAGES["cls"], "--dictionary", STAGES["dict"]]
    return program("CORACLE_OCR", "--json", "--min-score", least, *stages, *arguments, file)["results"][0]


def same_page(parsed, tmp_path, picture, *arguments):
    """Blocks and Markdown are what the program writes, with the pictures beside the text."""
    read_by_program(tmp_path, picture, *arguments, "--structure", tmp_path, "--markdown", tmp_path)
    assert parsed["prunedResult"]["parsing_res_list"] == json.loads((tmp_path / "picture_res.json").read_text())["parsing_res_list"]
    assert parsed["markdown"]["text"] + "\n" == (tmp_path / "picture.md").read_text().replace("imgs/picture_", "imgs/")
    assert all(name in parsed["markdown"]["text"] and is_jpeg(image) for name, image in parsed["markdown"]["images"].items())


AS_PROGRAM = {"textDetLimitSideLen": 960, "textDetLimitType": "max"}


def same_lines(found, page):
    assert found["rec_texts"] == [line["text"] for line in page["lines"]]
    assert found["rec_polys"] == [line["box"] for line in page["lines"]]
    assert np.allclose(found["rec_scores"], [line["score"] for line in page["lines"]], atol=1e-5)


@needs_demo
def test_text_of_a_picture(serve, tmp_path):
    server = serve(short("OCR", **STAGES))
    result = ask(server, "/ocr", DEMO_PICTURE, **AS_PROGRAM)
    assert list(result) == ["ocrResults", "dataInfo"] and len(result["ocrResults"]) == 1
    assert result["dataInfo"] == {"width": 1120, "height": 1440, "type": "image"}
    page = result["ocrResults"][0]
    assert is_jpeg(page["ocrImage"]) and is_jpeg(page["inputImage"]) and "docPreprocessingImage" not in page
    found = page["prunedResult"]
    same_lines(found, read_by_program(tmp_path, DEMO_PICTURE))
    assert found["dt_polys"] == found["rec_polys"] and set(found["textline_orientation_angles"]) <= {0, 1}
    assert found["rec_boxes"] == [[min(x for x, _ in p), min(y for _, y in p), max(x for x, _ in p), max(y for _, y in p)]
                                  for p in found["rec_polys"]]
    assert found["model_settings"] == {"use_doc_preprocessor": False, "use_textline_orientation": True}
    assert found["text_det_params"] == {"limit_side_len": 960, "limit_type": "max", "thresh": 0.3, "max_side_limit": 4000,
                                        "box_thresh": 0.6, "unclip_ratio": 1.5}

    # What requests ask for holds for them alone; the classifier is asked only where it is wanted.
    answer = server.post("/ocr", {"file": base64.b64encode(DEMO_PICTURE).decode(), "fileType": 1, "visualize": False, "logId": "mine",
                                  "useTextlineOrientation": False, "textRecScoreThresh": 0.97, "textDetBoxThresh": None,
                                  "useDocUnwarping": False, "unknown": 1, "textDetLimitSideLen": 480, "textDetLimitType": "resize_long"})
    assert answer.status == 200 and answer.json["logId"] == "mine"
    page, = answer.json["result"]["ocrResults"]
    assert list(page) == ["prunedResult"]
    found = page["prunedResult"]
    assert set(found["textline_orientation_angles"]) == {-1} and found["text_rec_score_thresh"] == 0.97
    assert 0 < len(found["rec_scores"]) < len(found["dt_polys"]) and min(found["rec_scores"]) >= 0.97


CONFIG = """
pipeline_name: OCR
text_type: general
use_doc_preprocessor: False
use_textline_orientation: False
SubPipelines:
  DocPreprocessor: {pipeline_name: doc_preprocessor, SubModules: {DocUnwarping: {model_dir: null}}}
SubModules:
  TextDetection: {module_name: text_detection, model_name: PP-OCRv4_mobile_det, model_dir: %s, limit_side_len: 640,
                  limit_type: max, thresh: 0.25, box_thresh: 0.5, unclip_ratio: 1.6}
  TextLineOrientation: {module_name: textline_orientation, model_dir: null, batch_size: 6}
  TextRecognition: {module_name: text_recognition, model_dir: %s, batch_size: 6, score_thresh: 0.9}
Serving: {visualize: False, extra: {max_num_input_imgs: null}}
"""
RECOGNISER = """Global: {model_name: PP-OCRv4_mobile_rec}
PreProcess: {transform_ops: [{DecodeImage: {channel_first: false, img_mode: BGR}}, {RecResizeImg: {image_shape: [3, 48, 320]}}]}
PostProcess: {name: CTCLabelDecode, character_dict: %s}
"""


@needs_demo
def test_a_file_of_paddlex(serve, tmp_path):
    recogniser = tmp_path / "rec"
    recogniser.mkdir()
    for file in STAGES["rec"].glob("inference.*"):
        (recogniser / file.name).symlink_to(file)
    (recogniser / "inference.yml").write_text(RECOGNISER % json.dumps(STAGES["dict"].read_text("utf-8").splitlines(), ensure_ascii=False), "utf-8")
    config = tmp_path / "OCR.yaml"
    config.write_text(CONFIG % (STAGES["det"], recogniser))
    server = serve("--pipeline", config)
    assert any("Serving.extra does nothing here" in line for line in server.lines)
    page, = ask(server, "/ocr", DEMO_PICTURE)["ocrResults"]
    assert list(page) == ["prunedResult"]
    found = page["prunedResult"]
    assert found["text_det_params"] == {"limit_side_len": 640, "limit_type": "max", "thresh": 0.25, "max_side_limit": 4000,
                                        "box_thresh": 0.5, "unclip_ratio": 1.6}
    assert found["text_rec_score_thresh"] == 0.9 and len(found["rec_texts"]) > 10
    assert found["model_settings"]["use_textline_orientation"] is False


@pytest.mark.parametrize("old, new, why", [
    ("use_textline_orientation: False", "use_textline_orientation: True", "TextLineOrientation.model_dir is not given.*use_textline_orientation: False"),
    ("text_type: general", "text_type: seal", "text_type is not known here"),
    ("score_thresh: 0.9", "return_word_box: True", "TextRecognition.return_word_box is not known here"),
    ("limit_type: max", "limit_type: most", "TextDetection.limit_type is not known here"),
    ("pipeline_name: OCR", "pipeline_name: PP-ShiTuV2", "there is no pipeline 'PP-ShiTuV2' here; the pipelines are OCR, "),
    ("use_doc_preprocessor: False", "use_doc_preprocessor: [", "not YAML"),
])
def test_a_file_that_cannot_be_done(tmp_path, old, new, why):
    config = tmp_path / "OCR.yaml"
    config.write_text((CONFIG % ("det", "rec")).replace(old, new, 1))
    done = subprocess.run([os.environ["CORACLE_SERVE"], "--pipeline", str(config)], capture_output=True, text=True)
    assert done.returncode in (1, 2) and re.search("OCR.yaml.*" + why if "no pipeline" not in why else why, done.stderr), done.stderr


def test_errors(serve):
    server = serve(short("doc_preprocessor", orientation=MODELS / "orientation"))
    picture = base64.b64encode(png()).decode()
    path = "/document-preprocessing"

    def error(body, status=422):
        answer = server.ask("POST", path, body if isinstance(body, (str, bytes)) else json.dumps(body))
        assert answer.status == status and answer.json["errorCode"] == status and answer.json["logId"], answer.body
        return answer.json["errorMsg"]

    for body, kind, place in (({}, "missing", "body.file"), ({"file": None}, "string_type", "body.file"), ({"file": 1}, "string_type", "body.file"),
                              ({"file": picture, "fileType": "1"}, "int_type", "body.fileType"),
                              ({"file": picture, "fileType": 2}, "literal_error", "body.fileType"),
                              ({"file": picture, "visualize": "yes"}, "bool_type", "body.visualize"),
                              ({"file": picture, "useDocUnwarping": True}, "unsupported", "body.useDocUnwarping"),
                              ([1], "model_attributes_type", "body"), ("{\"file\": ", "json_invalid", "body[9]"), (b"{\"file\": \"\xff\"}", "json_invalid", "body[10]")):
        first = json.loads(error(body))[0]
        assert (first["type"], first["loc"]) == (kind, place), first
    assert len(json.loads(error({"file": 1, "visualize": 2}))) == 2
    assert "File type cannot be determined" in error({"file": picture})
    assert "does not read PDF files" in error({"file": base64.b64encode(b"%PDF-1.7").decode(), "fileType": 0})
    assert "does not read PDF files" in error({"file": base64.b64encode(b"%PDF-1.7").decode(), "fileType": 1})
    assert "in base64" in error({"file": "https://host/a.png", "fileType": 1})
    for damaged in (picture[:-1], picture[:50], "data:image/png;base64," + picture, picture + "=", "", "é"):
        assert error({"file": damaged, "fileType": 1}).startswith("Invalid input file")
    assert ask(server, path, png(), visualize=None)["dataInfo"]["width"] == 128
    spaced = server.post(path, {"file": "\n".join(re.findall(".{1,76}", picture)), "fileType": 1.0})
    assert spaced.status == 200, spaced.body
    log_id = server.post(path, {"logId": "mine"}).json["logId"]
    assert log_id == "mine"
    assert server.get(path).status == 405 and server.get(path).json["errorCode"] == 405
    assert server.get("/health").json["errorMsg"] == "Healthy"
    assert server.get("/ocr").status == 404


def test_options(tmp_path):
    for arguments, why in ((("OCR",), "no stage has a model"), (("OCR:det=a",), "the stage 'rec' has no model"), (("OCR:det=a,det=b",), "'det' is there twice"),
                           (("OCR:unwrap=a",), "'unwrap=a' is not STAGE=FOLDER of a stage among det, rec"), (("No:a=b",), "there is no pipeline 'No'"),
                           (("image_classification:model=%s" % (tmp_path / "none"),), "none")):
        done = subprocess.run([os.environ["CORACLE_SERVE"], "--http-port=0", "--metrics-port=0", "--pipeline", *arguments],
                              capture_output=True, text=True)
        assert done.returncode in (1, 2) and why in done.stderr, done.stderr


def predicted(tmp_path, model, *arguments):
    """What the program says of the same picture."""
    (tmp_path / "picture").write_bytes(png())
    return program("CORACLE", "predict", "--json", model, tmp_path / "picture", *arguments)


def test_pictures(serve, tmp_path):
    objects = with_description(tmp_path / "objects", "objects", "objects.yml")
    turned = with_description(tmp_path / "turned", "turned_objects", "objects.yml")
    instances = with_description(tmp_path / "instances", "instances", "instances.yml")
    anomaly, classes = MODELS / "anomaly", MODELS / "orientation"
    server = serve(short("object_detection", model=objects), short("rotated_object_detection", model=turned),
                   short("instance_segmentation", model=instances), short("anomaly_detection", model=anomaly),
                   short("image_classification", model=classes))

    def answer(path, **payload):
        return ask(server, path, png(), field="image", **payload)

    result = answer("/image-classification")
    wanted = predicted(tmp_path, classes)["labels"]
    assert [(c["id"], c["name"]) for c in result["categories"]] == [(label["id"], label["name"]) for label in wanted]
    assert np.allclose([c["score"] for c in result["categories"]], [label["score"] for label in wanted])
    assert is_jpeg(result["image"])
    more = answer("/image-classification", topk=3, visualize=False)
    assert "image" not in more and len(more["categories"]) == 3 and more["categories"][0] == result["categories"][0]
    assert len(answer("/image-classification", topk=None)["categories"]) == len(wanted)
    assert "greater than 0" in ask(server, "/image-classification", png(), 422, "image", topk=0)["errorMsg"]

    for path, model, key in (("/object-detection", objects, "detectedObjects"), ("/rotated-object-detection", turned, "detectedObjects"),
                             ("/instance-segmentation", instances, "instances")):
        found = answer(path, threshold=0.4)
        wanted = predicted(tmp_path, model, "--threshold", 0.4)["objects"]
        assert is_jpeg(found["image"]) and len(found[key]) == len(wanted) > 1
        for mine, own in zip(found[key], wanted):
            assert (mine["categoryId"], mine["categoryName"]) == (own["id"], own["name"])
            assert np.allclose(mine["score"], own["score"])
            corners = [v for corner in own["corners"] for v in corner] if "corners" in own else own["box"]
            assert np.allclose(mine["bbox"], corners, atol=1e-3)
            if "mask" in mine:
                assert mine["mask"]["size"] == [96, 128]
                assert counts_of(mine["mask"]["rleResult"]) == own["mask"]["counts"]
    assert len(answer("/object-detection", threshold=0.9)["detectedObjects"]) < len(answer("/object-detection")["detectedObjects"])

    found = answer("/image-anomaly-detection")
    assert found["size"] == [64, 64] and len(found["labelMap"]) == 64 * 64 and set(found["labelMap"]) <= {0, 255}
    assert found["labelMap"].count(255) == predicted(tmp_path, anomaly)["map"]["marked"]


def counts_of(text):
    """COCO's compressed run lengths as its own library reads them."""
    counts, at = [], 0
    while at < len(text):
        value, shift, more = 0, 0, True
        while more:
            digit = ord(text[at]) - 48
            value |= (digit & 31) << shift
            more = bool(digit & 32)
            at, shift = at + 1, shift + 5
            if not more and digit & 16:
                value -= 1 << shift
        counts.append(value + (counts[-2] if len(counts) > 2 else 0))
    return counts


def test_maps_and_labels(serve, tmp_path):
    shared = ROOT.parent / "shared/models"
    models = {"semantic_segmentation": shared / "pphumanseg-v2-lite-portrait", "image_multilabel_classification": shared / "mobilenetv3_small_x0_35-multilabel"}
    if not all(model.exists() for model in models.values()):
        pytest.skip("%s are not there" % ", ".join(map(str, models.values())))
    server = serve(*(short(name, model=model) for name, model in models.items()))
    found = ask(server, "/semantic-segmentation", png(), field="image")
    assert found["size"] == [96, 128] and len(found["labelMap"]) == 96 * 128 and is_jpeg(found["image"])
    areas = predicted(tmp_path, models["semantic_segmentation"])["classes"]
    assert {area["id"]: area["pixels"] for area in areas} == {c: found["labelMap"].count(c) for c in set(found["labelMap"])}
    labels = ask(server, "/multilabel-image-classification", png(), field="image", threshold=0.01)["categories"]
    wanted = predicted(tmp_path, models["image_multilabel_classification"], "--task", "multilabel", "--threshold", "0.01")["labels"]
    assert [c["id"] for c in labels] == [label["id"] for label in wanted] and len(labels) > 0


def test_a_page_made_upright_and_flat(serve):
    server = serve(short("doc_preprocessor", orientation=MODELS / "orientation", unwarp=MODELS / "unwarp"))
    result = ask(server, "/document-preprocessing", png())
    page, = result["docPreprocessingResults"]
    found = page["prunedResult"]
    assert found["model_settings"] == {"use_doc_orientation_classify": True, "use_doc_unwarping": True}
    height, width = (128, 96) if found["angle"] in (90, 270) else (96, 128)
    assert size_of_png(page["outputImage"]) == (width, height)
    assert is_jpeg(page["docPreprocessingImage"]) and is_jpeg(page["inputImage"])
    plain, = ask(server, "/document-preprocessing", png(), visualize=False, useDocOrientationClassify=False)["docPreprocessingResults"]
    assert list(plain) == ["outputImage", "prunedResult"] and plain["prunedResult"]["angle"] == -1
    assert size_of_png(plain["outputImage"]) == (128, 96)


def test_many_clients(serve):
    """The models of a pipeline are served models, whose runs many clients share; answers stay those of one."""
    server = serve(short("image_classification", model=MODELS / "orientation"))
    wanted = [ask(server, "/image-classification", png(90, 40 + n), field="image", topk=4) for n in range(4)]
    with concurrent.futures.ThreadPoolExecutor(8) as clients:
        found = list(clients.map(lambda n: ask(server, "/image-classification", png(90, 40 + n % 4), field="image", topk=4), range(32)))
    assert found == [wanted[n % 4] for n in range(32)]
    assert server.statistics("image_classification.model")["inference_stats"]["success"]["count"] == 36


@needs_demo
def test_layout_and_text(serve, tmp_path):
    layout = with_description(tmp_path / "layout", "objects", "layout.yml")
    server = serve(short("PP-StructureV3", layout=layout, orientation=MODELS / "orientation", **STAGES))
    result = ask(server, "/layout-parsing", DEMO_PICTURE, useDocOrientationClassify=False, **AS_PROGRAM)
    parsed, = result["layoutParsingResults"]
    found = parsed["prunedResult"]
    wanted = read_by_program(tmp_path, DEMO_PICTURE, "--layout", layout)
    same_lines(found["overall_ocr_res"], wanted)
    assert [box["label"] for box in found["layout_det_res"]["boxes"]] == [region["name"] for region in wanted["regions"]]
    assert np.allclose([box["coordinate"] for box in found["layout_det_res"]["boxes"]], [region["box"] for region in wanted["regions"]], atol=0.06)
    same_page(parsed, tmp_path, DEMO_PICTURE, "--layout", layout)
    assert {type(parsed["markdown"][name]) for name in ("isStart", "isEnd")} == {bool}
    assert {"layout_det_res", "overall_ocr_res"} == set(parsed["outputImages"]) and all(map(is_jpeg, parsed["outputImages"].values()))
    assert found["model_settings"]["use_table_recognition"] is False and "table_res_list" not in found
    assert "layoutNms" in ask(server, "/layout-parsing", b"", 422, layoutNms=True)["errorMsg"]
    assert "useTableRecognition" in ask(server, "/layout-parsing", DEMO_PICTURE, 422, useTableRecognition=True)["errorMsg"]


@needs_demo
def test_tables(serve, tmp_path):
    layout = with_description(tmp_path / "layout", "objects", "layout.yml", **{"formula, text": "formula, table"})
    server = serve(short("layout_parsing", table=MODELS / "table", layout=layout, **STAGES),
                   short("table_recognition", table=MODELS / "table", layout=layout, **STAGES))
    parsed, = ask(server, "/layout-parsing", DEMO_PICTURE, **AS_PROGRAM)["layoutParsingResults"]
    wanted = read_by_program(tmp_path, DEMO_PICTURE, "--layout", layout, "--table", MODELS / "table")["tables"]
    html = [table["pred_html"] for table in parsed["prunedResult"]["table_res_list"]]
    assert html == [table["html"] for table in wanted] and len(html) > 1
    same_page(parsed, tmp_path, DEMO_PICTURE, "--layout", layout, "--table", MODELS / "table")
    assert '<table border="1">' in parsed["markdown"]["text"] and is_jpeg(parsed["outputImages"]["table_cell_img"])
    plain, = ask(server, "/layout-parsing", DEMO_PICTURE, useTableRecognition=False, visualize=False, prettifyMarkdown=False,
                 markdownIgnoreLabels=["text"], **AS_PROGRAM)["layoutParsingResults"]
    assert "outputImages" not in plain and "table_res_list" not in plain["prunedResult"]
    # As the documentation's client writes them to files; without models for them tables are pictures.
    assert plain["markdown"]["images"]
    for name, picture in plain["markdown"]["images"].items():
        assert "![](%s)" % name in plain["markdown"]["text"] and is_jpeg(picture)
    assert "<" not in plain["markdown"]["text"]

    tables, = ask(server, "/table-recognition", DEMO_PICTURE, visualize=False, useLayoutDetection=False, **AS_PROGRAM)["tableRecResults"]
    table, = tables["prunedResult"]["table_res_list"]
    whole, = read_by_program(tmp_path, DEMO_PICTURE, "--table", MODELS / "table")["tables"]
    assert table["pred_html"] == whole["html"] and len(table["cell_box_list"]) == len(whole["cells"])
    assert table["table_ocr_pred"]["rec_texts"] and "layout_det_res" not in tables["prunedResult"]


@needs_demo
def test_seals_and_tables_of_a_kind(serve, tmp_path):
    layout = with_description(tmp_path / "layout", "objects", "seal_layout.yml")
    seals = tmp_path / "seals"
    seals.mkdir()
    for file in STAGES["det"].iterdir():
        (seals / file.name).symlink_to(file)
    (seals / "inference.yml").write_text((MODELS / "descriptions/text_polygons.yml").read_text("utf-8"), "utf-8")
    given = {"layout": layout, "wireless": MODELS / "table", "seal-det": seals}
    as_given = [word for name, model in given.items() for word in ("--" + name, model)]
    server = serve(short("PP-StructureV3", **given, **STAGES))
    parsed, = ask(server, "/layout-parsing", DEMO_PICTURE, **AS_PROGRAM)["layoutParsingResults"]
    wanted = read_by_program(tmp_path, DEMO_PICTURE, *as_given)
    found = parsed["prunedResult"]
    assert [seal["rec_texts"] for seal in found["seal_res_list"]] == [[line["text"] for line in seal["lines"]] for seal in wanted["seals"]]
    assert any(seal["rec_texts"] for seal in found["seal_res_list"]) and found["model_settings"]["use_seal_recognition"] is True
    assert [table["pred_html"] for table in found["table_res_list"]] == [table["html"] for table in wanted["tables"]]
    same_page(parsed, tmp_path, DEMO_PICTURE, *as_given)
    plain, = ask(server, "/layout-parsing", DEMO_PICTURE, useSealRecognition=False, visualize=False, **AS_PROGRAM)["layoutParsingResults"]
    assert "seal_res_list" not in plain["prunedResult"]
    for wrong in ({"useE2eWirelessTableRecModel": False}, {"useTableOrientationClassify": True}, {"useOcrResultsWithTableCells": True}):
        assert next(iter(wrong)) in ask(server, "/layout-parsing", DEMO_PICTURE, 422, **wrong)["errorMsg"]
