# SPDX-License-Identifier: Apache-2.0
"""Sessions: inputs, results, sequence offsets, profiles, memory."""
import pickle
import xml.dom.minidom

import coracle
import numpy as np
import program_file
import pytest

A, B = np.ones((2, 3), np.float32), np.full((2, 3), 2, np.float32)


def test_inputs_keep_their_content(total):
    with total.session(threads=1) as session:
        assert np.array_equal(session.run({"a": A, "b": B})["total"], A + B)
        assert np.array_equal(session.run({"b": A})["total"], A + A)
        assert np.array_equal(session.run()["total"], A + A)
        session.set_input("a", B)
        session.set_input(1, B)
        assert np.array_equal(session.run()[0], B + B)
        assert np.array_equal(session.output("total"), B + B) and session.output_shape() == (2, 3)


def test_arrays_are_read_where_they_lie(total):
    a = A.copy()
    session = total.session()
    session.run({"a": a, "b": B})
    a[:] = 5
    assert np.array_equal(session.run()[0], a + B)


def test_results_are_arrays_of_their_own(total):
    session = total.session()
    first = session.run({"a": A, "b": B})[0]
    session.run({"a": B, "b": B})
    session.close()
    assert np.array_equal(first, A + B)
    assert first.flags.owndata and first.flags.writeable


def test_other_shapes_from_run_to_run(total):
    session = total.session()
    for rows in (1, 7, 0, 100, 3):
        a = np.full((rows, 3), rows, np.float32)
        assert np.array_equal(session.run({"a": a, "b": a})[0], a + a)


def test_sequence_offsets():
    session = coracle.load_memory(*program_file.sequences()).session()
    x = np.arange(10, dtype=np.float32).reshape(5, 2)
    results = session.run(x, lod={"x": [[0, 3, 5]]})
    assert np.array_equal(results["sums"], [x[:3].sum(0), x[3:].sum(0)])
    assert results.lod("twice") == [[0, 3, 5]] and results.lod(1) == [[0, 3, 5]]
    assert session.output_lod("twice") == [[0, 3, 5]]
    session.set_input("x", x, [[0, 1, 5]])
    assert np.array_equal(session.run()["sums"], [x[0], x[1:].sum(0)])
    for wrong in ([[0, 3, 6]], [[1, 5]], [[0, 4, 3, 5]], [[0, -1, 5]], [0, 5], "x", [["a"]]):
        with pytest.raises(coracle.InvalidArgumentError, match="offsets"):
            session.set_input("x", x, wrong)
    with pytest.raises(coracle.InvalidArgumentError, match="'z', which is not an input given"):
        session.run(x, lod={"z": [[0, 5]]})


def test_threads_do_not_change_bits():
    model = coracle.load_memory(*program_file.linear(64, 3))
    x = np.random.default_rng(0).standard_normal((33, 64)).astype(np.float32)
    one = model.session(threads=1).run(x)["y"]
    for threads in (2, 3):
        assert np.array_equal(model.session(threads=threads).run(x)["y"], one)
    clone = model.session(threads=2).clone()
    assert np.array_equal(clone.run(x)["y"], one)


def test_padding():
    model = coracle.load_memory(*program_file.linear(64, 3))
    x = np.random.default_rng(0).standard_normal((5, 64)).astype(np.float32)
    session = model.session(padding="x=4..8/4x64")
    assert np.array_equal(session.run(x)["y"], model.session().run(x)["y"])
    shapes = []
    with session.observe(lambda value: shapes.append(value.shape)):
        session.run(x[:3])
    assert (4, 64) in shapes
    for padding, text in ((8, "padding is 8"), ("y=1..2x64", "no input of that name")):
        with pytest.raises(coracle.InvalidArgumentError, match=text):
            model.session(padding=padding)


def test_limits():
    model = coracle.load_memory(*program_file.linear(64, 3))
    session = model.session(memory_limit=100_000, cache_bytes=0)
    with pytest.raises(coracle.OutOfMemoryError):
        session.run(np.zeros((10_000, 64), np.float32))
    assert session.run(np.zeros((1, 64), np.float32))["y"].shape == (1, 64)
    slow = coracle.load_memory(*program_file.linear(512, 20)).session(threads=1, time_limit_ms=1)
    with pytest.raises(coracle.RunFailureError, match="1 ms"):
        slow.run(np.zeros((2000, 512), np.float32))


def test_limits_of_one_run():
    model = coracle.load_memory(*program_file.linear(512, 20))
    session = model.session(threads=1)
    small, large = np.ones((2, 512), np.float32), np.ones((2000, 512), np.float32)
    expected = session.run(small)["y"]
    with pytest.raises(coracle.RunFailureError, match="limit of 1 ms"):
        session.run(large, time_limit_ms=1)
    with pytest.raises(coracle.OutOfMemoryError, match="the memory limit is 100000"):
        session.run(large, memory_limit=100_000)
    assert np.array_equal(session.run(small, time_limit_ms=600_000, memory_limit=1 << 30)["y"], expected)
    assert session.run(large)["y"].shape == (2000, 512), "neither of them holds for the next run"
    strict = model.session(threads=1, memory_limit=100_000)
    with pytest.raises(coracle.OutOfMemoryError):
        strict.run(large)
    assert strict.run(large, memory_limit=1 << 30)["y"].shape == (2000, 512)
    with pytest.raises(coracle.OutOfMemoryError):
        strict.run(large)
    assert np.array_equal(strict.run(small)["y"], expected)


def test_memory(linear):
    session = linear.session()
    x = np.ones((1000, 4), np.float32)
    assert session.planned_memory(x) >= 16_000
    session.run()
    assert session.memory.plans > 0
    assert session.release_memory() > 0
    assert session.memory == (0, 0, 0)
    assert session.run()["y"].shape == (1000, 4)


def test_devices():
    told = coracle.devices()
    assert set(told) == {"devices", "missing"}
    for device in told["devices"]:
        assert device["memory_bytes"] >= device["largest_block"] > 0
        assert device["index"] >= 0 and device["name"] and device["driver"]
    kinds = {device["kind"] for device in told["devices"]}
    for missing in told["missing"]:
        assert missing["kind"] not in kinds and missing["reason"]


def test_memory_total():
    before = coracle.memory_total()
    session = coracle.load_memory(*program_file.linear(64, 3)).session()
    session.run(np.zeros((1000, 64), np.float32))
    assert coracle.memory_total() >= before + 1000 * 64 * 4


def test_profile(linear):
    session = linear.session()
    profile = session.profile(np.ones((5, 4), np.float32))
    assert len(profile) == len(list(profile)) > 0
    assert profile[0].ms >= 0 and profile[0].op and profile[0].kernel
    rows = profile.by_op()
    assert sum(row.calls for row in rows) == len(profile)
    assert sum(row.share for row in rows) == pytest.approx(1)
    assert "%d steps" % len(profile) in repr(profile)
    assert rows[0].op in str(profile)
    html = profile._repr_html_()
    svg = html[html.index("<svg"):html.index("</svg>") + 6]
    assert len(xml.dom.minidom.parseString(svg).getElementsByTagName("rect")) == len(rows)
    assert session.output("y").shape == (5, 4)


def test_a_chart_has_a_bar_for_the_rest():
    record = {"node": "n", "kernel": "k", "output": "o", "start_ns": 0, "duration_ns": 1000, "flops": 1, "bytes": 1}
    profile = coracle.Profile({**record, "op": "op<%d>" % i} for i in range(20))
    html = profile._repr_html_()
    assert html.count("<rect") == 13 and "others" in html and "op&lt;0&gt;" in html
    assert coracle.Profile([])._repr_html_() and repr(coracle.Profile([])) == "<coracle.Profile 0 steps, 0.000 ms>"


def test_explain(linear):
    rows = linear.session().explain(np.ones((5, 4), np.float32))
    assert rows and {"node", "op", "kernel", "inputs", "outputs", "refused"} <= set(rows[0])


def test_bench(linear):
    x = np.ones((5, 4), np.float32)
    result = coracle.bench(linear, {"x": x}, threads=1, repeat=10, warmup=2)
    assert len(result.times) == 10 and 0 < result.min <= result.median <= result.p99 <= max(result.times)
    assert "of 10 runs" in repr(result) and "<table>" in result._repr_html_()
    assert coracle.bench(linear.session(threads=1), x, repeat=1, warmup=0).min > 0
    with pytest.raises(coracle.InvalidArgumentError, match="at least 1"):
        coracle.bench(linear, x, repeat=0)


def test_machine_limits(linear):
    limits = linear.session(threads=1).machine_limits()
    assert limits.flops_per_second > 1e8 and limits.bytes_per_second > 1e8


def test_sessions_are_not_pickled(linear):
    with pytest.raises(TypeError, match="pickle its model"):
        pickle.dumps(linear.session())


def test_outputs_in_arrays_of_the_users(total):
    with total.session(threads=1) as session:
        room = np.zeros((4, 6), np.float32)
        session.bind_output("total", room)
        result = session.run({"a": A, "b": B})["total"]
        assert np.array_equal(result, A + B) and np.shares_memory(result, room)
        assert np.array_equal(room.reshape(-1)[:6], (A + B).reshape(-1)) and not room.reshape(-1)[6:].any()
        session.bind_output(0, None)
        room[:] = 0
        assert np.array_equal(session.run({"a": B, "b": B})[0], B + B) and not room.any()


@pytest.mark.parametrize("array, why", [
    ([1.0], "is bound to a NumPy array, given list"), (np.zeros(6), "has elements of type float32, the array has float64"),
    (np.zeros((6, 2), np.float32)[:, 0], "is not one block of elements in order"),
    (np.broadcast_to(np.float32(0), (6,)), "is read-only")])
def test_arrays_that_take_no_output(total, array, why):
    with total.session() as session, pytest.raises(coracle.InvalidArgumentError, match=why):
        session.bind_output("total", array)


def test_arrays_without_room_for_an_output(total):
    with total.session() as session:
        session.bind_output("total", np.zeros(5, np.float32))
        with pytest.raises(coracle.InvalidArgumentError, match="24 bytes, its memory has room for 20"):
            session.run({"a": A, "b": B})
