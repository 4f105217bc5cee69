# SPDX-License-Identifier: Apache-2.0
import numpy as np


def made_up_numbers(seed, count):
    """In [0, 1); those of made_up_numbers.h."""
    out = np.empty(count, np.float32)
    for i in range(count):
        seed = (seed * 1664525 + 1013904223) % 2**32
        out[i] = (seed >> 8) / 2**24
    return out
