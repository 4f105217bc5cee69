# SPDX-License-Identifier: Apache-2.0
"""Placeholders for names of Paddle that are not implemented here.

Packages import their networks, losses and optimizers along with what runs a model. So a placeholder can be imported, named in annotations,
inherited from and compared with; using it raises UnsupportedError.
"""

from __future__ import annotations

import abc

from ..errors import UnsupportedError

# Default arguments of networks and steps of transformations: they can be made while a program is imported, and raise when they are called.
_CAN_BE_MADE = ("paddle.ParamAttr", "paddle.nn.", "paddle.regularizer.", "paddle.static.InputSpec", "paddle.vision.transforms.")


def missing(what: str) -> str:
    """One line about a name that is not here."""
    return ("%s is not in coracle.as_paddle, which has paddle.inference and what programs need around it: install the real Paddle (pip install "
            "paddlepaddle) and leave coracle.as_paddle out" % what)


def _attribute(owner, name: str):
    """An attribute that a placeholder, or what one made, does not have."""
    if name.startswith("_"):
        raise AttributeError(name)
    raise AttributeError(missing("%s.%s" % (owner._paddle_name, name)))


class _Class(abc.ABCMeta):
    """Of placeholders for classes. An ABCMeta, so that a derived class may be an abstract one."""

    def __call__(cls, *arguments, **named):
        if "_paddle_name" in vars(cls) and cls._paddle_name.startswith(_CAN_BE_MADE):   # Not the program's own network, which derives.
            return super().__call__(*arguments, **named)
        raise UnsupportedError(missing(cls._paddle_name))

    def __getattr__(cls, name: str):
        _attribute(cls, name)


class _Other:
    """A placeholder for a function, an element type or a constant."""

    def __init__(self, name: str):
        self.__name__ = self.__qualname__ = name.rsplit(".", 1)[1]
        self._paddle_name = name

    def __call__(self, *arguments, **named):
        raise UnsupportedError(missing(self._paddle_name))

    def __getattr__(self, name: str):
        _attribute(self, name)

    def __repr__(self) -> str:
        return self._paddle_name


def _take(self, *arguments, **named) -> None:
    pass


def _use(self, *arguments, **named):
    raise UnsupportedError(missing(self._paddle_name))


def placeholder(name: str, is_class: bool):
    """The placeholder for a name, as "paddle.nn.Layer"."""
    if not is_class:
        return _Other(name)
    module, short = name.rsplit(".", 1)
    return _Class(short, (), {"__module__": module, "__init__": _take, "__call__": _use, "__getattr__": _attribute, "_paddle_name": name})
