# SPDX-License-Identifier: Apache-2.0
"""Config: devices other than GPUs. Coracle runs on the CPU whatever is asked for; results are the same, so calls are recorded."""

from __future__ import annotations

from collections.abc import Sequence

from . import pending
from .enums import PrecisionType
from .config_gpu import Gpu

ON_CPU = "runs on the CPU"
OWN_ENGINE = "Coracle runs the whole model"


class XpuConfig:
    """Settings of an XPU; kept, without effect."""

    def __init__(self):
        self.device_id = 0
        self.l3_size = 0
        self.l3_ptr = None
        self.l3_autotune_size = 0
        self.context_gm_size = -1
        self.context = None
        self.stream = None
        self.conv_autotune_level = 0
        self.conv_autotune_file = ""
        self.conv_autotune_file_writeback = False
        self.fc_autotune_level = 0
        self.fc_autotune_file = ""
        self.fc_autotune_file_writeback = False
        self.gemm_compute_precision = 1
        self.transformer_softmax_optimize_level = 0
        self.transformer_encoder_adaptive_seqlen = True
        self.quant_post_static_gelu_out_threshold = 10.0
        self.quant_post_dynamic_activation_method = 0
        self.quant_post_dynamic_weight_precision = 1
        self.quant_post_dynamic_op_types = []


class Devices(Gpu):
    def _defaults(self) -> None:
        Gpu._defaults(self)
        self._xpu_config = XpuConfig()

    def enable_xpu(self, l3_size: int = 16 * 1024 * 1024, l3_locked: bool = False, conv_autotune: bool = False,
                   conv_autotune_file: str = "", transformer_encoder_precision: str = "int16",
                   transformer_encoder_adaptive_seqlen: bool = False, enable_multi_stream: bool = False) -> None:
        self._record("enable_xpu", True, ON_CPU)

    def set_xpu_device_id(self, device_id: int = 0) -> None:
        self._xpu_config.device_id = device_id
        self._record("set_xpu_device_id", device_id, ON_CPU)

    def set_xpu_config(self, config: XpuConfig) -> None:
        self._xpu_config = config
        self._record("set_xpu_config", "device %d" % config.device_id, ON_CPU)

    def xpu_config(self) -> XpuConfig:
        return self._xpu_config

    def use_xpu(self) -> bool:
        return False

    def xpu_device_id(self) -> int:
        return self._xpu_config.device_id

    def enable_custom_device(self, device_type: str, device_id: int = 0, precision: PrecisionType = PrecisionType.Float32) -> None:
        self._record("enable_custom_device", "%s:%d" % (device_type, device_id), ON_CPU)

    def enable_ipu(self, ipu_device_num: int = 1, ipu_micro_batch_size: int = 1, ipu_enable_pipelining: bool = False,
                   ipu_batches_per_step: int = 1) -> None:
        self._record("enable_ipu", ipu_device_num, ON_CPU)

    def set_ipu_config(self, ipu_enable_fp16: bool = False, ipu_replica_num: int = 1, ipu_available_memory_proportion: float = 1.0,
                       ipu_enable_half_partial: bool = False, ipu_enable_model_runtime_executor: bool = False) -> None:
        self._record("set_ipu_config", True, ON_CPU)

    def set_ipu_custom_info(self, ipu_custom_ops_info: Sequence[Sequence[str]] = (), ipu_custom_patterns=None) -> None:
        self._record("set_ipu_custom_info", True, ON_CPU)

    def load_ipu_config(self, config_path: str) -> None:
        self._record("load_ipu_config", config_path, ON_CPU)

    def enable_opencl(self) -> None:
        self._record("enable_opencl", True, ON_CPU)

    def use_opencl(self) -> bool:
        return False

    def enable_lite_engine(self, precision_mode: PrecisionType = PrecisionType.Float32, zero_copy: bool = False,
                           passes_filter: Sequence[str] = (), ops_filter: Sequence[str] = ()) -> None:
        self._record("enable_lite_engine", True, OWN_ENGINE)

    def lite_engine_enabled(self) -> bool:
        return False

    def enable_dlnne(self, *arguments, **named) -> None:
        self._record("enable_dlnne", True, ON_CPU)

    def set_dist_config(self, config) -> None:
        self._record("set_dist_config", True, "one process runs the whole model")

    def dist_config(self) -> None:
        return None

    def nnadapter(self) -> None:
        pending.nnadapter()

    def quantizer_config(self) -> None:
        pending.quantizer_config()

    def _device_rows(self) -> list[tuple[str, str]]:
        return [*self._gpu_rows(), ("use_xpu", "false")]
