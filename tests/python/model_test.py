# SPDX-License-Identifier: Apache-2.0
"""Loading models, what they say about themselves, and calling them."""
import inspect
import mmap
import os
import pathlib
import pickle
import re
import subprocess
import sys

import coracle
import numpy as np
import program_file
import pytest

X = np.arange(8, dtype=np.float32).reshape(2, 4) - 3


def weights():
    return np.frombuffer(program_file.linear()[1][-64:], np.float32).reshape(4, 4)


def test_version_is_that_of_cmake():
    text = (pathlib.Path(__file__).parents[2] / "CMakeLists.txt").read_text("utf-8")
    assert "project(coracle VERSION %s " % coracle.__version__ in text


def test_loads_a_folder_or_one_of_its_files(linear_files):
    program, params = linear_files
    expected = np.maximum(X @ weights(), 0)
    for path in (program.parent, program, str(program), os.fsencode(program), params):
        assert np.allclose(coracle.load(path)(X)["y"], expected, atol=1e-6)
    other = params.rename(params.with_name("elsewhere.bin"))
    assert np.allclose(coracle.load(program, other)(X)["y"], expected, atol=1e-6)


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview, np.frombuffer, "mmap"])
def test_loads_from_memory(kind, linear_files):
    expected = coracle.load(linear_files[0])(X)["y"]
    if kind == "mmap":
        buffers = [mmap.mmap(os.open(path, os.O_RDONLY), 0, access=mmap.ACCESS_READ) for path in linear_files]
    else:
        buffers = [kind(path.read_bytes(), np.uint8) if kind is np.frombuffer else kind(path.read_bytes()) for path in linear_files]
    model = coracle.load_memory(*buffers)
    del buffers
    assert np.array_equal(model(X)["y"], expected)


def test_metadata(total):
    assert [info.name for info in total.inputs] == ["a", "b"]
    assert total.inputs[0] == coracle.TensorInfo("a", "float32", (None, 3), 0)
    assert total.inputs[0].numpy_dtype == np.float32
    assert total.outputs[0].name == "total"
    description = total.description
    assert description["operators"] == {"elementwise_add": 1}
    assert description["format"] == "ProgramDesc"
    assert "add" in total.graph_text()


def test_inspect_lists_what_is_not_supported(tmp_path):
    unknown = program_file.operator("no_such_operator", {"X": ["x"]}, {"Out": ["y"]})
    program, _ = program_file.model([("x", "float32", (-1,))], [unknown], [("y", "float32", (-1,))])
    path = tmp_path / "unknown.pdmodel"
    path.write_bytes(program)
    assert "no_such_operator" in str(coracle.inspect(path)["unsupported"])
    with pytest.raises(coracle.UnsupportedError, match="no_such_operator"):
        coracle.load(path)


def test_an_empty_program_is_named():
    with pytest.raises(coracle.InvalidArgumentError, match="program is empty; expected the bytes of a program file"):
        coracle.load_memory(b"")


def test_the_text_of_load_has_every_argument():
    told = re.findall(r"^    (\w+): ", inspect.cleandoc(coracle.load.__doc__), re.M)
    assert told == [name for name in inspect.signature(coracle.load).parameters if name != "path"]


def test_calls(total):
    a, b = np.ones((2, 3), np.float32), np.full((2, 3), 2, np.float32)
    for results in (total({"a": a, "b": b}), total(a=a, b=b), total({"b": b, "a": a})):
        assert list(results.keys()) == ["total"]
        assert np.array_equal(results[0], a + b)
        assert results[0] is results["total"] and results[-1] is results[0]
    with pytest.raises(coracle.InvalidArgumentError, match="2 inputs, given 1"):
        total(a)
    with pytest.raises(coracle.InvalidArgumentError, match="2 inputs, given 0"):
        total()
    with pytest.raises(coracle.InvalidArgumentError, match="either"):
        total(a, b=b)
    with pytest.raises(IndexError, match="1 results"):
        results[1]


def test_options(linear_files):
    plain = coracle.load(linear_files[0], disable_passes="all", cpu_isa="sse2", disable_kernels=["linear", "cost"])
    assert plain.description["rewrites"] == [] and plain.description["isa"] == "sse2"
    assert np.allclose(plain(X)["y"], coracle.load(linear_files[0], max_rewrites=1)(X)["y"], atol=1e-6)
    for option, name, meant in (("disable_kernels", "conv2d.indirekt", "conv2d.indirect"), ("disable_passes", "fuse_linaer", "fuse_linear")):
        with pytest.raises(coracle.InvalidArgumentError, match="'%s'.*did you mean '%s'" % (name, meant)):
            coracle.load(linear_files[0], **{option: [name]})
    kept = coracle.load(linear_files[0], keep_tensors=["p0"]).session()
    kept.run(X)
    assert np.allclose(kept.tensor("p0"), X @ weights(), atol=1e-6)
    with pytest.raises(TypeError):
        coracle.load(linear_files[0], no_such_option=1)
    with pytest.raises(coracle.InvalidArgumentError, match="no_isa"):
        coracle.load(linear_files[0], cpu_isa="no_isa")
    with pytest.raises(coracle.InvalidArgumentError, match="integer"):
        coracle.load(linear_files[0], max_rewrites="3")
    with pytest.raises(coracle.InvalidArgumentError, match="list of names"):
        coracle.load(linear_files[0], keep_tensors=[3])


def test_pickle_by_path_in_another_process(linear_files, tmp_path):
    model = coracle.load(os.path.relpath(linear_files[0]), keep_tensors="p0")
    data = pickle.dumps(model)
    assert len(data) < 1000
    (tmp_path / "model.pickle").write_bytes(data)
    code = "import pickle, sys, numpy; m = pickle.load(open(sys.argv[1], 'rb')); print(m(numpy.ones((1, 4), 'f4'))[0].sum())"
    answer = subprocess.run([sys.executable, "-c", code, str(tmp_path / "model.pickle")], cwd="/", check=True, stdout=subprocess.PIPE)
    assert float(answer.stdout) == pytest.approx(float(model(np.ones((1, 4), np.float32))[0].sum()), rel=1e-5)


def test_pickle_of_a_model_from_memory(linear):
    again = pickle.loads(pickle.dumps(linear))
    assert np.array_equal(again(X)["y"], linear(X)["y"])


def test_reprs(linear, linear_files):
    assert repr(linear) == "<coracle.Model from memory: x: float32[?, 4] -> y: float32[?, 4], p0: float32[?, 4]>"
    assert "linear.pdmodel" in repr(coracle.load(linear_files[0]))
    html = linear._repr_html_()
    assert "<table>" in html and "matmul" in html and "float32" in html and "[?, 4]" in html


def test_names_from_files_are_escaped():
    add = program_file.operator("elementwise_add", {"X": ["<b>"], "Y": ["<b>"]}, {"Out": ["y"]}, {"axis": -1})
    html = coracle.load_memory(*program_file.model([("<b>", "float32", (2,))], [add], [("y", "float32", (2,))]))._repr_html_()
    assert "&lt;b&gt;" in html and "<td style=\"text-align:left\"><b>" not in html


def test_inputs_in_their_order(total):
    a = np.array([[1, 2, 3]], np.float32)
    b = np.array([[4, 5, 7]], np.float32)
    assert np.array_equal(total(a, b)[0], total(a=a, b=b)[0])
    with pytest.raises(coracle.InvalidArgumentError, match="2 inputs, given 3 in their order"):
        total(a, b, a)
    with pytest.raises(coracle.InvalidArgumentError, match="2 inputs, given 1"):
        total(a)
    with pytest.raises(coracle.InvalidArgumentError, match="sequence offsets: lod="):
        total(a, {"b": [[0, 1]]})
    with pytest.raises(coracle.InvalidArgumentError, match="in their order or by name"):
        total(a, b=b)
