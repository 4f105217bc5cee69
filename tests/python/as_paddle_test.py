# SPDX-License-Identifier: Apache-2.0
"""`import coracle.as_paddle`: programs that import paddle for inference alone run unmodified, and others say what is missing."""
import os
import subprocess
import sys

import pytest

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
    ("from paddle import zeros", "ModuleNotFoundError", "paddle.zeros"),
    ("import paddle; paddle.zeros", "AttributeError", "paddle.zeros"),
    ("import paddle.optimizer.lr", "ModuleNotFoundError", "paddle.optimizer"),
    ("import paddle.inference.none", "ModuleNotFoundError", "paddle.inference.none"),
    ("from paddle.nn import Linear", "ModuleNotFoundError", "paddle.nn.Linear"),
    ("from paddle.nn import Layer; Layer()", "UnsupportedError", "paddle.nn.Layer"),
    ("import paddle\nclass Net(paddle.nn.Layer): pass\nNet()", "UnsupportedError", "paddle.nn.Layer"),
    ("from paddle.jit import to_static; to_static(len)", "UnsupportedError", "paddle.jit.to_static"),
])
def test_what_is_missing_is_named_in_one_line(code, kind, name, tmp_path):
    done = run(["-c", "import coracle.as_paddle\n" + code], tmp_path)
    last = done.stderr.strip().splitlines()[-1]
    assert done.returncode == 1 and kind in last.split(":")[0] and ": %s is not in coracle.as_paddle" % name in last, done.stderr
    assert last.endswith("install the real Paddle (pip install paddlepaddle) and leave coracle.as_paddle out")


def test_names_can_be_asked_for(tmp_path):
    done = run(["-c", "import coracle.as_paddle, paddle; assert not hasattr(paddle, 'zeros') and hasattr(paddle, 'inference')"], tmp_path)
    assert done.returncode == 0, done.stderr


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
