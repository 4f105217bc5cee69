# SPDX-License-Identifier: Apache-2.0
"""TLS of gRPC, by the files of HTTP's: who may connect, and certificates that change while the server runs."""
import shutil
import socket

import grpc
import numpy as np
import pytest
import tritonclient.grpc as triton
from grpc_client import X, inputs, with_module
from grpc_health.v1 import health_pb2, health_pb2_grpc
from tls_test import authority, client as context_of, served, Authority
from tritonclient.utils import InferenceServerException

pytestmark = [with_module, pytest.mark.skipif(shutil.which("openssl") is None, reason="no program openssl here")]


def connected(server, authority, certificate=None):
    names = {"certificate_chain": str(certificate[0]), "private_key": str(certificate[1])} if certificate else {}
    return triton.InferenceServerClient("127.0.0.1:%d" % server.grpc_port, ssl=True, root_certificates=str(authority.certificate), **names)


def test_answers_are_those_of_http(served, authority):
    server = served("--grpc-port", 0)
    assert "coracle-serve: gRPC with TLS at 127.0.0.1:%d\n" % server.grpc_port in server.lines
    client = connected(server, authority)
    large = np.random.default_rng(0).standard_normal((200_000, 4), np.float32)
    for x in (X, large):
        assert np.array_equal(client.infer("m", inputs(x=x)).as_numpy("y"), server.infer("m", {"x": x})["y"])
    with pytest.raises(InferenceServerException):
        triton.InferenceServerClient("127.0.0.1:%d" % server.grpc_port).is_server_live(client_timeout=5)
    assert client.is_server_ready()
    credentials = grpc.ssl_channel_credentials(authority.certificate.read_bytes())
    with grpc.secure_channel("127.0.0.1:%d" % server.grpc_port, credentials) as channel:
        assert health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest()).status == 1


def test_certificates_of_clients(served, authority, tmp_path):
    server = served("--grpc-port", 0, "--tls-client-ca", authority.certificate)
    assert connected(server, authority, authority.sign("somebody")).is_server_live()
    (tmp_path / "others").mkdir()
    for certificate in (None, Authority(tmp_path / "others", "other").sign("stranger")):
        with pytest.raises(InferenceServerException):
            connected(server, authority, certificate).is_server_live(client_timeout=5)


def serial(server, authority):
    context = context_of(authority)
    context.set_alpn_protocols(["h2"])
    with socket.create_connection(("127.0.0.1", server.grpc_port), timeout=20) as plain:
        with context.wrap_socket(plain, server_hostname="127.0.0.1") as connection:
            assert connection.selected_alpn_protocol() == "h2" and connection.version() == "TLSv1.3"
            return connection.getpeercert()["serialNumber"]


def test_a_new_certificate_is_taken_and_a_wrong_one_is_not(served, authority, tmp_path):
    server = served("--grpc-port", 0)
    before = connected(server, authority)
    assert before.is_server_live()
    first = serial(server, authority)
    certificate, key = authority.sign("next")
    shutil.copy(key, tmp_path / "tls.key")    # which is not that of the certificate yet
    server.wait_until(lambda: serial(server, authority) == first and "the TLS certificate before is kept" in "".join(server.lines))
    shutil.copy(certificate, tmp_path / "tls.crt")
    server.wait_until(lambda: serial(server, authority) != first)
    second = serial(server, authority)
    (tmp_path / "tls.crt").write_text("no certificate")
    server.wait_until(lambda: serial(server, authority) == second and "tls.crt cannot be used as the certificate" in "".join(server.lines))
    # A client that connects now, and one from before the change.
    for client in (connected(server, authority), before):
        assert client.infer("m", inputs(x=X)).as_numpy("y").shape == (2, 4)


def test_a_root_that_is_replaced_decides_about_new_clients(served, authority, tmp_path):
    (tmp_path / "others").mkdir()
    other = Authority(tmp_path / "others", "other")
    shutil.copy(authority.certificate, tmp_path / "clients.crt")
    server = served("--grpc-port", 0, "--tls-client-ca", tmp_path / "clients.crt")
    stranger = other.sign("stranger")

    def lives(certificate):
        try:
            return connected(server, authority, certificate).is_server_live(client_timeout=5)
        except InferenceServerException:
            return False

    assert lives(authority.sign("somebody")) and not lives(stranger)
    shutil.copy(other.certificate, tmp_path / "clients.crt")
    server.wait_until(lambda: lives(stranger))
    assert not lives(authority.sign("somebody"))
