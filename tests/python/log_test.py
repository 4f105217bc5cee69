# SPDX-License-Identifier: Apache-2.0
"""Messages of the library in Python's logging, and pools on processors that were named."""
import logging
import os
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest

import coracle

X = np.ones((3, 2), np.float32)


@pytest.fixture
def debug():
    coracle.set_log_level("debug")
    yield
    coracle.set_log_level(logging.INFO)


def test_messages_are_records_of_the_logger_coracle(linear_files, caplog):
    with caplog.at_level(logging.DEBUG, "coracle"):
        model = coracle.load(linear_files[0])
    (record,) = caplog.records
    assert (record.name, record.levelno) == ("coracle", logging.DEBUG)
    assert record.getMessage().startswith("loaded '%s' (ProgramDesc): " % linear_files[0])
    caplog.clear()
    with caplog.at_level(logging.WARNING, "coracle"):
        model(np.ones((3, 4), np.float32))
    assert not caplog.records


def test_more_is_told_where_it_is_asked_for(linear, caplog, debug):
    with caplog.at_level(logging.DEBUG, "coracle"):
        linear.session(threads=1)
        assert [(r.levelno, r.getMessage()[:20]) for r in caplog.records] == [(logging.DEBUG, "session with 1 threa")]
        caplog.clear()
        coracle.set_log_level(logging.WARNING)
        linear.session(threads=1)
        assert not caplog.records
    for wrong in ("loud", None, 1.5, True):
        with pytest.raises(coracle.InvalidArgumentError, match="level is"):
            coracle.set_log_level(wrong)


def test_nothing_is_printed_without_handlers(linear_files):
    script = "import coracle; coracle.set_log_level('DEBUG'); coracle.load(%r).session(threads=1024)" % str(linear_files[0])
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")


def test_info_says_nothing_by_itself(linear_files):
    script = ("import logging, numpy as np; logging.basicConfig(level=logging.INFO); import coracle; "
              "import coracle.paddle.inference as paddle_infer; model = coracle.load(%r); session = model.session(threads=1); "
              "[session.run(np.ones((rows, 4), np.float32)) for rows in (1, 2, 3)]; "
              "predictor = paddle_infer.create_predictor(paddle_infer.Config(%r, %r)); predictor.run([np.ones((2, 4), np.float32)])"
              % (str(linear_files[0]), *map(str, linear_files)))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")
    told = subprocess.run([sys.executable, "-c", script.replace("logging.INFO", "logging.DEBUG")], capture_output=True, text=True, check=True)
    assert told.stderr.count("DEBUG:coracle:loaded '") == 2


def test_pools_on_processors(linear):
    cpu = max(os.sched_getaffinity(0))
    x = np.ones((3, 4), np.float32)
    expected = linear(x)[0]
    for cpus in (str(cpu), [cpu], {cpu}):
        pool = coracle.Pool(cpus=cpus)
        assert (pool.threads, pool.cpus) == (1, str(cpu))
        assert np.array_equal(linear.session(pool=pool).run(x)[0], expected)
    copy = pickle.loads(pickle.dumps(coracle.Pool(2, cpus=[cpu])))
    assert (copy.threads, copy.cpus) == (2, str(cpu))
    assert coracle.Pool().cpus is None
    assert np.array_equal(linear.session(2, cpus=[cpu]).run(x)[0], expected)
    for wrong in ("", "two", [], [-1], "node99999"):
        with pytest.raises(coracle.InvalidArgumentError, match="cpus"):
            coracle.Pool(cpus=wrong)
        with pytest.raises(coracle.InvalidArgumentError, match="cpus"):
            linear.session(cpus=wrong)
        with pytest.raises(coracle.InvalidArgumentError, match="cpus"):
            coracle.bind_thread(wrong)
    with pytest.raises(coracle.InvalidArgumentError, match="the threads of a pool already have processors: give either cpus or a pool"):
        linear.session(cpus=str(cpu), pool=coracle.Pool(1))


def test_bound_threads():
    seen = []

    def work():
        cpu = max(os.sched_getaffinity(0))
        coracle.bind_thread([cpu])
        seen.append((os.sched_getaffinity(0), {cpu}, coracle.default_threads()))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen[0][0] == seen[0][1] and seen[0][2] == 1
