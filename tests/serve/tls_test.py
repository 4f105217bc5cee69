# SPDX-License-Identifier: Apache-2.0
"""TLS: who may connect, what is spoken, and certificates that change while the server runs."""
import os
import re
import shutil
import socket
import ssl
import subprocess
import time

import numpy as np
import program_file
import pytest
from conftest import save

X = np.arange(8, dtype=np.float32).reshape(2, 4)
pytestmark = [pytest.mark.skipif(shutil.which("openssl") is None, reason="no program openssl here"),
              pytest.mark.filterwarnings("ignore:ssl.TLSVersion.TLSv1_1 is deprecated")]


def openssl(*arguments):
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)


class Authority:
    """Signs certificates: files NAME.crt and NAME.key in a folder."""

    def __init__(self, folder, name="ca"):
        self.folder, self.name = folder, name
        self.certificate = folder / (name + ".crt")
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", 2, "-subj", "/CN=" + name,
                "-keyout", folder / (name + ".key"), "-out", self.certificate)

    def sign(self, name):
        request, certificate, key = (self.folder / (name + suffix) for suffix in (".csr", ".crt", ".key"))
        (self.folder / "names").write_text("subjectAltName=IP:127.0.0.1")
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=" + name, "-keyout", key, "-out", request)
        openssl("x509", "-req", "-in", request, "-CA", self.certificate, "-CAkey", self.folder / (self.name + ".key"), "-CAcreateserial",
                "-days", 2, "-extfile", self.folder / "names", "-out", certificate)
        return certificate, key


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("tls"))


def client(authority, certificate=None):
    context = ssl.create_default_context(cafile=str(authority.certificate))
    if certificate:
        context.load_cert_chain(*map(str, certificate))
    return context


@pytest.fixture
def served(serve, authority, tmp_path):
    """A server with TLS, and the files of its certificate, which a test may replace."""
    folder = save(tmp_path / "m", program_file.linear())

    def start(*arguments):
        for source, name in zip(authority.sign("server"), ("tls.crt", "tls.key")):
            shutil.copy(source, tmp_path / name)
        server = serve("m=%s" % folder, "--tls-certificate", tmp_path / "tls.crt", "--tls-key", tmp_path / "tls.key", *arguments)
        server.tls = client(authority)
        return server

    return start


def connect(server, context):
    plain = socket.create_connection(("127.0.0.1", server.port), timeout=20)
    return context.wrap_socket(plain, server_hostname="127.0.0.1")


def test_answers_are_the_same(served, serve, tmp_path):
    server = served()
    assert "coracle-serve: HTTP at https://127.0.0.1:%d\n" % server.port in server.lines
    plain = serve("m=%s" % (tmp_path / "m"))
    large = np.random.default_rng(0).standard_normal((200_000, 4), np.float32)    # larger than any buffer on the way
    for x in (X, large):
        assert np.array_equal(server.infer("m", {"x": x})["y"], plain.infer("m", {"x": x})["y"])
    assert server.metrics().status == 200    # without TLS


def test_what_is_spoken(served, authority):
    server = served()
    context = client(authority)
    context.set_alpn_protocols(["h2", "http/1.1"])
    with connect(server, context) as connection:
        assert connection.selected_alpn_protocol() == "http/1.1" and connection.version() == "TLSv1.3"
    context.set_alpn_protocols(["h2"])
    with pytest.raises(ssl.SSLError):
        connect(server, context).recv(1)
    old = client(authority)
    old.minimum_version = old.maximum_version = ssl.TLSVersion.TLSv1_2
    with connect(server, old) as connection:
        assert connection.version() == "TLSv1.2" and re.search("GCM|CHACHA20", connection.cipher()[0])
    old.set_ciphers("AES128-SHA:@SECLEVEL=0")    # no forward secrecy
    with pytest.raises(ssl.SSLError):
        connect(server, old)
    old.set_ciphers("DEFAULT:@SECLEVEL=0")
    old.minimum_version = old.maximum_version = ssl.TLSVersion.TLSv1_1
    with pytest.raises(ssl.SSLError):
        connect(server, old)
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as plain:
        plain.sendall(b"GET /v2 HTTP/1.1\r\nHost: a\r\n\r\n")
        assert not plain.recv(100).startswith(b"HTTP")
    assert server.get("/v2").status == 200


def test_a_goodbye_follows_the_last_answer(served, authority):
    server = served()
    with connect(server, client(authority)) as connection:
        connection.sendall(b"GET /v2/health/live HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        received = b""
        while part := connection.recv(4096):    # an end without TLS's goodbye raises SSLEOFError
            received += part
    assert received.startswith(b"HTTP/1.1 200") and received.endswith(b"}")


def test_certificates_of_clients(served, authority, tmp_path):
    server = served("--tls-client-ca", authority.certificate)
    server.tls = client(authority, authority.sign("somebody"))
    assert server.infer("m", {"x": X})["y"].shape == (2, 4)
    (tmp_path / "others").mkdir()
    stranger = Authority(tmp_path / "others", "other").sign("stranger")
    for context in (client(authority), client(authority, stranger)):
        with pytest.raises((ssl.SSLError, ConnectionResetError)):
            with connect(server, context) as connection:
                connection.sendall(b"GET /v2 HTTP/1.1\r\nHost: a\r\n\r\n")
                assert connection.recv(1)    # in TLS 1.3 the refusal comes after the client's part of the handshake
    assert server.get("/v2").status == 200


def serial(server, context):
    with connect(server, context) as connection:
        return connection.getpeercert()["serialNumber"]


def test_a_new_certificate_is_taken_and_a_wrong_one_is_not(served, authority, tmp_path):
    server = served()
    context = client(authority)
    first = serial(server, context)
    with connect(server, context) as open_before:
        certificate, key = authority.sign("next")
        shutil.copy(key, tmp_path / "tls.key")    # which is not that of the certificate yet
        server.wait_until(lambda: serial(server, context) == first and "the TLS certificate before is kept" in "".join(server.lines))
        assert "tls.key cannot be used as the certificate's key: key values mismatch" in "".join(server.lines)
        shutil.copy(certificate, tmp_path / "tls.crt")
        server.wait_until(lambda: serial(server, context) != first)
        second = serial(server, context)
        (tmp_path / "tls.crt").write_text("no certificate")
        server.wait_until(lambda: serial(server, context) == second and "tls.crt cannot be used as the certificate" in "".join(server.lines))
        os.remove(tmp_path / "tls.crt")
        server.wait_until(lambda: serial(server, context) == second and "tls.crt (the certificate) cannot be read" in "".join(server.lines))
        open_before.sendall(b"GET /v2/health/live HTTP/1.1\r\nHost: a\r\n\r\n")
        assert open_before.recv(100).startswith(b"HTTP/1.1 200")


def test_who_does_not_shake_hands_keeps_nobody_waiting(served):
    server = served()
    silent = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(50)]
    begun = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(50)]
    for connection in begun:
        connection.sendall(b"\x16\x03\x01\x02\x00\x01")    # the begin of a handshake
    start = time.monotonic()
    for _ in range(20):
        assert server.get("/v2/health/live").status == 200
    assert time.monotonic() - start < 5
    for connection in silent + begun:
        connection.close()


def test_a_client_that_hangs_up_ends_its_run(served, tmp_path):
    server = served("wide=%s" % save(tmp_path / "wide", program_file.linear(width=1024, layers=20)), "--max-batch-size", 0, "--instances", 1)
    x = np.ones((8000, 1024), np.float32)
    for _ in range(2):
        assert server.get("/v2").status == 200    # reads what TLS sends by itself: a socket with unread bytes resets the connection
        connection = server.connection()
        connection.putrequest("POST", "/v2/models/wide/infer")
        connection.putheader("Inference-Header-Content-Length", "0")
        connection.putheader("Content-Length", str(x.nbytes))
        connection.endheaders(x.tobytes())
        connection.close()
    server.wait_until(lambda: server.statistics("wide")["inference_stats"]["fail"]["count"] == 2)
    assert 'reason="CANCELED"} 2' in server.metrics().body.decode()


def test_wrong_files(authority, tmp_path):
    certificate, key = authority.sign("right")
    other = authority.sign("other")[1]
    (tmp_path / "text").write_text("no PEM")
    for words, status, arguments in (
            ("--tls-certificate and --tls-key need each other", 2, ["--tls-certificate", certificate]),
            ("--tls-client-ca needs --tls-certificate", 2, ["--tls-client-ca", certificate]),
            ("/nowhere (the certificate) cannot be read", 1, ["--tls-certificate", "/nowhere", "--tls-key", key]),
            ("other.key cannot be used as the certificate's key: key values mismatch", 1, ["--tls-certificate", certificate, "--tls-key", other]),
            ("text cannot be used as the certificate", 1, ["--tls-certificate", tmp_path / "text", "--tls-key", key]),
            ("text cannot be used as the certificates that sign", 1,
             ["--tls-certificate", certificate, "--tls-key", key, "--tls-client-ca", tmp_path / "text"])):
        ended = subprocess.run([os.environ["CORACLE_SERVE"], "m=nowhere", "--http-port", "0", "--metrics-port", "0", *map(str, arguments)],
                               capture_output=True, text=True)
        assert ended.returncode == status and words in ended.stderr, (arguments, ended)
