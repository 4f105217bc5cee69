# SPDX-License-Identifier: Apache-2.0
"""What inference programs touch of Paddle beside paddle.inference, by module.

A program that asks which devices there are gets the answers of a Paddle for the CPU alone.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import math
import pathlib
from typing import Any

from ..errors import InvalidArgumentError

COMMIT = "coracle"
VERSION = "3.3.1"   # The Paddle whose interface this is; programs compare it with the versions that they know.


class CPUPlace:
    """The only place."""

    def is_cpu_place(self) -> bool:
        return True

    def is_gpu_place(self) -> bool:
        return False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CPUPlace)

    def __hash__(self) -> int:
        return hash("cpu")

    def __repr__(self) -> str:
        return "Place(cpu)"


def get_device() -> str:
    return "cpu"


def set_device(device: Any) -> CPUPlace:
    """"cpu" alone, as in a Paddle without other devices."""
    if not isinstance(device, CPUPlace) and str(device).lower() != "cpu":
        raise InvalidArgumentError("set_device: %r is not a device of this machine: coracle.as_paddle runs on \"cpu\"" % (device,))
    return CPUPlace()


def is_compiled_without(*_arguments: Any, **_named: Any) -> bool:
    """The answer of all is_compiled_with_...: nothing but the CPU."""
    return False


def no_devices(*_arguments: Any) -> list[str]:
    """The answer of all lists of devices, in which Paddle does not count the CPU."""
    return []


def no_version() -> None:
    """The version of what Paddle is not compiled with."""


def device_count(*_arguments: Any) -> int:
    return 0


def nothing(*_arguments: Any, **_named: Any) -> None:
    """Of calls that prepare what Coracle does not need."""


def seed(_seed: int) -> None:
    """Has no effect: random operators draw from the seeds that the model has, and give the same numbers in each run."""


def in_dynamic_mode() -> bool:
    return True


class no_grad(contextlib.ContextDecorator):
    """Gradients are never computed."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_error: Any) -> None:
        pass


class ParallelEnv:
    """Of a program that runs as one process."""

    rank = local_rank = device_id = dev_id = 0
    world_size = nranks = nrings = 1
    device_type = current_endpoint = ""
    trainer_endpoints = [""]


def as_it_is(function: Any = None, *_arguments: Any, **_named: Any) -> Any:
    """Of decorators for functions that are to become programs: the function itself, which raises where it calls what is not here."""
    return as_it_is if function is None else function


def try_import(module_name: str, err_msg: str | None = None) -> Any:
    """The module, or ImportError with `err_msg`."""
    try:
        return importlib.import_module(module_name)
    except ImportError:
        raise ImportError(err_msg or "the module %s cannot be imported; pip install %s may help" % (module_name, module_name)) from None


def md5file(fname: Any) -> str:
    return hashlib.md5(pathlib.Path(fname).read_bytes()).hexdigest()


def not_compiled() -> str:
    """Of paddle.version.cuda() and its like, which Paddle answers so."""
    return "False"


_COMPILED = {"is_compiled_with_" + kind: is_compiled_without
             for kind in ("cinn", "cuda", "custom_device", "distribute", "ipu", "mlu", "npu", "rocm", "xpu")}
_DEVICE = {"get_cudnn_version": no_version, "get_device": get_device, "set_device": set_device, **_COMPILED}
_MODE = {"disable_signal_handler": nothing, "disable_static": nothing, "enable_static": nothing, "get_default_dtype": lambda: "float32",
         "in_dynamic_mode": in_dynamic_mode, "no_grad": no_grad, "seed": seed, "set_flags": nothing}

MODULES: dict[str, dict[str, Any]] = {
    "paddle": {"__git_commit__": COMMIT, "__version__": VERSION, "CPUPlace": CPUPlace, "e": math.e, "inf": math.inf, "nan": math.nan,
               "newaxis": None, "pi": math.pi, **_DEVICE, **_MODE},
    "paddle.amp": {"is_bfloat16_supported": is_compiled_without, "is_float16_supported": is_compiled_without},
    "paddle.dataset.common": {"md5file": md5file},
    "paddle.device": {"get_all_custom_device_type": no_devices, "get_all_device_type": no_devices, "get_available_custom_device": no_devices,
                      "get_available_device": no_devices, **_DEVICE},
    "paddle.device.cuda": {"device_count": device_count, "empty_cache": nothing},
    "paddle.device.xpu": {"device_count": device_count},
    "paddle.distributed": {"get_rank": lambda group=None: 0, "get_world_size": lambda group=None: 1, "ParallelEnv": ParallelEnv},
    "paddle.distributed.parallel": {"ParallelEnv": ParallelEnv},
    "paddle.framework": {"CPUPlace": CPUPlace, "use_pir_api": lambda: True, **_MODE},
    "paddle.jit": {"not_to_static": as_it_is, "to_static": as_it_is},
    "paddle.utils": {"try_import": try_import},
    "paddle.version": {"commit": COMMIT, "cuda": not_compiled, "cudnn": not_compiled, "full_version": VERSION, "major": "3", "minor": "3",
                       "patch": "1", "rc": "0", "xpu": not_compiled},
}
