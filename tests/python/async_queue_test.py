# SPDX-License-Identifier: Apache-2.0
"""AsyncInferQueue, and runs that compute some outputs only."""
import threading

import numpy as np
import pytest

import coracle
import program_file


def expected(model, x):
    return model(x)["y"]


def test_every_input_is_answered_once(linear):
    inputs = [np.random.default_rng(i).standard_normal((i % 5 + 1, 4)).astype(np.float32) for i in range(60)]
    results = {}

    def store(result, number):
        results[number] = result["y"]

    with coracle.AsyncInferQueue(linear, 3, callback=store) as queue:
        assert len(queue) == 3 and queue.is_ready()
        for number, x in enumerate(inputs):
            queue.start_async(x, number)
    assert sorted(results) == list(range(60))
    for number, x in enumerate(inputs):
        np.testing.assert_array_equal(results[number], expected(linear, x))


def test_runs_give_results_without_a_callback(linear):
    queue = coracle.AsyncInferQueue(linear, 2)
    x = np.ones((2, 4), np.float32)
    runs = [queue.start_async({"x": x * i}, outputs="y") for i in range(8)]
    for i, run in enumerate(runs):
        assert list(run.result().keys()) == ["y"]
        np.testing.assert_array_equal(run.result()[0], expected(linear, x * i))
    queue.wait_all()
    queue.close()
    queue.close()
    with pytest.raises(coracle.InvalidArgumentError, match="the queue is closed"):
        queue.start_async(x)


def test_failures_are_raised(linear):
    def fail(result, number):
        raise ValueError("callback %d" % number)

    x = np.ones((1, 4), np.float32)
    with coracle.AsyncInferQueue(linear, 2, callback=fail) as queue:
        queue.start_async(x, 1)
        with pytest.raises(ValueError, match="callback 1"):
            queue.wait_all()
        queue.wait_all()
        with pytest.raises(coracle.InvalidArgumentError):
            queue.start_async(np.ones((1, 5), np.float32).astype(np.int8))
        queue.set_callback(None)
        assert queue.start_async(x).result()["y"].shape == (1, 4)
        with pytest.raises(coracle.InvalidArgumentError, match="expected a function"):
            queue.set_callback(3)
    with pytest.raises(ValueError, match="callback 2"), coracle.AsyncInferQueue(linear, 1, callback=fail) as queue:
        queue.start_async(x, 2)
    with pytest.raises(coracle.InvalidArgumentError, match="jobs is -1"):
        coracle.AsyncInferQueue(linear, -1)


def test_closing_wakes_who_waits(linear):
    go = threading.Event()
    queue = coracle.AsyncInferQueue(linear, 1, callback=lambda *_: go.wait(30))
    x = np.ones((1, 4), np.float32)
    queue.start_async(x)
    raised = []

    def late():
        try:
            for _ in range(3):
                queue.start_async(x)
        except coracle.InvalidArgumentError as error:
            raised.append(str(error))

    thread = threading.Thread(target=late)
    thread.start()
    closing = threading.Thread(target=queue.close)
    closing.start()
    go.set()
    closing.join(30)
    thread.join(30)
    assert not closing.is_alive() and not thread.is_alive()


def test_results_are_unpacked(linear):
    x = np.ones((2, 4), np.float32)
    results = linear(x)
    y, product = linear(x)
    np.testing.assert_array_equal(y, results["y"])
    np.testing.assert_array_equal(product, results["p0"])
    (only,) = linear(x, outputs=["p0"])
    np.testing.assert_array_equal(only, product)
    assert list(results.keys()) == ["y", "p0"] and dict(results).keys() == results.keys() and "y" in results and len(results) == 2
    assert [name for name, _ in results.items()] == ["y", "p0"]


def test_some_outputs_only():
    program, params = program_file.linear(layers=3)
    model = coracle.load_memory(program, params, keep_tensors=["r0"])
    x = np.random.default_rng(1).standard_normal((3, 4)).astype(np.float32)
    with model.session() as session:
        every = session.run(x)
        kept = session.tensor("r0")
        for outputs, names in (("y", ["y"]), (1, ["p2"]), (["p2", "y"], ["p2", "y"]), (["r0"], ["r0"]), ([0, "r0"], ["y", "r0"])):
            results = session.run(outputs=outputs)
            assert list(results.keys()) == names
            for name in names:
                np.testing.assert_array_equal(results[name], kept if name == "r0" else every[name])
        with pytest.raises(coracle.InvalidArgumentError, match="is not among the outputs that runs compute"):
            session.run(outputs="r0")
            session.output("y")
        assert list(session.run().keys()) == ["y", "p2"]
        with pytest.raises(coracle.InvalidArgumentError, match="there is no output 'z'"):
            session.run(outputs="z")
        with pytest.raises(coracle.InvalidArgumentError, match="outputs is empty"):
            session.run(outputs=[])
        assert list(session.run().keys()) == ["y", "p2"]
        assert list(session.run_async(outputs=["p2"]).result().keys()) == ["p2"]
