# SPDX-License-Identifier: Apache-2.0
"""The client of KServe's SDK. It is large; `make serve-kserve` installs it and runs this."""
import asyncio

import numpy as np
import pytest

kserve = pytest.importorskip("kserve", reason="KServe's SDK is not installed (make serve-kserve)")


def test_health_and_inference(serve, linear):
    server = serve("m=%s" % linear)
    base = "http://127.0.0.1:%d" % server.port
    x = np.arange(8, dtype=np.float32).reshape(2, 4)

    async def ask():
        client = kserve.InferenceRESTClient(kserve.RESTConfig(protocol="v2"))
        assert await client.is_server_live(base) and await client.is_server_ready(base) and await client.is_model_ready(base, "m")
        answers = []
        for binary in (False, True):
            tensor = kserve.InferInput("x", [2, 4], "FP32")
            tensor.set_data_from_numpy(x, binary_data=binary)
            request = kserve.InferRequest(model_name="m", infer_inputs=[tensor])
            answers.append((await client.infer(base, request, model_name="m")).outputs[0].as_numpy())
        return answers

    expected = next(iter(server.infer("m", {"x": x}).values()))
    for answer in asyncio.run(ask()):
        assert answer.dtype == expected.dtype and answer.tobytes() == expected.tobytes()
