# SPDX-License-Identifier: Apache-2.0
"""Wrong use is an exception that says what was expected and found, and the process and the session live on: what is Python's own
besides the cases of misuse_table_test.py.
"""
import errno
import os
import pickle

import coracle
import numpy as np
import program_file
import pytest

A = np.ones((2, 3), np.float32)


@pytest.fixture
def session(total):
    """A session that answers before and after the misuse."""
    session = total.session(threads=1)
    assert session.run({"a": A, "b": A})[0].sum() == 12
    yield session
    assert session.run({"a": A, "b": A})[0].sum() == 12


@pytest.mark.parametrize("inputs, text", [
    ({"c": A}, "no input 'c'; it has 'a', 'b'"),
    ({"": A}, "no input ''"),
    ({None: A}, "no input None"),
    (A, "2 inputs, give a dict: 'a', 'b'"),
    ({"a": A.astype(np.float64)}, "input 'a' takes elements of type float32, given float64; convert them"),
    ({"a": A.astype(bool)}, "takes elements of type float32, given bool"),
    ({"a": "text"}, "input 'a'"),
    ({"a": [[1], [2, 3]]}, "input 'a': a list cannot be read"),
    ({"a": A[None]}, r"input 'a' has 2 dimensions \[\?, 3\], given \[1, 2, 3\]"),
    ({"a": np.ones((5, 3), np.float32)}, r"a.* float32\[5, 3\]"),
])
def test_wrong_inputs(session, inputs, text):
    with pytest.raises(coracle.InvalidArgumentError, match=text) as error:
        session.run(inputs)
    assert isinstance(error.value, (coracle.Error, ValueError, RuntimeError))


def test_missing_inputs(total):
    session = total.session()
    with pytest.raises(coracle.InvalidArgumentError, match="input 'b'"):
        session.run({"a": A})
    for call in (session.explain, session.planned_memory, session.profile):
        with pytest.raises(coracle.InvalidArgumentError, match="input 'b'"):
            call()


def test_results_before_a_run(total):
    session = total.session()
    for call in (session.output_lod, session.output_shape):
        with pytest.raises(coracle.InvalidArgumentError, match="before a run"):
            call()


def test_wrong_outputs(session):
    for key, text in (("x", "no output 'x'; it has 'total'"), (1, "no output 1"), (-2, "no output -2"), (None, "no output None")):
        with pytest.raises(coracle.InvalidArgumentError, match=text):
            session.output(key)


@pytest.mark.parametrize("name", ["threads", "cache_bytes", "memory_limit", "time_limit_ms"])
@pytest.mark.parametrize("value", [-1, 2**64, 1.5, "2", True])
def test_wrong_session_options(total, name, value):
    with pytest.raises(coracle.InvalidArgumentError, match=name):
        total.session(**{name: value})


@pytest.mark.parametrize("name", ["memory_limit", "time_limit_ms"])
@pytest.mark.parametrize("value", [-1, 2**64, 1.5, "2", True, False])
def test_wrong_run_options(total, name, value):
    session = total.session()
    with pytest.raises(coracle.InvalidArgumentError, match=name):
        session.run({"a": A, "b": A}, **{name: value})
    assert np.array_equal(session.run({"a": A, "b": A})["total"], A + A)


def test_closed_sessions(total):
    session = total.session()
    session.close()
    session.close()
    for call in (lambda: session.run({"a": A, "b": A}), session.output, session.clone, session.release_memory, lambda: session.memory,
                 lambda: session.set_input("a", A), session.explain, session.profile):
        with pytest.raises(coracle.InvalidArgumentError, match="closed"):
            call()
    assert "closed" in repr(session)
    with total.session() as session:
        session.run({"a": A, "b": A})
    with pytest.raises(coracle.InvalidArgumentError, match="closed"):
        session.run()


def test_sessions_outlive_their_model(linear):
    session = linear.session()
    del linear
    assert session.run(np.ones((1, 4), np.float32))["y"].shape == (1, 4)


def test_files_that_are_not_there(tmp_path):
    for path in (tmp_path / "no.pdmodel", b"\xff"):
        with pytest.raises(coracle.FileError, match="no such") as error:
            coracle.load(path)
        assert isinstance(error.value, FileNotFoundError)
        assert error.value.errno == errno.ENOENT and error.value.filename == os.fsdecode(path)
        assert str(error.value).startswith("no such")
        assert str(pickle.loads(pickle.dumps(error.value))) == str(error.value)
    with pytest.raises(coracle.InvalidArgumentError, match="no model was named"):
        coracle.load("")
    with pytest.raises(FileNotFoundError):
        coracle.inspect("/no/such/model")
    with pytest.raises(coracle.FileError, match="no model in the folder") as error:
        coracle.load(tmp_path)
    assert not isinstance(error.value, FileNotFoundError)
    with pytest.raises(coracle.InvalidArgumentError, match="zero byte"):
        coracle.load("a\0b")
    for wrong in (3, 1.5, []):
        with pytest.raises(TypeError):
            coracle.load(wrong)


def test_wrong_memory():
    program, params = program_file.linear()
    for arguments in ((b"", b""), ("text", b""), (program, 5), (program, [1])):
        with pytest.raises(coracle.Error):
            coracle.load_memory(*arguments)
    with pytest.raises(coracle.Error, match="w000"):
        coracle.load_memory(program)
    assert coracle.load_memory(program, params)


def test_damaged_models():
    """Whatever the bytes, loading ends in a model or an error with a text."""
    program, params = program_file.linear()
    refused = 0
    random = np.random.default_rng(1)
    for trial in range(300):
        bad_program, bad_params = bytearray(program), bytearray(params)
        if trial < 100:
            del bad_program[len(program) * trial // 100:]
        elif trial < 200:
            bad_program[random.integers(len(program))] = random.integers(256)
        else:
            bad_params[random.integers(40)] = random.integers(256)
        try:
            coracle.load_memory(bad_program, bad_params).session(threads=1).run(np.ones((1, 4), np.float32))
        except coracle.Error as error:
            assert str(error)
            refused += 1
    assert refused > 100
    for cut in range(7, len(params), 7):
        with pytest.raises(coracle.InvalidModelError):
            coracle.load_memory(program, params[:cut])


def test_errors_are_what_python_expects():
    assert issubclass(coracle.InvalidArgumentError, ValueError)
    assert issubclass(coracle.FileError, OSError)
    assert issubclass(coracle.OutOfMemoryError, MemoryError)
    assert issubclass(coracle.UnsupportedError, NotImplementedError)
    assert all(issubclass(kind, coracle.Error) for kind in (coracle.InvalidModelError, coracle.RunFailureError))
