# SPDX-License-Identifier: Apache-2.0
"""Builds ProgramDesc models (Paddle 2.6): one operator appended as it is, or a program of the Python API."""

import numpy as np

from notation import is_tensors

DROPPED_ATTRIBUTES = ("op_callstack", "op_namescope", "op_device", "op_role_var")


class Built:
    """A program before it is written: fed tensors and parameters by name, fetched variables."""

    def __init__(self, program, feeds, params, fetches):
        self.program, self.feeds, self.params, self.fetches = program, feeds, params, fetches

    def bytes(self):
        return self.program.desc.serialize_to_string()

    def set_output_types(self, arrays):
        """Declares the fetched variables with the dtypes and ranks that Paddle computed."""
        from paddle.base import core

        changed = False
        for var, array in zip(self.fetches, arrays):
            dtype = core.VarDesc.VarType.__members__.get(_VAR_TYPES.get(str(array.dtype), ""))
            if dtype is not None and var.desc.type() == core.VarDesc.VarType.LOD_TENSOR:
                if var.desc.dtype() != dtype:
                    var.desc.set_dtype(dtype)
                    changed = True
                if len(var.desc.shape()) != array.ndim:
                    var.desc.set_shape([-1] * array.ndim)
                    changed = True
        return changed


_VAR_TYPES = {
    "bool": "BOOL",
    "int16": "INT16",
    "int32": "INT32",
    "int64": "INT64",
    "float16": "FP16",
    "float32": "FP32",
    "float64": "FP64",
    "uint8": "UINT8",
    "int8": "INT8",
    "complex64": "COMPLEX64",
    "complex128": "COMPLEX128",
}


def _declare(block, name, tensor, unknown):
    shape = list(tensor.shape)
    if unknown and not tensor.param and not tensor.static and shape:
        shape[0] = -1
    for axis in tensor.unknown:
        shape[axis] = -1
    return block.create_var(
        name=name,
        shape=shape,
        dtype=tensor.dtype,
        persistable=tensor.param,
        stop_gradient=True,
        lod_level=len(tensor.lod or []),
        need_check_feed=not tensor.param,
    )


def build_op(entry, case, unknown):
    """The program of one operator; `unknown`: fed tensors are declared with an unknown first size."""
    import paddle

    program = paddle.static.Program()
    block = program.global_block()
    feeds, params, slots, attributes, variables = {}, {}, {}, {}, {}
    alias = case.get("_alias", {})
    for key, value in case.items():
        if key.startswith("_"):
            continue
        if not is_tensors(value):
            attributes[key] = value
            continue
        many = isinstance(value, list)
        for i, tensor in enumerate(value if many else [value]):
            name = "%s_%d" % (key, i) if many else key
            variables.setdefault(key, []).append(_declare(block, name, tensor, unknown))
            if tensor.param:
                params[name] = tensor.array
            else:
                feeds[name] = (tensor.array, tensor.lod)
        slots[key] = variables[key]
    counts = case.get("_out") or {slot: 1 for slot in entry.out}
    outputs = {}
    for slot, count in case.get("_hidden", {}).items():
        outputs[slot] = [block.create_var(name="out_%s_%d" % (slot, i), dtype="float32") for i in range(count)]
    for slot in entry.hidden:
        outputs[slot] = (
            variables[alias[slot]] if slot in alias else [block.create_var(name="out_" + slot, dtype="float32")]
        )
    fetches = []
    for slot, count in counts.items():
        if slot in alias:
            outputs[slot] = variables[alias[slot]]
        else:
            outputs[slot] = [
                block.create_var(name="out_%s_%d" % (slot, i) if count > 1 else "out_" + slot, dtype="float32")
                for i in range(count)
            ]
        fetches += outputs[slot]
    block.append_op(type=entry.name, inputs=slots, outputs=outputs, attrs=attributes)
    return finish(program, feeds, params, fetches)


def build_api(make_result):
    """The program that a function of (paddle, inputs) builds."""
    import paddle

    inputs, function = make_result
    program, startup = paddle.static.Program(), paddle.static.Program()
    feeds, params = {}, {}
    with paddle.static.program_guard(program, startup):
        variables = {}
        for name, tensor in inputs.items():
            variables[name] = _declare(program.global_block(), name, tensor, False)
            (params if tensor.param else feeds)[name] = tensor.array if tensor.param else (tensor.array, tensor.lod)
        results = function(paddle, **variables)
        fetches = list(results) if isinstance(results, (list, tuple)) else [results]
    return finish(program, feeds, params, fetches)


def finish(program, feeds, params, fetches):
    from paddle.base import core

    block = program.global_block()
    feed = block.create_var(name="feed", type=core.VarDesc.VarType.FEED_MINIBATCH, persistable=True)
    fetch = block.create_var(name="fetch", type=core.VarDesc.VarType.FETCH_LIST, persistable=True)
    for i, name in reversed(list(enumerate(feeds))):
        block._prepend_op(type="feed", inputs={"X": [feed]}, outputs={"Out": [block.var(name)]}, attrs={"col": i})
    for i, var in enumerate(fetches):
        block.append_op(type="fetch", inputs={"X": [var]}, outputs={"Out": [fetch]}, attrs={"col": i})
    for each in program.blocks:
        for operator in each.ops:
            for name in DROPPED_ATTRIBUTES:
                if operator.has_attr(name):
                    operator._remove_attr(name)
    program.desc._set_version()
    core.save_op_version_info(program.desc)
    return Built(program, feeds, params, fetches)
