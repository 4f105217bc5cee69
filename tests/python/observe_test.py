# SPDX-License-Identifier: Apache-2.0
"""Observers of runs, and what loading tells of its rewrites."""
import gc
import pickle
import weakref

import coracle
import numpy as np
import program_file
import pytest

X = np.arange(8, dtype=np.float32).reshape(2, 4) - 3
PLAIN = {"disable_passes": "all", "disable_kernels": ["row_tiles", "strided"]}


@pytest.fixture
def plain():
    return coracle.load_memory(*program_file.linear(layers=2), **PLAIN)


def test_operands_and_results_of_every_operator(plain):
    seen = []
    with plain.session(threads=1) as session:
        with session.observe(lambda value: seen.append((value, value.array))) as same:
            assert same is session
            y = session.run(X)["y"]
        count = len(seen)
        session.run(X)
        assert len(seen) == count, "the observation ended with the block"
    assert [(value.op, value.name, value.is_result, value.is_constant) for value, _ in seen] == [
        ("matmul", "x", False, False), ("matmul", "w000", False, True), ("matmul", "p0", True, False),
        ("relu", "p0", False, False), ("relu", "r0", True, False),
        ("matmul", "r0", False, False), ("matmul", "w001", False, True), ("matmul", "p1", True, False),
        ("relu", "p1", False, False), ("relu", "y", True, False)]
    arrays = {value.name: array for value, array in seen}
    assert np.array_equal(arrays["x"], X) and np.array_equal(arrays["y"], y) and arrays["y"].flags.owndata
    assert np.array_equal(arrays["r0"], np.maximum(arrays["p0"], 0))
    value = seen[2][0]
    assert (value.shape, value.dtype, value.node) == ((2, 4), "float32", "matmul_v2_1") and "result p0 of matmul_v2_1" in repr(value)


def test_elements_are_there_during_the_call_only(plain):
    seen = []
    session = plain.session()
    session.observe(seen.append)
    session.run(X)
    with pytest.raises(coracle.InvalidArgumentError, match="read value.array while"):
        _ = seen[0].array
    assert seen[0].shape == (2, 4)


def test_what_an_observer_raises_comes_out_of_the_run(plain):
    session = plain.session()
    calls = []

    def angry(value):
        calls.append(value)
        if len(calls) == 3:
            raise KeyError("mine") from ValueError("cause")

    with session.observe(angry):
        with pytest.raises(KeyError, match="mine") as error:
            session.run(X)
        assert isinstance(error.value.__cause__, ValueError) and not isinstance(error.value.__context__, coracle.Error)
        assert len(calls) == 3, "the run ended there"
        assert session.run(X)["y"].shape == (2, 4) and len(calls) == 13

    def interrupted(_):
        raise KeyboardInterrupt

    session.observe(interrupted)
    for run in (session.run, session.profile):
        with pytest.raises(KeyboardInterrupt):
            run(X)
    session.observe(None)
    assert session.run(X)["y"].shape == (2, 4)


def test_misuse(plain):
    session = plain.session()
    with pytest.raises(coracle.InvalidArgumentError, match="function of one argument, given a str"):
        session.observe("text")
    with session.observe(lambda value: session.run(X)):
        with pytest.raises(coracle.InvalidArgumentError, match="its own observer"):
            session.run(X)
    with session.observe(lambda value: None):
        session.close()
    with pytest.raises(coracle.InvalidArgumentError, match="closed"):
        session.observe(None)


def test_clones_have_no_observer_and_others_run_inside(plain):
    seen = []
    session = plain.session()
    other = session.clone()
    session.observe(lambda value: seen.append(other.run(X)["y"]))
    y = session.run(X)["y"]
    assert len(seen) == 10 and all(np.array_equal(each, y) for each in seen)


def test_sessions_go_with_their_observers(plain):
    class Watcher:
        def __call__(self, value):
            pass

    watcher = Watcher()
    gone = weakref.ref(watcher)
    session = plain.session()
    session.observe(watcher)
    session.run(X)
    gc.disable()
    try:
        del watcher, session
        assert gone() is None
    finally:
        gc.enable()


def test_pass_names():
    names = coracle.pass_names()
    assert "fuse_linear" in names and "dead_code" in names and all(names)
    assert coracle.load_memory(*program_file.linear(), disable_passes=set(names)).description["rewrites"] == []


@pytest.mark.parametrize("from_file", [False, True])
def test_after_pass_is_told_of_each_rewrite(from_file, linear_files):
    def load(**options):
        return coracle.load(linear_files[0], **options) if from_file else coracle.load_memory(*program_file.linear(), **options)

    told = []
    model = load(after_pass=lambda *what: told.append(what))
    assert [name for name, *_ in told] == ["loaded", *coracle.pass_names()]
    assert all("matmul" in text and dot.startswith("digraph") for _, _, text, dot in told[:1])
    assert told[-1][2].strip() == model.graph_text().strip()
    assert sum(count for _, count, _, _ in told[1:]) == sum(each["count"] for each in model.description["rewrites"])
    count = len(told)
    assert pickle.loads(pickle.dumps(model)).inputs == model.inputs and len(told) == count
    told.clear()
    load(disable_passes=["fuse_linear"], after_pass=lambda *what: told.append(what))
    assert "fuse_linear" not in [name for name, *_ in told]


def test_what_after_pass_raises_comes_out_of_load():
    calls = []

    def angry(*what):
        calls.append(what)
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        coracle.load_memory(*program_file.linear(), after_pass=angry)
    assert len(calls) == 1
    with pytest.raises(coracle.InvalidArgumentError, match="after_pass is a function, given a int"):
        coracle.load_memory(*program_file.linear(), after_pass=3)
