# SPDX-License-Identifier: Apache-2.0
"""Programs that `import paddle` for inference alone run unmodified on Coracle.

    import coracle.as_paddle          # before anything imports paddle
    import paddle.inference           # is coracle.paddle.inference

    python -m coracle.as_paddle script.py arguments
    python -m coracle.as_paddle -m module arguments

`paddle` has `paddle.inference` and the few other names that such programs use (names.py lists them). Paddle's other public names can be
imported, named and inherited from, as packages do that define networks beside what runs them; using one raises one line that says what is
missing and that the real Paddle is needed. A Paddle that is installed stays untouched, with a warning, unless it is asked
for: `CORACLE_AS_PADDLE=replace` in the environment, `python -m coracle.as_paddle --replace ...` or `install(replace=True)`.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import sys
import warnings

from ..errors import InvalidArgumentError
from .modules import Finder

__all__ = ["install", "is_installed"]


def is_installed() -> bool:
    """True if `import paddle` gives Coracle's."""
    return any(isinstance(finder, Finder) for finder in sys.meta_path)


def install(replace: bool = False) -> bool:
    """Makes `import paddle` give Coracle's from now on, in this process; true if it does.

    replace: also where the real Paddle is installed. Without it that one stays, with a RuntimeWarning. InvalidArgumentError if the real
    Paddle has been imported before and `replace` asks for Coracle's.
    """
    if is_installed():
        return True
    if "paddle" in sys.modules:
        if not replace:
            _warn(getattr(sys.modules["paddle"], "__file__", None) or "?")
            return False
        raise InvalidArgumentError("coracle.as_paddle: paddle has been imported already; import coracle.as_paddle before it")
    real = importlib.machinery.PathFinder.find_spec("paddle")
    if real is not None and real.origin is not None and not replace:   # A folder without __init__.py is no package of Paddle's.
        _warn(real.origin)
        return False
    sys.meta_path.insert(0, Finder())
    return True


def _warn(path: str) -> None:
    warnings.warn("coracle.as_paddle: the real Paddle is installed (%s) and stays in use; CORACLE_AS_PADDLE=replace in the environment makes "
                  "`import paddle` give Coracle's" % path, RuntimeWarning, stacklevel=3)


install(replace=os.environ.get("CORACLE_AS_PADDLE") == "replace")
