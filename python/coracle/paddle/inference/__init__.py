# SPDX-License-Identifier: Apache-2.0
"""The classes of `paddle.inference`, with the same names, run by Coracle.

In a script only the import changes: `import coracle.paddle.inference as paddle_infer`. What Coracle has takes effect
(threads, graph optimisation, rewrites to leave out, profiles); what changes no results is recorded and listed by
`Config.summary()`; what would change them raises an error. Failures are coracle.Error, a RuntimeError.
"""

from __future__ import annotations

from ..._library import VERSION
from ...errors import InvalidArgumentError
from .config import Config
from .config_devices import XpuConfig
from .enums import DataType, PlaceType, PrecisionType
from .internal_utils import InternalUtils
from .pending import convert_to_mixed_precision
from .predictor import Predictor, PredictorPool, create_predictor
from .tensor import Tensor

__all__ = ["Config", "DataType", "InternalUtils", "PlaceType", "PrecisionType", "Predictor", "PredictorPool", "Tensor",
           "XpuConfig", "convert_to_mixed_precision", "create_predictor", "get_num_bytes_of_data_type", "get_trt_compile_version",
           "get_trt_runtime_version", "get_version", "_get_phi_kernel_name"]

_BYTES = {DataType.FLOAT64: 8, DataType.FLOAT32: 4, DataType.FLOAT16: 2, DataType.BFLOAT16: 2, DataType.INT64: 8,
          DataType.INT32: 4, DataType.UINT8: 1, DataType.INT8: 1, DataType.BOOL: 1}


def get_version() -> str:
    """Three lines as Paddle's, with Coracle's version."""
    return "version: %s\ncommit: none\nbranch: coracle\n" % VERSION


def get_num_bytes_of_data_type(dtype: DataType) -> int:
    """Bytes of one element."""
    if dtype not in _BYTES:
        raise InvalidArgumentError("%r is not a DataType" % (dtype,))
    return _BYTES[dtype]


def get_trt_compile_version() -> tuple[int, int, int]:
    """Zeros, as in a Paddle without TensorRT."""
    return (0, 0, 0)


def get_trt_runtime_version() -> tuple[int, int, int]:
    """Zeros, as in a Paddle without TensorRT."""
    return (0, 0, 0)


def _get_phi_kernel_name(op: str) -> str:
    """The name itself: kernels here are named after their operators."""
    return op
