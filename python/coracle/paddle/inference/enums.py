# SPDX-License-Identifier: Apache-2.0
"""Paddle's enumerations, with its numbers."""

import enum


class _Named(enum.IntEnum):
    """A number whose text is its name, in all versions of Python."""

    __str__ = enum.Enum.__str__


class DataType(_Named):
    FLOAT32 = 0
    INT64 = 1
    INT32 = 2
    UINT8 = 3
    INT8 = 4
    FLOAT16 = 5
    BOOL = 6
    FLOAT64 = 7
    BFLOAT16 = 8


class PlaceType(_Named):
    UNK = -1
    CPU = 0
    GPU = 1
    XPU = 2
    CUSTOM = 4


class PrecisionType(_Named):
    Float32 = 0
    Int8 = 1
    Half = 2
    Bfloat16 = 3
