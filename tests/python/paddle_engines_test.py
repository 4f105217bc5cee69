# SPDX-License-Identifier: Apache-2.0
"""Calls for Paddle's engines in coracle.paddle.inference, and which of Coracle's run."""
import logging
import os
import pathlib

import numpy as np
import pytest

import coracle
from coracle.paddle import inference as paddle_infer

X = np.arange(8, dtype=np.float32).reshape(2, 4) - 3


@pytest.fixture
def config(linear_files, monkeypatch):
    for name in ("CORACLE_PADDLE_ENGINES", "CORACLE_ENGINE_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("CORACLE_ENGINE_CACHE", "")
    return paddle_infer.Config(str(linear_files[0]), str(linear_files[1]))


def told(config, caplog):
    """What is said of engines while a predictor is made, which must run."""
    caplog.clear()
    with caplog.at_level(logging.DEBUG, "coracle"):
        predictor = paddle_infer.create_predictor(paddle_infer.Config(config))
    said = [(record.levelname, record.getMessage()) for record in caplog.records if "engine" in record.getMessage()]
    assert np.isfinite(predictor.run([X])[0]).all()
    return said


def test_what_is_asked_for_and_missing_is_told_once(config, caplog):
    assert told(config, caplog) == [] and config.coracle_engines() == ""
    config.enable_tensorrt_engine()
    assert config.coracle_engines() == "tensorrt?" and not config.tensorrt_engine_enabled()
    assert "no effect: none is here of tensorrt, runs by Coracle's own kernels; CORACLE_PADDLE_ENGINES names others" in config.summary()
    said = told(config, caplog)
    assert [level for level, _ in said] == ["DEBUG", "DEBUG"]
    assert "the engine 'tensorrt' is not used: there is no engine 'tensorrt'" in said[0][1] and "no engine runs a part of" in said[1][1]


def test_the_environment_and_the_config_name_others(config, caplog, monkeypatch):
    monkeypatch.setenv("CORACLE_PADDLE_ENGINES", "nobody")
    assert told(config, caplog) == [], "nothing asked for an engine"
    config.enable_onnxruntime()
    assert config.coracle_engines() == "nobody" and not config.onnxruntime_enabled()
    assert told(config, caplog)[0][0] == "WARNING"
    monkeypatch.setenv("CORACLE_PADDLE_ENGINES", "")
    assert told(config, caplog) == []
    assert "no effect: engines are turned off" in config.summary()
    config.set_coracle_engines(["nobody?", "other"])
    assert config.coracle_engines() == "nobody?,other"
    assert [level for level, _ in told(config, caplog)] == ["DEBUG", "WARNING", "DEBUG"]
    config.disable_onnxruntime()
    assert "enable_onnxruntime" not in config.summary()


def plugin_folder():
    built = os.environ.get("CORACLE_PADDLE_PROGRAMS")
    folder = pathlib.Path(built or "") / "plugins"
    if not built or not (folder / "libcoracle_engine_tensorrt.so").exists():
        pytest.skip("the plug-ins of tests/paddle are not built")
    return folder


def test_a_plug_in_of_the_name_is_used(config, caplog, monkeypatch):
    monkeypatch.setenv("CORACLE_ENGINE_PATH", str(plugin_folder()))
    config.enable_tensorrt_engine(min_subgraph_size=1)
    assert config.tensorrt_engine_enabled()
    assert "parts run on tensorrt, the rest by Coracle's own kernels" in config.summary()
    assert told(config, caplog)[0][1].startswith("no engine runs a part of"), "it takes nothing of this model"
    engines = {engine["name"]: engine for engine in coracle.available_engines()}
    assert engines["tensorrt"]["file"] == str(plugin_folder() / "libcoracle_engine_tensorrt.so")
    assert engines["tensorrt"]["version"] and "openvino" in engines


def test_names_are_checked(config):
    with pytest.raises(coracle.InvalidArgumentError, match="was given 'a,b', expected names without commas"):
        config.exp_disable_tensorrt_ops(["a,b"])
    with pytest.raises(coracle.InvalidArgumentError, match="exp_disable_tensorrt_subgraph was given ''"):
        config.exp_disable_tensorrt_subgraph([""])


def test_available_engines_says_what_is_missing():
    missing, = coracle.available_engines("nobody")
    assert set(missing) == {"name", "missing"} and "there is no engine 'nobody'" in missing["missing"]
    assert coracle.available_engines("") == []


def test_shapes_are_those_of_inputs(config, caplog, monkeypatch, tmp_path):
    monkeypatch.setenv("CORACLE_ENGINE_PATH", str(plugin_folder()))
    config.enable_tensorrt_engine(min_subgraph_size=1)
    name = paddle_infer.create_predictor(paddle_infer.Config(config)).get_input_names()[0]
    config.set_trt_dynamic_shape_info({name: [1, 4], "other": [1], "alone": [1]}, {name: [8, 4], "other": [8]}, {name: [2, 4], "other": [2]})
    assert told(config, caplog)
    file = tmp_path / "shapes.pbtxt"
    collecting = paddle_infer.Config(config.prog_file(), config.params_file())
    collecting.collect_shape_range_info(str(file))
    predictor = paddle_infer.create_predictor(collecting)
    predictor.run([X])
    del predictor
    assert 'name: "%s"' % name in file.read_text()
    config.enable_tuned_tensorrt_dynamic_shape(str(file))
    assert told(config, caplog)
    config.enable_tuned_tensorrt_dynamic_shape(str(tmp_path / "none"))
    with pytest.raises(coracle.FileError, match="there is no file of shape ranges"):
        paddle_infer.create_predictor(paddle_infer.Config(config))
    config.set_coracle_engines("nobody?")
    assert told(config, caplog), "without an engine nobody needs it"


@pytest.mark.parametrize("asked, precision", [("Float32", None), ("Half", None), ("Bfloat16", "bf16"), ("Int8", "int8")])
def test_precisions_become_those_of_coracle_where_an_engine_is_there(config, monkeypatch, asked, precision):
    asked = getattr(paddle_infer.PrecisionType, asked)
    monkeypatch.setenv("CORACLE_ENGINE_PATH", str(plugin_folder()))
    config.enable_tensorrt_engine(precision_mode=asked)
    assert config._engine_options(asked).get("precision") == precision
    config.set_coracle_engines("nobody?")
    assert config._engine_options(asked).get("precision") is None
