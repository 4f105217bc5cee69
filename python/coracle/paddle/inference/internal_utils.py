# SPDX-License-Identifier: Apache-2.0
"""InternalUtils: settings of TensorRT that Paddle keeps beside Config. Recorded, as its other settings are."""

from __future__ import annotations

from collections.abc import Set

from .config import Config
from .config_tensorrt import NOT_USED


class InternalUtils:
    """Without effect here; `Config.summary()` lists what was set."""

    @staticmethod
    def disable_tensorrt_half_ops(config: Config, ops: Set[str]) -> None:
        config._record("disable_tensorrt_half_ops", ops, NOT_USED)

    @staticmethod
    def set_transformer_posid(config: Config, name: str) -> None:
        config._record("set_transformer_posid", name, NOT_USED)

    @staticmethod
    def set_transformer_maskid(config: Config, name: str) -> None:
        config._record("set_transformer_maskid", name, NOT_USED)
