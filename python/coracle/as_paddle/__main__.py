# SPDX-License-Identifier: Apache-2.0
"""`python -m coracle.as_paddle script.py arguments` runs a program whose `import paddle` is Coracle's."""

import sys

from .. import _script
from . import install

arguments = sys.argv[1:]
if arguments[:1] == ["--replace"]:
    arguments = arguments[1:]
    install(replace=True)
_script.run(arguments, "usage: python -m coracle.as_paddle [--replace] (script.py | -m module) [arguments]\n"
                       "--replace: also where the real Paddle is installed")
