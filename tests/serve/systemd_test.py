# SPDX-License-Identifier: Apache-2.0
"""What a service manager and the server tell each other, the units of packaging/systemd, and a place without a home."""
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys

import numpy as np
import program_file
import pytest
from conftest import Server, save

PACKAGING = pathlib.Path(__file__).resolve().parents[2] / "packaging"
# What a manager does between fork and exec: descriptors from 3 on, and who they are for.
PASS = """
import os, sys
count, names, *command = sys.argv[1:]
given = [int(n) for n in os.environ.pop("GIVEN").split(",")]
kept = [os.dup2(os.dup(n), 100 + i) for i, n in enumerate(given)]
for i, n in enumerate(kept):
    os.dup2(n, 3 + i)
os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS=count, LISTEN_FDNAMES=names)
os.execv(command[0], command)
"""


class Manager:
    """The receiving end of NOTIFY_SOCKET."""

    def __init__(self, address):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(address)
        self.socket.settimeout(20)

    def told(self):
        return self.socket.recv(1000).decode()


@pytest.mark.parametrize("abstract", [False, True])
def test_the_manager_is_told(serve, linear, tmp_path, abstract):
    name = "coracle-%d" % os.getpid() if abstract else str(tmp_path / "notify")
    manager = Manager("\0" + name if abstract else name)
    server = serve("m=%s" % linear, environment={"NOTIFY_SOCKET": ("@" if abstract else "") + name})
    assert manager.told() == "READY=1"
    assert server.get("/v2/health/ready").status == 200
    server.process.send_signal(signal.SIGHUP)
    assert re.fullmatch(r"RELOADING=1\nMONOTONIC_USEC=\d+", manager.told())
    assert manager.told() == "READY=1"
    assert server.get("/v2/health/ready").status == 200
    server.process.send_signal(signal.SIGTERM)
    assert manager.told() == "STOPPING=1"
    assert server.process.wait(20) == 0


def test_a_reload_looks_at_the_folder(serve, tmp_path):
    save(tmp_path / "a" / "1", program_file.linear())
    server = serve("--repository", tmp_path)
    save(tmp_path / "b" / "1", program_file.linear())
    server.process.send_signal(signal.SIGHUP)
    server.wait_until(lambda: server.get("/v2/models/b/ready").status == 200)


def passed(sockets, names, *arguments):
    """The environment and the words before the server's that hand it sockets."""
    for each in sockets:
        each.set_inheritable(True)
    return {"environment": {"GIVEN": ",".join(str(each.fileno()) for each in sockets)}, "close_fds": False,
            "before": [sys.executable, "-c", PASS, str(len(sockets)), names]}


def test_sockets_are_taken_over(serve, linear, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as http, socket.create_server(("127.0.0.1", 0)) as metrics, \
            socket.socket(socket.AF_UNIX) as local:
        local.bind(str(tmp_path / "s"))
        local.listen()
        server = serve("m=%s" % linear, **passed([metrics, http, local], "metrics:http:other.socket"))
        assert server.port == http.getsockname()[1] and server.metrics_port == metrics.getsockname()[1]
        assert server.get("/v2/models/m").status == 200 and server.metrics().status == 200
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(tmp_path / "s"))
            client.sendall(b"GET /v2 HTTP/1.0\r\n\r\n")
            assert client.recv(100).startswith(b"HTTP/1.1 200")
        assert server.stop() == 0
        assert (tmp_path / "s").exists()    # it is the manager's
        # The manager keeps the socket: who comes in between waits for the next server.
        early = socket.create_connection(http.getsockname())
        early.sendall(b"GET /v2 HTTP/1.0\r\n\r\n")
        serve("m=%s" % linear, **passed([metrics, http], "metrics:http"))
        assert early.recv(100).startswith(b"HTTP/1.1 200")


def test_sockets_for_others_are_left_alone(serve, linear):
    server = serve("m=%s" % linear, environment={"LISTEN_PID": "1", "LISTEN_FDS": "5"})
    assert server.get("/v2").status == 200


def test_what_is_no_socket_is_refused(linear):
    with socket.socket(socket.AF_INET) as not_listening:
        how = passed([not_listening], "http")
        ended = subprocess.run([*how["before"], os.environ["CORACLE_SERVE"], "m=%s" % linear], capture_output=True, text=True,
                               close_fds=False, env={**os.environ, **how["environment"]})
    assert ended.returncode == 1 and "descriptor 3 was passed to be listened on (LISTEN_FDS) and is no stream socket" in ended.stderr


def test_the_other_program_starts_it(linear, serve, tmp_path):
    program = pathlib.Path(os.environ["CORACLE_SERVE"]).with_name("coracle")
    if not program.exists():
        pytest.skip("the program coracle was not built")
    server = serve("m=%s" % linear, program=[program, "serve"])
    assert server.get("/v2/models/m").status == 200
    assert os.readlink("/proc/%d/exe" % server.process.pid).endswith("coracle-serve")    # the same process
    alone = shutil.copy(program, tmp_path / "coracle")
    ended = subprocess.run([alone, "serve", "m"], capture_output=True, text=True,
                           env={**os.environ, "LD_LIBRARY_PATH": str(program.parent)})
    assert ended.returncode == 5 and "there is no %s-serve: the server is the Debian package coracle-serve" % alone in ended.stderr


def test_a_read_only_place_without_a_home(serve, linear, tmp_path):
    """As in a container: nobody's user, no home, and a working folder that cannot be written."""
    folder = tmp_path / "w"
    folder.mkdir()
    folder.chmod(0o555)
    options = tmp_path / "serve.conf"
    options.write_text('model = ["m=%s"]\nhttp-port = 0\nmetrics-port = 0\n' % linear)
    server = serve("--config", options, cwd=folder, environment={"HOME": None, "TMPDIR": None}, ports=False)
    assert server.get("/v2/models/m/ready").status == 200
    assert not list(folder.iterdir())


def unit(tmp_path, name):
    """A unit with the program that was built."""
    text = (PACKAGING / "systemd" / name).read_text().replace("/usr/bin/coracle-serve", os.environ["CORACLE_SERVE"])
    (tmp_path / name).write_text(text)
    return tmp_path / name


def test_units(tmp_path):
    analyze = shutil.which("systemd-analyze")
    if not analyze:
        pytest.skip("no systemd-analyze here")
    units = [unit(tmp_path, "coracle-serve.service"), unit(tmp_path, "coracle-serve.socket")]
    checked = subprocess.run([analyze, "verify", "--man=no", "--recursive-errors=no", *units], capture_output=True, text=True)
    assert checked.returncode == 0 and "coracle" not in checked.stderr, checked.stderr
    wrong = tmp_path / "wrong.service"
    wrong.write_text(units[0].read_text().replace("Type=notify", "Type=nothing"))
    checked = subprocess.run([analyze, "verify", "--man=no", "--recursive-errors=no", wrong], capture_output=True, text=True)
    assert "nothing" in checked.stderr
    exposure = subprocess.run([analyze, "security", "--offline=yes", "--no-pager", units[0]], capture_output=True, text=True)
    if "Overall exposure level" not in exposure.stdout:
        pytest.skip("systemd-analyze security knows no --offline here")
    assert float(re.search(r"Overall exposure level for .*: (\d+\.\d)", exposure.stdout)[1]) < 2, exposure.stdout


def system_calls(analyze, group):
    """The calls of a group, with those of the groups in it."""
    listed = subprocess.run([analyze, "syscall-filter", "--no-pager", group], capture_output=True, text=True, check=True).stdout
    words = [line.strip() for line in listed.splitlines()[1:] if line.strip() and not line.strip().startswith("#")]
    return set().union(*(system_calls(analyze, word) if word.startswith("@") else {word} for word in words))


def test_the_unit_allows_what_the_server_calls(serve, linear, tmp_path):
    analyze, strace = shutil.which("systemd-analyze"), shutil.which("strace")
    if not analyze or not strace or subprocess.run([strace, "-o", "/dev/null", "true"], capture_output=True).returncode:
        pytest.skip("no systemd-analyze or no strace that works here")
    allowed = set()
    for line in re.findall(r"^SystemCallFilter=(.+)$", (PACKAGING / "systemd" / "coracle-serve.service").read_text(), re.M):
        for word in line.removeprefix("~").split():
            calls = system_calls(analyze, word) if word.startswith("@") else {word}
            allowed = allowed - calls if line.startswith("~") else allowed | calls
    assert "read" in allowed and "sched_setaffinity" in allowed and "setuid" not in allowed and "ptrace" not in allowed
    server = serve("--repository", linear.parent, before=[strace, "-f", "-qq", "-o", tmp_path / "calls", "-e", "signal=none"],
                   environment={"NOTIFY_SOCKET": str(tmp_path / "nobody")})
    child = int(pathlib.Path("/proc/%d/task/%d/children" % (server.process.pid, server.process.pid)).read_text())
    assert server.infer("linear", {"x": np.ones((2, 4), np.float32)})["y"].shape == (2, 4)
    os.kill(child, signal.SIGHUP)
    assert server.metrics().status == 200
    os.kill(child, signal.SIGTERM)
    assert server.process.wait(60) == 0
    calls = (tmp_path / "calls").read_text()
    called = set(re.findall(r"^\d+ +(?:<... )?(\w+)", calls, re.M))
    assert {"listen", "sendto"} <= called and called <= allowed, called - allowed
    assert not re.search(r"PROT_WRITE\|PROT_EXEC|mprotect\([^\n]*PROT_EXEC", calls)    # MemoryDenyWriteExecute


def test_the_container():
    lines = re.sub(r"\\\n", " ", (PACKAGING / "container" / "Containerfile").read_text()).splitlines()
    instructions = [line.split(None, 1) for line in lines if line and not line.startswith("#")]
    names = [name for name, _ in instructions]
    assert names[0] == "FROM" and set(names) <= {"FROM", "RUN", "USER", "EXPOSE", "STOPSIGNAL", "ENTRYPOINT", "CMD"}
    values = dict(instructions)
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", values["USER"])
    words = [*eval(values["ENTRYPOINT"]), *eval(values["CMD"])]
    assert words[0] == "/usr/bin/coracle-serve"
    shown = subprocess.run([os.environ["CORACLE_SERVE"], "--help"], capture_output=True, text=True).stdout
    assert all(word in shown for word in words if word.startswith("--"))
