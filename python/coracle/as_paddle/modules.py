# SPDX-License-Identifier: Apache-2.0
"""The modules that `import paddle` gives: what names.py implements, placeholders for public.py's other names, and coracle.paddle.inference."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
import types

from ..errors import UnsupportedError
from . import names
from .placeholders import missing, placeholder
from .public import PUBLIC

_INFERENCE = "paddle.inference"
_MODULES = {*PUBLIC, *names.MODULES}


class _Module(types.ModuleType):
    """A module of Paddle's. Names that Paddle does not have raise AttributeError with the line of `missing`."""

    def __getattr__(self, name: str):
        if name.startswith("__"):
            raise AttributeError("module %r has no attribute %r" % (self.__name__, name))
        full = self.__name__ + "." + name
        if full in _MODULES or full == _INFERENCE:   # As Paddle, which imports them all.
            return importlib.import_module(full)
        classes, others = (known.split() for known in PUBLIC.get(self.__name__, ("", "")))
        if name not in classes and name not in others:
            raise AttributeError(missing(full))
        setattr(self, name, placeholder(full, name in classes))
        return getattr(self, name)


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds `paddle` and all that is below it."""

    def find_spec(self, fullname: str, path=None, target=None):
        if fullname.split(".")[0] != "paddle":
            return None
        if fullname in _MODULES or fullname == _INFERENCE:
            return importlib.machinery.ModuleSpec(fullname, self, is_package=True)
        if fullname.startswith(_INFERENCE + "."):
            real = "coracle." + fullname
            if importlib.util.find_spec(real) is not None:
                return importlib.machinery.ModuleSpec(fullname, self)
        # The name is not that of the module: `from paddle import x` would go on with an error that does not say why.
        raise ModuleNotFoundError(missing(fullname), name="paddle")

    def create_module(self, spec):
        if spec.name == _INFERENCE or spec.name.startswith(_INFERENCE + "."):
            return None
        return _Module(spec.name)

    def exec_module(self, module) -> None:
        name = module.__spec__.name
        if name == _INFERENCE or name.startswith(_INFERENCE + "."):
            sys.modules[name] = importlib.import_module("coracle." + name)
            return
        module.__all__ = " ".join(PUBLIC.get(name, ())).split()   # For `from paddle.nn import *`.
        for key, value in names.MODULES.get(name, {}).items():
            setattr(module, key, value)
