# SPDX-License-Identifier: Apache-2.0
"""The modules that `import paddle` gives: those of names.py, and coracle.paddle.inference."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
import types

from ..errors import UnsupportedError
from . import names

_INFERENCE = "paddle.inference"


def missing(what: str) -> str:
    """One line about a name that is not here."""
    return ("%s is not in coracle.as_paddle, which has paddle.inference and what programs need around it: install the real Paddle (pip install "
            "paddlepaddle) and leave coracle.as_paddle out" % what)


class _Missing(types.ModuleType):
    """A module whose other names raise AttributeError with the line of `missing`."""

    def __getattr__(self, name: str):
        if name.startswith("__"):
            raise AttributeError("module %r has no attribute %r" % (self.__name__, name))
        full = self.__name__ + "." + name
        if full in names.MODULES or full == _INFERENCE:   # As Paddle, which imports them all.
            return importlib.import_module(full)
        raise AttributeError(missing(full))


class _PlaceholderType(type):
    """Of classes that programs name, inherit from or decorate with while they are imported, and that nothing here makes."""

    def __call__(cls, *arguments, **named):
        raise UnsupportedError(missing(cls._paddle_name))

    def __getattr__(cls, name: str):
        if name.startswith("__"):
            raise AttributeError(name)
        raise AttributeError(missing("%s.%s" % (cls._paddle_name, name)))


def _placeholder(module: str, name: str) -> type:
    return _PlaceholderType(name, (), {"__module__": module, "_paddle_name": "%s.%s" % (module, name)})


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds `paddle` and all that is below it."""

    def find_spec(self, fullname: str, path=None, target=None):
        if fullname.split(".")[0] != "paddle":
            return None
        if fullname in names.MODULES or fullname == _INFERENCE:
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
        return _Missing(spec.name)

    def exec_module(self, module) -> None:
        name = module.__spec__.name
        if name == _INFERENCE or name.startswith(_INFERENCE + "."):
            sys.modules[name] = importlib.import_module("coracle." + name)
            return
        for key, value in names.MODULES[name].items():
            setattr(module, key, value)
        for key in names.PLACEHOLDERS.get(name, ()):
            setattr(module, key, _placeholder(name, key))
