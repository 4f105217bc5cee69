# SPDX-License-Identifier: Apache-2.0
"""Says inside a model of Paddle's which operators an engine is to run: `power_by_engine`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from .errors import InvalidArgumentError, UnsupportedError

# A component of a name scope that begins so marks for the engine named behind it (src/blocks/scope_mark.h).
_MARK = "coracle_engine_"


class power_by_engine:  # noqa: N801, a context manager is used like a function
    """Marks the operators that Paddle makes within for an engine of Coracle.

        class Net(paddle.nn.Layer):
            def forward(self, x):
                with coracle.power_by_engine("openvino"):
                    x = self.backbone(x)
                return self.head(x)

        paddle.jit.save(Net(), "model", input_spec=[...])

    The marks are Paddle's own name scopes: they stand in the file that `paddle.jit.save` or
    `paddle.static.save_inference_model` writes, which Paddle runs as any other. Put it where operators are made: into `forward`,
    or around code of a static graph. Around the call of `paddle.jit.save`, or where a layer runs at once instead of being
    exported, it marks nothing. The innermost mark of an operator holds.
    """

    def __init__(self, engine: str):
        if not isinstance(engine, str) or not re.fullmatch(r"[A-Za-z0-9_.+-]+", engine) or re.search(r"_\d+\Z", engine):
            raise InvalidArgumentError("expected an engine's name of letters, digits and any of \"_.+-\" that does not end in "
                                       "\"_\" and a number (Paddle numbers equal name scopes so), found %r" % (engine,))
        self._component = _MARK + engine
        self._left: list[Any] = []   # what is to be done on leaving, for each time it was entered

    def __enter__(self) -> power_by_engine:
        paddle = _paddle()
        if paddle.in_dynamic_mode():
            self._left.append(None)
        elif _makes_pir(paddle):
            self._left.append(_PirScope(paddle.static.default_main_program(), self._component))
        else:
            scope = paddle.static.name_scope(self._component)
            scope.__enter__()
            self._left.append(scope)
        return self

    def __exit__(self, kind: Any, value: Any, traceback: Any) -> None:
        scope = self._left.pop()
        if scope is not None:
            scope.__exit__(kind, value, traceback)


class _PirScope:
    """Operators of the newer programs have their scope in an attribute, which `paddle.static.name_scope` does not write."""

    def __init__(self, program: Any, component: str):
        self._program = program
        self._component = component
        self._before = {operator.id() for operator in _operators(program.global_block())}

    def __exit__(self, kind: Any, value: Any, traceback: Any) -> None:
        if kind is not None:
            return
        for operator in _operators(self._program.global_block()):
            if operator.id() in self._before or operator.name().startswith("builtin."):
                continue
            inner = operator.attrs()["struct_name"] if operator.has_attr("struct_name") else "/"
            operator.set_str_attr("struct_name", "/" + self._component + inner)


def _operators(block: Any) -> Iterator[Any]:
    for operator in block.ops:
        yield operator
        for inner in operator.blocks():
            yield from _operators(inner)


def _paddle() -> Any:
    try:
        import paddle
    except ImportError as error:
        raise UnsupportedError("power_by_engine marks operators while Paddle exports a model, and paddle cannot be imported (%s): "
                               "use it where the model is exported, with paddlepaddle 2.6 or 3 installed" % error) from error
    return paddle


def _makes_pir(paddle: Any) -> bool:
    in_pir_mode = getattr(paddle.framework, "in_pir_mode", None)
    return in_pir_mode is not None and in_pir_mode()
