# SPDX-License-Identifier: Apache-2.0
"""The engine, its options and what runs a model."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, Optional, Union

import numpy as np
from paddlex.constants import MODEL_FILE_PREFIX
from paddlex.inference.models.engines import RunnerEngine
from paddlex.inference.models.runners.inference_runner import InferenceRunner
from paddlex.inference.models.runners.utils import sort_inputs
from paddlex.inference.models.utils.model_paths import get_model_paths
from pydantic import BaseModel, ConfigDict, Field

from .. import _saved_cache
from .. import model as models
from ..paddle.inference import predictor as predictors
from ..pool import default_threads


class Config(BaseModel):
    """Options of `engine_config`: `PaddleOCR(engine="coracle", engine_config={"threads": 2})`.

    threads: of a run, 0 is `coracle.default_threads()`; `cpu_threads`, as of Paddle's engine, is the same. precision: as of `coracle.load`.
    device: "opencl" or "opencl:1" as of `coracle.load`. engines: engines of Coracle, as of `coracle.load`. cache: saved models, which load
    faster, are kept in the user's cache folder (True), in this folder (a path), or not at all (False). device_type and device_id are
    PaddleX's `device`.
    """

    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    device_type: Optional[str] = None
    device_id: Optional[int] = None
    threads: int = Field(default=0, ge=0, alias="cpu_threads")
    precision: Optional[Literal["strict", "default", "high", "tf32", "bf16", "fp16", "int8"]] = None
    device: Optional[str] = None
    engines: Optional[Union[str, list[str]]] = None
    cache: Union[bool, str] = True


class CoracleRunner(InferenceRunner):
    """Runs one model."""

    def __init__(self, model_dir: Union[str, os.PathLike], model_file_prefix: str, config: dict[str, Any]):
        super().__init__()
        self.model_dir = Path(model_dir)
        options = Config.model_validate(config)
        paths = get_model_paths(self.model_dir, model_file_prefix).get("paddle")
        if paths is None:
            raise ValueError("engine 'coracle': there is no %s.json or .pdmodel with a .pdiparams in %s" % (model_file_prefix, self.model_dir))
        given = {"precision": options.precision, "device": options.device, "engines": options.engines}
        given = {name: value for name, value in given.items() if value is not None}
        # What engines compile has a cache of its own.
        if options.cache is False or options.engines:
            self.model = models.load(*paths, **given)
        else:
            folder = _saved_cache.default_folder() if options.cache is True else options.cache
            self.model = _saved_cache.load(*paths, folder, **given)
        self._predictor = predictors.predictor_of(self.model, options.threads or default_threads())

    def __call__(self, x: Union[Sequence[np.ndarray], np.ndarray, None] = None, **named: Any) -> list[np.ndarray]:
        if x is None:
            x = named.get("x")
        if x is None:
            raise TypeError("engine 'coracle': a run needs `x`, the inputs in the order of their names")
        arrays = [x] if isinstance(x, np.ndarray) else list(x)
        names = self._predictor.get_input_names()
        if len(arrays) != len(names):
            raise ValueError("engine 'coracle': the model has %d inputs (%s), given %d" % (len(names), ", ".join(names), len(arrays)))
        for name, array in zip(names, sort_inputs(arrays, names)):
            self._predictor.get_input_handle(name).copy_from_cpu(np.asarray(array))
        self._predictor.run()
        return [self._predictor.get_output_handle(name).copy_to_cpu() for name in self._predictor.get_output_names()]

    def close(self) -> None:
        """Nothing is left open."""


class CoracleEngine(RunnerEngine):
    """`engine="coracle"`."""

    entities = "coracle"

    @property
    def name(self) -> str:
        return "coracle"

    @property
    def engine_config_model(self) -> type[Config]:
        return Config

    def get_supported_model_formats(self):
        return ("paddle",)

    def prepare_config_dict(self, raw: dict[str, Any], *, model_name: Optional[str] = None, device: Optional[str] = None) -> dict[str, Any]:
        self._apply_device(raw, device)
        if raw.get("device_type") not in (None, "cpu"):
            raise ValueError("engine 'coracle' runs on the CPU, device is %r; device=\"cpu\" (Coracle's own devices: engine_config={\"device\": "
                             "\"opencl\"})" % raw["device_type"])
        return raw

    def get_default_runner_builder(self):
        def build(*, model_dir: Optional[Path], engine_config: dict[str, Any], **_others: Any) -> InferenceRunner:
            if model_dir is None:
                raise ValueError("engine 'coracle': the model has no model_dir")
            return CoracleRunner(model_dir, MODEL_FILE_PREFIX, engine_config)

        return build

    def validate_runner(self, runner: InferenceRunner) -> None:
        if not isinstance(runner, CoracleRunner):
            raise TypeError("engine 'coracle' runs models by a CoracleRunner, given a %s" % type(runner).__name__)
