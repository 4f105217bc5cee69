# SPDX-License-Identifier: Apache-2.0
"""Operators of one's own as functions of NumPy arrays."""
import gc
import os
import pathlib
import pickle
import subprocess
import threading
import types

import numpy as np
import pytest

import coracle
import program_file


def custom_program(type_="custom_scale", inputs=None, outputs=types.MappingProxyType({"Out": "y"})):
    """x [-1, 2] -> y by one operator, whose other operands are x again."""
    op = program_file.operator(type_, dict(inputs or {"X": ["x"]}), {slot: [name] for slot, name in outputs.items()})
    return program_file.model([("x", "float32", (-1, 2))], [op], [(name, "float32", (-1, 2)) for name in outputs.values()])[0]


def scaled(x, bias, parts, factor, shift, mode):
    y = x * np.float32(factor) + np.float32(shift)
    for part in parts:
        y = y + part
    return y if bias is None else y + bias


def scale_operator(**given):
    return coracle.Operator("custom_scale", scaled, inputs=["X", "Bias?", "Parts*"], outputs="Out",
                            attributes=["factor: float = 3", "shift: int = 1", "mode: string = plain"], **given)


X = np.array([[1, 2], [-3, 4]], np.float32)


@pytest.fixture
def registered():
    op = scale_operator().register()
    yield op
    op.unregister()


def test_runs_for_the_process(registered):
    assert repr(registered) == "<operator custom_scale(X, Bias?, Parts*) -> Out>"
    model = coracle.load_memory(custom_program())
    np.testing.assert_array_equal(model(X)[0], X * 3 + 1)
    np.testing.assert_array_equal(registered(X, None, [], 3, 1, "plain"), X * 3 + 1)
    more = coracle.load_memory(custom_program(inputs={"X": ["x"], "Bias": ["x"], "Parts": ["x", "x"]}))
    np.testing.assert_array_equal(more(X)[0], X * 6 + 1)
    assert model.description["operators"]["custom_scale"] == 1


def test_runs_for_one_model():
    with pytest.raises(coracle.UnsupportedError, match="custom_scale"):
        coracle.load_memory(custom_program())
    model = coracle.load_memory(custom_program(), operators=[scale_operator()])
    gc.collect()
    np.testing.assert_array_equal(model(X)[0], X * 3 + 1)
    with pytest.raises(coracle.InvalidArgumentError, match="expected coracle.Operator"):
        coracle.load_memory(custom_program(), operators=[scaled])


def test_saved_models_name_it(tmp_path, registered):
    path = tmp_path / "m.coracle"
    coracle.load_memory(custom_program()).save(path)
    np.testing.assert_array_equal(coracle.load(path)(X)[0], X * 3 + 1)
    assert coracle.inspect(path)["operators"] == {"custom_scale": 1}


def test_results_of_unknown_size_and_several():
    def infer(x):
        assert x.dtype == "float32"
        return coracle.TensorType("float32", (None,)), coracle.TensorType("int64", ())

    def positive(x):
        assert not x.flags.writeable
        kept = x[x > 0]
        return kept, np.int64(len(kept))

    op = coracle.Operator("positive", positive, inputs="x", outputs="kept, count", infer=infer)
    program = custom_program("positive", {"x": ["x"]}, {"kept": "y", "count": "n"})
    model = coracle.load_memory(program, operators=[op])
    for x in (X, -np.abs(X), X[:0], X):
        kept, count = model(x).values()
        np.testing.assert_array_equal(kept, x[x > 0])
        assert count == (x > 0).sum() and count.dtype == np.int64


def test_errors_name_the_place():
    def wrong(x):
        raise ValueError("no luck")

    model = coracle.load_memory(custom_program(), operators=[coracle.Operator("custom_scale", wrong, inputs="X", outputs="Out")])
    with pytest.raises(coracle.RunFailureError, match=r"ValueError: no luck \(.*operators_test.py:\d+\)"):
        model(X)
    for run, text in ((lambda x: None, "returned None for 'Out'"), (lambda x: (x, x), "expected|shape|inhomogeneous|float32"),
                      (lambda x: x.astype(np.float64), r"float64\[2, 2\], expected float32\[2, 2\]"),
                      (lambda x: np.array(["a"]), "which no tensor has")):
        model = coracle.load_memory(custom_program(), operators=[coracle.Operator("custom_scale", run, inputs="X", outputs="Out")])
        with pytest.raises(coracle.Error, match=text):
            model(X)
    with pytest.raises(coracle.Error, match="expected a coracle.TensorType"):
        coracle.load_memory(custom_program(), operators=[coracle.Operator("custom_scale", lambda x: x, inputs="X", outputs="Out",
                                                                          infer=lambda x: x.shape)])
    with pytest.raises(coracle.InvalidArgumentError, match="expected a function"):
        coracle.Operator("custom_scale", 3)
    with pytest.raises(coracle.InvalidArgumentError, match="the operator 'conv2d' is one of Coracle's"):
        coracle.operator("conv2d")(lambda x: x)
    with pytest.raises(coracle.InvalidArgumentError, match="there is no operator 'custom_scale'"):
        scale_operator().unregister()


def test_many_threads_and_models():
    op = scale_operator()
    models = [coracle.load_memory(custom_program(), operators=[op]) for _ in range(3)]
    wrong = []

    def work(model):
        for _ in range(20):
            if not np.array_equal(model(X)[0], X * 3 + 1):
                wrong.append(model)

    threads = [threading.Thread(target=work, args=(models[i % 3],)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_nothing_is_kept_for_models_that_are_gone():
    from coracle import operators
    gc.collect()
    before = len(operators._kept)
    for _ in range(3):
        model = coracle.load_memory(custom_program(), operators=[scale_operator()])
        model(X)
        del model
    with pytest.raises(coracle.Error):
        coracle.load_memory(custom_program("other"), operators=[scale_operator()])
    gc.collect()
    assert len(operators._kept) == before


@coracle.operator("pickled_double", inputs="X", outputs="Out")
def pickled_double(x):
    """Twice x."""
    return x + x


def test_a_decorated_function_is_the_operator():
    assert isinstance(pickled_double, coracle.Operator) and pickled_double.__doc__ == "Twice x."
    np.testing.assert_array_equal(coracle.load_memory(custom_program("pickled_double"))(X)[0], X * 2)
    assert pickle.loads(pickle.dumps(pickled_double)) is pickled_double
    model = coracle.load_memory(custom_program("pickled_double"))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model))(X)[0], X * 2)


@pytest.fixture(scope="module")
def library():
    """Of operators that are built with Paddle's extension.h."""
    path = pathlib.Path(os.environ.get("CORACLE_PADDLE_PROGRAMS", "")) / "custom_operators.so"
    if not path.exists():
        pytest.skip("there is no %s" % path)
    coracle.load_operators(path)
    coracle.load_operators(path)   # Once more does nothing.
    return path


def paddle_model(type_, inputs, outputs, attributes=None):
    """x float32 [-1] and y float32 [-1] by one operator."""
    op = program_file.operator(type_, inputs, outputs, attributes)
    given = [(name, "float32", (-1,)) for name in ("x", "y")]
    return coracle.load_memory(program_file.model(given, [op], [(name, "float32", (-1,)) for names in outputs.values() for name in names])[0])


def test_paddles_operators(library):
    x, y = np.array([1, -2, 3, -4], np.float32), np.array([2, 1, 0, 5], np.float32)
    relu = paddle_model("test_relu", {"X": ["x"]}, {"Out": ["a"]})
    np.testing.assert_array_equal(relu(x, y)[0], np.maximum(x, 0))
    in_place = program_file.operator("test_add_in_place", {"X": ["x"], "Y": ["y"]}, {"Out": ["a"]})
    difference = program_file.operator("elementwise_sub", {"X": ["a"], "Y": ["x"]}, {"Out": ["b"]}, {"axis": -1})
    given = [(name, "float32", (-1,)) for name in ("x", "y")]
    model = coracle.load_memory(program_file.model(given, [in_place, difference], [("a", "float32", (-1,)), ("b", "float32", (-1,))])[0])
    a, b = model(x, y).values()
    np.testing.assert_array_equal(a, x + y)
    np.testing.assert_array_equal(b, y)
    halves = paddle_model("test_halves", {"X": ["x"]}, {"Out@VECTOR": ["a", "b"]})
    a, b = halves(x, y).values()
    np.testing.assert_array_equal(np.concatenate([a, b]), x)
    above = paddle_model("test_above", {"X": ["x"], "Limit": ["y"]}, {"Out": ["a"]})
    for limit in (0, 2, 9):
        np.testing.assert_array_equal(above(x, np.array([limit], np.float32))[0], x[x > limit])


ATTRIBUTES = {"twice": True, "shift": 3, "wide": 40, "scale": 0.5, "mode": "sum", "sizes": [1, 2], "ratios": [0.25, 0.5], "wides": [7],
              "names": ["a", "b"]}


def test_paddles_operators_with_all_kinds_of_parameters(library):
    x, y = np.array([1, -2, 3, -4], np.float32), np.array([2, 1, 0, 5], np.float32)
    for inputs in ({"X": ["x"], "Parts@VECTOR": ["x", "y"]}, {"X": ["x"], "Bias@OPTIONAL": ["y"], "Parts@VECTOR": ["x", "y"]}):
        model = paddle_model("test_affine", inputs, {"Out": ["a"], "Count": ["n"]}, ATTRIBUTES)
        out, count = model(x, y).values()
        np.testing.assert_array_equal(out, 2 * (x * 0.5 + 3 + x + y + (y if "Bias@OPTIONAL" in inputs else 0)))
        assert count.tolist() == [40 + 1 + 2 + 7 + 2 + 2]
    model = paddle_model("test_affine", inputs, {"Out": ["a"], "Count": ["n"]}, dict(ATTRIBUTES, mode="mean"))
    with pytest.raises(coracle.RunFailureError, match=r'(?s)mode is mean Expected mode == "sum".*kinds.cc:\d+.*test_affine'):
        model(x, y)


def test_libraries_that_are_none(tmp_path):
    with pytest.raises(coracle.FileError, match="cannot be loaded"):
        coracle.load_operators(tmp_path / "none.so")
    with pytest.raises(coracle.InvalidArgumentError, match="registers no operators"):
        coracle.load_operators("libm.so.6")


def test_the_program_takes_libraries(library, tmp_path):
    op = program_file.operator("test_relu", {"X": ["x"]}, {"Out": ["y"]})
    program, _ = program_file.model([("x", "float32", (-1,))], [op], [("y", "float32", (-1,))])
    path = tmp_path / "m.pdmodel"
    path.write_bytes(program)
    np.save(tmp_path / "x.npy", np.array([1, -2, 3], np.float32))
    coracle_program = pathlib.Path(os.environ["CORACLE_LIBRARY"]).with_name("coracle")
    run = [coracle_program, "run", path, "--input", "x=%s" % (tmp_path / "x.npy"), "--output-dir", tmp_path]
    refused = subprocess.run(run, capture_output=True, text=True)
    assert refused.returncode != 0 and "--operators" in refused.stderr
    subprocess.run([*run, "--operators", library], check=True, capture_output=True)
    np.testing.assert_array_equal(np.load(tmp_path / "0.npy"), [1, 0, 3])
    refused = subprocess.run([*run, "--operators", library, "--outputs", "z"], capture_output=True, text=True)
    assert refused.returncode != 0 and "the model has no output 'z'; its outputs are: y" in refused.stderr
    shown = subprocess.run([*run, "--operators", library, "--outputs", "y"], check=True, capture_output=True, text=True).stdout
    assert shown.startswith("0  y  float32[3]")
