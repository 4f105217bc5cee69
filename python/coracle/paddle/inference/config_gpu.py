# SPDX-License-Identifier: Apache-2.0
"""Config: GPUs.

`enable_use_gpu` asks for Coracle's device `cuda:ID`. Without NVIDIA's driver, or where it has no device, the model runs on the CPU, as in a
Paddle that was built without CUDA; `Config.summary()` and a warning (of the logger "coracle") say why. Where there is a driver, a device that
it does not have or that cannot be used is an error when the predictor is made.
"""

from __future__ import annotations

import os

from ... import model as models
from ...errors import Error
from .enums import PrecisionType
from .recorder import Recorder

_VARIABLE = "CORACLE_PADDLE_DEVICE"


class Gpu(Recorder):
    def _defaults(self) -> None:
        self._asks_for_gpu = False
        self._memory_pool_init_size_mb = 100
        self._gpu_device_id = 0
        self._gpu_precision = PrecisionType.Float32
        self._chosen_device: str | None = None
        self._exec_stream = None

    def enable_use_gpu(self, memory_pool_init_size_mb: int, device_id: int = 0,
                       precision_mode: PrecisionType = PrecisionType.Float32) -> None:
        """Runs on the GPU `device_id` what has a kernel there. With Half, products and what lies between them have float16 tensors; with
        Bfloat16, products may round their operands to it. Memory is taken as it is needed.
        """
        self._memory_pool_init_size_mb, self._gpu_device_id = int(memory_pool_init_size_mb), int(device_id)
        self._gpu_precision = PrecisionType(precision_mode)
        self._asks_for_gpu = True

    def disable_gpu(self) -> None:
        self._asks_for_gpu = False

    def set_coracle_device(self, device: str) -> None:
        """An addition to Paddle's: the device that runs the model, as `coracle.load` names it, whatever other calls and the environment
        say. "cuda:1" must be there, "cuda:1?" only where there is a driver; empty: the CPU.
        """
        self._chosen_device = device

    def coracle_device(self) -> str:
        """What is asked of Coracle: the device set; else, if `enable_use_gpu` was called, the one that the environment variable
        CORACLE_PADDLE_DEVICE names, or "cuda:ID?". Empty: the CPU.
        """
        if self._chosen_device is not None:
            return self._chosen_device
        return os.environ.get(_VARIABLE, "cuda:%d?" % self._gpu_device_id) if self._asks_for_gpu else ""

    def _asks_for_nvidia(self) -> bool:
        return self._asks_for_gpu and os.environ.get(_VARIABLE, "cuda").startswith("cuda")

    def use_gpu(self) -> bool:
        """True if the model will run on a device: not where there is no driver for it. Loads the driver."""
        return self._device_outlook()[0]

    def gpu_device_id(self) -> int:
        return self._gpu_device_id

    def memory_pool_init_size_mb(self) -> int:
        return self._memory_pool_init_size_mb

    def fraction_of_gpu_memory_for_pool(self) -> float:
        return 0.0

    def exp_enable_use_cutlass(self) -> None:
        self._record("exp_enable_use_cutlass", True, "runs by Coracle's own kernels")

    def set_exec_stream(self, stream) -> None:
        """Runs on a GPU begin after what this stream was given: the address of a CUstream, or a stream of torch or cupy."""
        self._exec_stream = stream
        self._record("set_exec_stream", stream, "runs begin after what the stream was given, which goes on after them")

    def _stream_in_use(self):
        """That of `set_exec_stream`, where the model runs on a GPU; else None."""
        return self._exec_stream if self.coracle_device().startswith("cuda") and self.use_gpu() else None

    def _device_outlook(self) -> tuple[bool, str]:
        """Whether the model runs on a device (or there is no predictor), and what becomes of the call."""
        device = self.coracle_device()
        if device in ("", "cpu"):
            return False, "no effect: devices are turned off, runs on the CPU"
        try:
            missing = models.missing_device(device)
        except Error as error:
            return True, "no predictor can be made: %s" % error
        if missing is None:
            return True, "runs on %s, and on the CPU what has no kernel there" % device.rstrip("?")
        if device.endswith("?"):
            return False, "no effect: runs on the CPU: " + missing
        return True, "no predictor can be made: " + missing

    def _gpu_product_precision(self) -> str | None:
        """How the device may compute, as `coracle.load` names it; None: as it is without the call."""
        named = {PrecisionType.Half: "fp16", PrecisionType.Bfloat16: "bf16"}.get(self._gpu_precision)
        return named if named is not None and self._asks_for_gpu and self._device_outlook()[0] else None

    def _gpu_rows(self) -> list[tuple[str, str]]:
        """Paddle's rows, then what becomes of the calls."""
        if not self._asks_for_gpu and self._chosen_device is None:
            return [("use_gpu", "false")]
        on, text = self._device_outlook()
        rows = [("use_gpu", "true" if on else "false")]
        if on:
            rows += [("gpu_device_id", str(self._gpu_device_id)), ("memory_pool_init_size", "%dMB" % self._memory_pool_init_size_mb)]
        if not self._asks_for_gpu:
            return [*rows, ("set_coracle_device", text)]
        rows.append(("enable_use_gpu", text))
        if on:
            rows.append(("enable_use_gpu(memory pool)", "no effect: memory is taken from the device as it is needed"))
        if self._gpu_precision != PrecisionType.Float32:
            precision = self._gpu_product_precision()
            rows.append(("enable_use_gpu(precision)", "no effect: runs in the model's precision" if precision is None else
                         "products are computed as precision %s allows" % precision))
        return rows
