# SPDX-License-Identifier: Apache-2.0
"""Predictors for engines that spread work (coracle.batch, coracle.spark), without these engines: tests/ray has them."""
import inspect
import json
import pathlib
import pickle
import subprocess
import sys
import threading
import types

import coracle
import coracle.batch
import coracle.spark
import numpy as np
import program_file
import pytest
from coracle import _library

ROOT = pathlib.Path(__file__).resolve().parents[2]
PICTURE = ROOT / "examples/ocr/demo.jpg"
OBJECTS = {"model": ROOT / "tests/vision/objects", "description": ROOT / "tests/vision/descriptions/objects.yml"}

needs_vision = pytest.mark.skipif(not _library.PATH.with_name("libcoracle_vision.so").exists(), reason="this build has no libcoracle_vision")


@pytest.fixture
def folder(linear_files):
    return linear_files[0].parent


def numbers(rows, width=4, seed=1):
    return np.random.default_rng(seed).standard_normal((rows, width)).astype(np.float32)


def test_results_are_those_of_a_plain_loop(folder, linear):
    x = numbers(32)
    one_by_one = [linear.session(1).run(row[None]) for row in x]
    predict = coracle.batch.Predictor(folder)
    for size in (1, 7, 32):
        answers = [predict({"x": x[at:at + size], "id": np.arange(32)[at:at + size]}) for at in range(0, 32, size)]
        assert list(answers[0]) == ["id", "y", "p0"]
        for name in ("y", "p0"):
            assert np.array_equal(np.concatenate([a[name] for a in answers]), np.concatenate([a[name] for a in one_by_one]))
        assert np.concatenate([a["id"] for a in answers]).tolist() == list(range(32))


def test_it_is_pickled_small_and_loads_at_its_first_call(folder, monkeypatch):
    loads = []
    load = coracle.batch._model.load
    monkeypatch.setattr(coracle.batch._model, "load", lambda *a, **k: (loads.append(k), load(*a, **k))[1])
    monkeypatch.setattr(inspect, "signature", lambda _, signature=inspect.signature(load): signature)
    monkeypatch.setattr(coracle.batch, "_loaded", {})
    monkeypatch.chdir(folder.parent)
    predict = coracle.batch.Predictor(folder.name, precision="strict")
    copies = [pickle.loads(pickle.dumps(predict)) for _ in range(3)]
    assert len(pickle.dumps(predict)) < 1000 and not loads
    answers = []
    threads = [threading.Thread(target=lambda c=c: answers.append(c({"x": numbers(2)})["y"])) for c in copies * 3]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 9 and all(np.array_equal(answers[0], a) for a in answers)
    assert len(loads) == 1 and loads[0]["precision"] == "strict" and loads[0]["path"] == str(folder)
    predict({"x": numbers(2)})
    assert len(pickle.dumps(predict)) < 1000   # What was loaded is no part of it.
    for width in range(20):
        coracle.batch.Predictor(folder, weights_cache_bytes=width).load()
    assert len(coracle.batch._loaded) == 8


def test_read_only_arrays_are_read_where_they_are(folder):
    predict = coracle.batch.Predictor(folder)
    x = np.frombuffer(numbers(6).tobytes(), np.float32).reshape(6, 4)
    assert not x.flags.writeable
    answer = predict({"x": x})
    assert predict._runs()._local.session._arrays[0] is x
    assert np.array_equal(answer["y"], predict({"x": numbers(6)})["y"])


def test_columns_have_other_names(folder):
    predict = coracle.batch.Predictor(folder, columns={"x": "pixels"}, outputs={"y": "score"}, keep="id")
    answer = predict({"pixels": numbers(3), "id": [1, 2, 3], "more": [0, 0, 0]})
    assert list(answer) == ["id", "score"] and answer["score"].shape == (3, 4)
    assert list(coracle.batch.Predictor(folder, outputs="p0")({"x": numbers(3)})) == ["p0"]
    nothing = predict({"pixels": numbers(0), "id": []})
    assert nothing["score"].shape == (0, 4) and nothing["score"].dtype == np.float32


def test_rows_of_different_shapes_run_in_groups(tmp_path):
    for suffix, data in zip((".pdmodel", ".pdiparams"), program_file.doubled("float32")):
        (tmp_path / ("inference" + suffix)).write_bytes(data)
    predict = coracle.batch.Predictor(tmp_path)
    rows = np.empty(4, object)
    for row, length in enumerate((2, 3, 2, 5)):
        rows[row] = np.full(length, row, np.float32)
    assert [v.tolist() for v in predict({"x": rows})["y"]] == [[0, 0], [2, 2, 2], [4, 4], [6, 6, 6, 6, 6]]
    alike = predict({"x": [np.ones(2, np.float32), np.zeros(2, np.float32)]})["y"]
    assert alike.dtype == np.float32 and alike.tolist() == [[2, 2], [0, 0]]


def test_what_is_wrong_is_said(folder, tmp_path):
    predict = coracle.batch.Predictor(folder)
    for words, batch in (("no column 'x' for the input x: float32.*has 'a', 'b'", {"a": [1], "b": [2]}),
                         ("columns of one length, given 'x' of 2, 'id' of 1", {"x": numbers(2), "id": [1]}),
                         ("given none", {}),
                         ("takes elements of type float32, given float64", {"x": np.ones((2, 4))}),
                         ("'y' would be kept and also be a result", {"x": numbers(2), "y": [1, 2]})):
        with pytest.raises(coracle.InvalidArgumentError, match=words):
            predict(batch)
    with pytest.raises(TypeError, match="treads"):
        coracle.batch.Predictor(folder, treads=2)
    with pytest.raises(coracle.MissingFileError):
        coracle.batch.Predictor("/nowhere").load()
    mean = program_file.operator("reduce_mean", {"X": ["x"]}, {"Out": ["y"]}, {"dim": [0], "keep_dim": True, "reduce_all": False})
    for suffix, data in zip((".pdmodel", ".pdiparams"), program_file.model([("x", "float32", (-1, 4))], [mean], [("y", "float32", (1, 4))])):
        (tmp_path / ("mean" + suffix)).write_bytes(data)
    with pytest.raises(coracle.InvalidArgumentError, match=r"'y' has the shape \[1, 4\] for a batch of 2 rows"):
        coracle.batch.Predictor(tmp_path / "mean.pdmodel")({"x": numbers(2)})


def test_threads_are_those_that_an_engine_assigns(monkeypatch):
    for name in ("ray", "pyspark", "distributed"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    assert coracle.batch.assigned_threads() == coracle.default_threads()

    def ray(resources, initialized=True):
        def assigned():
            assert resources is not None
            return resources
        context = types.SimpleNamespace(get_assigned_resources=assigned)
        return types.SimpleNamespace(is_initialized=lambda: initialized, get_runtime_context=lambda: context)

    for module, threads in ((ray({"CPU": 3.0}), 3), (ray({"CPU": 0.5}), 1), (ray({}), 1), (ray(None), coracle.default_threads()),
                            (ray({"CPU": 3.0}, initialized=False), coracle.default_threads())):
        monkeypatch.setitem(sys.modules, "ray", module)
        assert coracle.batch.assigned_threads() == threads
    monkeypatch.delitem(sys.modules, "ray")
    task = types.SimpleNamespace(cpus=lambda: 2)
    monkeypatch.setitem(sys.modules, "pyspark", types.SimpleNamespace(TaskContext=types.SimpleNamespace(get=lambda: task)))
    assert coracle.batch.assigned_threads() == 2
    task = None
    monkeypatch.setitem(sys.modules, "distributed", types.SimpleNamespace(get_worker=lambda: None))
    assert coracle.batch.assigned_threads() == 1


MAPPED = """
import coracle.batch, numpy, sys
coracle.batch.Predictor(sys.argv[1])({"x": numpy.ones((1, 1024), "float32")})
lines = iter(open("/proc/self/smaps"))
kib = dict.fromkeys(("Rss", "Private_Dirty"), 0)
for line in lines:
    if sys.argv[1] in line:
        for line in lines:
            name, *rest = line.split()
            if name == "VmFlags:":
                break
            if name[:-1] in kib:
                kib[name[:-1]] += int(rest[0])
print(kib["Rss"], kib["Private_Dirty"])
"""


def test_workers_share_the_weights_of_a_saved_model(tmp_path):
    model = coracle.load_memory(*program_file.linear(1024))
    model(np.ones((1, 1024), np.float32))
    model.save(tmp_path / "m.coracle", packed=True)
    resident, own = map(int, subprocess.check_output([sys.executable, "-c", MAPPED, str(tmp_path / "m.coracle")]).split())
    if resident == 0:
        pytest.skip("files of the file system of %s are not mapped" % tmp_path)
    assert resident > 1000 and own == 0   # KiB, of 4 MiB of weights.


def test_a_function_for_spark(folder, linear):
    make = pickle.loads(pickle.dumps(coracle.spark.predict_fn(folder, outputs="y")))
    predict = make()
    assert len(inspect.signature(predict).parameters) == 1
    assert np.array_equal(predict(numbers(7)), linear(numbers(7))["y"])
    both = coracle.spark.predict_fn(folder, outputs={"y": "a", "p0": "b"})()(numbers(3))
    assert list(both) == ["a", "b"] and both["a"].shape == (3, 4)


def test_a_function_for_spark_takes_a_column_for_each_input(tmp_path):
    for suffix, data in zip((".pdmodel", ".pdiparams"), program_file.total()):
        (tmp_path / ("inference" + suffix)).write_bytes(data)
    predict = coracle.spark.predict_fn(tmp_path)()
    assert len(inspect.signature(predict).parameters) == 2
    assert predict(np.ones((2, 3), np.float32), np.full((2, 3), 2, np.float32)).tolist() == [[3, 3, 3]] * 2


@needs_vision
def test_pictures(tmp_path):
    expected = coracle.pipeline(**OBJECTS)(PICTURE).to_dict()
    predict = pickle.loads(pickle.dumps(coracle.batch.PicturePredictor(**OBJECTS, errors="column")))
    data = PICTURE.read_bytes()
    answer = predict({"path": ["a", "b"], "bytes": [data, b"no picture"]})
    assert list(answer) == ["path", "prediction", "error"] and answer["path"] == ["a", "b"]
    assert json.loads(answer["prediction"][0]) == expected and answer["prediction"][1] == ""
    assert answer["error"][0] == "" and answer["error"][1]
    with pytest.raises(coracle.Error):
        coracle.batch.PicturePredictor(**OBJECTS)({"bytes": [b"no picture"]})
    assert json.loads(predict({"path": [str(PICTURE)]})["prediction"][0]) == expected
    for words, batch in (("no column 'image', 'bytes' or 'path' of pictures; it has 'a'", {"a": [1]}), ("one length", {})):
        with pytest.raises(coracle.InvalidArgumentError, match=words):
            predict(batch)
    with pytest.raises(coracle.InvalidArgumentError, match="'raise' or 'column'"):
        coracle.batch.PicturePredictor("m", errors="ignore")
    with pytest.raises(TypeError, match="tasks"):
        coracle.batch.PicturePredictor("m", tasks="x")


@needs_vision
def test_texts():
    models = ROOT / "build/demo-models/models"
    if not (models / "ch_PP-OCRv4_det_infer").is_dir():
        pytest.skip("scripts/demo-models.sh fetches the models")
    chosen = {"detector": models / "ch_PP-OCRv4_det_infer", "recognizer": models / "ch_PP-OCRv4_rec_infer",
              "dictionary": models.parent / "ch_ppocr_rec/ppocr_keys_v1.txt"}
    expected = coracle.ocr(**chosen)(PICTURE)
    answer = coracle.batch.TextReader(**chosen)({"path": [str(PICTURE)], "id": [7]})
    assert list(answer) == ["id", "text", "lines"]
    assert answer["text"][0] == expected.text and expected.text
    assert json.loads(answer["lines"][0]) == expected.to_dict()["lines"]
