# SPDX-License-Identifier: Apache-2.0
"""The Open Inference Protocol over HTTP, byte by byte."""
import gzip
import http.client
import json
import socket
import zlib

import numpy as np
import pytest
import program_file
from conftest import looped, save

X = np.array([[1, 2, 3, 4], [5, 6, 7, 8]], np.float32)
AS_JSON = {"inputs": [{"name": "x", "datatype": "FP32", "shape": [2, 4], "data": X.tolist()}]}


@pytest.fixture
def server(serve, linear):
    return serve("m=%s" % linear)


def test_health_and_metadata(server):
    for path in ("/v2/health/live", "/v2/health/ready", "/v2/models/m/ready", "/v2/models/m/versions/1/ready"):
        answer = server.get(path)
        assert answer.status == 200 and answer.json["live"] and answer.json["ready"], path
    about = server.get("/v2").json
    assert about["name"] == "coracle" and "binary_tensor_data" in about["extensions"]
    metadata = server.get("/v2/models/m").json
    assert metadata["versions"] == ["1"]
    assert metadata["inputs"] == [{"name": "x", "datatype": "FP32", "shape": [-1, 4]}]
    assert [output["name"] for output in metadata["outputs"]] == ["y", "p0"]
    config = server.get("/v2/models/m/versions/1/config").json
    assert config["max_batch_size"] == 8 and config["input"] == [{"name": "x", "data_type": "TYPE_FP32", "dims": [4]}]
    assert [each["name"] for each in server.get("/v2/models/stats").json["model_stats"]] == ["m"]


def test_all_forms_of_a_request_get_the_same_answer(server):
    wanted = server.infer("m", {"x": X})
    answer = server.post("/v2/models/m/infer", {"id": "7", **AS_JSON}).json
    assert answer["id"] == "7" and answer["model_name"] == "m" and answer["model_version"] == "1"
    for output in answer["outputs"]:
        assert np.array_equal(np.array(output["data"], np.float32).reshape(output["shape"]), wanted[output["name"]])
    flat = {"inputs": [{**AS_JSON["inputs"][0], "data": X.ravel().tolist()}], "outputs": [{"name": "p0"}]}
    outputs = server.post("/v2/models/m/versions/1/infer", flat).json["outputs"]
    assert [output["name"] for output in outputs] == ["p0"] and outputs[0]["data"] == wanted["p0"].ravel().tolist()
    raw = server.ask("POST", "/v2/models/m/infer", X.tobytes(), {"Inference-Header-Content-Length": "0"})
    length = int(raw.headers["Inference-Header-Content-Length"])
    assert raw.body[length:] == wanted["y"].tobytes() + wanted["p0"].tobytes()
    mixed = {**AS_JSON, "outputs": [{"name": "y", "parameters": {"binary_data": True}}, {"name": "p0"}]}
    answer = server.post("/v2/models/m/infer", mixed)
    head = json.loads(answer.body[:int(answer.headers["Inference-Header-Content-Length"])])
    assert head["outputs"][0]["parameters"] == {"binary_data_size": 32} and head["outputs"][1]["data"] == wanted["p0"].ravel().tolist()


def test_numbers_that_json_does_not_know(serve, tmp_path):
    server = serve("m=%s" % save(tmp_path / "m", program_file.doubled(X.dtype.name)))
    body = b'{"inputs": [{"name": "x", "datatype": "FP32", "shape": [1, 4], "data": [NaN, Infinity, -Infinity, 1]}]}'
    answer = server.ask("POST", "/v2/models/m/infer", body)
    assert answer.status == 200 and answer.json["outputs"][0]["data"] == [None, None, None, 2]


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64", "float16", "float32", "float64"])
def test_element_types(serve, tmp_path, dtype):
    server = serve("m=%s" % save(tmp_path / "m", program_file.doubled(dtype)))
    x = np.arange(6).reshape(2, 3).astype(dtype)
    assert np.array_equal(server.infer("m", {"x": x})["y"], x + x)


def test_sequences_have_offsets(serve, tmp_path):
    server = serve("m=%s" % save(tmp_path / "m", program_file.sequences()))
    x = np.arange(10, dtype=np.float32).reshape(5, 2)
    request = {"inputs": [{"name": "x", "datatype": "FP32", "shape": [5, 2], "data": x.tolist(), "parameters": {"lod": [[0, 3, 5]]}}]}
    outputs = server.post("/v2/models/m/infer", request).json["outputs"]
    assert outputs[0]["data"] == np.stack([x[:3].sum(0), x[3:].sum(0)]).ravel().tolist()


def test_loops(serve, tmp_path):
    server = serve("m=%s" % save(tmp_path / "m", looped()))
    x = np.arange(6, dtype=np.float32).reshape(3, 2)
    for times in (0, 1, 5):
        assert np.array_equal(server.infer("m", {"x": x, "n": np.array([times])})["y"], x * 2**times)


def with_input(**fields):
    return {"inputs": [{**AS_JSON["inputs"][0], **fields}]}


@pytest.mark.parametrize("request_, status, words", [
    ({}, 400, "no list 'inputs'"),
    ({"inputs": []}, 400, "input 'x' of model 'm' is missing"),
    ({"inputs": AS_JSON["inputs"] * 2}, 400, "given twice"),
    (with_input(name="z"), 400, "has no input 'z'; it has 'x'"),
    (with_input(datatype="FP64"), 400, "has the datatype FP32, the request says FP64"),
    (with_input(datatype="FLOAT"), 400, "FLOAT"),
    (with_input(shape=[2, 5], data=[0] * 10), 400, "has the shape [-1, 4] (-1: any size), the request says [2, 5]"),
    (with_input(shape=[8], data=[0] * 8), 400, "has the shape [-1, 4]"),
    (with_input(data=[1, 2]), 400, "2 values"),
    (with_input(shape=[-2, 4]), 400, "a dimension that is not a whole number"),
    (with_input(shape=[2**62, 4], data=[]), 400, "x"),
    (with_input(parameters={"binary_data_size": 32}), 400, "32 bytes of binary data, of which the body has 0"),
    ({**AS_JSON, "outputs": [{"name": "q"}]}, 400, "has no output 'q'; it has 'y', 'p0'"),
    ({**AS_JSON, "parameters": {"priority": -1}}, 400, "priority"),
    ({**AS_JSON, "parameters": {"timeout": "soon"}}, 400, "timeout"),
])
def test_wrong_requests_are_told_what_is_wrong(server, request_, status, words):
    answer = server.post("/v2/models/m/infer", request_)
    assert answer.status == status and words in answer.error, answer.body
    assert server.infer("m", {"x": X})  # and the next one runs


def test_wrong_bodies(server):
    for body in (b"", b"[1]", b"{", b"[" * 2_000_000, b'{"inputs": ' + b'{"a":' * 500_000, b"\xff\xfe"):
        answer = server.ask("POST", "/v2/models/m/infer", body)
        assert answer.status == 400 and answer.error, body[:10]
    head = json.dumps({"inputs": [{"name": "x", "datatype": "FP32", "shape": [2, 4], "parameters": {"binary_data_size": 32}}]}).encode()
    for data in (X.tobytes()[:-1], X.tobytes() + b"x"):
        answer = server.ask("POST", "/v2/models/m/infer", head + data, {"Inference-Header-Content-Length": str(len(head))})
        assert answer.status == 400 and "bytes" in answer.error
    for length in ("-1", "x", "99999999999999999999", "1000000"):
        answer = server.ask("POST", "/v2/models/m/infer", head, {"Inference-Header-Content-Length": length})
        assert answer.status == 400 and "Inference-Header-Content-Length" in answer.error


@pytest.mark.parametrize("method, path, status", [
    ("GET", "/nothing", 404), ("GET", "/v2/nothing", 404), ("GET", "/v2/models/none", 404), ("GET", "/v2/models/m/versions/2", 404),
    ("GET", "/v2/models/m/versions/one", 404), ("GET", "/v2/models/m/infer", 405), ("POST", "/v2/models/m", 405),
    ("POST", "/v2/health/live", 405), ("GET", "/v2/models/%zz", 400), ("GET", "/v2/models/..%2f..%2fetc%2fpasswd", 404),
    ("POST", "/v2/models/none/infer", 404), ("POST", "/v2/repository/models/m/load", 503), ("DELETE", "/v2/models/m/infer", 405),
])
def test_statuses(server, method, path, status):
    answer = server.ask(method, path)
    assert answer.status == status and answer.error


def test_content_codings(server):
    body = json.dumps(AS_JSON).encode()
    plain = server.ask("POST", "/v2/models/m/infer", body).body
    for coding, data in (("gzip", gzip.compress(body)), ("deflate", zlib.compress(body))):
        assert server.ask("POST", "/v2/models/m/infer", data, {"Content-Encoding": coding}).body == plain
    assert server.ask("POST", "/v2/models/m/infer", body, {"Content-Encoding": "br"}).status == 501
    assert server.ask("POST", "/v2/models/m/infer", b"no gzip", {"Content-Encoding": "gzip"}).status == 400
    many = with_input(shape=[500, 4], data=[0.5] * 2000)
    answer = server.post("/v2/models/m/infer", many, {"Accept-Encoding": "gzip"})
    assert answer.headers["Content-Encoding"] == "gzip" and json.loads(gzip.decompress(answer.body))["outputs"]


def test_head_and_http_1_0(server):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    connection.request("HEAD", "/v2")
    response = connection.getresponse()
    assert response.status == 200 and int(response.headers["Content-Length"]) > 0 and response.read() == b""
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as old:
        old.sendall(b"GET /v2/health/live HTTP/1.0\r\n\r\n")
        received = b""
        while part := old.recv(4096):
            received += part
    assert received.startswith(b"HTTP/1.1 200") and b"Connection: close" in received


def test_requests_may_follow_each_other_without_waiting(server):
    one = b"GET /v2/models/m HTTP/1.1\r\nHost: a\r\n\r\n"
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
        connection.sendall(one * 20)
        received = b""
        while received.count(b"HTTP/1.1 200") < 20:
            part = connection.recv(65536)
            assert part
            received += part


def test_a_client_that_waits_for_permission_gets_it(server):
    body = json.dumps(AS_JSON).encode()
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
        connection.sendall(b"POST /v2/models/m/infer HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n" % len(body))
        assert connection.recv(100).startswith(b"HTTP/1.1 100")
        connection.sendall(body)
        assert connection.recv(100).startswith(b"HTTP/1.1 200")


def test_metrics(server):
    for _ in range(3):
        server.infer("m", {"x": X})
    answer = server.metrics()
    assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    lines = answer.body.decode().splitlines()
    families = [line.split()[2] for line in lines if line.startswith("# TYPE ")]
    assert len(families) == len(set(families))
    values = {line.rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1]) for line in lines if not line.startswith("#")}
    labels = 'model="m",version="1"'
    assert values["nv_inference_request_success{%s}" % labels] == 3
    assert values["nv_inference_count{%s}" % labels] == 6
    assert values["coracle_request_duration_seconds_count{%s}" % labels] == 3
    buckets = [value for name, value in values.items() if name.startswith("coracle_request_duration_seconds_bucket")]
    assert buckets == sorted(buckets) and buckets[-1] == 3
    statistics = server.statistics("m")
    assert statistics["inference_count"] == 6 and statistics["inference_stats"]["success"]["count"] == 3
    assert sum(each["execution_count"] * each["batch_size"] for each in statistics["batch_stats"]) == 6


def test_a_token_is_asked_for(serve, linear, tmp_path):
    (tmp_path / "token").write_text("s3cret\n")
    server = serve("m=%s" % linear, "--token-file", tmp_path / "token")
    assert server.get("/v2/health/ready").status == 200
    for headers in ({}, {"Authorization": "Bearer s3cre"}, {"Authorization": "s3cret"}, {"Authorization": "Bearer s3cret2"}):
        assert server.ask("GET", "/v2/models/m", headers=headers).status == 401
    assert server.ask("GET", "/v2/models/m", headers={"Authorization": "Bearer s3cret"}).status == 200


def test_unix_sockets(serve, linear, tmp_path):
    server = serve("m=%s" % linear, "--unix-socket", tmp_path / "s")
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(tmp_path / "s"))
        connection.sendall(b"GET /v2/health/ready HTTP/1.0\r\n\r\n")
        assert connection.recv(100).startswith(b"HTTP/1.1 200")
    assert server.stop() == 0 and not (tmp_path / "s").exists()
