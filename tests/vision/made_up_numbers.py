# SPDX-License-Identifier: Apache-2.0
import numpy as np


def made_up_numbers(seed, count):
    """In [0, 1); those of made_up_numbers.h."""
    out = np.empty(count, np.float32)
    for i in range(count):
        seed = (seed * 1664525 + 1013904223) % 2**32
        out[i] = (seed >> 8) / 2**24
    return out


def fnv(values):
    """A hash of whole numbers (FNV-1a, a number at a time), as hexadecimal digits; the tests have it too."""
    total = 0xCBF29CE484222325
    for value in values.reshape(-1).tolist():
        total = ((total ^ value) * 0x100000001B3) % 2**64
    return "%016x" % total
