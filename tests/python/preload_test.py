# SPDX-License-Identifier: Apache-2.0
"""Servers load a model once and fork their workers: predictors made before the fork answer in the children, with the parent's bits."""
import http.client
import itertools
import os
import socket
import subprocess
import sys
import threading
import time

import coracle.paddle.inference as paddle_infer
import numpy as np
import pytest

from life_test import child_result

SIZES = {"ppocr-v2.0-en-rec": (("inference.pdmodel", "inference.pdiparams"), (1, 3, 32, 100)),
         "pir-PP-LCNet_x0_25_textline_ori": (("inference.json", "inference.pdiparams"), (1, 3, 80, 160))}


def predictor_of(folder, files, threads):
    config = paddle_infer.Config(*(str(folder / file) for file in files))
    config.set_cpu_math_library_num_threads(threads)
    return paddle_infer.create_predictor(config)


def answer(predictor, x):
    predictor.get_input_handle(predictor.get_input_names()[0]).copy_from_cpu(x)
    return bits_of_run(predictor)


def bits_of_run(predictor):
    predictor.run()
    return predictor.get_output_handle(predictor.get_output_names()[0]).copy_to_cpu().tobytes()


@pytest.mark.parametrize("model", SIZES)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("ran_before", [False, True])
def test_a_predictor_of_the_parent(shared, model, threads, ran_before):
    files, shape = SIZES[model]
    folder = shared / "models" / model
    x = np.random.default_rng(7).uniform(-1, 1, shape).astype(np.float32)
    expected = answer(predictor_of(folder, files, threads), x)
    predictor = predictor_of(folder, files, threads)
    clone = predictor.clone()
    if ran_before:
        assert answer(predictor, x) == expected

    assert child_result(lambda: answer(predictor, x) == expected) == "True"
    assert child_result(lambda: answer(clone, x) == expected) == "True"
    assert child_result(lambda: answer(predictor.clone(), x) == expected) == "True"
    # An input that was set before the fork is the child's, too.
    predictor.get_input_handle(predictor.get_input_names()[0]).copy_from_cpu(x)
    assert child_result(lambda: bits_of_run(predictor) == expected) == "True"
    assert answer(predictor, x) == expected


APPLICATION = """
import os, pathlib, numpy as np
from preload_test import SIZES, answer, predictor_of
files, shape = SIZES[{model!r}]
predictor = predictor_of(pathlib.Path({folder!r}), files, {threads})
if {ran_before}:
    answer(predictor, np.zeros(shape, np.float32))

def app(environ, start_response):
    x = np.frombuffer(environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"])), np.float32).reshape(shape)
    start_response("200 OK", [("Content-Type", "application/octet-stream"), ("X-Worker", str(os.getpid()))])
    return [answer(predictor, x)]
"""


class Client(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path):
        super().__init__("localhost", timeout=60)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(60)
        self.sock.connect(self.path)


@pytest.mark.parametrize("threads, ran_before", [(1, True), (2, True), (2, False)])
def test_gunicorn_with_preload(shared, tmp_path, threads, ran_before):
    pytest.importorskip("gunicorn")
    model = "ppocr-v2.0-en-rec"
    files, shape = SIZES[model]
    folder = shared / "models" / model
    x = np.random.default_rng(8).uniform(-1, 1, (6, *shape)).astype(np.float32)
    predictor = predictor_of(folder, files, 1)
    expected = [answer(predictor, each) for each in x]

    (tmp_path / "application.py").write_text(
        APPLICATION.format(model=model, folder=str(folder), threads=threads, ran_before=ran_before))
    path = str(tmp_path / "socket")
    paths = os.pathsep.join([str(tmp_path), *sys.path])
    server = subprocess.Popen([sys.executable, "-m", "gunicorn", "--preload", "--workers", "4", "--bind", "unix:" + path,
                               "application:app"], cwd=tmp_path, env={**os.environ, "PYTHONPATH": paths}, stderr=subprocess.PIPE, text=True)
    workers, wrong, until = set(), [], time.monotonic() + 60
    turns = itertools.count()

    def ask():
        # Until each of the four workers has answered several times.
        while time.monotonic() < until and not wrong and not (len(workers) == 4 and next(turns) >= 64):
            index = next(turns) % len(x)
            client = Client(path)
            try:
                client.request("POST", "/", x[index].tobytes())
                response = client.getresponse()
                if response.status != 200 or response.read() != expected[index]:
                    wrong.append((index, response.status))
                workers.add(response.getheader("X-Worker"))
            except (ConnectionRefusedError, FileNotFoundError):  # it has not started yet
                if server.poll() is not None:
                    wrong.append("gunicorn ended")
                time.sleep(0.05)
            finally:
                client.close()

    clients = [threading.Thread(target=ask) for _ in range(8)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    server.terminate()
    errors = server.communicate(timeout=60)[1]
    assert not wrong and len(workers) == 4, (wrong, workers, errors[-2000:])
    assert server.returncode == 0, errors[-2000:]
