# SPDX-License-Identifier: Apache-2.0
"""A server with gRPC, and clients of it."""
import os
import pathlib

import grpc
import numpy as np
import pytest
import tritonclient.grpc as triton
from conftest import DATATYPES
from grpc_health.v1 import health_pb2_grpc
from tritonclient.grpc import service_pb2, service_pb2_grpc

PROGRAM = pathlib.Path(os.environ["CORACLE_SERVE"])
MODULE = PROGRAM.with_name("libcoracle_serve_grpc.so")
X = np.array([[1, 2, 3, 4], [5, 6, 7, 8]], np.float32)

with_module = pytest.mark.skipif(not MODULE.exists(), reason="built without gRPC (libgrpc++-dev)")


class Client:
    def __init__(self, server):
        self.server, self.address = server, "127.0.0.1:%d" % server.grpc_port
        self.channel = grpc.insecure_channel(self.address)
        self.stub = service_pb2_grpc.GRPCInferenceServiceStub(self.channel)
        self.health = health_pb2_grpc.HealthStub(self.channel)
        self.triton = triton.InferenceServerClient(self.address)


@pytest.fixture
def serve_grpc(serve):
    clients = []

    def start(*arguments):
        clients.append(Client(serve("--grpc-port", "0", *arguments)))
        return clients[-1]

    yield start
    for client in clients:
        client.triton.close()
        client.channel.close()


@pytest.fixture
def client(serve_grpc, linear):
    return serve_grpc("m=%s" % linear)


def inputs(**arrays):
    tensors = []
    for name, array in arrays.items():
        tensors.append(triton.InferInput(name, array.shape, DATATYPES[array.dtype.name]))
        tensors[-1].set_data_from_numpy(array)
    return tensors


def message(array, model="m", name="x", field=None, **fields):
    """A ModelInferRequest whose elements are raw, or in a field of `contents`."""
    request = service_pb2.ModelInferRequest(model_name=model, **fields)
    request.inputs.add(name=name, datatype=DATATYPES[array.dtype.name], shape=array.shape)
    if field is None:
        request.raw_input_contents.append(array.tobytes())
    else:
        getattr(request.inputs[0].contents, field).extend(array.ravel().tolist())
    return request


def refused(call, *arguments, **options):
    with pytest.raises(grpc.RpcError) as caught:
        call(*arguments, **options)
    return caught.value.code().name, caught.value.details()
