# SPDX-License-Identifier: Apache-2.0
"""What a server meets in months: stops and reloads under load, too many clients, slow ones, a million requests in the same memory. Among all
tests a small part of it; `make serve-endurance` runs the whole (CORACLE_SERVE_ENDURANCE=1) and holds it to times besides."""
import http.client
import os
import pathlib
import shutil
import socket
import subprocess
import threading
import time

import numpy as np
import program_file
import pytest
from conftest import Refused, Server, save

PART = float(os.environ.get("CORACLE_SERVE_ENDURANCE", "0.02"))
WHOLE = PART >= 1
X = np.ones((1, 4), np.float32)


def share(number):
    return max(2, round(number * PART))


class Load:
    """Clients that ask again and again, each on a connection of its own, until they are to stop."""

    def __init__(self, server, clients, ask, model="m"):
        self.stopped, self.counts, self.failures = threading.Event(), [0] * clients, []
        self.threads = [threading.Thread(target=self.work, args=(i, server, ask, model)) for i in range(clients)]
        for thread in self.threads:
            thread.start()

    def work(self, index, server, ask, model):
        while not self.stopped.is_set():
            sent = time.monotonic()
            try:
                ask(server, model)
                self.counts[index] += 1
            except Exception as error:  # whatever it is, a client has seen it
                self.failures.append((sent, error))
                return

    def stop(self):
        self.stopped.set()
        for thread in self.threads:
            thread.join()
        return sum(self.counts)


def ask(server, model):
    server.infer(model, {"x": X})


def test_no_request_is_lost_when_the_server_stops(linear):
    """Clients go elsewhere when the server says that it is not ready, as load balancers have them do."""
    for i in range(share(100)):
        server = Server("m=%s" % linear, "--pre-stop-ms", 300, "--max-queue-delay-us", 500 * (i % 3))
        load = Load(server, 6, ask)
        time.sleep(0.02 + 0.01 * (i % 7))
        server.process.send_signal(15)
        server.wait_until(lambda: server.get("/v2/health/ready").status == 503)
        answered = load.stop()
        server.local.connection.close()
        assert server.process.wait(30) == 0 and not load.failures and answered > 0, load.failures


def test_a_stopping_server_answers_what_it_took(linear):
    """Clients that go on until they are refused: all that is sent long enough before the end of --pre-stop-ms is answered, and what comes later
    either that or a closed connection, nothing else."""
    for i in range(share(100)):
        server = Server("m=%s" % linear, "--pre-stop-ms", 700, "--max-queue-delay-us", 500 * (i % 3))
        load = Load(server, 6, ask)
        time.sleep(0.02 + 0.01 * (i % 7))
        signalled = time.monotonic()
        server.process.send_signal(15)
        assert server.process.wait(30) == 0
        for thread in load.threads:
            thread.join(30)   # each ends when it is refused
        assert load.stop() > 0 and len(load.failures) == 6
        for sent, error in load.failures:
            assert isinstance(error, ConnectionError) and sent > signalled + 0.3, (sent - signalled, error)


def test_reloading_fails_no_request(serve, tmp_path):
    versions = [save(tmp_path / ("v%d" % i), program_file.linear(seed=i)) for i in range(2)]
    shutil.copytree(versions[0], tmp_path / "models" / "m" / "1")
    server = serve("--repository", tmp_path / "models", "--model-control", "explicit")
    wanted = []
    for version in versions:
        shutil.copytree(version, tmp_path / "models" / "m" / "1", dirs_exist_ok=True)
        assert server.post("/v2/repository/models/m/load").status == 200
        wanted.append(server.infer("m", {"x": X})["y"].tobytes())
    assert wanted[0] != wanted[1]

    def ask_either(server, model):
        assert server.infer(model, {"x": X})["y"].tobytes() in wanted

    load = Load(server, 4, ask_either)
    for i in range(share(200)):
        shutil.copytree(versions[i % 2], tmp_path / "models" / "m" / "1", dirs_exist_ok=True)
        assert server.post("/v2/repository/models/m/load").status == 200
        assert server.infer("m", {"x": X})["y"].tobytes() == wanted[i % 2]
    assert load.stop() > 0 and not load.failures, load.failures


def test_slow_clients_keep_nobody_waiting(serve, linear):
    connections = share(1000)
    server = serve("m=%s" % linear, "--max-connections", connections + 50)
    held = []
    for i in range(connections):
        connection = socket.create_connection(("127.0.0.1", server.port))
        connection.sendall((b"", b"GET /v2/health", b"POST /v2/models/m/infer HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n{")[i % 3])
        held.append(connection)
    times = []
    for i in range(share(1000)):
        start = time.perf_counter()
        assert server.get("/v2/health/ready").status == 200
        times.append(time.perf_counter() - start)
        if i % 10 == 0:
            ask(server, "m")
            for connection in held[i % len(held)::max(1, len(held) // 20)]:
                try:
                    connection.sendall(b"x")
                except OSError:  # it was too slow
                    pass
    p99 = sorted(times)[int(len(times) * 0.99)] * 1000
    print("readiness beside %d slow connections: p99 %.2f ms" % (connections, p99))
    assert p99 < 20 or not WHOLE
    for connection in held:
        connection.close()


def wrk(server, folder, connections, seconds, path="/v2/models/m/infer", body=b""):
    """Answers with status 200 in a second, and how many had another status."""
    if not shutil.which("wrk"):
        pytest.skip("wrk is not installed (Debian: wrk)")
    (folder / "body").write_bytes(body)
    (folder / "load.lua").write_text("""
        wrk.method = "POST"
        wrk.body = io.open("%s", "rb"):read("*a")
        wrk.headers["Inference-Header-Content-Length"] = "0"
        function done(summary) print("RESULT", summary.requests, summary.duration, summary.errors.status,
          summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout) end""" % (folder / "body"))
    ended = subprocess.run(["wrk", "-t1", "-c%d" % connections, "-d%ds" % seconds, "--timeout", "20s", "-s", str(folder / "load.lua"),
                            "http://127.0.0.1:%d%s" % (server.port, path)], capture_output=True, text=True)
    line = next(line for line in ended.stdout.splitlines() if line.startswith("RESULT"))
    requests, duration, refused, broken = map(int, line.split()[1:])
    assert broken == 0, ended.stdout
    return (requests - refused) * 1e6 / duration, refused


def test_more_clients_than_the_server_can_answer(serve, tmp_path):
    model = save(tmp_path / "m", program_file.linear(width=256, layers=40))
    server = serve("m=%s" % model, "--max-queue-size", 16, "--instances", 1)
    seconds = 20 if WHOLE else 1
    body = np.ones((1, 256), np.float32).tobytes()
    capacity, _ = wrk(server, tmp_path, 8, seconds, body=body)
    answered, refused = wrk(server, tmp_path, 48, seconds, body=body)
    print("%.0f requests per second, beside %.0f refused ones %.0f" % (capacity, refused / seconds, answered))
    assert refused > 0 and answered > 0
    assert answered >= 0.9 * capacity or not WHOLE
    # What the clients left behind when they ended may fill the queue for a moment.
    found = []

    def is_answered():
        try:
            found.append(server.infer("m", {"x": np.ones((1, 256), np.float32)}))
        except Refused as error:
            assert error.answer.status == 503, error
        return found

    server.wait_until(is_answered)
    assert np.isfinite(found[0]["y"]).all()


def resident_mib(server):
    status = pathlib.Path("/proc/%d/status" % server.process.pid).read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1]) / 1024


def growth_mib(server, folder, requests):
    """By how much the memory grows from a fifth of the requests on, of which a tenth are wrong ones."""
    body, done, samples = X.tobytes(), 0, []
    seconds = 5 if WHOLE else 1
    while done < requests or len(samples) < 3:
        rate, _ = wrk(server, folder, 8, seconds, body=body)
        wrong, refused = wrk(server, folder, 2, 1, body=body[:-1])
        assert refused > 0 and wrong == 0
        done += int(rate * seconds) + refused
        samples.append((done, resident_mib(server)))
    return samples[-1][1] - next(mib for count, mib in samples if count >= requests / 5)


def test_a_million_requests_in_the_same_memory(serve, linear, tmp_path):
    server = serve("m=%s" % linear)
    growth = growth_mib(server, tmp_path, share(1_000_000))
    print("memory grew by %.1f MiB" % growth)
    assert growth < 8


LEAK = r"""
#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
// Every hundredth block of 64 to 4096 bytes that is allocated has another one beside it, which is lost.
static void* (*real)(size_t);
static _Atomic unsigned count;
void* malloc(size_t size) {
  if (!real) real = (void* (*)(size_t))dlsym(RTLD_NEXT, "malloc");
  if (size >= 64 && size <= 4096 && atomic_fetch_add(&count, 1) % 100 == 0) {
    char* lost = real(size * 16);
    for (size_t i = 0; lost && i < size * 16; i += 64) lost[i] = 1;
  }
  return real(size);
}
"""


def test_a_planted_leak_is_seen(serve, linear, tmp_path, monkeypatch):
    (tmp_path / "leak.c").write_text(LEAK)
    compiled = subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-D_GNU_SOURCE", str(tmp_path / "leak.c"), "-o", str(tmp_path / "leak.so"), "-ldl"])
    if compiled.returncode != 0:
        pytest.skip("there is no C compiler")
    with monkeypatch.context() as patch:
        patch.setenv("LD_PRELOAD", str(tmp_path / "leak.so"))
        server = serve("m=%s" % linear)
    growth = growth_mib(server, tmp_path, share(1_000_000))
    print("memory with a leak grew by %.1f MiB" % growth)
    assert growth > 8
