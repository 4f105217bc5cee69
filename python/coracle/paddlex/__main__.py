# SPDX-License-Identifier: Apache-2.0
"""`python -m coracle.paddlex paddleocr ocr -i photo.jpg --engine coracle`: a program of PaddleX or PaddleOCR that knows the engine."""

import sys

from .. import _script
from . import __name__ as _registered  # noqa: F401, importing the package registers the engine

arguments = sys.argv[1:]
if arguments[:1] in (["paddleocr"], ["paddlex"]):
    arguments = ["-m", *arguments]
_script.run(arguments, "usage: python -m coracle.paddlex (paddleocr | paddlex | script.py | -m module) [arguments]")
