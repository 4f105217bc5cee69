# SPDX-License-Identifier: Apache-2.0
"""Makes PaddleX and PaddleOCR know the engine."""

from __future__ import annotations

import importlib

from paddlex.inference import models
from paddlex.inference.models.bindings import default_registry, register_predictor_binding_map

NAME = "coracle"


def register() -> None:
    """Every model that PaddleX runs with Paddle's inference library, unless it has a runner of its own for it (custom operators), runs with
    the engine `coracle`, too. Once more is no harm: models that were added since are taken."""
    for name, engines in list(default_registry._registry.items()):
        paddle = engines.get("paddle_static")
        if paddle is not None and paddle.runner_binding is None:
            register_predictor_binding_map(paddle.predictor, {NAME: [name]})
    # The class itself was registered when it was made; names that were looked up before are kept there.
    models._engine_config_bucket_key_allowlist.cache_clear()
    try:
        names = importlib.import_module("paddleocr._common_args").SUPPORTED_INFERENCE_ENGINE_LIST
    except (ImportError, AttributeError):   # There is no PaddleOCR, or one that has no engines; a folder of its name is no package of it.
        return
    if NAME not in names:
        names.append(NAME)
