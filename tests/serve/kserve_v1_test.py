# SPDX-License-Identifier: Apache-2.0
"""KServe's protocol of version 1. Requests are those of its SDK (InferenceRESTClient with protocol v1), whose package and all that it needs are
450 MB."""
import threading

import numpy as np
import program_file
import pytest
from conftest import save

X = np.array([[1, 2, 3, 4], [5, 6, 7, 8]], np.float32)
PREDICT = "/v1/models/m:predict"


@pytest.fixture
def server(serve, linear):
    return serve("m=%s" % linear)


def test_models(serve, linear, tmp_path):
    (tmp_path / "repository" / "broken").mkdir(parents=True)
    server = serve("m=%s" % linear, "a=%s" % linear, "--repository", tmp_path / "repository")
    assert server.get("/v1/models").json == {"models": ["a", "m"]}
    assert server.get("/v1/models/m").json == {"name": "m", "ready": True}
    broken = server.get("/v1/models/broken")
    assert broken.status == 503 and broken.json["ready"] is False and broken.error
    assert server.get("/v1/models/none").status == 404 and server.get("/v1/models/none").error


def test_rows_get_rows(server):
    wanted = server.infer("m", {"x": X})
    for instances in (X.tolist(), [{"x": row} for row in X.tolist()]):
        predictions = server.post(PREDICT, {"instances": instances}).json["predictions"]
        assert [sorted(each) for each in predictions] == [["p0", "y"]] * 2
        for name in ("y", "p0"):
            assert np.array_equal(np.array([each[name] for each in predictions], np.float32), wanted[name])
    columns = server.post("/v1/models/m/versions/1:predict", {"inputs": {"x": X.tolist()}}).json["outputs"]
    assert np.array_equal(np.array(columns["y"], np.float32), wanted["y"])
    assert server.post(PREDICT, {"inputs": X.tolist()}).json["outputs"] == columns


def test_several_inputs_and_one_output(serve, tmp_path):
    server = serve("m=%s" % save(tmp_path / "m", program_file.total()))
    request = {"instances": [{"a": [1, 2, 3], "b": [4, 5, 6]}, {"b": [0, 0, 0.5], "a": [1, 1, 1]}]}
    assert server.post(PREDICT, request).json == {"predictions": [[5, 7, 9], [1, 1, 1.5]]}
    assert server.post(PREDICT, {"inputs": {"a": [[1, 2, 3]], "b": [[1, 1, 1]]}}).json == {"outputs": [[2, 3, 4]]}
    for request, words in (({"instances": [[1, 2, 3]]}, "instance 0 is not an object"), ({"instances": [{"a": [1, 2, 3]}]}, "no input 'b'"),
                           ({"instances": [{"a": [1], "b": [1], "c": [1]}]}, "has 3 inputs"), ({"inputs": [[1]]}, "'inputs' is not an object")):
        answer = server.post(PREDICT, request)
        assert answer.status == 400 and words in answer.error


def test_elements_have_the_models_type(serve, tmp_path):
    server = serve("m=%s" % save(tmp_path / "m", program_file.doubled("int64")))
    assert server.post(PREDICT, {"instances": [[2**53 + 1, 2]]}).json == {"predictions": [[2**54 + 2, 4]]}
    answer = server.post(PREDICT, {"instances": [[1.5, 2]]})
    assert answer.status == 400 and "value 0 of its data is no INT64" in answer.error


def test_results_without_rows(serve, tmp_path):
    mean = program_file.operator("reduce_mean", {"X": ["x"]}, {"Out": ["m"]}, {"dim": [0], "keep_dim": True, "reduce_all": False})
    program = program_file.model([("x", "float32", (-1, 4))], [mean], [("m", "float32", (1, 4))])
    server = serve("m=%s" % save(tmp_path / "m", program))
    answer = server.post(PREDICT, {"instances": X.tolist()})
    assert answer.status == 501 and "'inputs' instead of 'instances'" in answer.error
    assert server.post(PREDICT, {"inputs": X.tolist()}).json == {"outputs": [[3, 4, 5, 6]]}


@pytest.mark.parametrize("request_, words", [
    ({}, "'instances'"), ({"instances": [[1] * 4], "inputs": [[1] * 4]}, "either"), ({"instances": 7}, "not a list"), ({"instances": []}, "no rows"),
    ({"instances": [[1, 2]]}, "has the shape [-1, 4]"), ({"instances": [[1] * 4, [1] * 3]}, "has 7 values"), ({"instances": [["a"] * 4]}, "value 0"),
    ({"instances": [{"z": [1] * 4}]}, "no input 'x'"), ({"instances": [None]}, "no FP32"), ({"inputs": {"x": 5}}, "not a list"),
])
def test_wrong_requests_are_told_what_is_wrong(server, request_, words):
    answer = server.post(PREDICT, request_)
    assert answer.status == 400 and words in answer.error, answer.body
    assert server.post(PREDICT, {"instances": X.tolist()}).status == 200


def test_statuses(server):
    for method, path, status in (("GET", PREDICT, 405), ("POST", "/v1/models/none:predict", 404), ("POST", "/v1/models/m", 405), ("GET", "/v1", 404),
                                 ("POST", "/v1/models/m/versions/7:predict", 404), ("POST", "/v1/models/m:explain", 405)):
        answer = server.ask(method, path)
        assert answer.status == status and answer.error, path
    for body in (b"", b"[1]", b"{", b'{"instances": ' + b"[" * 100_000):
        answer = server.ask("POST", PREDICT, body)
        assert answer.status == 400 and answer.error


def test_rows_run_together(serve, linear):
    server = serve("m=%s" % linear, "--instances", 1, "--max-queue-delay-us", 200_000)
    answers = {}

    def client(i):
        answers[i] = server.post(PREDICT, {"instances": [[i, 1, 2, 3]]}).json["predictions"][0]["y"]

    threads = [threading.Thread(target=client, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    batches = server.statistics("m")["batch_stats"]
    assert max(each["batch_size"] for each in batches) > 1
    for i in range(8):
        alone = server.infer("m", {"x": np.array([[i, 1, 2, 3]], np.float32)})["y"]
        assert np.array_equal(np.array([answers[i]], np.float32), alone)
