# SPDX-License-Identifier: Apache-2.0
"""Pipelines: the answers of `coracle predict` and of PaddleX for every kind of picture, and what they say to what is none."""
import io
import json
import logging
import os
import pathlib
import pickle
import re
import subprocess
import sys
import tarfile
import threading

import coracle
import numpy as np
import pytest
from coracle import _library
from other_tests import module

ROOT = pathlib.Path(__file__).resolve().parents[2]
PICTURE = ROOT / "examples/ocr/demo.jpg"
MODEL = ROOT / "tests/vision/objects"
DESCRIPTION = ROOT / "tests/vision/descriptions/objects.yml"
DEMO_MODELS = ROOT / "build/demo-models"
PROGRAM = _library.PATH.with_name("coracle")

if not _library.PATH.with_name("libcoracle_vision.so").exists():
    pytest.skip("this build has no libcoracle_vision", allow_module_level=True)

EXPECTED = module(ROOT / "tests/vision/expected_test.py")


@pytest.fixture(scope="module")
def objects():
    return coracle.pipeline(MODEL, description=DESCRIPTION)


def test_what_is_assumed_without_a_description_is_said(objects, caplog):
    assert objects.assumed == ""
    with caplog.at_level(logging.WARNING, "coracle"):
        assumed = coracle.pipeline(MODEL, task="classification").assumed
    assert "pictures are prepared as is usual for classification: " in assumed
    assert [r.getMessage() for r in caplog.records] == [assumed]


@pytest.fixture(scope="module")
def pixels(objects):
    """The picture as an array, by the way of a class map of nothing: a drawing without outlines is the picture."""
    nothing = coracle.pipeline(MODEL, description=DESCRIPTION, threshold=2)(PICTURE)
    assert nothing.objects == []
    return nothing.draw()


@pytest.mark.parametrize("case", json.loads((ROOT / "tests/vision/expected.json").read_text("utf-8")),
                         ids=lambda c: "%s-%s" % (c["model"].split("/")[-1], c["description"]))
def test_answers_are_those_of_paddlex(case):
    shared = pathlib.Path(os.environ.get("CORACLE_SHARED", ROOT.parent / "shared"))
    path = lambda name: EXPECTED.path_of(name, shared, DEMO_MODELS)  # noqa: E731
    pictures = [a for a in case["answers"] if path(a["picture"]).is_file()]
    if not path(case["model"]).is_dir() or not pictures:
        pytest.skip("the model or its pictures are absent")
    description = ROOT / "tests/vision/descriptions" / case["description"] if case["description"] else None
    answers = coracle.pipeline(path(case["model"]), description=description)([path(a["picture"]) for a in pictures])
    for want, answer in zip(pictures, answers):
        assert answer.task == case["task"]
        assert not EXPECTED.differs(case["task"], want, answer.to_dict()), (want, answer.to_dict())


@pytest.mark.skipif(not PROGRAM.exists(), reason="this build has no program")
def test_answers_and_drawings_are_those_of_the_program(objects, tmp_path):
    run = subprocess.run([PROGRAM, "predict", MODEL, "--description", DESCRIPTION, PICTURE, "--json", "--draw", tmp_path],
                         stdout=subprocess.PIPE, check=True)
    told = json.loads(run.stdout)
    answer = objects(str(PICTURE))
    found = answer.to_dict()
    assert {key: told[key] for key in ("width", "height", "task")} == {"width": 1120, "height": 1440, "task": "object-detection"}
    assert len(found["objects"]) == len(told["objects"]) > 0
    for got, want in zip(found["objects"], told["objects"]):
        assert (got["id"], got["name"]) == (want["id"], want["name"])
        np.testing.assert_allclose([got["score"], *got["box"]], [want["score"], *want["box"]], rtol=1e-6)
    answer.save(tmp_path / "own.png")
    assert (tmp_path / "own.png").read_bytes() == (tmp_path / "demo_answer.png").read_bytes()


def test_every_kind_of_picture_answers_alike(objects, pixels):
    want = objects(PICTURE).objects
    padded = np.zeros((pixels.shape[0], pixels.shape[1] + 7, 3), np.uint8)[:, :-7]
    padded[...] = pixels
    alpha = np.dstack([pixels, np.zeros(pixels.shape[:2], np.uint8)])
    backwards = pixels[::-1, ::-1, ::-1].copy()[::-1, ::-1, ::-1]
    kinds = [str(PICTURE), PICTURE.read_bytes(), memoryview(PICTURE.read_bytes()), pixels, padded, alpha, backwards]
    assert all(answer.objects == want for answer in objects(kinds))
    assert objects(tuple(kinds[:1]))[0].objects == want
    assert objects(pixels[..., ::-1]).objects != want   # Blue and red exchanged.
    grey = pixels[..., 1]
    assert objects(grey).objects == objects(grey[..., None]).objects == objects(np.dstack([grey] * 3)).objects


def test_images_of_pil(objects, pixels):
    image = pytest.importorskip("PIL.Image")
    want = objects(PICTURE).objects
    assert objects(image.fromarray(pixels)).objects == want
    assert objects(image.fromarray(pixels).convert("RGBA")).objects == want


@pytest.mark.parametrize("mode", ["I;16", "I;16B", "I"])
def test_images_of_pil_with_16_bits(objects, pixels, mode, tmp_path):
    image = pytest.importorskip("PIL.Image")
    grey = (pixels[..., 1].astype(np.uint16) << 8) + np.uint16(200)
    deep = image.fromarray(grey.astype(np.int32)) if mode == "I" else image.frombytes(
        mode, grey.shape[::-1], grey.astype(">u2" if mode == "I;16B" else "<u2").tobytes())
    image.fromarray(grey).save(tmp_path / "deep.png")
    assert deep.mode == mode
    want = objects(tmp_path / "deep.png").objects
    assert want and objects(deep).objects == want


def test_images_of_pil_without_a_known_white(objects):
    image = pytest.importorskip("PIL.Image")
    for pixels in np.full((8, 8), 65536, np.int32), np.full((8, 8), -1, np.int32):
        with pytest.raises(ValueError, match="mode I has values from (65536|-1) to .*expected 0 to 65535; scale it to 8 bits"):
            objects(image.fromarray(pixels))
    with pytest.raises(ValueError, match="mode F does not say which value is white"):
        objects(image.fromarray(np.ones((8, 8), np.float32)))


def test_results_are_typed_and_say_what_they_are(objects, pixels):
    answer = objects(PICTURE)
    first = answer.objects[0]
    assert isinstance(answer, coracle.Prediction) and isinstance(first, coracle.DetectedObject)
    assert (answer.width, answer.height, answer.labels, answer.lines, answer.class_map) == (1120, 1440, [], [], None)
    assert repr(answer).startswith("<coracle.Prediction object-detection of 1120 x 1440 pixels: DetectedObject(id=0, name='person'")
    assert repr(objects) == "<coracle.Pipeline object-detection of %r>" % str(MODEL)
    drawn = answer.draw()
    assert drawn.shape == pixels.shape and drawn.dtype == np.uint8 and (drawn != pixels).any()
    assert json.loads(json.dumps(answer.to_dict())) == answer.to_dict()


def test_masks_are_arrays_and_run_lengths():
    answer = coracle.pipeline(MODEL.parent / "instances", description=DESCRIPTION.parent / "instances.yml")(PICTURE)
    assert answer.task == "instance-segmentation" and len(answer.objects) > 1
    for o in answer.objects:
        mask = o.mask.array()
        assert isinstance(o.mask, coracle.Mask) and mask.shape == o.mask.size == (answer.height, answer.width) and mask.dtype == bool
        assert mask.sum() == o.mask.area == sum(o.mask.counts[1::2]) > 0
        places = np.flatnonzero(np.diff(mask.T.reshape(-1), prepend=False)).tolist()   # Where runs begin, down the columns.
        assert places == np.cumsum(o.mask.counts)[:-1].tolist()
        rows, columns = np.nonzero(mask)
        left, top, right, bottom = map(round, o.box)
        assert rows.min() >= top and rows.max() < bottom and columns.min() >= left and columns.max() < right
        assert (np.asarray(o.mask) == mask).all() and np.asarray(o.mask, np.uint8).dtype == np.uint8
    assert repr(answer.objects[0].mask) == "<coracle.Mask of %d pixels in 1120 x 1440>" % answer.objects[0].mask.area
    assert answer.objects == answer.objects[:] and len(set(answer.objects)) == len(answer.objects)
    boxes = coracle.pipeline(MODEL.parent / "instances", description=DESCRIPTION.parent / "instances.yml", task="object-detection")(PICTURE)
    assert boxes.task == "object-detection" and boxes.objects[0].mask is None
    assert [o.box for o in boxes.objects] == [o.box for o in answer.objects]


def test_keypoints():
    answer = coracle.pipeline(MODEL.parent / "keypoints", description=DESCRIPTION.parent / "keypoints.yml")(PICTURE)
    assert [k.id for k in answer.keypoints] == list(range(17)) and answer.keypoints[9].name == "left_wrist"
    assert repr(answer).startswith("<coracle.Prediction keypoints of 1120 x 1440 pixels: Keypoint(id=0, name='nose', score=")
    told = answer.to_dict()
    assert told["score"] == pytest.approx(np.mean([k.score for k in answer.keypoints])) and set(told["keypoints"][0]) == {"id", "name", "score", "x", "y"}


def archive(description=True):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        tar.add(MODEL / "inference.pdmodel", "net/inference.pdmodel")
        if description:
            tar.add(DESCRIPTION, "net/inference.yml")
    return buffer.getvalue()


def test_archives_on_disk_and_in_memory(objects, tmp_path):
    path = tmp_path / "objects.tar.gz"
    path.write_bytes(archive())
    want = objects(PICTURE).objects
    assert coracle.pipeline(path)(PICTURE).objects == want
    assert coracle.pipeline(bytearray(archive()))(PICTURE).objects == want
    assert coracle.pipeline(archive(False), description=DESCRIPTION)(PICTURE).objects == want


@pytest.mark.skipif(not (DEMO_MODELS / "models").is_dir(), reason="the demo's models are absent")
def test_text_is_read_as_the_demo_expects_it():
    models = DEMO_MODELS / "models"
    reader = coracle.ocr(models / "ch_PP-OCRv4_det_infer", models / "ch_PP-OCRv4_rec_infer", models / "ch_ppocr_mobile_v2_cls_infer",
                         dictionary=DEMO_MODELS / "ch_ppocr_rec/ppocr_keys_v1.txt")
    answer = reader(PICTURE)
    told = next(p for p in json.loads((ROOT / "tests/demo/expected.json").read_text("utf-8")) if p["image"] == "examples/ocr/demo.jpg")
    assert answer.task == "text-reading"
    assert [line.text for line in answer.lines] == [line["text"] for line in told["lines"]]
    assert answer.text.splitlines()[1] == "Lakeside Tea House"
    assert answer.to_dict()["lines"][0]["corners"] == [list(corner) for corner in answer.lines[0].corners]
    assert answer.draw().shape == (1440, 1120, 3)


@pytest.mark.skipif(not (DEMO_MODELS / "models").is_dir(), reason="the demo's models are absent")
def test_the_code_of_the_page_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for path in [PICTURE, DEMO_MODELS / "ch_ppocr_rec/ppocr_keys_v1.txt", *(DEMO_MODELS / "models").iterdir()]:
        pathlib.Path(path.name).symlink_to(path)
    code, = re.findall(r"^```python\n(.*?)^```$", (ROOT / "docs/predict.md").read_text("utf-8"), re.M | re.S)
    exec(compile(code, "docs/predict.md", "exec"), {})
    assert "Lakeside Tea House" in capsys.readouterr().out
    assert (tmp_path / "boxes.png").is_file()


MISUSES = {
    "model": (lambda p: coracle.pipeline("/nonexistent/model"), FileNotFoundError, "no such model: '/nonexistent/model'"),
    "picture": (lambda p: p("/nonexistent/a.jpg"), FileNotFoundError, "/nonexistent/a.jpg: there is no such file"),
    "description": (lambda p: coracle.pipeline(MODEL, description="/nonexistent/d.yml"), FileNotFoundError, "/nonexistent/d.yml"),
    "labels": (lambda p: coracle.pipeline(MODEL, task="classification", labels="/nonexistent/l"), FileNotFoundError, "/nonexistent/l"),
    "recogniser": (lambda p: coracle.ocr(MODEL, "/nonexistent/rec"), FileNotFoundError, "no such model: '/nonexistent/rec'"),
    "bytes": (lambda p: p(b"no picture"), OSError, "picture in memory: neither a PNG nor a JPEG, BMP or WebP file"),
    "kind": (lambda p: p(3), ValueError, "an array, a PIL image, a path or the bytes of a file, given a int"),
    "type": (lambda p: p(np.zeros((4, 4, 3))), ValueError, r"array of uint8 with the shape \[height, width, 3\].*given float64\[4, 4, 3\]"),
    "shape": (lambda p: p(np.zeros((4, 4, 5), np.uint8)), ValueError, r"given uint8\[4, 4, 5\]"),
    "empty": (lambda p: p(np.zeros((0, 4, 3), np.uint8)), ValueError, "a picture of 4 x 0 pixels"),
    "undescribed": (lambda p: coracle.pipeline(MODEL), ValueError, "there is no inference.yml beside the model"),
    "task": (lambda p: coracle.pipeline(MODEL, task="guess"), ValueError, "there is no task 'guess'; the tasks are classification"),
    "threads": (lambda p: coracle.pipeline(MODEL, threads=-1), ValueError, "threads is -1, expected an integer"),
    "many threads": (lambda p: coracle.pipeline(MODEL, task="classification", threads=2000), ValueError, "expected 0 to 1024"),
    "topk": (lambda p: coracle.pipeline(MODEL, topk="3"), ValueError, "topk is '3', expected an integer"),
    "threshold": (lambda p: coracle.pipeline(MODEL, threshold=None or "0.5"), ValueError, "threshold is '0.5', expected a number"),
    "archive": (lambda p: coracle.pipeline(b"no archive", task="classification"), ValueError, "archive in memory"),
    "no archive": (lambda p: coracle.pipeline(b"no archive"), ValueError, "archive in memory"),
    "zero byte": (lambda p: p("a\0b"), ValueError, "zero byte"),
    "pickle": (lambda p: pickle.dumps(p), TypeError, "make one in each process"),
}


@pytest.mark.parametrize("name", MISUSES)
def test_misuse_is_told(objects, name):
    use, kind, message = MISUSES[name]
    with pytest.raises(kind, match=message):
        use(objects)


def test_a_closed_pipeline_says_so():
    with coracle.pipeline(MODEL, description=DESCRIPTION) as pipeline:
        answer = pipeline(PICTURE)
    pipeline.close()
    with pytest.raises(ValueError, match="the pipeline is closed"):
        pipeline(PICTURE)
    assert answer.draw().any() and "closed" in repr(pipeline)


def test_other_threads_cancel(objects):
    ended = []

    def answer():
        try:
            while True:
                objects(PICTURE)
        except coracle.CancelledError as error:
            ended.append(error)

    thread = threading.Thread(target=answer)
    thread.start()
    while thread.is_alive():
        objects.cancel()
        thread.join(0.001)
    assert len(ended) == 1 and objects(PICTURE).objects


def test_one_thread_at_a_time(objects):
    refused = threading.Event()

    def answer():
        try:
            while not refused.is_set():
                objects(PICTURE)
        except ValueError as error:
            assert "another thread is using this predictor" in str(error)
            refused.set()

    threads = [threading.Thread(target=answer) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert refused.is_set()


def test_ctrl_c_ends_a_list_at_once():
    script = ("import os, signal, threading, coracle\n"
              "p = coracle.pipeline(%r, description=%r)\n"
              "picture = open(%r, 'rb').read()\n"
              "p(picture)\n"
              "threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
              "try:\n    p([picture] * 100000)\n"
              "except KeyboardInterrupt:\n    print('interrupted')\n" % (str(MODEL), str(DESCRIPTION), str(PICTURE)))
    run = subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120, check=False)
    assert (run.stdout, run.stderr) == ("interrupted\n", "")
