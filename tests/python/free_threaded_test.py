# SPDX-License-Identifier: Apache-2.0
"""Many threads on the same objects: results are right or a call is refused, whether Python has a lock of its own or not."""
import subprocess
import sys
import sysconfig

import numpy as np
import pytest

import coracle
import program_file
from in_threads import in_threads

THREADS = 8
TURNS = 40


@pytest.fixture
def model():
    return coracle.load_memory(*program_file.linear(64, 24))


def inputs_of(number):
    return np.random.default_rng(number).standard_normal((number % 5 + 1, 64)).astype(np.float32)


def test_sessions_of_one_model(model):
    expected = [model.session(threads=1).run(inputs_of(number))["y"] for number in range(THREADS)]

    def run(number):
        for _ in range(TURNS):
            with model.session(threads=1) as session:
                for _ in range(3):
                    assert np.array_equal(session.run(inputs_of(number))["y"], expected[number])

    in_threads(THREADS, run)


def test_the_model_ends_while_its_sessions_run():
    expected = coracle.load_memory(*program_file.linear(64, 24)).session(threads=1).run(inputs_of(1))["y"]

    def run(_):
        for _ in range(TURNS):
            session = coracle.load_memory(*program_file.linear(64, 24)).session(threads=1)
            assert np.array_equal(session.run(inputs_of(1))["y"], expected)

    in_threads(THREADS, run)


def test_one_session_is_used_by_one_thread_at_a_time(model):
    session = model.session(threads=1)
    expected = session.run(inputs_of(4))["y"]
    refused = []

    def run(_):
        for _ in range(TURNS):
            try:
                assert np.array_equal(session.run(inputs_of(4))["y"], expected)
            except coracle.InvalidArgumentError as error:
                assert "another thread is using this session" in str(error)
                refused.append(error)

    in_threads(THREADS, run)
    assert len(refused) < THREADS * TURNS
    assert np.array_equal(session.run(inputs_of(4))["y"], expected)


def test_a_session_is_closed_once(model):
    for _ in range(TURNS):
        session = model.session(threads=1)

        def close_or_run(number, session=session):
            try:
                session.close() if number % 2 else session.run(inputs_of(number))
            except coracle.InvalidArgumentError as error:
                assert "is closed" in str(error) or "another thread is using this session" in str(error)

        in_threads(THREADS, close_or_run)
        session.close()


def test_asynchronous_runs_and_a_pool(model):
    pool = coracle.Pool(2)
    expected = [model.session(threads=1).run(inputs_of(number))["y"] for number in range(THREADS)]

    def run(number):
        for _ in range(TURNS // 4):
            with model.session(pool=pool) as session:
                assert np.array_equal(session.run_async(inputs_of(number)).result()["y"], expected[number])

    in_threads(THREADS, run)


def test_messages_are_those_of_the_thread(model):
    def run(number):
        for _ in range(TURNS):
            with pytest.raises(coracle.InvalidArgumentError, match="no input 'x%d'" % number):
                model.session(threads=1).run({"x%d" % number: inputs_of(0)})

    in_threads(THREADS, run)


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="this Python has its lock")
def test_the_lock_stays_off():
    code = "import sys, coracle; coracle.cpu_isa(); sys.exit(sys._is_gil_enabled())"
    assert subprocess.run([sys.executable, "-W", "error", "-c", code]).returncode == 0
