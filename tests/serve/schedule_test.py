# SPDX-License-Identifier: Apache-2.0
"""What a server does between requests: it warms models up, shares memory among them, and keeps what runs have taught."""
import os
import subprocess

import numpy as np
import program_file
from conftest import save

X = np.ones((1, 4), np.float32)
WARM_UP = """
model_warmup { name: "w" batch_size: 2 count: 3
  inputs { key: "x" value { data_type: TYPE_FP32 dims: %d zero_data: true } } }
max_batch_size: 4
"""


def test_models_are_ready_once_they_are_warm(serve, tmp_path):
    save(tmp_path / "warm" / "1", program_file.linear())
    (tmp_path / "warm" / "config.pbtxt").write_text(WARM_UP % 4)
    save(tmp_path / "wrong" / "1", program_file.linear())
    (tmp_path / "wrong" / "config.pbtxt").write_text(WARM_UP % 5)
    server = serve("--repository", tmp_path, "--model-control", "explicit")
    index = {each["name"]: each for each in server.post("/v2/repository/index").json}
    assert index["warm"]["state"] == "READY" and index["wrong"]["state"] == "UNAVAILABLE"
    assert "the warm-up 'w' of model 'wrong' failed: input 'x'" in index["wrong"]["reason"]
    assert "[2, 5]" in index["wrong"]["reason"]
    assert server.get("/v2/models/wrong/ready").status == 503 and server.get("/v2/health/ready").status == 503
    # A version that does not warm up does not take the place of the one that serves.
    before = server.infer("warm", {"x": X})["y"]
    (tmp_path / "warm" / "config.pbtxt").write_text(WARM_UP % 5)
    save(tmp_path / "warm" / "1", program_file.linear(seed=1))
    assert server.post("/v2/repository/models/warm/load").status == 400
    assert np.array_equal(server.infer("warm", {"x": X})["y"], before)
    (tmp_path / "warm" / "config.pbtxt").write_text(WARM_UP % 4)
    assert server.post("/v2/repository/models/warm/load").status == 200
    assert not np.array_equal(server.infer("warm", {"x": X})["y"], before)
    assert server.statistics("warm")["inference_count"] == 1, "warm-ups are no requests"


def test_a_warm_up_by_option(serve, tmp_path):
    model = "m=%s" % save(tmp_path / "m", program_file.doubled("float32"))
    server = serve("--warm-up", "m=x:2x3", "--warm-up", "m=5x6", model)
    assert server.get("/v2/health/ready").status == 200
    for words, arguments in (("has shapes for 2 inputs, the model has 1", ["--warm-up", "m=x:2x3,y:3"]),
                             ("the warm-up 'x:2' of model 'm' failed", ["--warm-up", "m=x:2"]),
                             ("there is no model 'n'", ["--warm-up", "n=x:2"]),
                             ("'2y' is not a shape", ["--warm-up", "m=2y"])):
        assert words in ended(arguments + [model])


def ended(arguments):
    """What the program says that ends by itself."""
    command = [os.environ["CORACLE_SERVE"], "--http-port", "0", "--metrics-port", "0", *arguments]
    process = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert process.returncode != 0
    return process.stderr
