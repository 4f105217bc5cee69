# SPDX-License-Identifier: Apache-2.0
"""gRPC through a server's life: health, limits, clients that go, its end, and the module that it is."""
import os
import queue
import shutil
import subprocess
import threading

import grpc
import numpy as np
import program_file
import pytest
from conftest import save
from grpc_client import MODULE, PROGRAM, X, client, inputs, message, refused, serve_grpc, with_module
from grpc_health.v1 import health_pb2
from tritonclient.grpc import service_pb2, service_pb2_grpc

SLOW_X = np.ones((300, 1024), np.float32)


def repeated(width=1024, times=60):
    """y = x w w ... w, which takes long beside its files."""
    names = ["x", *("p%d" % i for i in range(1, times)), "y"]
    product = {"trans_x": False, "trans_y": False}
    operators = [program_file.operator("matmul_v2", {"X": [a], "Y": ["w"]}, {"Out": [b]}, product) for a, b in zip(names, names[1:])]
    return program_file.model([("x", "float32", (-1, width))], operators, [("y", "float32", (-1, width))],
                              {"w": np.eye(width, dtype=np.float32)})


@with_module
def test_health(client):
    check = health_pb2.HealthCheckRequest
    for service in ("", "inference.GRPCInferenceService"):
        assert client.health.Check(check(service=service)).status == health_pb2.HealthCheckResponse.SERVING
    assert refused(client.health.Check, check(service="other"))[0] == "NOT_FOUND"
    assert next(client.health.Watch(check(service="other"))).status == health_pb2.HealthCheckResponse.SERVICE_UNKNOWN
    watch = client.health.Watch(check())
    assert next(watch).status == health_pb2.HealthCheckResponse.SERVING
    assert client.server.stop() == 0
    statuses = set()
    with pytest.raises(grpc.RpcError) as caught:
        for answer in watch:
            statuses.add(answer.status)
    assert statuses == {health_pb2.HealthCheckResponse.NOT_SERVING} and caught.value.code() == grpc.StatusCode.UNAVAILABLE


@with_module
def test_a_token_is_asked_for(serve_grpc, linear, tmp_path):
    (tmp_path / "token").write_text("s3cret\n")
    client = serve_grpc("m=%s" % linear, "--token-file", tmp_path / "token")
    assert client.triton.is_server_ready() and client.health.Check(health_pb2.HealthCheckRequest()).status == 1
    ask = service_pb2.ModelMetadataRequest(name="m")
    for headers in ([], [("authorization", "Bearer s3cre")], [("authorization", "s3cret")]):
        assert refused(client.stub.ModelMetadata, ask, metadata=headers)[0] == "UNAUTHENTICATED"
        assert refused(client.stub.ModelInfer, message(X), metadata=headers)[0] == "UNAUTHENTICATED"
        assert refused(lambda: list(client.stub.ModelStreamInfer(iter([message(X)]), metadata=headers)))[0] == "UNAUTHENTICATED"
    right = {"authorization": "Bearer s3cret"}
    assert client.triton.infer("m", inputs(x=X), headers=right).as_numpy("y") is not None


@pytest.fixture
def slow(serve_grpc, tmp_path):
    return serve_grpc("m=%s" % save(tmp_path / "m", repeated()), "--max-batch-size", "0", "--instances", "1")


def waiting(client):
    line = next(line for line in client.server.metrics().body.decode().splitlines() if line.startswith("nv_inference_pending_request_count{"))
    return int(line.rsplit(" ", 1)[1])


def cancelled(client):
    text = client.server.metrics().body.decode()
    return int(text.split('reason="CANCELED"} ')[1].split("\n")[0])


@with_module
def test_deadlines(slow):
    request = message(np.tile(SLOW_X, (10, 1)))
    assert refused(slow.stub.ModelInfer, request, timeout=0.05)[0] == "DEADLINE_EXCEEDED"    # by the client's own watch, too
    request.parameters["timeout"].int64_param = 20_000
    code, text = refused(slow.stub.ModelInfer, request)
    assert code == "DEADLINE_EXCEEDED" and "the request" in text


@with_module
def test_cancelled_calls_end_their_runs(slow):
    calls = [slow.stub.ModelInfer.future(message(SLOW_X)) for _ in range(4)]
    slow.server.wait_until(lambda: waiting(slow) == 3 or calls[0].done())
    assert not calls[0].done(), "the model is too fast for this test"
    for call in calls:
        call.cancel()
    slow.server.wait_until(lambda: cancelled(slow) == 4)
    stream = slow.stub.ModelStreamInfer(iter([message(SLOW_X) for _ in range(4)]))
    slow.server.wait_until(lambda: waiting(slow) == 3)
    stream.cancel()
    slow.server.wait_until(lambda: cancelled(slow) == 8)


@with_module
def test_limits(serve_grpc, linear):
    client = serve_grpc("m=%s" % linear, "--max-body-mib", "1", "--max-connections", "2")
    rows = (1 << 20) // 16
    code, text = refused(client.stub.ModelInfer, message(np.ones((rows, 4), np.float32)))
    assert code == "RESOURCE_EXHAUSTED" and str(1 << 20) in text
    assert client.stub.ModelInfer(message(np.ones((rows - 64, 4), np.float32))).raw_output_contents
    ends = [threading.Event() for _ in range(2)]
    streams = [client.stub.ModelStreamInfer(held(end)) for end in ends]
    assert not any(next(stream).error_message for stream in streams)
    # On a connection of its own: another call on this one would wait for a stream to end.
    with grpc.insecure_channel(client.address, [("grpc.use_local_subchannel_pool", 1)]) as other:
        code, text = refused(service_pb2_grpc.GRPCInferenceServiceStub(other).ModelInfer, message(X))
    assert code == "RESOURCE_EXHAUSTED" and "--max-connections" in text
    for end, stream in zip(ends, streams):
        end.set()
        assert not list(stream)
    client.server.wait_until(lambda: client.stub.ModelInfer.future(message(X)).exception() is None)


def held(end):
    yield message(X)
    end.wait(60)


@with_module
def test_accepted_calls_are_answered_before_the_end(slow):
    calls = [slow.stub.ModelInfer.future(message(SLOW_X)) for _ in range(3)]
    end = threading.Event()
    answers = queue.Queue()
    stream = slow.stub.ModelStreamInfer(held_slow(end))

    def read():
        try:
            for answer in stream:
                answers.put(answer.error_message)
        except grpc.RpcError as error:
            answers.put(error.code())

    reader = threading.Thread(target=read)
    reader.start()
    slow.server.wait_until(lambda: waiting(slow) == 4 or calls[0].done())
    assert not calls[0].done(), "the model is too fast for this test"
    assert slow.server.stop() == 0
    for call in calls:
        assert call.result().raw_output_contents
    reader.join()
    end.set()
    assert [answers.get() for _ in range(3)] == ["", "", grpc.StatusCode.UNAVAILABLE]


def held_slow(end):
    yield message(SLOW_X)
    yield message(SLOW_X)
    end.wait(60)


@with_module
def test_what_takes_too_long_is_cut_off(serve_grpc, tmp_path):
    client = serve_grpc("m=%s" % save(tmp_path / "m", repeated()), "--max-batch-size", "0", "--instances", "1",
                        "--exit-timeout", "0")
    calls = [client.stub.ModelInfer.future(message(SLOW_X)) for _ in range(3)]
    client.server.wait_until(lambda: waiting(client) == 2)
    assert client.server.stop() == 1 and "cut off" in client.server.lines[-1]
    assert {call.code() for call in calls[1:]} <= {grpc.StatusCode.CANCELLED, grpc.StatusCode.UNAVAILABLE}


def ended(*arguments, program=PROGRAM, **options):
    return subprocess.run([program, "--http-port", "0", "--metrics-port", "0", *map(str, arguments)], capture_output=True, text=True, **options)


@with_module
def test_a_port_belongs_to_one_server(client, linear):
    other = ended("m=%s" % linear, "--grpc-port", client.server.grpc_port)
    assert other.returncode == 1 and "cannot listen on 127.0.0.1 port %d for gRPC" % client.server.grpc_port in other.stderr
    assert len(other.stderr.splitlines()) <= 2, other.stderr


def test_without_the_module(linear, tmp_path):
    program = shutil.copy(PROGRAM, tmp_path / "coracle-serve")
    environment = {**os.environ, "LD_LIBRARY_PATH": str(PROGRAM.parent)}
    end = ended("m=%s" % linear, "--grpc-port", 0, program=program, env=environment)
    assert end.returncode == 1 and "install the package coracle-serve-grpc" in end.stderr
    assert ended("m=%s" % linear, "--grpc-port", "http", program=program, env=environment).returncode == 2
    # Where nobody asks for it, it is not missed.
    with subprocess.Popen([program, "--http-port", "0", "--metrics-port", "0", "m=%s" % linear], env=environment, stderr=subprocess.PIPE,
                          text=True) as process:
        lines = [process.stderr.readline() for _ in range(2)]
        process.terminate()
        assert process.wait(60) == 0 and not any("gRPC" in line for line in lines)


@with_module
def test_a_module_of_another_build(linear, tmp_path):
    program = shutil.copy(PROGRAM, tmp_path / "coracle-serve")
    content = MODULE.read_bytes()
    build = content.index(b" GNU ") if b" GNU " in content else content.index(b" Clang ")
    (tmp_path / MODULE.name).write_bytes(content[:build] + b"?" + content[build + 1:])
    environment = {**os.environ, "LD_LIBRARY_PATH": str(PROGRAM.parent)}
    end = ended("m=%s" % linear, program=program, env=environment)
    assert end.returncode == 1 and "is of another build" in end.stderr, end.stderr
    (tmp_path / MODULE.name).write_bytes(b"no library")
    end = ended("m=%s" % linear, program=program, env=environment)
    assert end.returncode == 1 and "gRPC cannot be had: " in end.stderr
