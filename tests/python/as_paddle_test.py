# SPDX-License-Identifier: Apache-2.0
"""`import coracle.as_paddle`: programs that import paddle for inference alone run unmodified, and others say what is missing."""
import os
import pathlib
import subprocess
import sys

import coracle
import numpy as np
import pytest

HERE = pathlib.Path(__file__).resolve().parent

PROGRAM = """
import paddle
from paddle import inference
import paddle.inference as paddle_infer
from paddle.utils import try_import
import numpy as np
assert paddle_infer is inference is paddle.inference
assert try_import("json").dumps([1]) == "[1]"
paddle.disable_signal_handler()
paddle.enable_static()
assert paddle.get_device() == paddle.device.get_device() == "cpu" and not paddle.device.is_compiled_with_cuda()
assert not paddle.is_compiled_with_custom_device("npu") and paddle.device.cuda.device_count() == 0
assert not isinstance(np.zeros(1), paddle.Tensor)
import sys
config = paddle_infer.Config(*sys.argv[1:3])
predictor = paddle_infer.create_predictor(config)
print(paddle.__version__, predictor.run([np.ones((2, 4), np.float32)])[0].shape)
"""


def run(arguments, folder, **environment):
    return subprocess.run([sys.executable, *map(str, arguments)], capture_output=True, text=True, cwd=folder, env={**os.environ, **environment})


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM, "utf-8")
    return path


@pytest.fixture
def real_paddle(tmp_path):
    """What an installed Paddle looks like to the import system."""
    package = tmp_path / "site" / "paddle"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("__version__ = 'real'\n", "utf-8")
    return {"PYTHONPATH": os.pathsep.join([str(package.parent), os.environ["PYTHONPATH"]])}


def test_a_script_and_a_module_run(program, linear_files, tmp_path):
    for started in (["-m", "coracle.as_paddle", program], ["-m", "coracle.as_paddle", "-m", "program"]):
        done = run([*started, *linear_files], tmp_path)
        assert done.returncode == 0 and done.stdout.startswith("3.3.1 (2,"), done.stderr
    imported = run(["-c", "import coracle.as_paddle; exec(open('program.py').read())", *linear_files], tmp_path)
    assert imported.returncode == 0 and imported.stdout.startswith("3.3.1"), imported.stderr


@pytest.mark.parametrize("code, kind, name", [
    ("from paddle import zeros; zeros([1])", "UnsupportedError", "paddle.zeros"),
    ("import paddle; paddle.float32()", "UnsupportedError", "paddle.float32"),
    ("import paddle; paddle.zeros.anything", "AttributeError", "paddle.zeros.anything"),
    ("import paddle; paddle.Tensor.numpy", "AttributeError", "paddle.Tensor.numpy"),
    ("import paddle; paddle.fluid", "AttributeError", "paddle.fluid"),
    ("from paddle import fluid", "ModuleNotFoundError", "paddle.fluid"),
    ("import paddle.optimizer.none", "ModuleNotFoundError", "paddle.optimizer.none"),
    ("import paddle.inference.none", "ModuleNotFoundError", "paddle.inference.none"),
    ("from paddle.nn import Nothing", "ModuleNotFoundError", "paddle.nn.Nothing"),
    ("from paddle.nn import ReLU; ReLU()(1)", "UnsupportedError", "paddle.nn.ReLU"),
    ("import paddle; paddle.nn.Linear(2, 2).weight", "AttributeError", "paddle.nn.Linear.weight"),
    ("import paddle; paddle.Model(None)", "UnsupportedError", "paddle.Model"),
    ("import paddle\nclass Net(paddle.nn.Layer): pass\nNet()", "UnsupportedError", "paddle.nn.Layer"),
    ("import paddle; paddle.nn.initializer.Constant(0.0)(None)", "UnsupportedError", "paddle.nn.initializer.Constant"),
    ("import paddle; paddle.jit.to_static(paddle.zeros)([1])", "UnsupportedError", "paddle.zeros"),
])
def test_what_is_missing_is_named_in_one_line(code, kind, name, tmp_path):
    done = run(["-c", "import coracle.as_paddle\n" + code], tmp_path)
    last = done.stderr.strip().splitlines()[-1]
    assert done.returncode == 1 and kind in last.split(":")[0] and ": %s is not in coracle.as_paddle" % name in last, done.stderr
    assert last.endswith("install the real Paddle (pip install paddlepaddle) and leave coracle.as_paddle out")


def test_names_can_be_asked_for(tmp_path):
    done = run(["-c", "import coracle.as_paddle, paddle; assert not hasattr(paddle, 'fluid') and hasattr(paddle, 'zeros')"], tmp_path)
    assert done.returncode == 0, done.stderr


# What a package's networks, losses and optimizers do with Paddle while they are imported.
NETWORKS = """
import abc
from typing import Optional, Union

import paddle
import paddle.nn as nn
import paddle.nn.functional as F
from paddle import ParamAttr, nn as nn_again
from paddle.nn.initializer import Constant, Normal
from paddle.optimizer import AdamW
from paddle.optimizer.lr import LRScheduler
from paddle.regularizer import L2Decay
from paddle.nn import *
from paddle.nn.layer.layers import Layer as SameLayer
from paddle.vision.models.resnet import ResNet
from paddle.vision.transforms import Compose, Normalize

from paddle.hapi.model import _all_gather

paddle.framework.seed(0)
steps = Compose([Normalize(mean=[0.5], std=[0.5])])
zeros_ = Constant(value=0.0)


class Base(nn.Layer, metaclass=abc.ABCMeta):
    def __init__(self, act=F.relu, weight=ParamAttr(initializer=Normal(std=0.01), regularizer=L2Decay(0.0)),
                 kinds=(paddle.float32, nn.GELU), last=nn.ReLU()):
        super().__init__()

    @abc.abstractmethod
    def forward(self, x: paddle.Tensor, size: Optional[Union[paddle.Tensor, int]] = None) -> "paddle.Tensor | None": ...

    @paddle.jit.to_static(input_spec=[paddle.static.InputSpec([None, 3], "float32")])
    def export(self):
        return paddle.ones([1])

    @paddle.jit.not_to_static
    @paddle.no_grad()
    def shape(self):
        return 7


class Net(Base, nn.Sequential if False else nn.Layer):
    pass


class Schedule(LRScheduler):
    pass


def optimizer(lr: LRScheduler) -> paddle.optimizer.Optimizer: ...


assert Linear is nn.Linear is nn_again.Linear and issubclass(Net, nn.Layer) and Base.shape(None) == 7
with paddle.no_grad():
    pass
"""


def test_packages_with_networks_can_be_imported(tmp_path):
    (tmp_path / "networks.py").write_text(NETWORKS, "utf-8")
    done = run(["-c", "import coracle.as_paddle, networks"], tmp_path)
    assert done.returncode == 0 and not done.stdout and not done.stderr, done.stderr
    done = run(["-c", "import coracle.as_paddle, networks; networks.Net()"], tmp_path)
    assert "UnsupportedError: paddle.nn.Layer is not in coracle.as_paddle" in done.stderr.splitlines()[-1]
    done = run(["-c", "import coracle.as_paddle, networks; networks.Base.export(None)"], tmp_path)
    assert "UnsupportedError: paddle.ones is not in coracle.as_paddle" in done.stderr.splitlines()[-1]


def test_answers_of_a_paddle_for_the_cpu(tmp_path):
    code = """
import coracle.as_paddle, paddle
process = paddle.distributed.ParallelEnv()
assert (process.rank, process.local_rank, process.world_size, process.nranks) == (0, 0, 1, 1)
assert paddle.device.get_all_device_type() == paddle.device.get_available_device() == []   # As Paddle 3.3.1: the CPU is not listed.
assert paddle.get_cudnn_version() is None and paddle.get_default_dtype() == "float32" and not paddle.amp.is_bfloat16_supported()
assert paddle.version.commit == paddle.__git_commit__ and paddle.framework.use_pir_api() and paddle.device.cuda.empty_cache() is None
assert paddle.inf > 1 and paddle.newaxis is None
from paddle.dataset.common import md5file
open("empty", "w").close()
assert md5file("empty") == "d41d8cd98f00b204e9800998ecf8427e"
"""
    done = run(["-c", code], tmp_path)
    assert done.returncode == 0, done.stderr


def test_public_names_are_those_of_the_real_paddle(tmp_path):
    environment = HERE.parents[1] / "build" / "oracle-venv-3.3"
    if not (environment / "complete").exists():
        pytest.skip("%s is absent" % environment)
    made = subprocess.run([environment / "bin" / "python", HERE / "paddle_public_script.py"], capture_output=True, text=True, cwd=tmp_path,
                          env={**os.environ, "PYTHONPATH": ""})
    assert made.returncode == 0, made.stderr
    assert made.stdout == pathlib.Path(coracle.__file__).parent.joinpath("as_paddle", "public.py").read_text("utf-8")


# What inference scripts of PaddleOCR, PaddleDetection and PaddleSeg do with paddle.inference, for the CPU and (with "gpu") for the GPU.
DEPLOYED = """
import sys

import numpy as np
import paddle
from paddle.inference import Config, PrecisionType, create_predictor
import paddle.inference as paddle_infer

program, params, device, shapes = sys.argv[1:]


def configured():
    config = Config(program, params)
    if device == "gpu":
        config.enable_use_gpu(200, 0)
        config.enable_tensorrt_engine(workspace_size=1 << 30, max_batch_size=1, min_subgraph_size=3, precision_mode=PrecisionType.Float32,
                                      use_static=False, use_calib_mode=False)
        config.set_trt_dynamic_shape_info({"x": [1, 4]}, {"x": [8, 4]}, {"x": [2, 4]})
        config.exp_disable_tensorrt_ops(["Concat", "reshape2"])
    else:
        config.disable_gpu()
        config.enable_mkldnn()
        config.set_mkldnn_cache_capacity(10)
        config.set_cpu_math_library_num_threads(2)
    config.enable_memory_optim()
    config.disable_glog_info()
    config.delete_pass("conv_transpose_eltwiseadd_bn_fuse_pass")
    config.delete_pass("matmul_transpose_reshape_fuse_pass")
    config.delete_pass("shuffle_channel_detect_pass")
    config.switch_use_feed_fetch_ops(False)
    config.switch_ir_optim(True)
    return config


def collect():
    # A first predictor writes the shapes that it sees.
    config = configured()
    config.collect_shape_range_info(shapes)
    predictor = create_predictor(config)
    handle = predictor.get_input_handle(predictor.get_input_names()[0])
    for rows in (1, 3):
        data = np.ones((rows, 4), np.float32)
        handle.reshape(data.shape)
        handle.copy_from_cpu(data)
        predictor.run()


def benchmark(config):
    return {"runtime_device": "gpu" if config.use_gpu() else "cpu", "ir_optim": config.ir_optim(), "tensorrt": config.tensorrt_engine_enabled(),
            "mkldnn": config.mkldnn_enabled(), "threads": config.cpu_math_library_num_threads(), "commit": paddle.__git_commit__,
            "branch": paddle_infer.get_version().strip().split(": ")[-1]}


paddle.enable_static()
if hasattr(Config, "collect_shape_range_info"):
    collect()
config = configured()
if device == "gpu":
    config.enable_tuned_tensorrt_dynamic_shape(shapes, True)
predictor = create_predictor(config)
inputs = [predictor.get_input_handle(name) for name in predictor.get_input_names()]
outputs = [predictor.get_output_handle(name) for name in predictor.get_output_names()]
results = []
for rows in (1, 3, 2):   # The handles stay, the batches change.
    batch = np.arange(rows * 4, dtype=np.float32).reshape(rows, 4) - 3
    inputs[0].reshape(batch.shape)
    inputs[0].copy_from_cpu(batch)
    predictor.run()
    results.append([output.copy_to_cpu() for output in outputs])
    predictor.try_shrink_memory()
other = predictor.clone()
again = other.run([batch])
assert (again[0].numpy() == results[-1][0]).all() and benchmark(config)["runtime_device"] == "cpu"   # Where it really runs.
np.savez(sys.argv[0] + ".npz", *[result[0] for result in results])
"""


@pytest.mark.parametrize("device", ["cpu", "gpu"])
def test_scripts_of_the_model_repositories(device, linear_files, tmp_path):
    script = tmp_path / "infer.py"
    script.write_text(DEPLOYED, "utf-8")
    done = run(["-m", "coracle.as_paddle", script, *linear_files, device, tmp_path / "shapes.pbtxt"], tmp_path)
    assert done.returncode == 0 and not done.stdout and not done.stderr, done.stderr
    assert "x" in (tmp_path / "shapes.pbtxt").read_text("utf-8")
    session = coracle.load(*linear_files).session()
    for rows, found in zip((1, 3, 2), np.load(str(script) + ".npz").values()):
        expected = session.run(np.arange(rows * 4, dtype=np.float32).reshape(rows, 4) - 3)
        assert np.array_equal(found, expected[0])


def test_an_installed_paddle_stays_unless_asked(real_paddle, tmp_path):
    asks = "import coracle.as_paddle, paddle; print(paddle.__version__, coracle.as_paddle.is_installed())"
    done = run(["-c", asks], tmp_path, **real_paddle)
    assert done.stdout == "real False\n" and "RuntimeWarning: coracle.as_paddle: the real Paddle is installed" in done.stderr
    assert run(["-c", asks], tmp_path, CORACLE_AS_PADDLE="replace", **real_paddle).stdout == "3.3.1 True\n"
    (tmp_path / "version.py").write_text("import paddle; print(paddle.__version__)", "utf-8")
    assert run(["-m", "coracle.as_paddle", "--replace", "version.py"], tmp_path, **real_paddle).stdout == "3.3.1\n"
    late = run(["-c", "import paddle, coracle.as_paddle as a; a.install(replace=True)"], tmp_path, **real_paddle)
    assert "paddle has been imported already" in late.stderr.splitlines()[-1]


def test_devices_that_are_not_there(tmp_path):
    done = run(["-c", "import coracle.as_paddle, paddle; paddle.set_device('cpu'); paddle.set_device('gpu:0')"], tmp_path)
    assert "set_device: 'gpu:0' is not a device of this machine" in done.stderr.splitlines()[-1]


def test_the_program_says_how_it_is_used(tmp_path):
    for arguments in ([], ["--other"], ["absent.py"], ["-m"], ["-m", "absent"], ["-m", "absent.module"]):
        done = run(["-m", "coracle.as_paddle", *arguments], tmp_path)
        assert done.returncode == 1 and "usage: python -m coracle.as_paddle" in done.stderr and "Traceback" not in done.stderr
