# SPDX-License-Identifier: Apache-2.0
"""Pictures: the server answers what the program coracle and coracle's text reader answer, whoever else asks at the same time."""
import http.client
import json
import os
import pathlib
import shutil
import struct
import subprocess
import zlib

import numpy as np
import pytest
from batching_test import together

HERE = pathlib.Path(__file__).resolve().parent
VISION = HERE.parent / "vision"
DEMO = pathlib.Path(os.environ.get("CORACLE_DEMO_MODELS", HERE.parent.parent / "build" / "demo-models"))
PAGE = HERE.parent.parent / "examples" / "ocr" / "demo.jpg"
MULTIPART = {"Content-Type": "multipart/form-data; boundary=XX"}


def png(pixels):
    """A file of rows of RGB."""
    height, width, _ = pixels.shape
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def picture(width=120, height=80, seed=0):
    return png(np.random.default_rng(seed).integers(0, 256, (height, width, 3), np.uint8))


def multipart(*files):
    parts = [b'--XX\r\nContent-Disposition: form-data; name="p%d"; filename="%s"\r\nContent-Type: image/png\r\n\r\n%s\r\n'
             % (i, name.encode(), content) for i, (name, content) in enumerate(files)]
    return b"".join(parts) + b"--XX--\r\n"


def predict(server, model, body, query="", headers=None):
    return server.ask("POST", "/v2/models/%s/predict%s" % (model, query), body,
                      {"Content-Type": "image/png"} if headers is None else headers)


def program(name, *arguments):
    path = os.environ.get(name)
    if not path or not os.path.exists(path):
        pytest.skip("%s does not name the program" % name)
    return subprocess.run([path, *map(str, arguments)], check=True, capture_output=True, text=True).stdout


@pytest.fixture
def objects(tmp_path):
    """A detector with its description."""
    folder = tmp_path / "objects"
    folder.mkdir()
    shutil.copy(VISION / "objects" / "inference.pdmodel", folder)
    shutil.copy(VISION / "descriptions" / "objects.yml", folder / "inference.yml")
    return folder


def demo(name):
    if not (DEMO / "models" / name).exists():
        pytest.skip("%s is not there" % (DEMO / "models" / name))
    return DEMO / "models" / name


@pytest.fixture
def reader_arguments():
    return ["det=%s" % demo("ch_PP-OCRv4_det_infer"), "rec=%s" % demo("ch_PP-OCRv4_rec_infer"),
            "cls=%s" % demo("ch_ppocr_mobile_v2_cls_infer"),
            "--reader", "ocr=det,rec,cls,dictionary=%s" % (DEMO / "ch_ppocr_rec" / "ppocr_keys_v1.txt")]


def test_answers_are_those_of_the_program(serve, objects, tmp_path):
    server = serve("m=%s" % objects)
    paths = [tmp_path / ("%d.png" % i) for i in range(3)]
    for i, path in enumerate(paths):
        path.write_bytes(picture(100 + 20 * i, 90, i))
    wanted = [json.loads(line) for line in program("CORACLE_PROGRAM", "predict", objects, *paths, "--json").splitlines()]
    assert wanted[0]["objects"], "the detector finds nothing, the test shows nothing"
    for answer, path in zip(wanted, paths):
        got = predict(server, "m", path.read_bytes())
        assert got.status == 200 and got.json == {**answer, "picture": "picture"}
        assert predict(server, "m", path.read_bytes(), headers={}).json == got.json
    got = predict(server, "m", multipart(*[(str(path), path.read_bytes()) for path in paths]), headers=MULTIPART)
    assert got.json == wanted
    scores = [each["score"] for each in wanted[0]["objects"]]
    threshold = "%.4f" % ((min(scores) + max(scores)) / 2)
    some = json.loads(program("CORACLE_PROGRAM", "predict", objects, paths[0], "--json", "--threshold", threshold))
    assert 0 < len(some["objects"]) < len(wanted[0]["objects"])
    assert predict(server, "m/versions/1", paths[0].read_bytes(), "?threshold=" + threshold).json["objects"] == some["objects"]


def test_drawings_are_those_of_the_program(serve, objects, tmp_path):
    server = serve("m=%s" % objects)
    path = tmp_path / "a.png"
    path.write_bytes(picture())
    program("CORACLE_PROGRAM", "predict", objects, path, "--draw", tmp_path)
    for query, headers in (("?draw=1", {}), ("", {"Accept": "image/png"})):
        got = predict(server, "m", path.read_bytes(), query, headers)
        assert got.headers["Content-Type"] == "image/png"
        assert got.body == (tmp_path / "a_answer.png").read_bytes()


def test_what_cannot_be_answered_says_why(serve, objects, linear):
    server = serve("m=%s" % objects, "numbers=%s" % linear, "--max-mebipixels", 1)
    good = picture()
    for body, query, headers, status, message in (
            (b"no picture", "", None, 400, "picture: neither a PNG"),
            (good[:len(good) // 2], "", None, 400, "picture: "),
            (b"", "", None, 400, "no picture"),
            (png(np.zeros((1025, 1025, 3), np.uint8)), "", None, 413, "at most 1048576 pixels"),
            (good, "", {"Content-Type": "text/plain"}, 400, "Content-Type is 'text/plain'"),
            (good, "?topk=many", None, 400, "topk is 'many'"),
            (good, "?threshold=nan", None, 400, "threshold is 'nan'"),
            (good, "?colour=1", None, 400, "'colour'; known are"),
            (good, "?task=sculpture", None, 400, "no task 'sculpture'"),
            (good, "?task=unwarping", None, 400, "model 'm'/inference.yml describes a model for object-detection"),
            (good, "?timeout=1", None, 504, "time limit"),
            (multipart(("a", good), ("b", good)), "?draw=1", MULTIPART, 400, "one picture"),
            (multipart(("a", good)), "", {"Content-Type": "multipart/form-data"}, 400, "boundary"),
            (multipart(("a", good))[:-20], "", MULTIPART, 400, "ends within"),
            (b"--XX--\r\n", "", MULTIPART, 400, "no picture"),
            (multipart(*[("a", b"x")] * 65), "", MULTIPART, 413, "at most 64 pictures")):
        answer = predict(server, "m", body, query, headers)
        assert (answer.status, message in answer.error) == (status, True), (query, headers, answer.body)
    answer = predict(server, "numbers", good)
    assert answer.status == 400 and "model 'numbers': takes no pictures" in answer.error
    assert predict(server, "nobody", good).status == 404
    assert predict(server, "m/versions/2", good).status == 404
    assert server.get("/v2/models/m/predict").status == 405
    mixed = predict(server, "m", multipart(("a.png", good), ("b.txt", b"no picture")), headers=MULTIPART).json
    assert mixed[0]["objects"] and "b.txt: neither" in mixed[1]["error"]


def test_requests_of_many_clients_run_together(serve, objects):
    """One instance, which is busy while others come."""
    pictures = [picture(100 + i, 80, i) for i in range(4)]
    alone = serve("m=%s" % objects, "--max-batch-size", 0)
    wanted = [predict(alone, "m", each).json for each in pictures]
    server = serve("m=%s" % objects, "--instances", 1, "--max-queue-delay-us", 3000)

    def client(number):
        for i in range(12):
            assert predict(server, "m", pictures[(number + i) % 4]).json == wanted[(number + i) % 4]

    together(8, client)
    assert server.statistics("m")["inference_stats"]["success"]["count"] == 96
    assert "nv_inference_count" in server.metrics().body.decode()


def test_a_full_queue_says_so(serve, objects):
    server = serve("m=%s" % objects, "--picture-threads", 1, "--max-picture-queue", 2)
    answer = predict(server, "m", multipart(*[("a", picture())] * 3), headers=MULTIPART)
    assert answer.status == 503 and "queue of pictures is full" in answer.error
    assert len(predict(server, "m", multipart(*[("a", picture())] * 2), headers=MULTIPART).json) == 2


def test_models_come_and_go_while_pictures_are_asked_for(serve, objects, tmp_path):
    shutil.copytree(objects, tmp_path / "models" / "m" / "1")
    server = serve("--repository", tmp_path / "models", "--model-control", "explicit")
    wanted = predict(server, "m", picture()).json

    def client(number):
        for i in range(25):
            if number == 0:
                assert server.post("/v2/repository/models/m/load").status == 200
            else:
                assert predict(server, "m", picture()).json == wanted

    together(4, client)
    assert server.post("/v2/repository/models/m/unload").status == 200
    answer = predict(server, "m", picture())
    assert answer.status == 503 and "unloaded" in answer.error
    assert server.post("/v2/repository/models/m/load").status == 200
    assert predict(server, "m", picture()).json == wanted


def test_a_client_that_hangs_up_ends_its_pictures(serve, reader_arguments):
    server = serve(*reader_arguments, "--instances", 1, "--picture-threads", 2)
    leaving = http.client.HTTPConnection("127.0.0.1", server.port)
    leaving.request("POST", "/v2/models/ocr/predict", multipart(*[("a", PAGE.read_bytes())] * 64), MULTIPART)
    answered = lambda: server.statistics("det")["inference_stats"]["success"]["count"]
    server.wait_until(lambda: answered() >= 1)
    leaving.close()
    # Pictures are taken in the order in which they come: this one after all of those.
    assert predict(server, "ocr", PAGE.read_bytes()).status == 200
    assert answered() < 60


def test_text_is_read_as_alone_and_lines_of_clients_run_together(serve, reader_arguments):
    alone = serve(*reader_arguments, "--max-batch-size", 0)
    wanted = predict(alone, "ocr", PAGE.read_bytes()).json
    printed = json.loads(program("CORACLE_OCR", "--json", "--models", DEMO, PAGE))["results"][0]["lines"]
    assert [line["text"] for line in wanted["lines"]] == [line["text"] for line in printed]
    assert [line["corners"] for line in wanted["lines"]] == [line["box"] for line in printed]
    assert np.allclose([line["score"] for line in wanted["lines"]], [line["score"] for line in printed], atol=1e-6)
    server = serve(*reader_arguments, "--max-batch-size", 48, "--instances", 1, "--max-queue-delay-us", 100_000)

    def client(number):
        assert predict(server, "ocr", PAGE.read_bytes()).json == wanted

    together(8, client)
    for name in ("cls", "rec"):
        statistics = server.statistics(name)
        lines_of_a_client = alone.statistics(name)["inference_count"]
        assert statistics["inference_count"] == 8 * lines_of_a_client
        largest = max(each["batch_size"] for each in statistics["batch_stats"])
        assert largest > 6, "a reader runs at most 6 lines together: no batch has lines of two clients"
    refused = predict(server, "ocr", PAGE.read_bytes(), "?topk=3")
    assert refused.status == 400 and "takes no task" in refused.error


def test_a_model_with_small_batches_reads_lines_in_parts(serve, reader_arguments, tmp_path):
    wanted = predict(serve(*reader_arguments), "ocr", PAGE.read_bytes()).json
    for argument in reader_arguments[:3]:
        name, path = argument.split("=")
        (tmp_path / name).mkdir()
        (tmp_path / name / "1").symlink_to(path)
        (tmp_path / name / "config.pbtxt").write_text("max_batch_size: 4\ndynamic_batching { }\n")
    server = serve("--repository", tmp_path, *reader_arguments[3:])
    assert predict(server, "ocr", PAGE.read_bytes()).json == wanted
    assert max(each["batch_size"] for each in server.statistics("rec")["batch_stats"]) == 4
