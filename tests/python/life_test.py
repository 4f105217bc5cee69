# SPDX-License-Identifier: Apache-2.0
"""Threads, processes and memory over a long life."""
import gc
import multiprocessing
import os
import subprocess
import sys
import threading
import time

import coracle
import numpy as np
import program_file
import pytest
from in_threads import in_threads


def resident_bytes():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def busy_session(rows=3000):
    """A session whose run takes a while, and its input."""
    model = coracle.load_memory(*program_file.linear(512, 24))
    session = model.session(threads=1)
    x = np.ones((rows, 512), np.float32)
    session.run(x)
    return model, session, x


def started_run(session, x):
    """The thread that runs the session; it has begun, and may not be in the library yet."""
    running = threading.Event()

    def run():
        running.set()
        session.run(x)

    thread = threading.Thread(target=run)
    thread.start()
    running.wait()
    return thread


def test_eight_threads_with_their_own_sessions():
    model = coracle.load_memory(*program_file.linear(64, 4))
    inputs = [np.random.default_rng(i).standard_normal((i % 17 + 1, 64)).astype(np.float32) for i in range(40)]
    expected = [model.session(threads=1).run(x)["y"] for x in inputs]

    def work(number):
        session = model.session(threads=1 + number % 2)
        for i in np.random.default_rng(number).permutation(len(inputs)):
            assert np.array_equal(session.run(inputs[i])["y"], expected[i])
            assert np.array_equal(model(inputs[i])["y"], expected[i])

    in_threads(8, work)


def test_one_session_in_two_threads_is_refused():
    _, session, x = busy_session()
    refused = []

    def use(function, *arguments):
        while not refused:
            try:
                function(*arguments)
            except coracle.InvalidArgumentError as error:
                refused.append(str(error))

    thread = threading.Thread(target=use, args=(session.run, x))
    thread.start()
    use(session.output)
    thread.join()
    assert "another thread is using this session" in refused[0]
    assert session.run(x)["y"].shape == (3000, 512)


def test_other_threads_run_during_a_run():
    _, session, x = busy_session(6000)
    counts = []
    done = threading.Event()

    def count():
        n = 0
        while not done.is_set():
            n += 1
            time.sleep(0.001)
        counts.append(n)

    thread = threading.Thread(target=count)
    thread.start()
    start = time.perf_counter()
    session.run(x)
    elapsed = time.perf_counter() - start
    done.set()
    thread.join()
    # A loop that may run wakes about once in a millisecond; one that may not, wakes once at the end.
    assert counts[0] > max(3, 20 * elapsed), (counts, elapsed)


def child_result(function):
    """What a function prints to a pipe in a forked child; fails if the child hangs or dies."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        try:
            text = str(function())
        except BaseException as error:
            text = "%s: %s" % (type(error).__name__, error)
        os.write(writer, text.encode())
        gc.collect()
        os._exit(0)
    os.close(writer)
    deadline = time.monotonic() + 60
    while True:
        found, status = os.waitpid(pid, os.WNOHANG)
        if found:
            break
        if time.monotonic() > deadline:
            os.kill(pid, 9)
            os.waitpid(pid, 0)
            pytest.fail("the child hangs")
        time.sleep(0.01)
    assert status == 0
    with os.fdopen(reader) as pipe:
        return pipe.read()


def test_a_forked_child(linear):
    x = np.ones((3, 4), np.float32)
    session, unused = linear.session(threads=3), linear.session(threads=3)
    expected = session.run(x)["y"].tolist()
    linear(x)
    assert child_result(lambda: session.run(x)["y"].tolist()) == str(expected)
    assert child_result(lambda: unused.run(x)["y"].tolist()) == str(expected)
    assert child_result(lambda: child_result(lambda: session.run(x)["y"].tolist())) == str(expected)
    assert child_result(lambda: session.clone().run(x)["y"].tolist()) == str(expected)
    assert child_result(lambda: session.close() or repr(session)) == "<coracle.Session closed>"
    assert child_result(lambda: session.run(x) and session.close() or repr(session)) == "<coracle.Session closed>"
    assert child_result(lambda: session.__enter__().memory) == str(session.memory)
    assert child_result(lambda: linear(x)["y"].tolist()) == str(expected)
    assert child_result(lambda: linear.session(threads=3).run(x)["y"].tolist()) == str(expected)
    assert session.run(x)["y"].tolist() == expected

    def drop():
        nonlocal session, linear
        del session, linear
        gc.collect()
        return "gone"

    assert child_result(drop) == "gone"


DEVICE_AND_FORK = """
import sys
sys.path[:0] = %r
import coracle, life_test, numpy as np, program_file
if not coracle.devices()["devices"]:
    print("no device")
    raise SystemExit
files, x = program_file.linear(512, 4), np.ones((256, 512), np.float32)
model = coracle.load_memory(*files, device="opencl")
session = model.session()
expected = session.run(x)["y"].tolist()
for what in (lambda: session.run(x), lambda: coracle.load_memory(*files, device="opencl"), session.close,
             lambda: coracle.load_memory(*files)(x)["y"].shape):
    print(life_test.child_result(what).replace("\\n", " "))
print(any("opencl" in step.kernel for step in session.profile(x)), session.run(x)["y"].tolist() == expected)
"""


def test_a_device_is_refused_in_a_forked_child():
    out = subprocess.run([sys.executable, "-c", DEVICE_AND_FORK % (sys.path,)], check=True, stdout=subprocess.PIPE, text=True,
                         timeout=300).stdout.splitlines()
    if out == ["no device"]:
        pytest.skip("this machine has no OpenCL device")
    run, loaded, closed, cpu, parent = out
    assert parent == "True True", out
    assert "is gone" in run and "a process that was forked since then" in run, run
    assert "this process was forked from process" in loaded and "spawn" in loaded, loaded
    assert (closed, cpu) == ("None", "(256, 512)"), out


def test_a_session_in_use_during_a_fork_stays_so():
    _, session, x = busy_session(2000)
    thread = started_run(session, x)
    while thread.is_alive() and not session._model.running:
        time.sleep(0)
    answer = child_result(lambda: session.run(x[:1]))
    thread.join()
    assert "was using this session when process" in answer and "load the model again" in answer


def test_a_child_forked_during_a_run_loads_again():
    model, session, x = busy_session()
    thread = started_run(session, x)
    while thread.is_alive() and not model._handle.running:
        time.sleep(0)
    answer = child_result(lambda: model(x[:1]))
    thread.join()
    assert "load it again" in answer
    assert child_result(lambda: model(x[:1])["y"].shape) == "(1, 512)"


def answer_of_run(session, x, queue):
    try:
        queue.put(session.run(x)["y"].tolist())
    finally:
        session.close()


def test_multiprocessing_with_fork(linear):
    x = np.ones((3, 4), np.float32)
    context = multiprocessing.get_context("fork")
    pool = coracle.Pool(2)
    for session in linear.session(threads=2), linear.session(pool=pool):
        expected = session.run(x)["y"].tolist()
        queue = context.Queue()
        child = context.Process(target=answer_of_run, args=(session, x, queue))
        child.start()
        assert queue.get(timeout=60) == expected
        child.join(60)
        assert child.exitcode == 0
        assert session.run(x)["y"].tolist() == expected


def test_sessions_share_the_threads_of_a_pool():
    model = coracle.load_memory(*program_file.linear(256, 4))
    x = np.random.default_rng(0).standard_normal((512, 256)).astype(np.float32)
    expected = model.session(threads=1).run(x)["y"]
    assert coracle.default_threads() >= 1
    pool = coracle.Pool(3)
    assert pool.threads == 3 and repr(pool) == "<coracle.Pool of 3 threads>" and coracle.Pool().threads == coracle.default_threads()
    before = len(os.listdir("/proc/self/task"))
    sessions = [model.session(threads, pool=pool) for threads in (0, 1, 2, 0, 0)]
    del pool   # The sessions keep it.
    for session in sessions:
        assert np.array_equal(session.run(x)["y"], expected)
    assert len(os.listdir("/proc/self/task")) <= before + 2

    def work(number):
        for _ in range(10):
            assert np.array_equal(sessions[number].run(x)["y"], expected)

    in_threads(5, work)
    for wrong in -1, 1025, True, "2", 1.5:
        with pytest.raises(coracle.InvalidArgumentError, match="threads is"):
            coracle.Pool(wrong)
    with pytest.raises(coracle.InvalidArgumentError, match="expected a coracle.Pool"):
        model.session(pool=3)


def test_polling_a_session_that_runs():
    _, session, x = busy_session(500)
    stop = threading.Event()

    def poll():
        while not stop.is_set():
            for ask in (lambda: session.memory, session.output, lambda: session.output_shape(), session.planned_memory, session.explain):
                try:
                    ask()
                except coracle.InvalidArgumentError as error:
                    assert "another thread is using this session" in str(error)

    failures = []
    pollers = [threading.Thread(target=lambda: failures.append(in_threads(1, lambda _: poll()))) for _ in range(2)]
    for poller in pollers:
        poller.start()
    done = 0
    deadline = time.monotonic() + 10    # those who ask are often before it
    while done < 5 and time.monotonic() < deadline:
        try:
            session.profile(x)
            done += 1
        except coracle.InvalidArgumentError as error:
            assert "another thread is using this session" in str(error)
    stop.set()
    for poller in pollers:
        poller.join()
    assert failures == [None, None] and session.profile(x).total_ms > 0


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_pools_of_processes(linear_files, method):
    model = coracle.load(linear_files[0])
    x = np.ones((3, 4), np.float32)
    expected = model(x)["y"]
    with multiprocessing.get_context(method).Pool(2) as pool:
        for results in pool.map(model, [x, x, x]):
            assert np.array_equal(results["y"], expected)


def test_nothing_is_printed_at_exit(linear_files):
    code = ("import coracle, numpy, sys, threading; m = coracle.load(sys.argv[1]); x = numpy.ones((1, 4), 'f4'); m(x); s = m.session(2); "
            "s.run(x); t = threading.Thread(target=m, args=(x,)); t.start(); t.join(); keep = [m, s]")
    answer = subprocess.run([sys.executable, "-c", code, str(linear_files[0])], check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert answer.stdout == b""


def test_loading_and_unloading_keeps_memory_flat():
    program, params = program_file.linear(256, 4)
    x = np.ones((8, 256), np.float32)

    def cycle():
        model = coracle.load_memory(program, params)
        with model.session(threads=2) as session:
            session.run(x)
        model(x)

    def cycles(count):
        for _ in range(count):
            cycle()
        gc.collect()
        return resident_bytes()

    before = cycles(40)
    growth = cycles(200) - before
    print("200 cycles: %+.2f MiB" % (growth / 2**20))
    assert growth < 2 * 2**20


def test_models_go_without_the_garbage_collector():
    gc.disable()
    try:
        model = coracle.load_memory(*program_file.linear())
        model(np.ones((1, 4), np.float32))
        handle = model._handle
        before = sys.getrefcount(handle)
        del model
        assert sys.getrefcount(handle) < before
        assert sys.getrefcount(handle) == 2
    finally:
        gc.enable()


def test_many_runs_with_other_shapes_keep_memory_flat(linear):
    session = linear.session(threads=1)

    def runs(count):
        for i in range(count):
            session.run(np.ones((i % 97 + 1, 4), np.float32))
        gc.collect()
        return resident_bytes()

    before = runs(1000)
    assert runs(5000) - before < 2**20
