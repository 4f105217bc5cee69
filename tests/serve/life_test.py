# SPDX-License-Identifier: Apache-2.0
"""A server's life: models that come, change and go, limits, and its end."""
import http.client
import os
import shutil
import signal
import socket
import subprocess
import threading
import time

import numpy as np
import program_file
import pytest
from conftest import Refused, Server, save

X = np.ones((1, 4), np.float32)


def test_a_repository(serve, tmp_path):
    for version in (1, 2, 10):
        save(tmp_path / "a" / str(version), program_file.linear(seed=version))
    (tmp_path / "a" / "notes").mkdir()
    save(tmp_path / "b", program_file.linear())
    (tmp_path / "c" / "1").mkdir(parents=True)
    (tmp_path / "a" / "config.pbtxt").write_text('name: "a" max_batch_size: 4 version_policy { specific { versions: [2, 10] } }')
    server = serve("--repository", tmp_path)
    assert server.get("/v2/models/a").json["versions"] == ["2", "10"]
    assert server.get("/v2/models/b").json["versions"] == ["1"]
    assert not np.array_equal(server.infer("a/versions/2", {"x": X})["y"], server.infer("a", {"x": X})["y"])
    assert server.get("/v2/health/ready").status == 503
    assert server.get("/v2/models/c/ready").status == 503
    index = {each["name"]: each for each in server.post("/v2/repository/index").json}
    assert index["c"]["state"] == "UNAVAILABLE" and index["c"]["reason"]
    assert "c" not in [each["name"] for each in server.post("/v2/repository/index", {"ready": True}).json]
    with pytest.raises(Refused, match="max_batch_size"):
        server.infer("a", {"x": np.ones((5, 4), np.float32)})


def test_models_are_loaded_again_without_a_failed_request(serve, tmp_path):
    save(tmp_path / "m" / "1", program_file.linear(seed=1))
    server = serve("--repository", tmp_path, "--model-control", "explicit")
    answers, stop = set(), threading.Event()

    def client():
        while not stop.is_set():
            answers.add(server.infer("m", {"x": X})["y"].tobytes())

    threads = [threading.Thread(target=client) for _ in range(4)]
    for thread in threads:
        thread.start()
    for seed in range(2, 12):
        save(tmp_path / "m" / "1", program_file.linear(seed=seed))
        assert server.post("/v2/repository/models/m/load").status == 200
    stop.set()
    for thread in threads:
        thread.join()
    assert server.statistics("m")["inference_stats"]["fail"]["count"] == 0 and 2 <= len(answers) <= 11
    last = server.infer("m", {"x": X})["y"]
    (tmp_path / "m" / "1" / "inference.pdmodel").write_bytes(b"no model")
    assert server.post("/v2/repository/models/m/load").status == 400
    assert np.array_equal(server.infer("m", {"x": X})["y"], last)
    assert server.post("/v2/repository/models/m/unload").status == 200
    assert server.get("/v2/models/m/ready").status == 503
    assert server.post("/v2/repository/models/none/load").status == 404
    assert server.post("/v2/repository/models/..%2Fm/load").status == 400


def test_the_folder_is_looked_at(serve, tmp_path):
    save(tmp_path / "m" / "1", program_file.linear(seed=1))
    server = serve("--repository", tmp_path, "--model-control", "poll", "--poll-seconds", 1)
    save(tmp_path / "m" / "2", program_file.linear(seed=2))
    save(tmp_path / "n" / "1", program_file.linear(seed=3))
    server.wait_until(lambda: server.get("/v2/models/n/ready").status == 200 and server.get("/v2/models/m").json["versions"] == ["2"])
    shutil.rmtree(tmp_path / "n")
    server.wait_until(lambda: server.get("/v2/models/n/ready").status == 404)


def test_limits(serve, linear):
    server = serve("m=%s" % linear, "--max-body-mib", 1, "--max-connections", 20)
    limit = 1 << 20
    assert server.ask("POST", "/v2/models/m/infer", b" " * limit).status == 400  # no JSON, but read
    # The server answers before it has read the body, whose rest it refuses.
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
        connection.sendall(b"POST /v2/models/m/infer HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % (limit + 1))
        assert connection.recv(100).startswith(b"HTTP/1.1 413")
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
        connection.sendall(b"POST /v2/models/m/infer HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
        try:
            for _ in range(40):
                connection.sendall(b"10000\r\n" + b" " * 65536 + b"\r\n")
        except OSError:
            pass
        assert connection.recv(100).startswith(b"HTTP/1.1 413")
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
        connection.sendall(b"GET /v2 HTTP/1.1\r\nHost: a\r\nX: " + b"x" * 20000)
        assert connection.recv(100).startswith(b"HTTP/1.1 431")
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
        connection.sendall(b"nonsense\r\n\r\n")
        assert connection.recv(100).startswith(b"HTTP/1.1 400")
    held = [socket.create_connection(("127.0.0.1", server.port), timeout=20) for _ in range(40)]
    # Some of these are in the place of connections of the tests before, which may not be closed yet.
    server.wait_until(lambda: 20 <= sum(is_closed(connection) for connection in held) < 40)
    for connection in held:
        connection.close()
    server.wait_until(lambda: answers(server))


def is_closed(connection):
    connection.setblocking(False)
    try:
        return connection.recv(1, socket.MSG_PEEK) == b""
    except BlockingIOError:
        return False


def answers(server):
    try:
        return server.get("/v2/health/ready").status == 200
    except (http.client.HTTPException, OSError):
        return False


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_accepted_requests_are_answered_before_the_end(tmp_path, number):
    server = Server("m=%s" % save(tmp_path / "m", program_file.linear(width=1024, layers=60)), "--max-batch-size", 0, "--instances", 1)
    answered = []
    threads = [threading.Thread(target=lambda: answered.append(server.infer("m", {"x": np.ones((300, 1024), np.float32)}))) for _ in range(6)]
    for thread in threads:
        thread.start()
    waiting = 'nv_inference_pending_request_count{model="m",version="1"} '
    server.wait_until(lambda: waiting + "5" in server.metrics().body.decode() or answered)
    assert not answered, "the model is too fast for this test"
    server.process.send_signal(number)
    assert server.process.wait(60) == 0
    for thread in threads:
        thread.join()
    assert len(answered) == 6
    with pytest.raises(ConnectionRefusedError):
        server.get("/v2")


def test_a_second_signal_ends_at_once(serve, tmp_path):
    server = serve("m=%s" % save(tmp_path / "m", program_file.linear(width=1024, layers=60)), "--pre-stop-ms", 60000)
    server.process.send_signal(signal.SIGTERM)
    server.wait_until(lambda: server.get("/v2/health/ready").status == 503)
    assert server.infer("m", {"x": np.ones((1, 1024), np.float32)})  # requests are still taken
    server.process.send_signal(signal.SIGINT)
    assert server.process.wait(10) == 130


def test_usage():
    program = os.environ["CORACLE_SERVE"]
    for arguments, status in (([], 2), (["--http-port", "99999", "m"], 2), (["--what"], 2), (["--help"], 0), (["--version"], 0)):
        assert subprocess.run([program, *arguments], capture_output=True).returncode == status, arguments
    taken = socket.create_server(("127.0.0.1", 0))
    for words, status, arguments in (
            ("cannot listen on 127.0.0.1 port", 1, ["m", "--http-port", str(taken.getsockname()[1])]),
            ("model 'nowhere' cannot be loaded: ", 1, ["nowhere", "--http-port", "0"]),
            ("--reader: there is no model 'a' among those to be served", 2, ["m", "--reader", "ocr=a,b"]),
            ("there is no pipeline 'WHAT' here", 2, ["--pipeline", "WHAT:det=x"]),
            ("--max-connections: Value -1 not in range", 2, ["m", "--max-connections", "-1"]),
            ("--max-queue-size: Value -1 not in range", 2, ["m", "--max-queue-size", "-1"]),
            ("/nowhere cannot be read: No such file or directory", 1, ["--repository", "/nowhere", "--http-port", "0"]),
            ("/nowhere cannot be read", 1, ["m", "--token-file", "/nowhere"]),
            ("two models are called 'm'; NAME=PATH gives one another name", 2, ["m=a", "m=b"]),
            ("'a?b' is not the name of a model", 2, ["a?b=m"])):
        ended = subprocess.run([program, "--metrics-port", "0", "--grpc-port", "off", *arguments], capture_output=True, text=True)
        assert ended.returncode == status and ended.stderr.count(words) == 1, (arguments, ended)


def test_a_file_in_the_place_of_a_socket_stays(serve, linear, tmp_path):
    (tmp_path / "s").write_text("kept")
    ended = subprocess.run([os.environ["CORACLE_SERVE"], "m=%s" % linear, "--http-port", "off", "--metrics-port", "off", "--grpc-port", "off",
                            "--unix-socket", str(tmp_path / "s")], capture_output=True, text=True)
    assert ended.returncode == 1 and "cannot listen on unix:" in ended.stderr and (tmp_path / "s").read_text() == "kept"
    first = serve("m=%s" % linear, "--unix-socket", tmp_path / "t")
    first.process.kill()    # leaves its socket behind
    first.process.wait()
    serve("m=%s" % linear, "--unix-socket", tmp_path / "t")
    ended = subprocess.run([os.environ["CORACLE_SERVE"], "m=%s" % linear, "--http-port", "off", "--grpc-port", "off", "--unix-socket", str(tmp_path / "t")],
                           capture_output=True, text=True)
    assert ended.returncode == 1 and "in use" in ended.stderr


def test_what_is_said_of_the_options():
    program = os.environ["CORACLE_SERVE"]

    def said(*arguments):
        return subprocess.run([program, *arguments], capture_output=True, text=True, check=True).stdout

    page = said("--manual")
    assert ".TH CORACLE\\-SERVE 1" in page and "\\fB\\-\\-repository\\fR" in page and "Exit codes:" in page
    assert "complete -c coracle-serve -l model-control -r -f -a 'none poll explicit'" in said("--completion", "fish")
    assert "#compdef coracle-serve" in said("--completion", "zsh")
    for words, wanted in (("--model-control ''", "none poll explicit"), ("--metr", "--metrics-port")):
        script = said("--completion", "bash") + "COMP_WORDS=(coracle-serve %s); COMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n" % words
        completed = subprocess.run(["bash"], input=script + "_coracle_serve; echo \"${COMPREPLY[@]}\"\n", capture_output=True, text=True)
        assert completed.stdout == wanted + "\n", completed
    assert "--manual" not in said("--help") + page and "--completion" not in said("--help") + page
