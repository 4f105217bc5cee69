# SPDX-License-Identifier: Apache-2.0
"""Three servers behind HAProxy: a rolling restart under load loses no request, and a killed server only those that it had."""
import http.client
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

if shutil.which("haproxy") is None:
    pytest.skip("haproxy is not installed; make serve-balancer installs it and runs this", allow_module_level=True)

# A server that says it is not ready is out of the rotation after one check, long before its --pre-stop-ms are over. A connection to a server
# is used once: a request never meets one that the server has just closed.
CONFIGURATION = """
defaults
  mode http
  timeout connect 2s
  timeout client 60s
  timeout server 60s
  option redispatch 1
  retries 3
  retry-on conn-failure
  option http-server-close
  http-reuse never
frontend all
  bind 127.0.0.1:%(port)d
  default_backend servers
backend servers
  balance roundrobin
  option httpchk GET /v2/health/ready
  http-check expect status 200
  default-server check inter 100ms fall 1 rise 1
%(servers)s
"""
CLIENTS, PRE_STOP_MS, ROWS, WIDTH = 6, 1500, 32, 512


class Load(Server):
    """Clients that ask the balancer without a pause; every answer is compared bit by bit."""

    def __init__(self, port, expected):
        self.port, self.local, self.expected = port, threading.local(), expected
        self.answered, self.wrong, self.failed = [0] * CLIENTS, [], []   # failed: (when it was sent, what came)
        self._end = threading.Event()
        self._threads = [threading.Thread(target=self._client, args=(number,), daemon=True) for number in range(CLIENTS)]
        for thread in self._threads:
            thread.start()

    def _client(self, number):
        x = np.random.default_rng(number).standard_normal((ROWS, WIDTH)).astype(np.float32)
        while not self._end.is_set():
            sent = time.monotonic()
            try:
                result = self.infer("m", {"x": x})["y"]
                self.answered[number] += 1
                if not np.array_equal(result, self.expected[number]):
                    self.wrong.append(number)
            except (Refused, http.client.HTTPException, OSError) as error:
                self.failed.append((sent, error))

    def wait_for_more(self):
        """Until each client has five further answers."""
        wanted, end = [count + 5 for count in self.answered], time.monotonic() + 60
        while any(count < least for count, least in zip(self.answered, wanted)):
            assert time.monotonic() < end, (self.answered, self.failed[:3])
            time.sleep(0.02)

    def stop(self):
        self._end.set()
        for thread in self._threads:
            thread.join()


class Servers:
    """Three servers, which keep their places when they are started anew, and the balancer."""

    def __init__(self, folder, start):
        self.model = save(folder / "m", program_file.linear(WIDTH, 4))
        self._sockets = [folder / ("s%d" % number) for number in range(3)]
        self._start, self._status = start, folder / "status"
        self.servers = [self.started(number) for number in range(3)]
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        lines = "\n".join("  server s%d unix@%s" % each for each in enumerate(self._sockets))
        (folder / "haproxy.cfg").write_text("global\n  stats socket %s\n%s" % (self._status, CONFIGURATION % {"port": self.port, "servers": lines}))
        self.process = subprocess.Popen(["haproxy", "-q", "-db", "-f", str(folder / "haproxy.cfg")])

    def started(self, number):
        return self._start("m=%s" % self.model, "--unix-socket", self._sockets[number], "--threads", 1, "--pre-stop-ms", PRE_STOP_MS)

    def up(self):
        """How many servers the balancer sends requests to."""
        try:
            with socket.socket(socket.AF_UNIX) as connection:
                connection.connect(str(self._status))
                connection.sendall(b"show stat\n")
                rows = connection.makefile().read().splitlines()
        except OSError:
            return 0
        names = rows[0].lstrip("# ").split(",")
        rows = [dict(zip(names, row.split(","))) for row in rows[1:] if row]
        return sum(row["pxname"] == "servers" and row["svname"] != "BACKEND" and row["status"] == "UP" for row in rows)

    def wait_for(self, count):
        end = time.monotonic() + 30
        while self.up() != count:
            assert self.process.poll() is None and time.monotonic() < end, "%d of 3 servers are up, expected %d" % (self.up(), count)
            time.sleep(0.02)


@pytest.fixture
def balanced(serve, tmp_path):
    servers, load = Servers(tmp_path, serve), None
    try:
        servers.wait_for(3)
        inputs = [np.random.default_rng(client).standard_normal((ROWS, WIDTH)).astype(np.float32) for client in range(CLIENTS)]
        load = Load(servers.port, [servers.servers[0].infer("m", {"x": x})["y"] for x in inputs])
        load.wait_for_more()
        yield servers, load
    finally:
        if load is not None:
            load.stop()
        servers.process.terminate()
        servers.process.wait(20)


def test_a_rolling_restart_loses_no_request(balanced):
    servers, load = balanced
    for number, server in enumerate(servers.servers):
        server.process.send_signal(signal.SIGTERM)
        servers.wait_for(2)                       # seen by its readiness, while it still answers
        assert server.process.poll() is None
        load.wait_for_more()
        assert server.process.wait(30) == 0, "".join(server.lines)
        servers.servers[number] = servers.started(number)
        servers.wait_for(3)
        load.wait_for_more()
    load.stop()
    assert load.failed == [] and load.wrong == []
    assert all(server.statistics("m")["inference_stats"]["success"]["count"] > 0 for server in servers.servers)


def test_a_killed_server_loses_only_what_it_had(balanced):
    servers, load = balanced
    servers.servers[1].process.kill()
    servers.servers[1].process.wait()
    dead = time.monotonic()
    servers.wait_for(2)
    load.wait_for_more()
    servers.servers[1] = servers.started(1)
    servers.wait_for(3)
    load.wait_for_more()
    load.stop()
    assert load.wrong == [] and len(load.failed) <= CLIENTS
    for sent, error in load.failed:
        # HAProxy answers 502, or closes the connection of a client that had used it before.
        assert sent < dead and (not isinstance(error, Refused) or error.answer.status == 502), error
    assert servers.servers[1].statistics("m")["inference_stats"]["success"]["count"] > 0
