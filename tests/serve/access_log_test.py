# SPDX-License-Identifier: Apache-2.0
"""--access-log: a line of JSON for each request."""
import datetime
import json
import os
import signal
import socket
import subprocess
import time

import numpy as np
import pytest


X = np.ones((2, 4), np.float32)
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


@pytest.fixture
def log(tmp_path):
    return tmp_path / "access.log"


def lines(server, log, count):
    """The log, which has so many lines as soon as they were written."""
    server.wait_until(lambda: log.read_bytes().count(b"\n") >= count)
    read = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    assert len(read) == count
    return read


def metric(server, name):
    return float(next(line for line in server.metrics().body.decode().splitlines() if line.startswith(name + " ")).split()[1])


def test_a_line_for_each_request(serve, linear, log):
    server = serve("m=%s" % linear, "--access-log", log)
    before = time.time()
    request = json.dumps({"id": "7", "inputs": [{"name": "x", "datatype": "FP32", "shape": [2, 4], "data": X.tolist()}]})
    answer = server.ask("POST", "/v2/models/m/infer?secret=1", request, {"traceparent": "00-%s-00f067aa0ba902b7-01" % TRACE})
    server.get("/v2/models/none")
    server.ask("HEAD", "/v2/health/live")
    server.post("/v1/models/m:predict", {"instances": [[1, 2]]})
    first, missing, head, wrong = lines(server, log, 4)
    assert first["method"] == "POST" and first["path"] == "/v2/models/m/infer" and first["status"] == 200
    assert first["bytes_in"] == len(request) and first["bytes_out"] == len(answer.body)
    assert first["model"] == "m" and first["version"] == 1 and first["batch"] == 2 and first["id"] == "7" and first["trace_id"] == TRACE
    assert first["peer"].startswith("127.0.0.1:") and 0 <= first["queue_ms"] + first["compute_ms"] <= first["ms"]
    assert first["time"].endswith("Z")
    at = datetime.datetime.fromisoformat(first["time"].replace("Z", "+00:00")).timestamp()
    assert before - 1 < at < time.time() + 1
    assert missing["status"] == 404 and "model" not in missing and "trace_id" not in missing
    assert head["method"] == "HEAD" and head["bytes_out"] == 0
    assert wrong["status"] == 400 and wrong["model"] == "m" and "batch" not in wrong
    assert metric(server, "coracle_access_log_lines_total") == 4 and metric(server, "coracle_access_log_lost_lines_total") == 0


def raw(port, data):
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(data)
        while connection.recv(65536):
            pass


def test_hostile_requests_make_lines_too(serve, linear, log):
    server = serve("m=%s" % linear, "--access-log", log)
    end = b" HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
    raw(server.port, b'GET /"},{"status":\\200\xff\xc3\xa4' + end)
    raw(server.port, b"FETCH" * 200 + b" /" + b"a" * 9000 + end)
    raw(server.port, b"no http\r\n\r\n")
    raw(server.port, b"GET /big HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n")
    body = json.dumps({"id": 'a"\n\\\0\x1b', "inputs": []}).encode().replace(b"a", b"\xff")
    server.ask("POST", "/v2/models/m/infer", body)
    server.ask("GET", "/v2", headers={"traceparent": "00-%s-00f067aa0ba902b7-01\"" % TRACE})
    read = lines(server, log, 6)
    assert read[0]["path"] == '/"},{"status":\\200\ufffd\u00e4' and read[0]["status"] == 404
    assert len(read[1]["method"]) == 255 and len(read[1]["path"]) == 2048
    assert [each["status"] for each in read[2:]] == [400, 413, 400, 200] and read[3]["path"] == "/big"
    assert "trace_id" not in read[5]


def test_the_log_is_opened_again(serve, linear, log, tmp_path):
    server = serve("m=%s" % linear, "--access-log", log)
    server.get("/v2")
    lines(server, log, 1)
    log.rename(tmp_path / "access.log.1")
    server.process.send_signal(signal.SIGHUP)
    server.wait_until(log.exists)
    server.get("/v2/models/m")
    assert lines(server, log, 1)[0]["path"] == "/v2/models/m"
    assert (tmp_path / "access.log.1").read_text().count("\n") == 1
    assert os.stat(log).st_mode & 0o777 & ~0o640 == 0


def test_what_the_log_does_not_take_is_counted(serve, linear):
    server = serve("m=%s" % linear, "--access-log", "/dev/full")
    for _ in range(3):
        assert server.get("/v2").status == 200
    server.wait_until(lambda: metric(server, "coracle_access_log_lost_lines_total") == 3)
    assert metric(server, "coracle_access_log_lines_total") == 0


def test_a_reader_that_does_not_read_keeps_nobody_waiting(serve, linear, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    server = serve("m=%s" % linear, "--access-log", tmp_path / "pipe")
    connection = socket.create_connection(("127.0.0.1", server.port), timeout=20)
    path = b"/" + b"a" * 2000
    for _ in range(45):  # lines of 100 kB are more than a pipe holds
        connection.sendall(b"GET " + path + b" HTTP/1.1\r\nHost: a\r\n\r\n")
        assert connection.recv(65536).startswith(b"HTTP/1.1 404")
    assert metric(server, "coracle_access_log_lines_total") < 45
    os.set_blocking(reader, True)
    read = b""
    while read.count(b"\n") < 45:
        read += os.read(reader, 65536)
    assert [json.loads(line)["status"] for line in read.splitlines()] == [404] * 45
    for _ in range(45):
        connection.sendall(b"GET " + path + b" HTTP/1.1\r\nHost: a\r\n\r\n")
        assert connection.recv(65536).startswith(b"HTTP/1.1 404")
    assert server.stop() == 0  # with a pipe that is full
    os.close(reader)


def test_standard_output(linear):
    command = [os.environ["CORACLE_SERVE"], "m=%s" % linear, "--http-port", "0", "--metrics-port", "0", "--access-log", "-"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        port = int(next(line for line in process.stderr if "HTTP at" in line).rsplit(":", 1)[1])
        raw(port, b"GET /v2 HTTP/1.0\r\n\r\n")
        assert json.loads(process.stdout.readline())["path"] == "/v2"
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0


def test_a_log_that_cannot_be_written_ends_the_start(linear, tmp_path):
    command = [os.environ["CORACLE_SERVE"], "m=%s" % linear, "--access-log", tmp_path / "none" / "log"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 1 and "cannot be written: No such file" in ended.stderr
