# SPDX-License-Identifier: Apache-2.0
"""The back end for Triton in the real Triton: `make serve-triton` installs that server and runs this. Answers are compared bit for bit with
`coracle run`."""
import http.client
import json
import os
import pathlib
import shutil
import socket
import subprocess
import threading
import time

import numpy as np
import pytest

pytriton = pytest.importorskip("pytriton", reason="the real Triton is not installed (make serve-triton)")

MODELS = pathlib.Path(os.environ.get("CORACLE_DEMO_MODELS", "none")) / "models"
SHARED = pathlib.Path(__file__).resolve().parents[2] / "../shared/models/mobilenetv3_small_x0_35-multilabel"
# By name: folder, configuration, shape of a row. The second rows of "rec" have another width.
REPOSITORY = {
    "rec": (MODELS / "ch_PP-OCRv4_rec_infer", 'instance_group [{ count: 2 kind: KIND_CPU }]\n'
            'dynamic_batching { max_queue_delay_microseconds: 200000 }\nparameters { key: "threads" value { string_value: "1" } }\n', (3, 48, 64)),
    "det": (MODELS / "ch_PP-OCRv4_det_infer", "max_batch_size: 0\n", (3, 64, 96)),
    "mobilenet": (SHARED, "", (3, 224, 224)),
}
INPUT = "x"


@pytest.fixture(scope="module")
def triton(tmp_path_factory):
    folder = tmp_path_factory.mktemp("triton")
    for name, (source, config, _) in REPOSITORY.items():
        if source.is_dir():
            shutil.copytree(source, folder / "models" / name / "1")
            (folder / "models" / name / "config.pbtxt").write_text('backend: "coracle"\n' + config)
    (folder / "models" / "damaged" / "1").mkdir(parents=True)
    (folder / "models" / "damaged" / "1" / "inference.pdmodel").write_bytes(b"\x0a\xff\xff")
    (folder / "models" / "damaged" / "config.pbtxt").write_text('backend: "coracle"\n')
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    program = pathlib.Path(pytriton.__file__).with_name("tritonserver") / "bin" / "tritonserver"
    backends = pathlib.Path(os.environ["CORACLE_SERVE"]).with_name("backends")
    log = folder / "log"
    with open(log, "w") as out:
        process = subprocess.Popen([program, "--model-repository", folder / "models", "--backend-directory", backends, "--http-address", "127.0.0.1",
                                    "--http-port", str(port), "--allow-grpc", "false", "--allow-metrics", "false", "--exit-on-error", "false"],
                                   stdout=out, stderr=out)
    end = time.time() + 120
    while True:
        try:
            if ask(port, "GET", "/v2/health/live")[0] == 200:
                break
        except OSError:
            pass
        assert process.poll() is None and time.time() < end, log.read_text()[-4000:]
        time.sleep(0.2)
    yield port
    assert process.poll() is None, log.read_text()[-4000:]
    process.terminate()
    assert process.wait(60) == 0


def ask(port, method, path, body=b"", headers={}):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request(method, path, body, headers)
    answer = connection.getresponse()
    return answer.status, answer.headers, answer.read()


def infer(port, name, x):
    """The only output, in bytes, by the binary form of the protocol."""
    tensor = {"name": INPUT, "datatype": "FP32", "shape": x.shape, "parameters": {"binary_data_size": x.nbytes}}
    head = json.dumps({"inputs": [tensor], "parameters": {"binary_data_output": True}}).encode()
    status, headers, body = ask(port, "POST", "/v2/models/%s/infer" % name, head + x.tobytes(), {"Inference-Header-Content-Length": str(len(head))})
    assert status == 200, body
    length = int(headers["Inference-Header-Content-Length"])
    (output,) = json.loads(body[:length])["outputs"]
    return np.frombuffer(body[length:], np.float32).reshape(output["shape"])


def alone(name, x, folder):
    """What `coracle run` answers."""
    np.save(folder / "x.npy", x)
    (folder / "out").mkdir(exist_ok=True)
    program = pathlib.Path(os.environ["CORACLE_SERVE"]).with_name("coracle")
    subprocess.run([program, "run", REPOSITORY[name][0], "--input", "%s=%s" % (INPUT, folder / "x.npy"), "--output-dir", folder / "out"], check=True,
                   stdout=subprocess.DEVNULL)
    (file,) = (folder / "out").glob("*.npy")
    return np.load(file)


def given(name, rows, seed):
    if not REPOSITORY[name][0].is_dir():
        pytest.skip("there is no %s" % REPOSITORY[name][0])
    return np.random.default_rng(seed).random((rows, *REPOSITORY[name][2]), np.float32)


@pytest.mark.parametrize("rows", [1, 3])
@pytest.mark.parametrize("name", REPOSITORY)
def test_answers_have_the_bits_of_the_program(triton, tmp_path, name, rows):
    x = given(name, rows, rows)
    theirs, ours = infer(triton, name, x), alone(name, x, tmp_path)
    assert theirs.shape == ours.shape and theirs.tobytes() == ours.tobytes()


def test_requests_of_several_clients_run_together_with_the_same_bits(triton, tmp_path):
    given("rec", 1, 0)
    xs = [np.random.default_rng(i).random((1 + i % 2, 3, 48, 64 if i % 3 else 96), np.float32) for i in range(24)]
    before, answers = statistics(triton, "rec"), {}
    threads = [threading.Thread(target=lambda i=i: answers.update({i: infer(triton, "rec", xs[i])})) for i in range(len(xs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    rows, end = sum(len(x) for x in xs), time.time() + 10
    while True:  # numbers of a run are told after its answers
        after = statistics(triton, "rec")
        if after["inference_count"] - before["inference_count"] == rows or time.time() > end:
            break
        time.sleep(0.05)
    assert after["inference_count"] - before["inference_count"] == rows
    assert after["execution_count"] - before["execution_count"] < len(xs), "no batch was joined"
    assert any(batch["batch_size"] > 2 for batch in after["batch_stats"])
    for i, x in enumerate(xs):
        assert answers[i].tobytes() == infer(triton, "rec", x).tobytes()
    for i in (1, 3):  # widths 64 and 96
        assert answers[i].tobytes() == alone("rec", xs[i], tmp_path).tobytes()


def statistics(port, name):
    return json.loads(ask(port, "GET", "/v2/models/%s/stats" % name)[2])["model_stats"][0]


def test_configurations_are_completed(triton):
    given("det", 1, 0)
    config = json.loads(ask(triton, "GET", "/v2/models/rec/config")[2])
    assert config["max_batch_size"] == 4 and config["input"][0]["dims"] == [3, 48, -1] and config["output"][0]["data_type"] == "TYPE_FP32"
    assert config["instance_group"][0]["count"] == 2


def test_a_damaged_model_is_an_error_with_its_reason(triton):
    status, _, body = ask(triton, "POST", "/v2/repository/index")
    (damaged,) = [model for model in json.loads(body) if model["name"] == "damaged"]
    assert status == 200 and damaged["state"] == "UNAVAILABLE" and "inference.pdmodel" in damaged["reason"]


def test_a_run_that_fails_is_an_error(triton):
    given("det", 1, 0)
    body = json.dumps({"inputs": [{"name": "x", "datatype": "FP32", "shape": [1, 3, 5, 5], "data": [0] * 75}]})
    status, _, answer = ask(triton, "POST", "/v2/models/det/infer", body)
    assert status >= 400 and b"error" in answer, answer
    assert infer(triton, "det", given("det", 1, 7)).shape[0] == 1
