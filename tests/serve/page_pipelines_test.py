# SPDX-License-Identifier: Apache-2.0
"""Pipelines and readers on the page: their models and states, what they find in pictures, and programs that find the same."""
import json
import shutil
import subprocess
import sys

import pytest

from page_client import FAINT, WIDE, address, page, programs, shared, show
from pipeline_client import MODELS, ROOT, STAGES, ask, needs_demo, png, short, with_description

SHARED = ROOT.parent / "shared/models"
PICTURE = (ROOT / "src/serve/page/test.png").read_bytes()


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """A server with all pipelines of which there are models."""
    from conftest import Server
    tmp_path = tmp_path_factory.mktemp("pipelines")
    pipelines = {"object_detection": with_description(tmp_path / "objects", "objects", "objects.yml"),
                 "rotated_object_detection": with_description(tmp_path / "turned", "turned_objects", "objects.yml"),
                 "instance_segmentation": with_description(tmp_path / "instances", "instances", "instances.yml"),
                 "anomaly_detection": MODELS / "anomaly", "image_classification": MODELS / "orientation"}
    for name, model in (("semantic_segmentation", "pphumanseg-v2-lite-portrait"),
                        ("image_multilabel_classification", "mobilenetv3_small_x0_35-multilabel")):
        if (SHARED / model).exists():
            pipelines[name] = SHARED / model
    arguments = [short(name, model=model) for name, model in pipelines.items()]
    arguments.append(short("doc_preprocessor", orientation=MODELS / "orientation", unwarp=MODELS / "unwarp"))
    if STAGES["det"].exists():
        layout = with_description(tmp_path / "layout", "objects", "layout.yml", **{"formula, text": "formula, table"})
        arguments += [short("OCR", **STAGES), short("layout_parsing", layout=layout, table=MODELS / "table", **STAGES),
                      short("table_recognition", layout=layout, table=MODELS / "table", **STAGES),
                      "--reader=ocr=OCR.det,OCR.rec,dictionary=%s" % STAGES["dict"]]
    server = Server(*arguments)
    yield server
    assert server.stop() == 0, "".join(server.lines)


def test_they_are_listed_with_their_models(page, served):
    page.open(address(served))
    page.wait("document.querySelectorAll('#models a').length > 6")
    titles = page.js("[...document.querySelectorAll('#models h3')].map((e) => e.textContent)")
    assert titles == ["Pipelines", "Readers of text", "Models"] if STAGES["det"].exists() else ["Pipelines", "Models"]
    show(page, served, "doc_preprocessor", kind="pipelines")
    assert "POST /document-preprocessing" in page.js("document.querySelector('#model').innerText")
    cells = page.js("[...document.querySelectorAll('#model tbody tr')].map((r) => [...r.cells].map((c) => c.textContent))")
    described = {each["name"]: each for each in served.get("/page/server.json").json["pipelines"]}
    assert cells == [[stage["name"], stage["model"], "ready"] for stage in described["doc_preprocessor"]["stages"]] and len(cells) == 2
    page.js("document.querySelector('#model tbody a').click()")
    page.wait("document.querySelector('#model-title').textContent === %s" % json.dumps(cells[0][1]))


def test_what_lacks_a_model_is_not_ready(page, serve, tmp_path):
    server = serve(short("image_classification", model=MODELS / "orientation"), "--model-control", "explicit")
    server.post("/v2/repository/models/image_classification.model/load")
    show(page, server, "image_classification", kind="pipelines")
    server.post("/v2/repository/models/image_classification.model/unload")
    page.wait("document.querySelector('#model .callout')")
    text = page.js("document.querySelector('#model').innerText")
    assert "model 'image_classification.model' is not ready" in text


def answers(page, tmp_path, picture):
    """The words of the programs, each run as it is shown, in a folder that has the picture."""
    if picture is not None:
        (tmp_path / "picture.png").write_bytes(picture)
    curl, python = programs(page)
    printed = subprocess.run([sys.executable, "-I", "-c", python], cwd=tmp_path, capture_output=True, check=True, text=True).stdout
    if shutil.which("curl") is None:
        return None, printed
    sent = subprocess.run(["sh", "-c", curl], cwd=tmp_path, capture_output=True, check=True).stdout
    return json.loads(sent), printed


def found(page, served, name, tmp_path, picture=None, least=None, run=True):
    """Drops a picture on a pipeline's form: the texts of what was found, and what its programs print."""
    show(page, served, name, kind="pipelines")
    if least is not None:
        page.js("(e => { e.value = %s; })(document.querySelector('.choices input'))" % json.dumps(str(least)))
    (tmp_path / "picture.png").write_bytes(picture or png())
    page.drop([tmp_path / "picture.png"], ".zone")
    page.wait("document.querySelector('.answer') || document.querySelector('#model .error').textContent")
    assert page.js("document.querySelector('#model .error').textContent") == ""
    sent, printed = answers(page, tmp_path, picture or png()) if run else (None, "")
    for width in (360, 1280):
        page.size(width, 800)
        assert page.js(WIDE) == [] and page.js(FAINT)[1] == [], (name, width)
    return sent["result"] if sent else None, printed


ROWS = "[...document.querySelectorAll('.found tbody tr')].map((r) => [...r.cells].map((c) => c.textContent))"
BARS = "[...document.querySelectorAll('.bars li')].map((e) => e.textContent)"


def test_classes(page, served, tmp_path):
    result, printed = found(page, served, "image_classification", tmp_path)
    wanted = ask(served, "/image-classification", png(), field="image", visualize=False)["categories"]
    shown = page.js("[...document.querySelectorAll('.bars .name')].map((e) => e.textContent)")
    assert shown == [each["name"] for each in wanted[:5]]
    assert result is None or result["categories"] == wanted
    assert all(repr(each["name"]) in printed for each in wanted)


@pytest.mark.parametrize("name, path, key", [("object_detection", "/object-detection", "detectedObjects"),
                                             ("rotated_object_detection", "/rotated-object-detection", "detectedObjects"),
                                             ("instance_segmentation", "/instance-segmentation", "instances")])
def test_objects(page, served, tmp_path, name, path, key):
    result, printed = found(page, served, name, tmp_path, least=0.4)
    wanted = ask(served, path, png(), field="image", threshold=0.4, visualize=False)
    assert result is None or result == wanted
    rows = page.js(ROWS)
    assert [row[1] for row in rows] == [each["categoryName"] for each in wanted[key]] and len(rows) > 1
    drawing = "document.querySelector('.answer canvas').toDataURL()"
    plain = page.js(drawing)
    page.js("document.querySelector('.found tbody tr').focus()")
    assert page.js(drawing) != plain  # the outline of the row is marked


def test_run_lengths(page, served):
    from pipelines_test import counts_of
    page.open(address(served))
    text = ask(served, "/instance-segmentation", png(), field="image", visualize=False)["instances"][0]["mask"]["rleResult"]
    counts = page.js("import('./page/pipelines.js').then(({countsOf}) => countsOf(%s))" % json.dumps(text))
    assert counts == counts_of(text) and len(counts) > 3


def test_maps_are_drawn(page, served, tmp_path):
    result, _ = found(page, served, "anomaly_detection", tmp_path)
    wanted = ask(served, "/image-anomaly-detection", png(), field="image", visualize=False)
    assert "%d of 64 × 64 pixels" % wanted["labelMap"].count(255) in page.js("document.querySelector('.found').textContent")
    if (SHARED / "pphumanseg-v2-lite-portrait").exists():
        result, _ = found(page, served, "semantic_segmentation", tmp_path)
        labels = ask(served, "/semantic-segmentation", png(), field="image", visualize=False)["labelMap"]
        assert len(page.js(BARS)) == len(set(labels))


def test_pages_made_flat(page, served, tmp_path):
    result, _ = found(page, served, "doc_preprocessor", tmp_path)
    turned = ask(served, "/document-preprocessing", png())["docPreprocessingResults"][0]["prunedResult"]["angle"]
    width = 96 if turned in (90, 270) else 128
    assert page.js("document.querySelector('.answer canvas').width") == width


@needs_demo
def test_text_and_layout(page, served, tmp_path):
    result, printed = found(page, served, "OCR", tmp_path, PICTURE, least=0.9)
    wanted, = ask(served, "/ocr", PICTURE, textRecScoreThresh=0.9, visualize=False)["ocrResults"]
    texts = wanted["prunedResult"]["rec_texts"]
    assert [row[1] for row in page.js(ROWS)] == texts and len(texts) > 2
    assert result is None or result["ocrResults"] == [wanted]
    assert all(repr(text)[1:-1] in printed for text in texts[:3])

    found(page, served, "layout_parsing", tmp_path, PICTURE, run=False)
    parsed, = ask(served, "/layout-parsing", PICTURE, visualize=False)["layoutParsingResults"]
    assert [row[1] for row in page.js(ROWS)] == [each["block_label"] for each in parsed["prunedResult"]["parsing_res_list"]]
    assert page.js("document.querySelector('.found details pre').textContent") == parsed["markdown"]["text"]
    found(page, served, "table_recognition", tmp_path, PICTURE, run=False)
    tables, = ask(served, "/table-recognition", PICTURE, visualize=False)["tableRecResults"]
    shown = page.js("[...document.querySelectorAll('.found pre')].map((e) => e.textContent.replaceAll('\\n<tr>', '<tr>'))")
    assert shown == [each["pred_html"] for each in tables["prunedResult"]["table_res_list"]] and shown


def test_the_test_picture_is_had_from_the_server(page, served, tmp_path):
    """Its programs fetch it: they run in an empty folder."""
    for kind, name in (("pipelines", "image_classification"), ("models", "image_classification.model")):
        show(page, served, name, kind=kind)
        page.js("[...document.querySelectorAll('.zone button')].find((e) => e.textContent === 'Use a test picture').click()")
        page.wait("document.querySelector('.answer')")
        folder = tmp_path / kind
        folder.mkdir()
        sent, printed = answers(page, folder, None)
        assert (folder / "test.png").read_bytes() == PICTURE
        assert sent is None or "score" in json.dumps(sent) and "score" in printed


def test_errors_are_said(page, served, tmp_path):
    show(page, served, "image_classification", kind="pipelines")
    (tmp_path / "no.png").write_bytes(b"no picture")
    page.drop([tmp_path / "no.png"], ".zone")
    page.wait("document.querySelector('#model .error').textContent")
    assert "errorCode" not in page.js("document.querySelector('#model .error').textContent")
    page.problems[:] = [each for each in page.problems if "status of 422" not in each]
