# SPDX-License-Identifier: Apache-2.0
"""Every entry of the other tables with operands of other element types: what Paddle gives for them, and of which type.

An operand type is a part of the name of a case: `exp.int32-00`. Kinds of change:

  exp.int32            the operands of the leading type (that of the first real operand, or of the first one) are int32
  gather.index.int32   the integers beside real operands are int32
  full.dtype.int32     the attribute that names the type of the result says int32
  api_exp.int32        a function of the Python API (typed_api.py)

What Paddle refuses is in dropped.txt, as always.
"""

import numpy as np

import cases
from cases import typed_api
from notation import NUMBERS, NotHere, Tensor, is_tensors

TYPES = ["bool", "uint8", "int8", "int32", "int64", "float16", "float32", "float64"]
INDEX_TYPES = ["int32", "int64"]
RESULT_TYPES = {"dtype", "out_dtype"}
OTHERS = {"types", "control", "offsets", "ranked"}  # their cases are about other things
COUNT = 2

# Operators that compute with float32 also where operands are float64: Paddle takes sizes, ratios or attributes in it.
COARSE = {"complex_arithmetic", "grid_sample", "grid_sampler", "interpolate_bicubic", "interpolate_bilinear"}
COARSE |= {"resize_factors", "bicubic_interp", "bilinear_interp_v2", "trilinear_interp_v2"}
COARSE |= {"dequantize_linear", "fake_channel_wise_dequantize_max_abs", "fake_dequantize_max_abs", "prior_box"}
COARSE |= {"p_norm", "renorm", "rrelu"}


def as_type(tensor, dtype):
    """The same tensor with elements of another type: near whole numbers for integers, both signs where it has them."""
    array = tensor.array
    if array.dtype.kind == "f" and dtype == "bool":
        array = array > np.float32(0.3)
    elif array.dtype.kind == "f" and not dtype.startswith("float"):
        array = np.rint(array * 2)
        array = np.abs(array) if dtype == "uint8" else array
    elif dtype == "uint8":
        array = np.abs(array.astype("int64"))
    elif dtype == "float64" and array.dtype == np.float32 and array.size > 3:
        array = array.astype("float64") * (1 + 2.0**-30)  # no longer numbers of float32
    made = Tensor(array.astype(dtype), tensor.param, tensor.lod, tensor.static)
    made.unknown = tensor.unknown
    return made


def leading(tensors):
    """The type that a sweep over operand types changes."""
    kinds = [str(t.array.dtype) for t in tensors]
    return next((k for k in kinds if k.startswith("float")), kinds[0] if kinds else None)


def tensors_of(slots):
    return [t for value in slots.values() if is_tensors(value) for t in (value if isinstance(value, list) else [value])]


def with_tensors(slots, change):
    """The same slots, each tensor through `change`."""

    def changed(value):
        if not is_tensors(value):
            return value
        return [change(t) for t in value] if isinstance(value, list) else change(value)

    return {key: changed(value) for key, value in slots.items()}


def retyped(make, kind, choose, dtype):
    """`make` with the tensors that `choose` names (by the leading type and their own) as `dtype`."""

    def made(r):
        case = make(r)
        slots = case if kind == "op" else case[0]
        first = leading(tensors_of(slots))
        chosen = [t for t in tensors_of(slots) if choose(first, str(t.array.dtype))]
        if all(str(t.array.dtype) == dtype for t in chosen):
            raise NotHere("no operand would change")
        slots = with_tensors(slots, lambda t: as_type(t, dtype) if choose(first, str(t.array.dtype)) else t)
        if "in_dtype" in slots:
            slots["in_dtype"] = NUMBERS[dtype]
        return slots if kind == "op" else (slots, case[1])

    return made


def with_result(make, dtype):
    def made(r):
        case = make(r)
        names = [n for n in RESULT_TYPES if isinstance(case.get(n), int) and case[n] >= 0]
        if not names:
            raise NotHere("no attribute names a type")
        return dict(case, **{n: NUMBERS[dtype] for n in names})

    return made


def is_leading(first, own):
    return own == first


def is_index(first, own):
    return own in ("int16", "int32", "int64") and first is not None and first.startswith("float")


def variations(entry):
    for dtype in TYPES:
        yield dtype, retyped(entry.make, entry.kind, is_leading, dtype)
    for dtype in INDEX_TYPES:
        yield "index." + dtype, retyped(entry.make, entry.kind, is_index, dtype)
    if entry.kind == "op":
        for dtype in TYPES:
            yield "dtype." + dtype, with_result(entry.make, dtype)


def entries():
    seen = set()
    for family in cases.FAMILIES:
        if family in OTHERS:
            continue
        for entry in cases.table(family):
            for change, make in variations(entry):
                label = "%s.%s" % (entry.name, change)
                if label not in seen:
                    precise = change == "float64" and entry.name.removeprefix("api_") not in COARSE
                    yield entry._replace(make=make, count=COUNT, case=label, precise=precise)
            seen.update("%s.%s" % (entry.name, change) for change, _ in variations(entry))
    for entry, change in typed_api.table():
        yield entry._replace(case="api_%s.%s" % (entry.name, change))


TABLE = list(entries())
