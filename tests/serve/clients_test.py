# SPDX-License-Identifier: Apache-2.0
"""Clients that others wrote, as they are."""
import numpy as np
import pytest
import tritonclient.http as triton
from tritonclient.utils import InferenceServerException

X = np.array([[1, 2, 3, 4], [5, 6, 7, 8]], np.float32)


@pytest.fixture
def client(serve, linear):
    server = serve("m=%s" % linear)
    client = triton.InferenceServerClient("127.0.0.1:%d" % server.port, concurrency=8)
    client.ours = server
    yield client
    client.close()


def request(binary=True, binary_output=True):
    x = triton.InferInput("x", X.shape, "FP32")
    x.set_data_from_numpy(X, binary_data=binary)
    return [x], [triton.InferRequestedOutput("y", binary_data=binary_output)]


def test_triton_client(client):
    wanted = client.ours.infer("m", {"x": X})["y"]
    assert client.is_server_live() and client.is_server_ready() and client.is_model_ready("m") and client.is_model_ready("m", "1")
    assert client.get_server_metadata()["name"] == "coracle"
    assert client.get_model_metadata("m")["inputs"][0]["name"] == "x"
    assert client.get_model_config("m")["max_batch_size"] == 8
    assert client.get_model_repository_index()[0]["state"] == "READY"
    for binary in (True, False):
        for binary_output in (True, False):
            inputs, outputs = request(binary, binary_output)
            result = client.infer("m", inputs, outputs=outputs, request_id="7", timeout=10_000_000)
            assert np.array_equal(result.as_numpy("y"), wanted) and result.get_response()["id"] == "7"
    inputs, outputs = request()
    for coding in ("gzip", "deflate"):
        result = client.infer("m", inputs, outputs=outputs, request_compression_algorithm=coding, response_compression_algorithm=coding)
        assert np.array_equal(result.as_numpy("y"), wanted)
    waiting = [client.async_infer("m", inputs, outputs=outputs) for _ in range(32)]
    for each in waiting:
        assert np.array_equal(each.get_result().as_numpy("y"), wanted)
    statistics = client.get_inference_statistics("m")["model_stats"][0]
    assert statistics["inference_stats"]["success"]["count"] == 39
    with pytest.raises(InferenceServerException, match="there is no model 'none'"):
        client.get_model_metadata("none")
    with pytest.raises(InferenceServerException, match="--model-control explicit"):
        client.load_model("m")
