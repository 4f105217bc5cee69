# SPDX-License-Identifier: Apache-2.0
"""The same requests to the real Triton: `make serve-triton` installs it and runs this. What differs on purpose is in DIFFERENT."""
import http.client
import json
import pathlib
import shutil
import socket
import struct
import subprocess
import sys
import time

import program_file
import pytest
from conftest import Server, save
from ensembles_test import ensemble, step

pytest.importorskip("pytriton", reason="the real Triton is not installed (make serve-triton)")

TENSOR = {"name": "x", "datatype": "FP32", "shape": [1, 2], "data": [1, 2]}
ELEMENTS = struct.pack("<2f", 1, 2)
LENGTH = "Inference-Header-Content-Length"


def changed(**fields):
    return {"inputs": [{**TENSOR, **fields}]}


def binary(change=b"", cut=0, **request):
    tensor = {"name": "x", "datatype": "FP32", "shape": [1, 2], "parameters": {"binary_data_size": 8}}
    head = json.dumps({"inputs": [tensor], **request}).encode()
    return head + ELEMENTS[:8 - cut] + change, {LENGTH: str(len(head))}


INFER = "/v2/models/m/infer"
M = step("m", {"x": "IN"}, {"y": "OUT"})
TWICE = (step("m", {"x": "IN"}, {"y": "t"}), step("m", {"x": "t"}, {"y": "OUT"}))
# By name: method, path, JSON or bytes, headers.
REQUESTS = {
    "live": ("GET", "/v2/health/live"), "ready": ("GET", "/v2/health/ready"), "model ready": ("GET", "/v2/models/m/ready"),
    "version ready": ("GET", "/v2/models/m/versions/1/ready"), "no model ready": ("GET", "/v2/models/none/ready"),
    "metadata": ("GET", "/v2/models/m"), "no metadata": ("GET", "/v2/models/none"), "config": ("GET", "/v2/models/m/config"),
    "no config": ("GET", "/v2/models/none/config"), "wrong method": ("GET", INFER), "no path": ("GET", "/nothing"), "no v2 path": ("GET", "/v2/nothing"),
    "plain": ("POST", INFER, {"inputs": [TENSOR]}), "id": ("POST", INFER, {"id": "a", "inputs": [TENSOR], "outputs": [{"name": "y"}]}),
    "nested": ("POST", INFER, changed(data=[[1, 2]])), "version": ("POST", "/v2/models/m/versions/1/infer", {"inputs": [TENSOR]}),
    "no version": ("POST", "/v2/models/m/versions/7/infer", {"inputs": [TENSOR]}), "no model": ("POST", "/v2/models/none/infer", {"inputs": [TENSOR]}),
    "binary output": ("POST", INFER, {"inputs": [TENSOR], "outputs": [{"name": "y", "parameters": {"binary_data": True}}]}),
    "binary input": ("POST", INFER, *binary()), "binary both": ("POST", INFER, *binary(parameters={"binary_data_output": True})),
    "raw": ("POST", INFER, ELEMENTS, {LENGTH: "0"}), "too much binary": ("POST", INFER, *binary(b"x")), "too little binary": ("POST", INFER, *binary(cut=1)),
    "head longer than body": ("POST", INFER, binary()[0], {LENGTH: "99999"}), "head without number": ("POST", INFER, binary()[0], {LENGTH: "x"}),
    "no JSON": ("POST", INFER, b"{"), "a list": ("POST", INFER, b"[]"), "nothing in it": ("POST", INFER, {}), "no inputs": ("POST", INFER, {"inputs": []}),
    "another input": ("POST", INFER, changed(name="z")), "another type": ("POST", INFER, changed(datatype="FP64")),
    "no type": ("POST", INFER, changed(datatype="FPX")), "more in shape": ("POST", INFER, changed(shape=[1, 3])),
    "another rank": ("POST", INFER, changed(shape=[2])), "negative shape": ("POST", INFER, changed(shape=[-1, 2])), "text": ("POST", INFER, changed(data=[1, "a"])),
    "twice": ("POST", INFER, {"inputs": [TENSOR, TENSOR]}), "another output": ("POST", INFER, {"inputs": [TENSOR], "outputs": [{"name": "q"}]}),
    "NaN": ("POST", INFER, changed(data=[float("nan"), 1])), "many rows": ("POST", INFER, changed(shape=[9, 2], data=[0] * 18)),
    "priority": ("POST", INFER, {"inputs": [TENSOR], "parameters": {"priority": 1, "timeout": 10000000}}),
    "unknown member": ("POST", INFER, {"inputs": [TENSOR], "unknown": 1}), "unknown coding": ("POST", INFER, {"inputs": [TENSOR]}, {"Content-Encoding": "br"}),
    "query": ("GET", "/v2/models/m?x=1"),
}
WRONG = "a wrong request is 400; Triton says 500 of what its parser finds"
HEALTH = "KServe's SDK reads the JSON"
DIFFERENT = {
    "live": HEALTH, "ready": HEALTH, "model ready": HEALTH, "version ready": HEALTH,
    "no model ready": "there is no such model: 404, Triton's 400 says that it is not ready",
    "no JSON": WRONG, "a list": WRONG, "nothing in it": WRONG, "more in shape": WRONG, "negative shape": WRONG, "text": WRONG,
    "NaN": "numbers that JSON does not know are null, as strict readers want it; Triton writes NaN",
    "many rows": "without a configuration more rows than a batch has are no error",
}


# By name: steps, other arguments of `ensemble`, whether it can be loaded.
ENSEMBLES = {
    "twice": (TWICE, {}, True),
    "once": ((M,), {}, True),
    "side by side": ((step("m", {"x": "IN"}, {"y": "OUT"}), step("m", {"x": "IN"}, {"y": "ALSO"})), {"outputs": ("OUT", "ALSO")}, True),
    "back to front": (TWICE[::-1], {}, True),
    "fewer rows": (TWICE, {"rows": 4}, True),
    "nested": ((step("twice", {"IN": "IN"}, {"OUT": "t"}), step("m", {"x": "t"}, {"y": "OUT"})), {}, True),
    "no model": ((step("none", {"x": "IN"}, {"y": "OUT"}),), {}, False),
    "no version": ((step("m", {"x": "IN"}, {"y": "OUT"}, 7),), {}, False),
    "no such input": ((step("m", {"z": "IN"}, {"y": "OUT"}),), {}, False),
    "no such output": ((step("m", {"x": "IN"}, {"z": "OUT"}),), {}, False),
    "no step": ((), {}, False),
    "no source": ((step("m", {"x": "t"}, {"y": "OUT"}),), {}, False),
    "two sources": ((M, M), {}, False),
    "a ring": ((M, step("m", {"x": "s"}, {"y": "t"}), step("m", {"x": "t"}, {"y": "s"})), {}, False),
    "input not used": ((M,), {"inputs": ("IN", "MORE")}, False),
    "output not made": ((M,), {"outputs": ("OUT", "MORE")}, False),
    "tensor not used": ((M, step("m", {"x": "IN"}, {"y": "t"})), {}, False),
    "another type": ((M,), {"dtype": "TYPE_INT32"}, False),
    "another rank": ((M,), {"dims": "2, 2"}, False),
    "more rows": ((M,), {"rows": 9}, False),
    "no input_map": ((step("m", {}, {"y": "OUT"}),), {}, False),
    "no output_map": ((step("m", {"x": "IN"}, {}),), {}, False),
    "itself": ((step("itself", {"IN": "IN"}, {"OUT": "OUT"}),), {}, False),
    "batching": ((M,), {"more": "dynamic_batching { }"}, False),
}


@pytest.fixture(scope="module")
def ensembles(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ensembles")
    for name, (steps, options, _) in ENSEMBLES.items():
        (folder / path_of(name) / "1").mkdir(parents=True)
        ensemble(folder / path_of(name), *steps, **{"dims": "-1", **options})
    return folder


def path_of(name):
    return name.replace(" ", "_")


@pytest.fixture(scope="module")
def triton(tmp_path_factory, ensembles):
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    log, models = tmp_path_factory.mktemp("triton") / "log", tmp_path_factory.mktemp("models") / "new"
    with open(log, "w") as out:
        process = subprocess.Popen([sys.executable, pathlib.Path(__file__).with_name("triton_model.py"), str(port), models], stdout=out, stderr=out)
    end = time.time() + 120
    while True:
        try:
            if ask(port, *REQUESTS["plain"])[0] == 200:
                break
        except OSError:
            pass
        assert process.poll() is None and time.time() < end, log.read_text()[-2000:]
        time.sleep(0.2)
    shutil.copytree(ensembles, models / "model-store", dirs_exist_ok=True)    # not before: it would load them at its start
    yield port
    process.terminate()
    process.wait(30)


def ask(port, method, path, body=b"", headers={}):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request(method, path, body if isinstance(body, bytes) else json.dumps(body), headers)
    answer = connection.getresponse()
    return answer.status, answer.headers, answer.read()


def comparable(name, status, headers, body):
    """What is to be equal: the status; of errors no more; the members of a JSON, without those that say more of Triton itself."""
    length = headers.get(LENGTH)
    if status != 200:
        assert not body or b'"error"' in body
        return status, None, None
    value = json.loads(body[:int(length)] if length else body) if body else None
    if isinstance(value, dict):
        value.pop("platform", None)
        if name == "config":
            value = {"name": value["name"], "max_batch_size": value["max_batch_size"],
                     **{kind: [{key: tensor[key] for key in ("name", "data_type", "dims")} for tensor in value[kind]] for kind in ("input", "output")}}
    return status, value, body[int(length):] if length else None


@pytest.mark.parametrize("name", REQUESTS)
def test_the_same_answers(serve, triton, tmp_path, name):
    server = serve("m=%s" % save(tmp_path / "m", program_file.doubled("float32")))
    theirs, ours = (comparable(name, *ask(port, *REQUESTS[name])) for port in (triton, server.port))
    if name in DIFFERENT:
        assert theirs != ours, "it does not differ any more: %s" % DIFFERENT[name]
        assert (theirs[0] == 200) == (ours[0] == 200) or name == "many rows"
    else:
        assert theirs == ours


@pytest.fixture(scope="module")
def ours(ensembles):
    shutil.copytree(ensembles, ensembles.with_name("ours"))
    save(ensembles.with_name("ours") / "m" / "1", program_file.doubled("float32"))
    (ensembles.with_name("ours") / "m" / "config.pbtxt").write_text("max_batch_size: 8 dynamic_batching { }")
    server = Server("--repository", ensembles.with_name("ours"), "--model-control", "explicit")
    yield server.port
    assert server.stop() == 0


@pytest.mark.parametrize("name", ENSEMBLES)
def test_the_same_ensembles_can_be_loaded(triton, ours, name):
    if name == "nested":
        for port in (triton, ours):
            ask(port, "POST", "/v2/repository/models/twice/load")
    answers = [ask(port, "POST", "/v2/repository/models/%s/load" % path_of(name)) for port in (triton, ours)]
    print(*[body for _, _, body in answers], sep="\n")
    assert [status == 200 for status, _, _ in answers] == [ENSEMBLES[name][2]] * 2


OF_TWICE = {
    "metadata": ("GET", ""), "config": ("GET", "/config"), "ready": ("GET", "/ready"),
    "infer": ("POST", "/infer", {"inputs": [{**TENSOR, "name": "IN"}]}),
    "infer by version": ("POST", "/versions/1/infer", {"id": "7", "inputs": [{**TENSOR, "name": "IN"}], "outputs": [{"name": "OUT"}]}),
    "another input": ("POST", "/infer", {"inputs": [TENSOR]}), "an inner tensor": ("POST", "/infer", {"inputs": [{**TENSOR, "name": "IN"}], "outputs": [{"name": "t"}]}),
    "another type": ("POST", "/infer", {"inputs": [{**TENSOR, "name": "IN", "datatype": "FP64"}]}),
    "many rows": ("POST", "/infer", {"inputs": [{"name": "IN", "datatype": "FP32", "shape": [9, 2], "data": [0] * 18}]}),
}


def test_an_ensemble_answers_the_same(triton, ours):
    for port in (triton, ours):
        assert ask(port, "POST", "/v2/repository/models/twice/load")[0] == 200
    for name, (method, path, *rest) in OF_TWICE.items():
        theirs, own = ([comparable(name, *ask(port, method, "/v2/models/twice" + path, *rest)) for port in (triton, ours)])
        for _, value, _ in (theirs, own):
            if value is not None and "outputs" in value:
                value.pop("parameters", None)    # Triton's has those of a sequence that there is none of
        assert theirs[0] == own[0] if name == "ready" else theirs == own, (name, theirs, own)
    rows = {"inputs": [{"name": "IN", "datatype": "FP32", "shape": [2, 2], "data": [1, 2, 3, 4]}]}
    for port in (triton, ours):
        status, _, body = ask(port, "POST", "/v2/models/twice/infer", rows)
        assert status == 200 and json.loads(body)["outputs"][0]["data"] == [4, 8, 12, 16]
        end = time.time() + 20
        while True:    # Triton counts a request after it was answered
            found = json.loads(ask(port, "GET", "/v2/models/twice/stats")[2])["model_stats"][0]
            counts = found["inference_count"], found["execution_count"], found["inference_stats"]["success"]["count"]
            if counts == (4, 3, 3):
                break
            assert time.time() < end, (port == ours, counts)
            time.sleep(0.1)
