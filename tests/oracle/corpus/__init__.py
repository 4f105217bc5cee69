# SPDX-License-Identifier: Apache-2.0
"""Functions with control flow as people write them, and the notation of their arguments.

Decorators would be compiled with a function: runs(f, arguments, arguments, ...) stands below each instead.
"""

import numpy as np

FUNCTIONS = {}  # name -> (function, runs)

_random = np.random.RandomState(7)


def F(*shape, scale=1.0):
    """float32 between -scale and scale."""
    return (_random.uniform(-scale, scale, shape)).astype("float32")


def P(*shape):
    """float32 between 0.1 and 1."""
    return _random.uniform(0.1, 1, shape).astype("float32")


def I(*values):
    """A 1-D int64 tensor."""
    return np.array(values, "int64")


def R(low, high, *shape):
    """int64, low <= value < high."""
    return _random.randint(low, high, shape).astype("int64")


def V(*values):
    """A 1-D float32 tensor."""
    return np.array(values, "float32")


def S(value):
    """A 0-D int64 tensor."""
    return np.array(value, "int64")


def B(*values):
    return np.array(values, "bool")


def runs(function, *arguments):
    """Adds a function to the corpus, with the arguments of two or more runs that take different ways through it."""
    assert function.__name__ not in FUNCTIONS and len(arguments) >= 2, function.__name__
    FUNCTIONS[function.__name__] = (function, arguments)


MODULES = ("branches", "decoding", "exits", "layers", "lists", "loops", "untyped")
