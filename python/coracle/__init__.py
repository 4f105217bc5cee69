# SPDX-License-Identifier: Apache-2.0
"""Coracle runs trained PaddlePaddle models on the CPU.

    import coracle
    model = coracle.load("ch_PP-OCRv4_det_infer")
    result = model(pixels)[0]

    answer = coracle.pipeline("PP-LCNet_x1_0_infer")("cat.jpg")

`coracle.load` gives a Model, `model.session(threads=2)` a Session. `coracle.paddle.inference` has the classes of
`paddle.inference` with the same names.
"""

from ._callbacks import NodeValue
from ._handle import TensorInfo
from ._library import LIBRARY as _LIBRARY
from ._library import VERSION as __version__
from ._log import set_log_level
from .async_queue import AsyncInferQueue
from .async_run import AsyncRun
from .device_tensor import DeviceTensor
from .documents import Document, Seal, markdown
from .engines import power_by_engine
from .errors import (CancelledError, Error, FileError, InvalidArgumentError, InvalidModelError, MissingFileError, OutOfMemoryError,
                     RunFailureError, UnsupportedError)
from .model import Model, available_engines, devices, inspect, load, load_memory, pass_names
from .operators import Operator, TensorType, load_operators, operator
from .pictures import AnomalyMap, ClassArea, DetectedObject, Keypoint, Label, Mask, Prediction, Table, TextBox, TextLine
from .pipelines import Pipeline, document, ocr, pipeline
from .pool import Pool, bind_thread, default_threads
from .profile import OperatorTime, Profile, Step
from .quantization import quantize
from .quantization_report import OutputAccuracy, QuantizationReport, QuantizedLayer
from .results import MachineLimits, Memory, Results
from .session import Session
from .sources import Source
from .timing import Bench, bench

__all__ = ["AnomalyMap", "AsyncInferQueue", "AsyncRun", "Bench", "CancelledError", "ClassArea", "DetectedObject", "DeviceTensor", "Document", "Error", "FileError",
           "InvalidArgumentError", "InvalidModelError", "Keypoint", "Label", "MachineLimits", "Mask", "Memory", "MissingFileError", "Model",
           "NodeValue", "OperatorTime", "OutOfMemoryError", "Operator", "OutputAccuracy", "Pipeline", "Pool", "Prediction", "Profile", "QuantizationReport", "QuantizedLayer", "Results", "RunFailureError",
           "Seal", "Session", "Source", "Step", "Table", "TensorInfo", "TensorType", "TextBox", "TextLine", "UnsupportedError", "__version__", "available_engines", "bench",
           "bind_thread", "cpu_isa", "default_threads", "devices", "document", "inspect", "load", "load_memory", "load_operators", "markdown", "memory_total", "ocr", "operator",
           "pass_names", "pipeline", "power_by_engine", "quantize", "set_log_level"]


def cpu_isa() -> str:
    """The instruction set kernels are chosen for on this machine: "avx512", "avx2", "sse2"."""
    return _LIBRARY.coracle_cpu_isa().decode()


def memory_total() -> int:
    """Bytes that all models and sessions of this process hold, without weights that are mapped."""
    return _LIBRARY.coracle_memory_total()
