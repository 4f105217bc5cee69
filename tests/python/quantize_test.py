# SPDX-License-Identifier: Apache-2.0
"""coracle.quantize: the same bytes as of the program, and what it says where something is wrong."""
import json
import os
import pathlib
import signal
import subprocess
import sys

import coracle
import numpy as np
import program_file
import pytest

SETS = 20


def program():
    """The program of the same build."""
    path = pathlib.Path(os.environ.get("CORACLE_LIBRARY", "")).with_name("coracle")
    if not path.is_file():
        pytest.skip("there is no program %s beside the library" % path)
    return path


def product(x, weights, y):
    return program_file.operator("matmul_v2", {"X": [x], "Y": [weights]}, {"Out": [y]}, {"trans_x": False, "trans_y": False})


def write(folder, content):
    """The path of the program of a model of program_file."""
    for suffix, data in zip((".pdmodel", ".pdiparams"), content):
        (folder / ("model" + suffix)).write_bytes(data)
    return folder / "model.pdmodel"


@pytest.fixture
def model(tmp_path):
    """r = relu(x w0), y = r w1, for x float32 [?, 64]."""
    random = np.random.default_rng(0)
    weights = {name: random.standard_normal((64, 64)).astype(np.float32) / 8 for name in ("w0", "w1")}
    operators = [product("x", "w0", "p"), program_file.operator("relu", {"X": ["p"]}, {"Out": ["r"]}), product("r", "w1", "y")]
    kind = "float32", (-1, 64)
    return write(tmp_path, program_file.model([("x", *kind)], operators, [("y", *kind), ("r", *kind)], weights))


@pytest.fixture
def data():
    random = np.random.default_rng(1)
    return [random.standard_normal((3, 64)).astype(np.float32) for _ in range(SETS)]


def write_times(folder, *layers):
    """The path of a table of times of the layers of the model."""
    path = folder / "times.json"
    path.write_text(json.dumps({"layers": [{"name": name, "times_ms": times} for name, times in zip("py", layers)]}))
    return path


def files(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.mark.parametrize("options, arguments", [
    ({}, []),
    ({"method": "minmax", "keep": ["w0"]}, ["--method", "minmax", "--keep", "w0"]),
    ({"method": "percentile", "percentile": 99.5, "scaling": "none", "bias_correction": False},
     ["--method", "percentile", "--percentile", "99.5", "--scaling", "none", "--no-bias-correction"]),
    ({"min_snr": 200}, ["--min-snr", "200"]),
    ({"weights_only": "int8"}, ["--weights-only", "int8"]),
    ({"weights_only": "int4"}, ["--weights-only", "int4"]),
    ({"half": True}, ["--half"]),
    ({"max_error": 0.001, "error_metric": "max"}, ["--max-error", "0.001", "--error-metric", "max"]),
    ({"type": "auto", "max_error": 0.5, "times": "TIMES"}, ["--type", "auto", "--max-error", "0.5", "--times", "TIMES"]),
])
def test_writes_what_the_program_writes(model, data, tmp_path, options, arguments):
    if "times" in options:   # the second layer is faster with float32
        times = write_times(tmp_path, {"int8": 1, "float32": 2}, {"int8": 2, "float32": 1})
        options, arguments = dict(options, times=times), [times if each == "TIMES" else each for each in arguments]
    report = coracle.quantize(model, data, tmp_path / "function", **options)
    sets = []
    for number, x in enumerate(data):
        np.save(tmp_path / ("%03d.npy" % number), x)
        sets += ["--data", tmp_path / ("%03d.npy" % number)]
    done = subprocess.run([program(), "quantize", model, *sets, "-o", tmp_path / "program", "--json", "--report", tmp_path / "page.html",
                           *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert files(tmp_path / "function") == files(tmp_path / "program")
    assert report.to_dict() == dict(json.loads(done.stdout), output=str(tmp_path / "function"))
    assert report.html() == (tmp_path / "page.html").read_text().replace(str(tmp_path / "program"), str(tmp_path / "function"))


def test_reports(model, data, tmp_path):
    report = coracle.quantize(model, data, tmp_path / "int8", method="minmax", keep=["w0"])
    assert (report.weights, report.method, report.operands_are_quantized) == ("int8", "minmax", True)
    assert (report.sets, report.calibration_sets, report.compared_sets) == (20, 16, 4)
    kept, quantized = report.layers
    assert (kept.weights, kept.quantized, kept.stored, kept.operator) == ("w0", False, None, "matmul_v2")
    assert (quantized.weights, quantized.quantized, quantized.stored, quantized.method, quantized.reason) == ("w1", True, "int8", "minmax", None)
    assert quantized.operand_range > 0 and quantized.operand_signal_to_noise_db > 30 and quantized.weights_signal_to_noise_db > 30
    assert report.quantized_bytes < report.original_bytes
    assert [output.name for output in report.outputs] == ["y", "r"]
    assert report.outputs[0].signal_to_noise_db > 25 and 0 <= report.outputs[0].drop <= 100
    assert "1 of 2 layers with int8" in str(report) and "y: signal to noise" in str(report)
    assert "1 of 2 layers" in report._repr_html_() and "<table>" in report._repr_html_()
    report.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == report.html() and report.html().startswith("<!doctype html>")
    with pytest.raises(coracle.FileError, match="nowhere"):
        report.save(tmp_path / "nowhere" / "page.html")
    x = data[0]
    near = coracle.load(tmp_path / "int8")(x)["y"], coracle.load(model)(x)["y"]
    assert np.abs(near[0] - near[1]).max() < 0.1 and not np.array_equal(*near)


def test_precisions_are_chosen_within_a_bound(model, data, tmp_path):
    steps = []
    report = coracle.quantize(model, data, tmp_path / "auto.coracle", type="auto", max_error=0.02, threads=1,
                              progress=lambda step, done, total: steps.append(step))
    assert report.automatic["max_error"] == 0.02 and report.automatic["error"] <= 0.02 and report.automatic["error_metric"] == "rms"
    assert set(report.automatic["times_ms"]) == {"float32", "int8", "chosen"} and "times" in steps and "choice" in steps
    for layer in report.layers:
        assert layer.precision in ("int8", "float32") and layer.quantized == (layer.precision == "int8") and layer.reason
        assert layer.times_ms["int8"] > 0 and layer.times_ms["float32"] > 0 and layer.errors["float32"] == 0 < layer.errors["int8"]
    assert "error (rms) " in str(report) and "of at most 0.02; " in report._repr_html_()
    assert report.outputs[0].rms_error <= 0.02
    exact, near = coracle.load(model), coracle.load(tmp_path / "auto.coracle")
    for x in data:
        for name in "yr":
            expected = exact(x)[name].astype(np.float64)
            assert np.sqrt(((near(x)[name] - expected) ** 2).sum() / (expected ** 2).sum()) <= 0.02


def test_times_of_another_machine_stand_for_measuring(model, data, tmp_path):
    slow, fast = {"int8": 1, "float32": 1.1}, {"int8": 1, "float32": 5}
    both = coracle.quantize(model, data, tmp_path / "both", type="auto", max_error=1, times=write_times(tmp_path, fast, fast))
    assert [layer.precision for layer in both.layers] == ["int8", "int8"] and both.automatic["times"].endswith("times.json")
    assert "int8: 2" in str(both)
    bound = (both.automatic["error"] + max(layer.errors["int8"] for layer in both.layers)) / 2
    one = coracle.quantize(model, data, tmp_path / "one", type="auto", max_error=bound, times=write_times(tmp_path, fast, slow))
    assert [layer.precision for layer in one.layers] == ["int8", "float32"]
    assert one.layers[1].reason == "with it in int8 the answers are too far away"
    assert one.automatic["error"] <= bound < both.automatic["error"]
    again = coracle.quantize(model, data, tmp_path / "again", type="auto", max_error=bound, times=str(tmp_path / "times.json"), threads=2)
    assert files(tmp_path / "one") == files(tmp_path / "again") and again.layers == one.layers


def test_forms_of_data(model, data, tmp_path):
    """Lists, generators that fill one array, dicts, tuples, lists of one array, models that are loaded."""
    expected = None
    buffer = np.empty((3, 64), np.float32)

    def refilled():
        for x in data:
            buffer[:] = x
            yield buffer

    for number, given in enumerate((data, refilled(), ({"x": x} for x in data), [(x,) for x in data], [[x] for x in data],
                                    [x.tolist() for x in data], [np.asfortranarray(x) for x in data])):
        source = model if number else coracle.load(model)
        coracle.quantize(source, given, tmp_path / str(number), method="minmax", scaling="none")
        expected = expected or files(tmp_path / "0")
        assert files(tmp_path / str(number)) == expected, number


def test_inputs_in_their_order(tmp_path):
    """Of a model with two."""
    weights = np.random.default_rng(3).standard_normal((8, 8)).astype(np.float32)
    operators = [program_file.operator("elementwise_add", {"X": ["a"], "Y": ["b"]}, {"Out": ["s"]}, {"axis": -1}), product("s", "w", "y")]
    kind = "float32", (-1, 8)
    two = write(tmp_path, program_file.model([("a", *kind), ("b", *kind)], operators, [("y", *kind), ("s", *kind)], {"w": weights}))
    random = np.random.default_rng(4)
    pairs = [tuple(random.standard_normal((2, 2, 8)).astype(np.float32)) for _ in range(SETS)]
    coracle.quantize(two, pairs, tmp_path / "tuples")
    coracle.quantize(two, [{"b": b, "a": a} for a, b in pairs], tmp_path / "names")
    assert files(tmp_path / "tuples") == files(tmp_path / "names")
    with pytest.raises(coracle.InvalidArgumentError, match=r"data\[0\]: the model has 2 inputs, given 3 in their order: 'a', 'b'"):
        coracle.quantize(two, [(1, 2, 3)] * 20, tmp_path / "out")
    with pytest.raises(coracle.InvalidArgumentError, match=r"data\[0\]: the model has 2 inputs, give a dict"):
        coracle.quantize(two, [pairs[0][0]] * 20, tmp_path / "out")
    with pytest.raises(coracle.InvalidArgumentError, match=r"data\[0\]: the input 'b' is not given"):
        coracle.quantize(two, [{"a": pairs[0][0]}] * 20, tmp_path / "out")


def test_what_is_wrong_is_told(model, data, tmp_path):
    out = tmp_path / "out"

    def refused(kind, match, given=data, source=model, **options):
        with pytest.raises(kind, match=match):
            coracle.quantize(source, given, options.pop("output", out), **options)
        assert not out.exists()

    wrong = coracle.InvalidArgumentError
    for none in (None, [], iter(())):
        refused(wrong, "ranges of values are measured with real inputs: give data", none)
    refused(wrong, "data is a ndarray, expected an iterable of sets", data[0])
    refused(wrong, "data is a dict, expected an iterable of sets", {"x": data[0]})
    refused(wrong, "data is 7, expected an iterable of sets", 7)
    refused(wrong, r"data\[0\]: the model has no input 'z'; it has 'x'", [{"z": data[0]}])
    refused(wrong, r"data\[1\]: input 'x' takes elements of type float32, given float64", [data[0], data[1].astype("float64")])
    refused(wrong, r"data\[1\]: input 'x'.*rank|data\[1\]: .*dimensions", [data[0], data[1][0]])
    refused(coracle.Error, r"data\[1\]: ", [data[0], data[1][:, :5]])
    infinite = data[2].copy()
    infinite[1, 2] = np.inf
    refused(wrong, r"data\[2\]: the input 'x' has a value at 66 that is not a finite number", data[:2] + [infinite] + data[3:])
    refused(wrong, "method is 'kll', expected auto, .*; did you mean 'kl'", method="kll")
    refused(wrong, "there is no option 'metod' of quantising; did you mean 'method'", metod="kl")
    refused(wrong, "percentile is '30', expected a number from 50 to 100|percentile is '30.0'", percentile=30)
    refused(wrong, "half excludes method", half=True, method="kl")
    refused(wrong, "type auto chooses within a bound: give max_error", type="auto")
    refused(coracle.FileError, "there is no such file of times", type="auto", max_error=1, times=tmp_path / "none.json")
    refused(wrong, "answers are compared with real inputs", None, half=True, max_drop=1)
    refused(wrong, "keep nowhere", keep=["nowhere"])
    refused(wrong, "threads is -1", threads=-1)
    refused(wrong, "the model itself is there", output=model)
    refused(wrong, "loaded from memory", source=coracle.load_memory(*program_file.linear()))
    refused(coracle.MissingFileError, "none.pdmodel", source=tmp_path / "none.pdmodel")
    (tmp_path / "file").write_text("no folder")
    refused(coracle.FileError, "cannot be made", output=tmp_path / "file" / "out")
    coracle.load(model).save(tmp_path / "saved.coracle")
    refused(coracle.UnsupportedError, "only Paddle's own files", source=tmp_path / "saved.coracle")
    coracle.quantize(model, None, tmp_path / "half", half=True)
    coracle.quantize(model, data, tmp_path / "int8", method="minmax")
    refused(coracle.UnsupportedError, "quantised already", source=tmp_path / "int8")


def test_what_data_and_progress_raise_comes_out(model, data, tmp_path):
    class Broken:
        def __len__(self):
            return SETS

        def __getitem__(self, number):
            if number == 5:
                raise KeyError("no picture 5")
            return data[number]

    with pytest.raises(KeyError, match="no picture 5"):
        coracle.quantize(model, Broken(), tmp_path / "out")
    told = []

    def progress(step, done, total):
        told.append((step, done, total))
        if done == 3:
            raise StopIteration("enough")

    with pytest.raises(StopIteration, match="enough"):
        coracle.quantize(model, data, tmp_path / "out", progress=progress)
    assert told == [("calibration", done, 32) for done in (1, 2, 3)]
    assert not (tmp_path / "out").exists()


def test_state_goes_on(model, data, tmp_path):
    coracle.quantize(model, data, tmp_path / "expected")
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(coracle.FileError):
        coracle.quantize(model, data, tmp_path / "file" / "out", state=tmp_path / "state")
    assert (tmp_path / "state").exists()
    steps = set()
    coracle.quantize(model, data, tmp_path / "out", state=tmp_path / "state", progress=lambda step, done, total: steps.add(step))
    assert "calibration" not in steps
    assert files(tmp_path / "out") == files(tmp_path / "expected") and not (tmp_path / "state").exists()


def test_ctrl_c_ends_it(tmp_path):
    """In a process of its own, as programs have it: at once, and nothing is written."""
    model = write(tmp_path, program_file.linear(256, 24))
    script = """
import sys, numpy as np, coracle
data = [np.ones((200, 256), np.float32) * n for n in range(1, 400)]
try:
    coracle.quantize(sys.argv[1], data, sys.argv[2], progress=lambda step, done, total: print(step, flush=True))
except KeyboardInterrupt:
    print("interrupted")
"""
    with subprocess.Popen([sys.executable, "-c", script, model, tmp_path / "out"], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout.readline() == "calibration\n"
        child.send_signal(signal.SIGINT)
        said = child.stdout.read()
    assert said.endswith("interrupted\n") and "methods" not in said
    assert not (tmp_path / "out").exists()
