# SPDX-License-Identifier: Apache-2.0
"""Config: where a model is and how it is run."""

from __future__ import annotations

from typing import Any

from ... import model as models
from ...errors import InvalidArgumentError
from .config_cpu import Cpu
from .config_devices import Devices
from .config_engines import Engines
from .config_graph import Graph
from .config_model import ModelFiles
from .config_tensorrt import TensorRt
from .enums import PrecisionType
from .hooks import GraphDump
from .recorder import Recorder


class Config(ModelFiles, Devices, Cpu, Graph, TensorRt):
    """`Config()`, `Config(model_dir)`, `Config(prog_file, params_file)`, `Config(model_dir, prefix)` or `Config(other)`.

    All methods of Paddle's Config, those of 2.6 and 3.3. What changes no results here is recorded: `summary()` lists it with the
    reason. What is asked for later replaces what was asked for before. A Config serves one predictor, a copy of it another.
    """

    Precision = PrecisionType
    Float32, Int8, Half, Bfloat16 = PrecisionType

    def __init__(self, *arguments: Any) -> None:
        if len(arguments) > 2:
            raise TypeError("Config takes a folder, or a program file and a parameter file, or a Config; given %d arguments" % len(arguments))
        self._used = False
        for part in (Recorder, ModelFiles, Devices, Engines, Cpu, Graph, TensorRt):
            part._defaults(self)
        if len(arguments) == 1 and isinstance(arguments[0], Config):
            self._copy(arguments[0])
        elif arguments:
            self.set_model(*arguments)
            if len(arguments) == 2:
                self._require_program()

    def _copy(self, other: Config) -> None:
        for name, value in vars(other).items():
            if name != "_used":
                setattr(self, name, value.copy() if hasattr(value, "copy") else value)

    def summary(self) -> str:
        """A table of what is set, and below it the calls that have no effect here, with the reason."""
        groups = [self._model_rows(), self._cpu_rows(), self._device_rows(), self._graph_rows(), self._engine_rows()]
        if self._recorded:
            groups.append([(call, "%s (no effect: %s)" % row) for call, row in self._recorded.items()])
        rows = [("Option", "Value")] + [row for group in groups for row in group]
        widths = [max(len(row[i]) for row in rows) for i in (0, 1)]
        rule = "+-%s-+-%s-+" % ("-" * widths[0], "-" * widths[1])

        def lines(group: list[tuple[str, str]]) -> list[str]:
            return ["| %-*s | %-*s |" % (widths[0], option, widths[1], value) for option, value in group]

        text = [rule, *lines(rows[:1]), rule]
        for group in filter(None, groups):
            text += [*lines(group), rule]
        return "\n" + "\n".join(text) + "\n"

    def _use(self) -> models.Model:
        """Loads the model for a predictor, once."""
        if self._used:
            raise InvalidArgumentError("this Config made a predictor already; a Config serves one: use Config(config) for another, "
                                       "or predictor.clone(), which shares the weights")
        left_out = ["all"] if self.shape_range_info_collected() else self._disabled_passes()
        # Row tiles run several operators as one.
        alone = left_out == ["all"]
        options = {"precision": "bf16" if self._onednn_bfloat16 else self._gpu_product_precision(), "device": self.coracle_device() or None}
        if not alone:   # Every operator alone: so is none in a block of an engine.
            options.update(self._engine_options(self.tensorrt_precision_mode()))
        model = self._load(disable_passes=left_out or None, disable_kernels=["row_tiles", "strided"] if alone else None, **options,
                           after_pass=GraphDump(self._optim_cache_dir) if self._writes_graphs() else None)
        self._used = True
        return model
