# SPDX-License-Identifier: Apache-2.0
"""Cancelling runs, and Ctrl-C."""
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import coracle
import numpy as np
import program_file
import pytest


def environment():
    """For programs that import what lies beside this file."""
    here = str(pathlib.Path(__file__).resolve().parent)
    return dict(os.environ, PYTHONPATH=os.pathsep.join([here, os.environ.get("PYTHONPATH", "")]))


@pytest.fixture
def busy():
    """A session whose run takes a while, its input and its answer."""
    session = coracle.load_memory(*program_file.linear(512, 24)).session(threads=2)
    x = np.ones((500, 512), np.float32)
    return session, x, session.run(x)["y"]


def test_from_another_thread(busy):
    session, x, expected = busy
    done = threading.Event()

    def cancel():
        while not done.wait(0.01):
            session.cancel()

    other = threading.Thread(target=cancel)
    other.start()
    cancelled = 0
    for _ in range(100):
        try:
            assert np.array_equal(session.run(x)["y"], expected)
        except coracle.CancelledError as error:
            assert "the run was cancelled" in str(error)
            cancelled += 1
    done.set()
    other.join()
    assert cancelled > 0
    assert np.array_equal(session.run(x)["y"], expected)


def test_without_a_run(busy):
    session, x, expected = busy
    session.cancel()
    session.cancel()
    assert np.array_equal(session.run(x)["y"], expected)
    session.close()
    session.cancel()


def test_from_an_observer(busy):
    session, x, expected = busy
    with session.observe(lambda value: session.cancel()), pytest.raises(coracle.CancelledError):
        session.run(x)
    assert np.array_equal(session.run(x)["y"], expected)


def test_while_others_close(total):
    for _ in range(200):
        session = total.session(threads=1)
        other = threading.Thread(target=lambda: [session.cancel() for _ in range(50)])
        other.start()
        session.close()
        other.join()


# Says when it runs, runs for seconds unless it is interrupted, and then once more.
INTERRUPTED = """
import sys
import coracle, numpy as np, program_file
model = coracle.load_memory(*program_file.linear(256, 4))
session = model.session(threads=int(sys.argv[1]))
x = np.ones((8, 256), np.float32)
expected = session.run(x)["y"]
large = np.ones((400000, 256), np.float32)
print("runs", flush=True)
try:
    session.run(large)
    print("came to its end")
except KeyboardInterrupt:
    assert np.array_equal(session.run(x)["y"], expected)
    assert np.array_equal(model(x)["y"], expected)
    print("interrupted", flush=True)
"""


@pytest.mark.parametrize("threads", [1, 2])
def test_keyboard_interrupt(threads):
    with subprocess.Popen([sys.executable, "-c", INTERRUPTED, str(threads)], stdout=subprocess.PIPE, text=True,
                          env=environment()) as process:
        assert process.stdout.readline() == "runs\n"
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        assert process.stdout.read() == "interrupted\n"
    assert process.returncode == 0


HANDLED = """
import os, signal, threading
import coracle, numpy as np, program_file
seen = []
signal.signal(signal.SIGINT, lambda *_: seen.append(1))
session = coracle.load_memory(*program_file.linear(512, 24)).session(threads=1)
x = np.ones((2000, 512), np.float32)
expected = session.run(x)["y"]
threading.Timer(0.05, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
for _ in range(5):
    assert np.array_equal(session.run(x)["y"], expected)
assert seen == [1], seen
"""


def test_a_program_that_handles_the_signal_decides():
    subprocess.run([sys.executable, "-c", HANDLED], check=True, env=environment())


WAKEUP = """
import os, signal
import coracle, numpy as np, program_file
session = coracle.load_memory(*program_file.linear(512, 24)).session(threads=1)
read, write = os.pipe()
os.set_blocking(write, False)
signal.set_wakeup_fd(write)
signal.signal(signal.SIGUSR1, lambda *_: None)
def observer(value):
    if value.is_result:
        os.kill(os.getpid(), signal.SIGUSR1)
with session.observe(observer):
    session.run(np.ones((3, 512), np.float32))
assert os.read(read, 1)[0] == signal.SIGUSR1
assert signal.set_wakeup_fd(-1) == write
"""


def test_others_who_wait_for_signals_are_told():
    subprocess.run([sys.executable, "-c", WAKEUP], check=True, env=environment())
