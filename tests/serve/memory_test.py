# SPDX-License-Identifier: Apache-2.0
"""One budget for the server: pictures that are decoded and models that are loaded count in it, and what does not fit is refused."""
import base64
import contextlib
import socket

import numpy as np
import program_file
import pytest
from conftest import save
from predict_test import MULTIPART, multipart, objects, picture, png, predict

X = np.ones((1, 1024), np.float32)


@contextlib.contextmanager
def half_a_request(server, mib):
    """A request whose body was announced, which takes its part of the memory, and does not come. It is refused as long as what was answered
    last holds its part."""
    head = b"POST /v2/models/m/predict HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n" % (mib << 20)
    with contextlib.ExitStack() as connections:
        def is_taken():
            connection = connections.enter_context(socket.create_connection((server.host, server.port)))
            connection.sendall(head)
            return connection.recv(12) == b"HTTP/1.1 100"

        server.wait_until(is_taken)
        yield


def plain(width, height):
    """A file of some kilobytes, whatever the size of its picture."""
    return png(np.zeros((height, width, 3), np.uint8))


@pytest.fixture
def server(serve, objects):
    return serve("m=%s" % objects, "--memory-limit-mib", 32, "--pipeline", "object_detection:model=%s" % objects)


def pipeline(server, content, **fields):
    return server.post("/object-detection", {"image": base64.b64encode(content).decode(), "visualize": False, **fields})


def test_decoded_pictures_count(server):
    large = plain(3000, 2000)  # 18 MB
    assert len(large) < 32 << 10
    asked = {"predict": lambda: predict(server, "m", large), "pipeline": lambda: pipeline(server, large),
             "parts": lambda: predict(server, "m", multipart(("a", large)), headers=MULTIPART)}
    for name, ask in asked.items():
        for _ in range(3):
            assert ask().status == 200, name
        with half_a_request(server, 20):
            answer = ask()
            assert answer.status == 503 and b"3000 x 2000 pixels, 18 MiB: " in answer.body and b"--memory-limit-mib" in answer.body
            assert predict(server, "m", picture()).status == 200, "a small one has room"
        server.wait_until(lambda: ask().status == 200)


def test_a_picture_that_never_fits_is_too_large(server):
    larger = plain(4000, 3000)  # 36 MB
    answer = predict(server, "m", larger)
    assert answer.status == 413 and "4000 x 3000 pixels is too large: it takes 35 MiB, the server has 32 MiB" in answer.error
    answer = predict(server, "m", plain(3000, 2000), "?draw=1")
    assert answer.status == 413 and "it takes 52 MiB" in answer.error, "the drawing and its file"
    answer = pipeline(server, larger)
    assert (answer.status, answer.json["errorCode"]) == (413, 413) and "it takes 35 MiB" in answer.json["errorMsg"]
    assert pipeline(server, plain(3000, 2000), visualize=True).status == 413
    answers = predict(server, "m", multipart(("a.png", picture()), ("b.png", larger)), headers=MULTIPART).json
    assert "objects" in answers[0] and "'b.png' of 4000 x 3000 pixels is too large" in answers[1]["error"]
    for _ in range(5):
        assert predict(server, "m", plain(2000, 1000), "?draw=1").status == 200, "memory has come back"


def test_a_model_that_does_not_fit_is_refused(serve, tmp_path):
    def put(name, layers, seed=0):
        save(tmp_path / name / "1", program_file.linear(1024, layers, seed))

    put("small", 1)
    put("whole", 8)    # 32 MiB of weights
    put("packed", 3)   # 12 MiB, and more when they are packed
    server = serve("--repository", tmp_path, "--model-control", "explicit", "--memory-limit-mib", 28)

    def load(name):
        return server.post("/v2/repository/models/%s/load" % name)

    index = {each["name"]: each for each in server.post("/v2/repository/index").json}
    assert index["small"]["state"] == "READY"
    for name, need in (("whole", "for its weights, 33 MiB: "), ("packed", "there is not the memory now for ")):
        assert index[name]["state"] == "UNAVAILABLE" and need in index[name]["reason"]
        answer = load(name)
        assert answer.status == 503 and answer.error.startswith("model '%s' cannot be loaded: " % name)
        assert need in answer.error and "of the server's 28 MiB are in use (--memory-limit-mib)" in answer.error
        assert server.get("/v2/models/%s/ready" % name).status == 503
    before = server.infer("small", {"x": X})["y"]
    # What does not fit beside the version that serves does not take its place.
    put("small", 5, seed=1)
    assert load("small").status == 503
    assert np.array_equal(server.infer("small", {"x": X})["y"], before)
    # Everything has come back: 16 MiB in all do fit.
    put("small", 1, seed=1)
    assert load("small").status == 200
    put("packed", 1)
    assert load("packed").status == 200
    assert server.infer("packed", {"x": X})["y"].shape == (1, 1024)
    assert not np.array_equal(server.infer("small", {"x": X})["y"], before)


def test_a_model_that_waits_for_memory_is_tried_again(serve, tmp_path):
    save(tmp_path / "a" / "1", program_file.linear(1024, 1))
    server = serve("--repository", tmp_path, "--model-control", "poll", "--poll-seconds", 1, "--memory-limit-mib", 11)
    assert server.infer("a", {"x": X})["y"].shape == (1, 1024)
    save(tmp_path / "b" / "1", program_file.linear(1024, 1))
    server.wait_until(lambda: any("model 'b' cannot be loaded: there is not the memory now" in line for line in server.lines))
    (tmp_path / "a").rename(tmp_path.parent / "away")
    server.wait_until(lambda: server.get("/v2/models/b/ready").status == 200)
