# SPDX-License-Identifier: Apache-2.0
"""Three servers on machines of their own (network namespaces) behind HAProxy: a rolling restart under load loses no request, a server that is
killed or whose link is cut only those that it had."""
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
from namespaces import Network

if shutil.which("haproxy") is None:
    pytest.skip("haproxy is not installed; make serve-balancer installs it and runs this", allow_module_level=True)

# A server that says it is not ready is out of the rotation after one check, long before its --pre-stop-ms are over. A connection to a server
# is used once: a request never meets one that the server has just closed. What waits for a server whose machine is silent is mostly told
# so by keep-alive (the server has the request) or tcp-ut (it has not), else by the timeout.
CONFIGURATION = """
defaults
  mode http
  timeout connect 2s
  timeout client 60s
  timeout server 15s
  option redispatch 1
  retries 3
  retry-on conn-failure
  option http-server-close
  http-reuse never
  option srvtcpka
  srvtcpka-idle 1s
  srvtcpka-intvl 1s
  srvtcpka-cnt 3
frontend all
  bind 127.0.0.1:%(port)d
  default_backend servers
backend servers
  balance roundrobin
  option httpchk GET /v2/health/ready
  http-check expect status 200
  default-server check inter 100ms fall 1 rise 1 tcp-ut 4s
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

    def __init__(self, folder, network, start):
        self.model = save(folder / "m", program_file.linear(WIDTH, 4))
        self.network, self._start, self._status = network, start, folder / "status"
        self.servers = [self.started(number) for number in range(3)]
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        lines = "\n".join("  server s%d %s:8000" % each for each in enumerate(network.addresses))
        (folder / "haproxy.cfg").write_text("global\n  stats socket %s\n%s" % (self._status, CONFIGURATION % {"port": self.port, "servers": lines}))
        self.process = subprocess.Popen(["haproxy", "-q", "-db", "-f", str(folder / "haproxy.cfg")])

    def started(self, number):
        return self._start("m=%s" % self.model, "--host", self.network.addresses[number], "--threads", 1, "--pre-stop-ms", PRE_STOP_MS,
                           ports=False, before=self.network.on(number))

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
def network():
    made = Network(3)
    yield made
    made.close()


@pytest.fixture
def balanced(network, serve, tmp_path):
    servers, load = Servers(tmp_path, network, serve), None
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


def check_failed(load, end):
    """A client had at most one request at the server when that could not be reached any more: it was sent before, and the client knows."""
    load.stop()
    print("failed:", [str(error) for _, error in load.failed])
    assert load.wrong == [] and len(load.failed) <= CLIENTS
    for sent, error in load.failed:
        # HAProxy answers 502 or 504, or closes the connection of a client that had used it before.
        assert sent < end and (not isinstance(error, Refused) or error.answer.status in (502, 504)), error


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
    check_failed(load, dead)
    assert servers.servers[1].statistics("m")["inference_stats"]["success"]["count"] > 0


def test_a_cut_link_loses_only_what_was_on_it(balanced):
    servers, load = balanced
    server = servers.servers[1]
    servers.network.cut(1)
    cut = time.monotonic()
    servers.wait_for(2)
    load.wait_for_more()                          # also the clients whose requests were lost go on
    assert server.process.poll() is None
    servers.network.mend(1)
    servers.wait_for(3)
    before = server.statistics("m")["inference_stats"]["success"]["count"]
    load.wait_for_more()
    check_failed(load, cut)
    assert server.statistics("m")["inference_stats"]["success"]["count"] > before
