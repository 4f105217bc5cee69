# SPDX-License-Identifier: Apache-2.0
"""Builds PIR models (Paddle 3.3): the translation of a ProgramDesc case, or a program of the Python API."""

import os

import numpy as np

from modelio import compact_json, write_params
from notation import Codes, element_type


def translate(program_bytes, path):
    """Writes the PIR program that Paddle's own translator makes of a ProgramDesc."""
    import paddle
    from paddle.base import core

    with paddle.pir_utils.OldIrGuard():
        program = paddle.static.Program.parse_from_string(program_bytes)
    translated = paddle.pir.translate_to_pir(program.desc)
    core.serialize_pir_program(translated, path, True, False, True)
    compact_json(path)


def parameter(name, tensor):
    """A parameter of the program that is being built. paddle.static's takes none of float8."""
    import paddle
    from paddle.pir.core import create_parameter

    if not isinstance(tensor.array, Codes):
        return paddle.static.create_parameter(tensor.shape, tensor.dtype, name=name)
    zeros = paddle.nn.initializer.Constant(0.0)
    return create_parameter(getattr(paddle, tensor.dtype), tensor.shape, name=name, initializer=zeros)


class Eager:
    """The function of a case on tensors, without any program: for element types whose programs the predictor does not load."""

    def __init__(self, made, params):
        self.function, self.params = made[1], params

    def run(self, feeds):
        """As Runner.run."""
        import paddle

        paddle.disable_static()
        try:
            tensors = {name: paddle.to_tensor(array) for name, (array, _) in feeds.items()}
            for name, array in self.params.items():
                tensor = paddle.to_tensor(np.asarray(array))
                tensors[name] = tensor.view(element_type(array)) if isinstance(array, Codes) else tensor
            results = self.function(paddle, **tensors)
            results = results if isinstance(results, (list, tuple)) else [results]
            return [("out%d" % i, result.numpy(), []) for i, result in enumerate(results)]
        finally:
            paddle.enable_static()


def export_api(make_result, folder):
    """Writes the program that a function of (paddle, inputs) builds; returns (feeds, params)."""
    import paddle
    from paddle.base import core

    inputs, function = make_result
    program, startup = paddle.static.Program(), paddle.static.Program()
    feeds, params = {}, {}
    with paddle.static.program_guard(program, startup):
        variables, fed = {}, []
        for name, tensor in inputs.items():
            if tensor.param:
                variables[name] = parameter(name, tensor)
                params[name] = tensor.array
            else:
                shape = [-1 if axis in tensor.unknown else size for axis, size in enumerate(tensor.shape)]
                variables[name] = paddle.static.data(name, shape, tensor.dtype, lod_level=len(tensor.lod or []))
                feeds[name] = (tensor.array, tensor.lod)
                fed.append(variables[name])
        results = function(paddle, **variables)
        results = list(results) if isinstance(results, (list, tuple)) else [results]
        program = paddle.static.io.normalize_program(program, fed, results)
    path = os.path.join(folder, "model.json")
    core.serialize_pir_program(program, path, True, False, True)
    compact_json(path)
    if params:
        write_params(os.path.join(folder, "model.pdiparams"), params)
    return feeds, params
