# SPDX-License-Identifier: Apache-2.0
"""The engine `coracle` for PaddleX and PaddleOCR.

    import coracle.paddlex
    from paddleocr import PaddleOCR
    reader = PaddleOCR(engine="coracle")

    python -m coracle.paddlex paddleocr ocr -i photo.jpg --engine coracle

Importing it registers the engine: `create_model(..., engine="coracle")`, `create_pipeline(..., engine="coracle")`, and everything that hands its
`engine` on to them. Models that PaddleX runs from its own files for Paddle (`inference.json` or `.pdmodel`) run with it; paddlepaddle need not
be installed. PaddleX 3.5 and later have such engines; for older ones there is coracle.as_paddle. `Config` lists the options of `engine_config`.
"""

from __future__ import annotations

from ..errors import UnsupportedError

try:
    import paddlex
except ImportError as error:
    raise ImportError("coracle.paddlex registers an engine in PaddleX, which cannot be imported: %s; pip install paddlex" % error) from error
try:
    import paddlex.inference.models.bindings as _bindings
    import paddlex.inference.models.engines as _engines
except ImportError as error:
    raise UnsupportedError("PaddleX %s has no registry of engines, 3.5 and later do; run the program with coracle.as_paddle instead: python -m "
                           "coracle.as_paddle script.py (%s)" % (getattr(paddlex, "__version__", "?"), error)) from error

from .engine import Config, CoracleEngine, CoracleRunner
from .registration import register

__all__ = ["Config", "CoracleEngine", "CoracleRunner", "register"]

register()
