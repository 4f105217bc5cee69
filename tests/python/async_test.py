# SPDX-License-Identifier: Apache-2.0
"""Runs that go on while their caller does: Session.run_async."""
import asyncio
import concurrent.futures
import gc
import os
import subprocess
import sys
import threading
import time
import weakref

import coracle
import numpy as np
import program_file
import pytest


@pytest.fixture(scope="module")
def model():
    """One whose run takes a while."""
    return coracle.load_memory(*program_file.linear(512, 24))


@pytest.fixture
def x():
    return np.ones((500, 512), np.float32)


def long_run(session):
    """A run that takes seconds."""
    return session.run_async(np.ones((200000, 512), np.float32))


def test_a_future(model, x):
    session = model.session(threads=2)
    expected = session.run(x)["y"]
    for _ in range(5):
        run = session.run_async(x)
        assert np.array_equal(run.result(60)["y"], expected)
        assert run.done() and run.exception() is None
        assert "has ended" in repr(run)
        assert not run.cancel()
    assert np.array_equal(session.run_async().result()["y"], expected)
    assert np.array_equal(session.output("y"), expected)


def test_awaited(model, x):
    sessions = [model.session(threads=1) for _ in range(4)]
    expected = sessions[0].run(x)["y"]

    async def all_of_them():
        for _ in range(3):
            results = await asyncio.gather(*(session.run_async(x) for session in sessions))
            assert all(np.array_equal(result["y"], expected) for result in results)
        run = sessions[0].run_async(x)
        alone = await run
        assert np.array_equal(alone["y"], (await run)["y"]), "as often as one likes"

    asyncio.run(all_of_them())


def test_in_use(model, x):
    session = model.session(threads=1)
    run = long_run(session)
    for call in (session.run_async, session.run, session.output, session.release_memory, lambda: session.set_input(0, x)):
        with pytest.raises(coracle.InvalidArgumentError, match="an asynchronous run of this session is under way"):
            call()
    assert not run.done()
    assert "under way" in repr(run)
    assert run.cancel()
    with pytest.raises(coracle.CancelledError, match="the run was cancelled"):
        run.result()
    assert session.run(x)["y"].shape == (500, 512)


def test_what_is_wrong_is_told_at_once(model, x):
    session = model.session(threads=1)
    with pytest.raises(coracle.InvalidArgumentError, match="was not set"):
        session.run_async()
    with pytest.raises(coracle.InvalidArgumentError, match="no input 'z'"):
        session.run_async({"z": x})
    with pytest.raises(coracle.InvalidArgumentError, match="time_limit_ms is -1"):
        session.run_async(x, time_limit_ms=-1)
    session.run(x)   # It is free.
    with pytest.raises(coracle.RunFailureError):
        session.run_async(np.ones((200000, 512), np.float32), time_limit_ms=1).result()
    with pytest.raises(coracle.OutOfMemoryError):
        session.run_async(x, memory_limit=10).result()
    with pytest.raises(coracle.InvalidArgumentError):
        session.run_async(np.ones((5, 5), np.float32)).result()
    assert session.run_async(x).result()["y"].shape == (500, 512)


def test_a_cancelled_await_cancels_the_run(model):
    session = model.session(threads=1)

    async def impatient():
        run = long_run(session)
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(run, 0.05)
        return run

    start = time.monotonic()
    run = asyncio.run(impatient())
    assert isinstance(run.exception(), coracle.CancelledError)
    assert time.monotonic() - start < 20


def test_closing_waits(model, x):
    session = model.session(threads=1)
    run = session.run_async(x)
    session.close()
    assert run.done()
    assert run.result()["y"].shape == (500, 512)
    session.close()
    with model.session(threads=1) as other:
        run = long_run(other)
        run.cancel()
    assert run.done()


def test_nobody_need_keep_anything(model, x):
    session = model.session(threads=1)
    run = session.run_async(x)
    gone = weakref.ref(session)
    del session
    assert run.result()["y"].shape == (500, 512)
    del run
    for _ in range(200):
        gc.collect()
        if gone() is None:
            break
        time.sleep(0.01)
    assert gone() is None
    # Neither the session nor the run: the library frees it in its own thread.
    model.session(threads=1).run_async(x.copy())
    model.session(threads=1).run(x)


def test_functions_that_are_told(model, x):
    session = model.session(threads=1)
    expected = session.run(x)["y"]
    seen = []
    done = threading.Event()

    def told(run):
        seen.append(np.array_equal(run.result()["y"], expected) and np.array_equal(session.output("y"), expected))
        if len(seen) < 5:
            session.run_async(x).add_done_callback(told)
        else:
            session.close()
            done.set()

    session.run_async(x).add_done_callback(told)
    assert done.wait(60)
    assert seen == [True] * 5


def test_observers(model, x):
    session = model.session(threads=1)
    seen = []
    with session.observe(lambda value: seen.append(value.op)):
        session.run_async(x).result()
    assert seen

    def fail(value):
        raise KeyError("from the observer")

    with session.observe(fail):
        with pytest.raises(KeyError, match="from the observer"):
            session.run_async(x).result()
        session.observe(lambda value: session.close())
        with pytest.raises(coracle.InvalidArgumentError, match="an asynchronous run of this session is under way"):
            session.run_async(x).result()
    assert session.run(x)["y"].shape == (500, 512)


def test_bound_outputs_and_threads(model, x):
    expected = model.session(threads=1).run(x)["y"]

    def use(number):
        session = model.session(threads=1)
        y = np.empty_like(expected)
        session.bind_output("y", y)
        for _ in range(10):
            y[:] = 0
            result = session.run_async(x).result()["y"]
            assert np.shares_memory(result, y) and np.array_equal(y, expected)
        return number

    with concurrent.futures.ThreadPoolExecutor(4) as threads:
        assert list(threads.map(use, range(4))) == list(range(4))


def in_process(script):
    here = os.path.dirname(os.path.abspath(__file__))
    path = os.pathsep.join([here, os.environ.get("PYTHONPATH", "")])
    return subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120,
                          env={**os.environ, "PYTHONPATH": path})


BEGIN = """
import os, sys, warnings
import coracle, numpy as np, program_file
model = coracle.load_memory(*program_file.linear(512, 24))
session = model.session(threads=1)
x = np.ones((500, 512), np.float32)
"""


def test_the_interpreter_may_end_during_a_run():
    start = time.monotonic()
    done = in_process(BEGIN + "session.run_async(np.ones((200000, 512), np.float32))\nprint('ends')")
    assert (done.returncode, done.stdout) == (0, "ends\n")
    done = in_process(BEGIN + "for _ in range(8): model.session(threads=1).run_async(x)\nprint('ends')")
    assert (done.returncode, done.stdout) == (0, "ends\n")
    assert time.monotonic() - start < 60


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_child_has_runs_of_its_own():
    done = in_process(BEGIN + """
expected = session.run_async(x).result()["y"]
run = model.session(threads=1).run_async(np.ones((200000, 512), np.float32))
warnings.simplefilter("ignore", DeprecationWarning)   # Python 3.12 and later warn of every fork beside threads
child = os.fork()
if child == 0:
    try:
        session.run(x)
    except coracle.InvalidArgumentError as error:
        assert "load it again in this process" in str(error), error
    own = coracle.load_memory(*program_file.linear(512, 24)).session(threads=1)
    os._exit(0 if np.array_equal(own.run_async(x).result(60)["y"], expected) else 1)
assert os.waitpid(child, 0)[1] == 0
run.cancel()
assert isinstance(run.exception(), coracle.CancelledError)
print("ends")
""")
    assert (done.returncode, done.stdout) == (0, "ends\n")
