# SPDX-License-Identifier: Apache-2.0
"""Ensembles: models that a config.pbtxt joins answer what they answer one after the other, and each of their stages joins requests."""
import http.client
import json
import pathlib
import re
import shutil
import threading

import numpy as np
import predict_test
import program_file
import pytest
from conftest import Refused, looped, save, together
from predict_test import demo, predict, reader_arguments
from program_file import model, operator

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs" / "serving.md"
X = np.random.default_rng(1).standard_normal((2, 3)).astype(np.float32)


def tensors(kind, names, dims, dtype="TYPE_FP32"):
    return "".join('%s { name: "%s" data_type: %s dims: [ %s ] }\n' % (kind, name, dtype, dims) for name in names)


def step(name, inputs, outputs, version=-1):
    maps = "".join('    %s { key: "%s" value: "%s" }\n' % (kind, key, value)
                   for kind, map in (("input_map", inputs), ("output_map", outputs)) for key, value in map.items())
    return '  step {\n    model_name: "%s"\n    model_version: %d\n%s  }\n' % (name, version, maps)


def ensemble(folder, *steps, inputs=("IN",), outputs=("OUT",), dims="3", dtype="TYPE_FP32", rows=8, more=""):
    """Writes DIR/NAME/config.pbtxt."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.pbtxt").write_text('platform: "ensemble"\nmax_batch_size: %d\n' % rows + tensors("input", inputs, dims, dtype) + tensors("output", outputs, dims, dtype) +
                                         "ensemble_scheduling {\n%s}\n%s" % ("".join(steps), more))


def linear(folder, seed, config=None, width=3, layers=1):
    save(folder / "1", program_file.linear(width, layers, seed))
    if config is not None:
        (folder / "config.pbtxt").write_text(config)


def refused(status, why, server, name, inputs):
    with pytest.raises(Refused) as refusal:
        server.infer(name, inputs)
    assert refusal.value.answer.status == status and why in refusal.value.answer.error


@pytest.fixture
def diamond(tmp_path):
    """a; then b and c of what a gives, at the same time; then their total."""
    for seed, name in enumerate("abc"):
        linear(tmp_path / name, seed)
    save(tmp_path / "total" / "1", program_file.total())
    (tmp_path / "e" / "1").mkdir(parents=True)    # as Triton wants it
    ensemble(tmp_path / "e", step("total", {"a": "left", "b": "right"}, {"total": "OUT"}), step("b", {"x": "middle"}, {"y": "left"}),
             step("a", {"x": "IN"}, {"y": "middle", "p0": "PRODUCT"}), step("c", {"x": "middle"}, {"p0": "right"}), outputs=("OUT", "PRODUCT"))
    return tmp_path


def one_after_the_other(server, x):
    first = server.infer("a", {"x": x})
    left, right = server.infer("b", {"x": first["y"]})["y"], server.infer("c", {"x": first["y"]})["p0"]
    return {"OUT": server.infer("total", {"a": left, "b": right})["total"], "PRODUCT": first["p0"]}


def test_an_ensemble_answers_what_its_models_answer(serve, diamond):
    server = serve("--repository", diamond)
    assert server.get("/v2/health/ready").status == 200
    wanted, got = one_after_the_other(server, X), server.infer("e", {"IN": X})
    assert list(got) == ["OUT", "PRODUCT"] and all(got[name].tobytes() == wanted[name].tobytes() for name in wanted)
    assert np.abs(got["OUT"]).max() > 0
    only = server.post("/v2/models/e/infer", {"inputs": [{"name": "IN", "datatype": "FP32", "shape": [1, 3], "data": X[0].tolist()}],
                                              "outputs": [{"name": "OUT"}]})
    assert [o["name"] for o in only.json["outputs"]] == ["OUT"] and np.array_equal(np.float32(only.json["outputs"][0]["data"]), got["OUT"][0])
    predictions = server.post("/v1/models/e:predict", {"instances": X.tolist()}).json["predictions"]
    assert np.array_equal(np.float32([row["OUT"] for row in predictions]), got["OUT"])


def test_what_is_said_of_an_ensemble(serve, diamond):
    server = serve("--repository", diamond)
    metadata = server.get("/v2/models/e").json
    assert (metadata["platform"], metadata["versions"]) == ("ensemble", ["1"])
    assert metadata["inputs"] == [{"name": "IN", "datatype": "FP32", "shape": [-1, 3]}]
    config = server.get("/v2/models/e/config").json
    assert (config["platform"], config["backend"], config["max_batch_size"]) == ("ensemble", "", 8)
    assert config["ensemble_scheduling"]["step"][0] == {"model_name": "total", "model_version": -1, "input_map": {"a": "left", "b": "right"},
                                                        "output_map": {"total": "OUT"}}
    for _ in range(3):
        server.infer("e", {"IN": X})
    for name in ("e", "a", "b", "c", "total"):
        statistics = server.statistics(name)
        assert (statistics["inference_count"], statistics["execution_count"], statistics["inference_stats"]["success"]["count"]) == (6, 3, 3)
    assert {entry["name"]: entry["state"] for entry in server.post("/v2/repository/index").json} == dict.fromkeys(["a", "b", "c", "e", "total"], "READY")
    assert 'nv_inference_request_success{model="e",version="1"} 3' in server.metrics().body.decode()


def test_each_stage_joins_the_requests_of_eight_clients(serve, tmp_path):
    # A batch waits until it is full.
    for seed, name in enumerate("ab"):
        linear(tmp_path / name, seed, "max_batch_size: 8 dynamic_batching { max_queue_delay_microseconds: 60000000 }")
    (tmp_path / "e").mkdir()
    (tmp_path / "e" / "config.pbtxt").write_text(re.search(r'```\n(platform: "ensemble".*?)```', DOCS.read_text(), re.DOTALL)[1])
    server = serve("--repository", tmp_path, "--instances", 1)
    inputs = np.random.default_rng(2).standard_normal((8, 1, 3)).astype(np.float32)
    answers = {}

    def client(number):
        answers[number] = server.infer("e", {"IN": inputs[number]})["OUT"]

    together(8, client)
    for name in "ab":
        assert server.statistics(name)["batch_stats"] == [{"batch_size": 8, "execution_count": 1}]
    assert server.statistics("e")["batch_stats"] == [{"batch_size": 1, "execution_count": 8}]
    alone = server.infer("b", {"x": server.infer("a", {"x": inputs[:, 0]})["y"]})["y"]
    assert all(answers[number].tobytes() == alone[number].tobytes() for number in range(8))


def test_a_model_that_keeps_the_order_may_be_two_steps(serve, tmp_path):
    linear(tmp_path / "a", 1, "max_batch_size: 8 dynamic_batching { preserve_ordering: true }")
    ensemble(tmp_path / "e", step("a", {"x": "IN"}, {"y": "t"}), step("a", {"x": "t"}, {"y": "OUT"}))
    ensemble(tmp_path / "nested", step("e", {"IN": "IN"}, {"OUT": "t"}), step("a", {"x": "t"}, {"y": "OUT"}))
    server = serve("--repository", tmp_path)
    wanted = X
    for _ in range(3):
        wanted = server.infer("a", {"x": wanted})["y"]

    def client(_):
        for _ in range(20):
            assert server.infer("nested", {"IN": X})["OUT"].tobytes() == wanted.tobytes()

    together(4, client)


def test_offsets_of_sequences_go_through(serve, tmp_path):
    save(tmp_path / "s" / "1", program_file.sequences())
    ensemble(tmp_path / "e", step("s", {"x": "IN"}, {"twice": "t"}), step("s", {"x": "t"}, {"sums": "OUT"}), dims="-1, 2", rows=0)
    server = serve("--repository", tmp_path)
    x = np.arange(10, dtype=np.float32).reshape(5, 2)
    tensor = {"name": "IN", "datatype": "FP32", "shape": [5, 2], "data": x.ravel().tolist(), "parameters": {"lod": [[0, 2, 5]]}}
    answer = server.post("/v2/models/e/infer", {"inputs": [tensor]}).json
    assert answer["outputs"][0]["shape"] == [2, 2] and answer["outputs"][0]["data"] == [4, 8, 36, 42]


@pytest.fixture
def slow(serve, tmp_path):
    """A server with an ensemble whose second step runs as often as the request says."""
    save(tmp_path / "twice" / "1", program_file.doubled("float32"))
    save(tmp_path / "loop" / "1", looped())
    ensemble(tmp_path / "e", step("twice", {"x": "IN"}, {"y": "t"}), step("loop", {"x": "t", "n": "N"}, {"y": "OUT"}), dims="-1, 2", rows=0,
             more=tensors("input", ["N"], "1", "TYPE_INT64"))
    return serve("--repository", tmp_path, "--instances", 1)


def times(n):
    return {"IN": np.ones((1, 2), np.float32), "N": np.array([n], np.int64)}


def test_a_time_limit_is_that_of_all_steps(slow):
    with pytest.raises(Refused) as refusal:
        slow.infer("e", times(2**40), timeout=50_000)
    assert refusal.value.answer.status == 504 and refusal.value.answer.error.startswith("in ensemble 'e', model 'loop': ")
    assert [slow.statistics(name)["inference_stats"]["fail"]["count"] for name in ("e", "twice", "loop")] == [1, 0, 1]
    assert slow.infer("e", times(3), timeout=60_000_000)["OUT"].tolist() == [[16, 16]]


def test_a_client_that_hangs_up_ends_the_step_that_runs(slow):
    body = np.ones((1, 2), np.float32).tobytes() + np.array([2**40]).tobytes()
    head = json.dumps({"inputs": [{"name": name, "datatype": kind, "shape": shape, "parameters": {"binary_data_size": 8}}
                                  for name, kind, shape in (("IN", "FP32", [1, 2]), ("N", "INT64", [1]))]}).encode()
    connection = http.client.HTTPConnection("127.0.0.1", slow.port, timeout=60)
    connection.request("POST", "/v2/models/e/infer", head + body, {"Inference-Header-Content-Length": str(len(head))})
    slow.wait_until(lambda: slow.statistics("twice")["execution_count"] == 1)
    connection.close()
    slow.wait_until(lambda: slow.statistics("e")["inference_stats"]["fail"]["count"] == 1)
    assert 'nv_inference_request_failure{model="e",version="1",reason="CANCELED"} 1' in slow.metrics().body.decode()
    assert slow.infer("e", times(3))["OUT"].tolist() == [[16, 16]], "the run went on"


def test_models_are_loaded_again_and_unloaded_beside_their_ensemble(serve, diamond):
    server = serve("--repository", diamond, "--model-control", "explicit")
    answers, stop = set(), threading.Event()

    def client(_):
        while not stop.is_set():
            answers.add(server.infer("e", {"IN": X})["OUT"].tobytes())

    clients = threading.Thread(target=together, args=(3, client))
    clients.start()
    for seed in range(20, 25):
        linear(diamond / "a", seed)
        assert server.post("/v2/repository/models/a/load").status == 200
    stop.set()
    clients.join()
    assert server.statistics("e")["inference_stats"]["fail"]["count"] == 0 and len(answers) >= 1
    assert server.infer("e", {"IN": X})["OUT"].tobytes() == one_after_the_other(server, X)["OUT"].tobytes()
    assert server.post("/v2/repository/models/b/unload").status == 200
    refused(503, "ensemble 'e' cannot run now: model 'b' is not ready: unloaded", server, "e", {"IN": X})
    save(diamond / "b" / "1", model([("z", "float32", (-1, 3))], [operator("relu", {"X": ["z"]}, {"Out": ["y"]})], [("y", "float32", (-1, 3))]))
    assert server.post("/v2/repository/models/b/load").status == 200
    refused(503, "(model 'b') names the input 'x'; the model has 'z'", server, "e", {"IN": X})
    assert server.post("/v2/repository/models/e/load").status == 400
    # To load an ensemble loads what it needs.
    linear(diamond / "b", 1)
    for name in "be":
        assert server.post("/v2/repository/models/%s/unload" % name).status == 200
    assert server.post("/v2/repository/models/e/load").status == 200
    assert server.infer("e", {"IN": X})["OUT"].shape == (2, 3)


def test_an_ensemble_comes_with_its_models(serve, tmp_path):
    linear(tmp_path / "a", 1)
    ensemble(tmp_path / "e", step("later", {"x": "IN"}, {"y": "OUT"}))
    server = serve("--repository", tmp_path, "--model-control", "poll", "--poll-seconds", 1)
    assert server.get("/v2/models/e/ready").status == 503
    linear(tmp_path / "later", 1)
    server.wait_until(lambda: server.get("/v2/models/e/ready").status == 200)
    assert server.infer("e", {"IN": X})["OUT"].tobytes() == server.infer("a", {"x": X})["y"].tobytes()
    shutil.rmtree(tmp_path / "e")
    server.wait_until(lambda: server.get("/v2/models/e/ready").status == 404)


AB = (step("a", {"x": "IN"}, {"y": "t"}), step("b", {"x": "t"}, {"y": "OUT"}))
BAD = {
    "no model": ((step("none", {"x": "IN"}, {"y": "OUT"}),), {}, "needs another model: there is no model 'none'"),
    "no version": ((step("a", {"x": "IN"}, {"y": "OUT"}, 7),), {}, "needs another model: model 'a' has no version '7'"),
    "itself": ((step("e", {"IN": "IN"}, {"OUT": "OUT"}),), {}, "ensemble 'e' leads back to itself: e -> e"),
    "no such input": ((step("a", {"z": "IN"}, {"y": "OUT"}),), {}, "step 1 (model 'a') names the input 'z'; the model has 'x'"),
    "no such output": ((step("a", {"x": "IN"}, {"z": "OUT"}),), {}, "step 1 (model 'a') names the output 'z'; the model has 'y', 'p0'"),
    "input not mapped": ((step("total", {"a": "IN"}, {"total": "OUT"}),), {}, "step 1 (model 'total') has no input_map for the model's input 'b'"),
    "type": ((step("ints", {"x": "IN"}, {"y": "OUT"}),), {}, "the tensor 'IN' is FP32 in the ensemble's inputs, INT32 in the inputs of step 1 (model 'ints')"),
    "shape": ((step("a", {"x": "IN"}, {"y": "t"}), step("wide", {"x": "t"}, {"y": "OUT"})), {},
              "the tensor 't' is [-1, 3] in the outputs of step 1 (model 'a'), [-1, 4] in the inputs of step 2 (model 'wide'), with the batch"),
    "rank": (AB, {"rows": 0}, "the tensor 'IN' is [3] in the ensemble's inputs, [-1, 3] in the inputs of step 1 (model 'a')"),
    "rows": (AB, {"rows": 9}, "max_batch_size is 9, that of step 2 (model 'b') only 8"),
    "batching": (AB, {"more": "dynamic_batching { }"}, "has dynamic_batching, which belongs to the models of its steps"),
}


def test_wrong_ensembles_say_why_and_the_others_are_served(serve, tmp_path):
    linear(tmp_path / "a", 1)
    linear(tmp_path / "b", 2, "max_batch_size: 8")
    linear(tmp_path / "wide", 2, width=4)
    save(tmp_path / "ints" / "1", program_file.doubled("int32"))
    save(tmp_path / "total" / "1", program_file.total())
    ensemble(tmp_path / "good", *AB)
    for number, (steps, options, _) in enumerate(BAD.values()):
        name = "e%d" % number
        ensemble(tmp_path / name, *[each.replace('"e"', '"%s"' % name) for each in steps], **options)
    for one, other in ("fg", "gf"):
        ensemble(tmp_path / one, step(other, {"IN": "IN"}, {"OUT": "OUT"}))
    server = serve("--repository", tmp_path)
    index = {entry["name"]: entry for entry in server.post("/v2/repository/index").json}
    for number, (_, _, reason) in enumerate(BAD.values()):
        entry = index["e%d" % number]
        assert entry["state"] == "UNAVAILABLE" and reason.replace("'e'", "'e%d'" % number).replace("e -> e", "e%d -> e%d" % (number, number)) in entry["reason"], entry
    assert "UNAVAILABLE" == index["f"]["state"] == index["g"]["state"]
    assert server.infer("good", {"IN": X})["OUT"].shape == (2, 3)
    refused(400, "the request has 9 rows, model 'good' takes 8", server, "good", {"IN": np.ones((9, 3), np.float32)})


def test_a_ring_of_ensembles_cannot_be_made_by_loading_them_again(serve, tmp_path):
    linear(tmp_path / "a", 1)
    ensemble(tmp_path / "f", step("a", {"x": "IN"}, {"y": "OUT"}))
    ensemble(tmp_path / "g", step("f", {"IN": "IN"}, {"OUT": "OUT"}))
    server = serve("--repository", tmp_path, "--model-control", "explicit")
    ensemble(tmp_path / "f", step("g", {"IN": "IN"}, {"OUT": "OUT"}))
    answer = server.post("/v2/repository/models/f/load")
    assert answer.status == 400 and "ensemble 'f' leads back to itself: f -> g -> f" in answer.error
    assert server.infer("g", {"IN": X})["OUT"].shape == (2, 3)


def reader(folder, **models):
    folder.mkdir(parents=True, exist_ok=True)
    parameters = ['parameters { key: "%s" value { string_value: "%s" } }\n' % each for each in models.items()]
    (folder / "config.pbtxt").write_text('platform: "coracle_reader"\n' + "".join(parameters))


def test_a_repository_with_a_reader_is_a_whole_service(serve, reader_arguments, tmp_path):
    models = tmp_path / "models"
    models.mkdir()
    for name, path in zip(("det", "rec", "cls"), ("ch_PP-OCRv4_det_infer", "ch_PP-OCRv4_rec_infer", "ch_ppocr_mobile_v2_cls_infer")):
        (models / name).symlink_to(demo(path))
    reader(models / "ocr", detector="det", recognizer="rec", classifier="cls", dictionary="keys.txt")
    shutil.copy(predict_test.DEMO / "ch_ppocr_rec" / "ppocr_keys_v1.txt", models / "ocr" / "keys.txt")
    reader(models / "a", detector="det", recognizer="none")
    reader(models / "b", detector="det", recognizer="rec", dictionary="none.txt")
    reader(models / "c", detector="det", recogniser="rec")
    config = tmp_path / "serve.conf"
    config.write_text('repository = "%s"\nmodel-control = "explicit"\n' % models)
    server, page = serve("--config", config), predict_test.PAGE.read_bytes()
    wanted = predict(serve(*reader_arguments), "ocr", page).json
    assert predict(server, "ocr", page).json == wanted and len(wanted["lines"]) > 3
    assert predict(server, "ocr/versions/1", page, "?threshold=0.99").json["lines"] != wanted["lines"]
    assert server.get("/v2/models/ocr").json == {"name": "ocr", "versions": ["1"], "platform": "coracle_reader", "inputs": [], "outputs": []}
    assert {"name": "ocr", "models": ["det", "rec", "cls"]} in server.get("/page/server.json").json["readers"]
    reasons = {entry["name"]: entry.get("reason") for entry in server.post("/v2/repository/index").json}
    assert "reader 'a' needs another model: there is no model 'none'" in reasons["a"]
    assert "reader 'b' needs the dictionary %s, which is not a file" % (models / "b" / "none.txt") in reasons["b"]
    assert "reader 'c' has the parameter 'recogniser', expected detector" in reasons["c"]
    answer = server.post("/v2/models/ocr/infer", {"inputs": []})
    assert answer.status == 400 and "it takes pictures, at /v2/models/ocr/predict" in answer.error
    # Another recogniser makes another reader; without one it does not read.
    reader(models / "ocr", detector="det", recognizer="rec", dictionary="keys.txt")
    assert server.post("/v2/repository/models/ocr/load").status == 200
    assert predict(server, "ocr", page).status == 200
    assert server.get("/page/server.json").json["readers"][-1]["models"] == ["det", "rec"]
    assert server.post("/v2/repository/models/rec/unload").status == 200
    answer = predict(server, "ocr", page)
    assert answer.status == 503 and "model 'rec' is not ready" in answer.error
    assert server.post("/v2/repository/models/ocr/unload").status == 200
    assert predict(server, "ocr", page).status == 503
