# SPDX-License-Identifier: Apache-2.0
"""The page in a browser: Debian's Chromium, by keyboard, in both colour schemes, as wide as a telephone."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
from urllib.parse import quote

import numpy as np
import program_file
import pytest
from conftest import save
from page_client import FAINT, WIDE, address, page, programs, shared, show
from program_file import model, operator

HOSTILE = "<img src=x onerror=alert(1)>"
QUOTED = "it's\"$(true)<b>&amp;`"
DEMO = pathlib.Path(os.environ.get("CORACLE_DEMO_MODELS", "")) / "models"
PICTURE = pathlib.Path(__file__).resolve().parents[2] / "examples/ocr/demo.jpg"
LIST = "document.querySelectorAll('#models a').length"


def hostile():
    """y = 2 x, whose result has a name that is an element with code."""
    twice = operator("scale", {"X": ["x"]}, {"Out": [HOSTILE]}, {"scale": 2.0, "bias": 0.0, "bias_after_scale": True})
    return model([("x", "float32", (-1, 4))], [twice], [(HOSTILE, "float32", (-1, 4))])


@pytest.fixture
def models(serve, tmp_path):
    """Models with names that mean something to HTML and to shells, one of which the server refuses, and one that cannot
    be loaded."""
    folder = tmp_path / "models"
    save(folder / HOSTILE / "1", program_file.linear(seed=1))
    save(folder / QUOTED / "1", hostile())
    save(folder / "linear" / "2", program_file.linear(seed=3))
    save(folder / "linear" / "10", program_file.linear(seed=4))
    (folder / "linear" / "config.pbtxt").write_text("version_policy { all {} }")
    (folder / "broken" / "1").mkdir(parents=True)
    return serve("--repository", folder)


def test_models_are_listed(page, models):
    page.open(address(models))
    page.wait(LIST + " === 4")
    names = page.js("[...document.querySelectorAll('#models .name')].map((e) => e.textContent)")
    assert sorted(names) == sorted([HOSTILE, QUOTED, "linear", "broken"])
    assert page.js("document.querySelector('#server-state').textContent") == "2 of 5 not ready"
    show(page, models, "broken", "document.querySelector('#model .callout')")
    reason = next(each["reason"] for each in models.post("/v2/repository/index").json if each["name"] == "broken")
    assert reason in page.js("document.querySelector('#model').textContent") and len(reason) > 10
    show(page, models, "linear")
    shown = page.js("document.querySelector('#model').textContent")
    assert "no batches" in shown and "FP32" in shown and "any × 4" in shown
    assert page.js("[...document.querySelectorAll('#model select option')].map((e) => e.textContent)") == ["newest", "10", "2"]
    assert all(each.startswith(address(models)) or each.startswith("about:") for each in page.requested), page.requested


def test_hostile_names_are_text(page, models):
    show(page, models, quote(QUOTED))
    assert page.js("document.querySelector('#model-title').textContent") == QUOTED and QUOTED in page.js("document.title")
    page.js("document.querySelector('#model form').requestSubmit()")
    page.wait("document.querySelector('.programs')")
    assert page.js("document.querySelector('.output h4').textContent") == HOSTILE
    show(page, models, quote(HOSTILE), "document.querySelector('#model .callout')")
    assert page.js("document.querySelector('#model-title').textContent") == HOSTILE
    assert page.js("[...document.images].map((each) => each.getAttribute('src'))") == ["page/icon.svg"]


def test_by_keyboard_alone(page, models):
    page.open(address(models))
    page.wait(LIST + " === 4")
    unseen = []

    def seen():
        # What has the focus shows it, by itself or by what labels it.
        if not page.js("(e => [e, e.nextElementSibling].some((each) => each && getComputedStyle(each).outlineStyle === 'solid' &&"
                       " parseFloat(getComputedStyle(each).outlineWidth) >= 2))(document.activeElement)"):
            unseen.append(page.js("document.activeElement.outerHTML.slice(0, 100)"))

    page.tab_to("e.id === 'skip'")
    page.tab_to("e.closest('#models') && e.textContent.includes('linear')")
    seen()
    page.press("Enter")
    page.wait("document.querySelector('#model textarea') && document.querySelector('#model-title').textContent === 'linear'")
    page.tab_to("e.getAttribute('role') === 'slider'")
    seen()
    for _ in range(3):
        page.press("ArrowLeft")
    assert page.js("document.activeElement.getAttribute('aria-valuetext')").startswith("3 seconds ago: ")
    page.tab_to("e.tagName === 'TEXTAREA'")
    seen()
    page.js("document.activeElement.select()")
    page.type(json.dumps({"inputs": [{"name": "x", "datatype": "FP32", "shape": [1, 4], "data": [1, 2, 3, 4]}]}))
    page.tab_to("e.textContent === 'Send'")
    seen()
    page.press("Enter")
    page.wait("document.querySelector('.output')")
    wanted = models.infer("linear", {"x": np.array([[1, 2, 3, 4]], np.float32)})["y"][0]
    shown = page.js("[...document.querySelector('.output').querySelectorAll('td.number')].map((e) => Number(e.textContent))")
    assert len(shown) == 4 and np.allclose(shown, wanted, rtol=1e-4)
    assert page.js("document.querySelector('#model form [role=status]').textContent").startswith("Answered in ")
    page.tab_to("e.getAttribute('role') === 'tab' && e.textContent === 'curl'")
    page.press("ArrowRight")
    assert page.js("document.activeElement.textContent") == "Python"
    page.tab_to("e.textContent === 'Copy'")
    seen()
    assert unseen == []


def test_versions_and_errors(page, models):
    show(page, models, "linear")
    page.js("(e => { e.value = '2'; e.dispatchEvent(new Event('change')); })(document.querySelector('#model select'))")
    page.wait("document.querySelector('#model textarea')")
    page.js("document.querySelector('#model form').requestSubmit()")
    page.wait("document.querySelector('#model form [role=status]').textContent.includes('by version 2')")
    for text, error in (("{", "This is not JSON"), ("{}", "no list"), ('{"inputs": [{"name": "z"}]}', "input 'z': it has no datatype")):
        page.js("(t => { t.value = %s; t.form.requestSubmit(); })(document.querySelector('#model textarea'))" % json.dumps(text))
        page.wait("document.querySelector('#model form .error').textContent.includes(%s)" % json.dumps(error))
        assert page.js("document.querySelector('#model textarea').getAttribute('aria-invalid')") == "true"
    # The browser's own line about the status that was asked for.
    page.problems[:] = [each for each in page.problems if "status of 400" not in each]


@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl")
def test_programs_ask_the_same(page, models):
    for name, path in (("linear", "linear"), (QUOTED, quote(QUOTED))):
        for data in ("zeros", "ones", [0.5, -2, 3, 1e-3]):
            show(page, models, path)
            request = {"inputs": [{"name": "x", "datatype": "FP32", "shape": [1, 4], "data": data}]}
            page.js("(t => { t.value = %s; t.form.requestSubmit(); })(document.querySelector('#model textarea'))"
                    % json.dumps(json.dumps(request)))
            curl, python = programs(page)
            x = {"zeros": [0] * 4, "ones": [1] * 4}.get(data if isinstance(data, str) else "", data)
            wanted = models.infer(path, {"x": np.array([x], np.float32)})
            wanted = next(iter(wanted.values()))
            got = json.loads(subprocess.run(["sh", "-c", curl], capture_output=True, check=True).stdout)["outputs"][0]
            assert np.allclose(got["data"], wanted.ravel(), rtol=1e-5)
            printed = subprocess.run([sys.executable, "-c", "import numpy; numpy.set_printoptions(floatmode='unique', linewidth=9999)\n" + python],
                                     capture_output=True, check=True, text=True).stdout
            numbers = printed[printed.index("[[") + 2:printed.index("]]")].split()
            assert np.allclose(np.array(numbers, float), wanted.ravel(), rtol=1e-5)


def test_charts_follow_the_counters(page, models):
    show(page, models, "linear")
    page.wait("document.querySelectorAll('.chart .line')[0].getAttribute('d').includes('L')")
    for _ in range(40):
        models.infer("linear", {"x": np.ones((2, 4), np.float32)})
    value = "(i => document.querySelectorAll('.chart')[i].querySelector('[role=slider]').getAttribute('aria-valuetext'))"
    page.wait("Number(%s(0).match(/ok ([0-9.]+)/)[1]) > 0" % value)
    page.wait("/p50 [0-9.]+, p99 [0-9.]+/.test(%s(1))" % value)
    assert page.js("/[0-9] (KiB|MiB|GiB)$/.test(%s(4))" % value)
    # Of another model none of these were.
    page.js("(e => { e.value = %s; e.dispatchEvent(new Event('change')); })(document.querySelector('#live-model'))" % json.dumps(QUOTED))
    assert "p50 –" in page.js(value + "(1)")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_and_can_be_read(page, models, scheme):
    page.scheme(scheme)
    show(page, models, "linear")
    page.js("document.querySelector('#model form').requestSubmit()")
    page.wait("document.querySelector('.programs')")
    page.js("document.querySelectorAll('details').forEach((each) => (each.open = true))")
    for width in (360, 768, 1280):
        page.size(width, 800)
        assert page.js("document.documentElement.scrollWidth") <= width and page.js(WIDE) == [], width
    seen, faint = page.js(FAINT)
    assert seen > 60 and faint == []
    dark = page.js("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).every((v) => v < 64)")
    assert dark == (scheme == "dark")
    show(page, models, "broken", "document.querySelector('#model .callout')")
    page.size(360, 800)
    assert page.js(WIDE) == [] and page.js(FAINT)[1] == []


def test_a_token(page, serve, linear, tmp_path):
    (tmp_path / "token").write_text("se'cret\n")
    server = serve("m=%s" % linear, "--token-file", tmp_path / "token")
    page.open(address(server))
    page.wait("document.querySelector('dialog').open && document.activeElement.id === 'token'")
    page.type("wrong")
    page.press("Enter")
    page.wait("document.querySelector('#token-error').textContent && document.querySelector('dialog').open")
    page.type("se'cret")
    page.press("Enter")
    page.wait("document.querySelector('#model .try')")
    assert not page.js("document.querySelector('dialog').open")
    assert page.js("[Object.values(sessionStorage).join(), localStorage.length, document.cookie]") == ["se'cret", 0, ""]
    page.js("document.querySelector('#model form').requestSubmit()")
    curl, python = programs(page)
    assert "$TOKEN" in curl and "secret" not in (curl + python).replace("'", "")
    environment = {**os.environ, "TOKEN": "se'cret"}
    for command in ([sys.executable, "-c", python], *([["sh", "-c", curl]] if shutil.which("curl") else [])):
        assert b"y" in subprocess.run(command, env=environment, capture_output=True, check=True).stdout
    page.js("document.querySelector('#forget-token').click()")
    page.wait("document.querySelector('dialog')?.open")
    assert page.js("sessionStorage.length") == 0
    # The browser's own lines about refusals.
    page.problems[:] = [each for each in page.problems if "status of 401" not in each]


@pytest.fixture
def pictures(serve, tmp_path):
    """Models of PP-OCR, what reads text with them, and one whose answer to a picture is a map of classes."""
    if not DEMO.is_dir():
        pytest.skip("CORACLE_DEMO_MODELS has no models (scripts/demo-models.sh fetches them)")
    same = operator("scale", {"X": ["x"]}, {"Out": ["y"]}, {"scale": 1.0, "bias": 0.0, "bias_after_scale": True})
    shape = ("float32", (-1, 3, -1, -1))
    save(tmp_path / "map", model([("x", *shape)], [same], [("y", *shape)]))
    server = serve("det=%s" % (DEMO / "ch_PP-OCRv4_det_infer"), "rec=%s" % (DEMO / "ch_PP-OCRv4_rec_infer"),
                   "cls=%s" % (DEMO / "ch_ppocr_mobile_v2_cls_infer"), "map=%s" % (tmp_path / "map"),
                   "--reader", "ocr=det,rec,dictionary=%s" % (DEMO.parent / "ch_ppocr_rec/ppocr_keys_v1.txt"))
    if server.ask("POST", "/v2/models/det/predict", PICTURE.read_bytes(), {"Content-Type": "image/jpeg"}).status == 501:
        pytest.skip("the server was built without libcoracle_vision")
    return server


CELLS = "[...document.querySelectorAll('.found tbody tr')].map((r) => [...r.cells].map((c) => c.textContent))"
DRAWING = "document.querySelector('.answer canvas').toDataURL()"


def test_a_dropped_picture_is_read(page, pictures):
    show(page, pictures, "ocr", kind="readers")
    page.drop([PICTURE], ".zone")
    page.wait("document.querySelector('.answer')")
    answer = pictures.ask("POST", "/v2/models/ocr/predict", PICTURE.read_bytes(), {"Content-Type": "image/jpeg"}).json
    assert answer["task"] == "text-reading" and len(answer["lines"]) > 5
    assert [row[1] for row in page.js(CELLS)] == [line["text"] for line in answer["lines"]]
    over = page.js(DRAWING)
    page.js("document.querySelector('.answer input[type=checkbox]').click()")
    boxes = page.js(DRAWING)
    page.js("document.querySelector('.found tbody tr').focus()")
    marked = page.js(DRAWING)
    assert len({over, boxes, marked}) == 3
    curl = programs(page)[0]
    assert json.loads(subprocess.run(["sh", "-c", curl], capture_output=True, check=True, cwd=PICTURE.parent).stdout) == answer


def test_boxes_of_a_chosen_picture(page, pictures):
    show(page, pictures, "det")
    page.choose([PICTURE], "#model input[type=file]")
    page.wait("document.querySelector('.answer')")
    answer = pictures.ask("POST", "/v2/models/det/predict", PICTURE.read_bytes(), {"Content-Type": "image/jpeg"}).json
    assert len(page.js(CELLS)) == len(answer["boxes"]) > 5
    # The outline of the first box, in the colour of outlines, and the picture around it.
    (x, y), (right, _), *_ = answer["boxes"][0]["corners"]
    assert page.js("""(c => { const s = c.width / %d, d = c.getContext('2d').getImageData(%d * s, %d * s, 1, 1).data;
        return d[1] > d[0] && d[2] > d[0]; })(document.querySelector('.answer canvas'))""" % (answer["width"], (x + right) / 2, y))
    for width in (360, 1280):
        page.size(width, 800)
        assert page.js(WIDE) == []


def test_classes_by_keyboard_alone(page, pictures):
    page.open(address(pictures))
    page.wait(LIST + " === 5")
    page.tab_to("e.closest('#models') && e.textContent.includes('cls')")
    page.press("Enter")
    page.wait("document.querySelector('.zone')")
    page.tab_to("e.textContent === 'Use a test picture'")
    page.press("Enter")
    page.wait("document.querySelector('.bars .bar')")
    assert page.js("document.querySelector('.bars .number').textContent").endswith(" %")
    assert page.js(FAINT)[1] == []


def test_a_map_of_classes_is_drawn_by_the_server(page, pictures):
    show(page, pictures, "map")
    page.js("(e => { e.value = 'segmentation'; e.dispatchEvent(new Event('change')); })(document.querySelector('.choices select'))")
    page.choose([PICTURE], "#model input[type=file]")
    page.wait("document.querySelector('.bars')")
    assert 1 <= page.js("document.querySelectorAll('.bars li').length") <= 3
    assert page.js("document.querySelector('.answer canvas').width") > 100
    assert any(each.endswith("/v2/models/map/predict?task=segmentation&draw=1") for each in page.requested)
    show(page, pictures, "rec")  # without names of characters
    page.choose([PICTURE], "#model input[type=file]")
    page.wait("document.querySelector('#model .error').textContent")
    page.problems[:] = [each for each in page.problems if "Failed to load resource" not in each]


def test_drawings(page, models):
    """Masks, points and turned boxes, each on a white picture of 40 x 20."""
    page.open(address(models))
    page.wait(LIST + " === 4")
    draw = """import('./page/findings.js').then(({draw, findingsView}) => {
      const white = Object.assign(document.createElement('canvas'), {width: 40, height: 20});
      white.getContext('2d').fillStyle = '#fff';
      white.getContext('2d').fillRect(0, 0, 40, 20);
      const canvas = document.createElement('canvas'), found = %s;
      draw(canvas, {image: white, width: 40, height: 20}, found);
      const pixel = (x, y) => [...canvas.getContext('2d').getImageData(x, y, 1, 1).data].slice(0, 3);
      return [%s.map(([x, y]) => pixel(x, y)), findingsView(found, () => {}).textContent];
    })"""
    # Columns 10 to 12 of the rows 15 to 19 are inside.
    counts = [10 * 20 + 15, 5, 15, 5, 15, 5]
    counts.append(40 * 20 - sum(counts))
    thing = {"task": "instance-segmentation", "objects": [
        {"id": 3, "name": HOSTILE, "score": 0.5, "box": [30, 2, 38, 18], "mask": {"size": [20, 40], "counts": counts}}]}
    (inside, outside), text = page.js(draw % (json.dumps(thing), "[[11, 17], [14, 17]]"))
    assert inside != [255, 255, 255] and outside == [255, 255, 255] and HOSTILE in text and "50.0 %" in text
    points = {"task": "keypoints", "keypoints": [{"id": 0, "name": "nose", "score": 0.9, "x": 20, "y": 10},
                                                 {"id": 1, "name": "ear", "score": 0.01, "x": 5, "y": 10}]}
    (likely, unlikely), text = page.js(draw % (json.dumps(points), "[[20, 10], [5, 10]]"))
    assert likely != [255, 255, 255] and unlikely == [255, 255, 255] and "nose" in text
    table = {"task": "table-structure", "html": "<table><tr><td>a</td></tr></table>", "score": 1, "cells": [[[5, 5], [15, 5], [15, 15], [5, 15]]]}
    (edge, middle), text = page.js(draw % (json.dumps(table), "[[10, 15], [10, 10]]"))
    assert edge != [255, 255, 255] and middle == [255, 255, 255] and "<td>a</td>" in text
    for task, rest in (("features", {"features": [0.1, 0.2]}), ("multilabel", {"labels": []}), ("text-recognition", {"text": "abc", "score": None}),
                       ("unwarping", {"page": {"width": 3, "height": 4}}), ("something new", {"a": 1}),
                       ("anomaly", {"map": {"width": 3, "height": 4, "greatest": 1, "mean": 0.5, "marked": 2}})):
        assert page.js(draw % (json.dumps({"task": task, **rest}), "[]"))[1]


def test_percentiles(page, models):
    page.open(address(models))
    page.wait(LIST + " === 4")
    def percentile(counts, part):
        return page.js("import('./page/live.js').then(({percentile}) => percentile([1, 2, 5], %s, %s))" % (counts, part))
    assert percentile([0, 0, 0, 0], 0.5) is None
    assert percentile([0, 10, 0, 0], 0.5) == 1.5 and percentile([10, 10, 0, 0], 0.5) == 1 and percentile([0, 99, 1, 0], 0.99) == 2
    assert percentile([0, 0, 0, 3], 0.5) == 5
