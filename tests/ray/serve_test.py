# SPDX-License-Identifier: Apache-2.0
"""Ray Serve: answers by handle and over HTTP, requests that run together, and what fails alone."""
import json
import pathlib
import urllib.error
import urllib.request

import coracle
import coracle.ray
import numpy as np
import program_file
import pytest
from conftest import ROOT, WIDTH, inputs, long
from coracle._ray_serve import Together
from ray import serve

OBJECTS = {"model": ROOT / "tests/vision/objects", "description": ROOT / "tests/vision/descriptions/objects.yml"}
PORT = 18473


class Counted:
    """A stage that says how many rows each of its calls had."""

    def __init__(self, stage):
        self.stage, self.calls = stage, []

    def __call__(self, batch):
        self.calls.append(len(batch.get("x", ())))
        return self.stage(batch)


def test_requests_that_fit_run_together(folder, expected):
    stage = Counted(coracle.batch.Predictor(folder, outputs="y"))
    together = Together(stage)
    requests = [{"x": inputs([0])}, {"x": inputs([1, 2])}, {"x": inputs([3])}]
    for calls in ([4, 1, 2, 1], [4]):   # The first batch of its kind is proved.
        stage.calls.clear()
        answers = together(requests)
        assert stage.calls == calls and np.array_equal(np.concatenate([a["y"] for a in answers]), expected[:4])
    wrong = together([*requests, {"x": np.ones((1, WIDTH + 1), np.float32)}, {}])
    assert np.array_equal(wrong[1]["y"], expected[1:3])
    assert all(isinstance(each, coracle.InvalidArgumentError) for each in wrong[3:])


def test_a_model_whose_rows_depend_on_each_other_runs_alone(tmp_path, caplog):
    mean = program_file.operator("reduce_mean", {"X": ["x"]}, {"Out": ["m"]}, {"dim": [0], "keep_dim": True, "reduce_all": False})
    less = program_file.operator("elementwise_sub", {"X": ["x"], "Y": ["m"]}, {"Out": ["y"]}, {"axis": -1})
    for suffix, data in zip((".pdmodel", ".pdiparams"), program_file.model([("x", "float32", (-1, 4))], [mean, less], [("y", "float32", (-1, 4))])):
        (tmp_path / ("inference" + suffix)).write_bytes(data)
    together = Together(coracle.batch.Predictor(tmp_path))
    for _ in range(2):
        answers = together([{"x": np.full((1, 4), value, np.float32)} for value in (1, 5)])
        assert [a["y"].tolist() for a in answers] == [[[0] * 4]] * 2
    assert len([r for r in caplog.records if "one by one from now on" in r.getMessage()]) == 1


def test_replicas_are_one_number_or_two(folder):
    with pytest.raises(coracle.InvalidArgumentError, match="the least and the most"):
        coracle.ray.deployment(folder, replicas=(3, 1))


@pytest.fixture(scope="module")
def serving(local):
    serve.start(http_options={"host": "127.0.0.1", "port": PORT})
    yield
    serve.shutdown()


def post(path, body):
    with urllib.request.urlopen(urllib.request.Request("http://127.0.0.1:%d%s" % (PORT, path), body), timeout=60) as answer:
        return json.load(answer)


@long
def test_a_deployment(serving, folder, expected):
    application = coracle.ray.deployment(coracle.ray.Predictor(folder, outputs="y"), replicas=2, num_cpus=0.5, max_batch_size=16,
                                         batch_wait_timeout_s=0.005, options={"name": "linear", "max_ongoing_requests": 32})
    handle = serve.run(application, name="linear", route_prefix="/linear")
    pending = [handle.remote({"x": inputs([number])}) for number in range(100)]
    assert np.array_equal(np.concatenate([each.result()["y"] for each in pending]), expected[:100])
    request = {"id": "7", "inputs": [{"name": "x", "datatype": "FP32", "shape": [2, WIDTH], "data": inputs([3, 4]).tolist()}]}
    answer = post("/linear", json.dumps(request).encode())
    output, = answer["outputs"]
    assert answer["id"] == "7" and output["name"] == "y" and output["datatype"] == "FP32" and output["shape"] == [2, WIDTH]
    assert np.array_equal(np.array(output["data"], np.float32).reshape(2, WIDTH), expected[3:5])
    for body in (b"{}", b"no JSON", json.dumps({"inputs": []}).encode()):
        with pytest.raises(urllib.error.HTTPError) as refused:
            post("/linear", body)
        assert refused.value.code == 400 and json.load(refused.value)["error"]


@long
def test_pictures_over_http(serving):
    picture = pathlib.Path(ROOT / "examples/ocr/demo.jpg")
    serve.run(coracle.ray.deployment(coracle.ray.PicturePredictor(**OBJECTS)), name="objects", route_prefix="/objects")
    assert post("/objects", picture.read_bytes()) == {"prediction": coracle.pipeline(**OBJECTS)(picture).to_dict()}
    with pytest.raises(urllib.error.HTTPError) as refused:
        post("/objects", b"no picture")
    assert refused.value.code == 400
