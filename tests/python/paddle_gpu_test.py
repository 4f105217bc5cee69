# SPDX-License-Identifier: Apache-2.0
"""enable_use_gpu of coracle.paddle.inference: on the stand-in for NVIDIA's driver, and without a driver."""
import ctypes
import logging
import os
import subprocess
import sys

import coracle
import coracle.paddle.inference as paddle_infer
import numpy as np
import program_file
import pytest

STAND_IN = os.environ.get("CORACLE_FAKE_CUDA", "")

# In a process of its own: the loader reads its path once, and drivers do not survive forks.
ON_THE_STAND_IN = """
import sys
sys.path[:0] = %r
import coracle, ctypes, numpy as np, program_file
import coracle.paddle.inference as paddle_infer

def launches():
    driver.fake_cuda_calls.restype = ctypes.c_int64
    return sum(driver.fake_cuda_calls(name) for name in (b"cuLaunchKernel", b"cublasLtMatmul", b"cudnnBackendExecute"))

def config_of(device):
    config = paddle_infer.Config()
    program, params = program_file.linear(512)   # Large enough that it pays to copy what it takes and gives.
    config.set_model_buffer(program, len(program), params, len(params))
    if device is not None:
        config.enable_use_gpu(300, device)
    return config

def run(config):
    predictor = paddle_infer.create_predictor(config)
    predictor.get_input_handle(predictor.get_input_names()[0]).copy_from_cpu(np.linspace(-1, 1, 64 * 512, dtype=np.float32).reshape(64, 512))
    predictor.run()
    return predictor.get_output_handle(predictor.get_output_names()[0]).copy_to_cpu()

driver = ctypes.CDLL("libcuda.so.1")
try:
    missing = coracle.model.missing_device("cuda")
except coracle.UnsupportedError as error:
    missing = str(error)
if missing is not None and %r == "here":
    print("no device:", missing)
    raise SystemExit
"""

HERE = """
expected = run(config_of(None))
assert launches() == 0
config = config_of(0)
assert config.use_gpu() and config.gpu_device_id() == 0 and config.memory_pool_init_size_mb() == 300
assert "runs on cuda:0, and on the CPU what has no kernel there" in config.summary(), config.summary()
assert np.allclose(run(config), expected, atol=1e-3)
assert launches() > 0
config = config_of(0)
config.enable_use_gpu(300, 0, paddle_infer.PrecisionType.Half)
assert "products are computed as precision fp16 allows" in config.summary(), config.summary()
rounded = run(config)
assert np.allclose(rounded, expected, atol=1e-2) and not np.allclose(rounded, expected, rtol=0, atol=1e-5)
before = launches()
config = config_of(0)
config.disable_gpu()
assert not config.use_gpu() and np.array_equal(run(config), expected) and launches() == before
wrong = config_of(9)
assert wrong.use_gpu() and "no predictor can be made: there is no device 'cuda:9'" in wrong.summary()
try:
    run(wrong)
except coracle.InvalidArgumentError as error:
    assert "there is no device 'cuda:9': there are: cpu, cuda:0 (fake GPU)" in str(error)
    wrong.set_coracle_device("")
    assert np.array_equal(run(wrong), expected)
    print("done")
"""

OLD = """
config = config_of(0)
assert config.use_gpu()
try:
    run(config)
except coracle.UnsupportedError as error:
    assert "NVIDIA's driver knows CUDA 11.8; 12.0 or later is needed" in str(error), error
    assert "NVIDIA's driver knows CUDA 11.8" in config.summary()
    print("done")
"""


@pytest.mark.skipif(not STAND_IN, reason="the stand-in for NVIDIA's driver was not built")
@pytest.mark.parametrize("script,settings", [("here", {}), ("old", {"FAKE_CUDA_VERSION": "11080"})])
def test_on_the_stand_in(script, settings):
    path = os.pathsep.join(filter(None, [STAND_IN, os.environ.get("LD_LIBRARY_PATH")]))
    code = ON_THE_STAND_IN % (sys.path, script) + {"here": HERE, "old": OLD}[script]
    out = subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.PIPE, text=True, timeout=300,
                         env={**os.environ, "LD_LIBRARY_PATH": path, "CORACLE_CUDA_CACHE": "", **settings}).stdout.strip()
    if out.startswith("no device:"):
        pytest.skip(out)
    assert out.splitlines()[-1] == "done", out


def config_with_gpu():
    config = paddle_infer.Config()
    program, params = program_file.linear()
    config.set_model_buffer(program, len(program), params, len(params))
    config.enable_use_gpu(100, 2, paddle_infer.PrecisionType.Half)
    return config


def test_without_a_driver(monkeypatch, caplog):
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        pass
    else:
        pytest.skip("this machine has NVIDIA's driver")
    config = config_with_gpu()
    assert not config.use_gpu() and config.gpu_device_id() == 2
    assert "no effect: runs on the CPU: NVIDIA's driver was not loaded" in config.summary()
    assert "enable_use_gpu(precision)" in config.summary()
    with caplog.at_level(logging.WARNING, "coracle"):
        predictor = paddle_infer.create_predictor(config)
    (warned,) = caplog.messages
    assert warned.startswith("there is no device 'cuda:2', the model runs on the processor: NVIDIA's driver"), warned
    x = np.ones((2, 4), np.float32)
    assert predictor.run([x])[0].shape == (2, 4)
    monkeypatch.setenv("CORACLE_PADDLE_DEVICE", "cuda")
    config = config_with_gpu()
    assert config.use_gpu() and "no predictor can be made" in config.summary()
    with pytest.raises(coracle.UnsupportedError, match="there is no device 'cuda' on this machine: NVIDIA's driver"):
        paddle_infer.create_predictor(config)
