# SPDX-License-Identifier: Apache-2.0
"""The notation of the case tables in cases/<family>.py.

A table is a list of entries. `op(type, make, ...)` describes one ProgramDesc operator: `make(r)` draws one case and
returns a dict whose tensors (or lists of tensors) are input slots and whose other values are attributes. `api(name,
make, ...)` describes a program built by Paddle's Python API: `make(r)` returns (inputs, function of (paddle, inputs)).
Draws are seeded by family, operator and index, so a case is the same on every machine.
"""

import zlib
from collections import namedtuple

import numpy as np

NUMBERS = {
    "bool": 0,
    "int16": 1,
    "int32": 2,
    "int64": 3,
    "float16": 4,
    "float32": 5,
    "float64": 6,
    "uint8": 20,
    "int8": 21,
    "bfloat16": 22,
    "complex64": 23,
    "complex128": 24,
    "float8_e4m3fn": 32,
    "float8_e5m2": 33,
}

# case: what the folders of its cases are called, where that is not the name. precise: float64 is as exact as it can be.
# eager: Paddle answers in its eager mode, as its predictor does not load the program.
FIELDS = "name make kind count out exact rtol formats hidden case precise eager"
Entry = namedtuple("Entry", FIELDS, defaults=[None, False, False])


def op(name, make, n=12, out="Out", exact=False, rtol=None, formats="program pir", hidden=""):
    """Cases of a ProgramDesc operator; with "pir" in `formats` its translation is a PIR case too.

    out, hidden: output slots that are fetched and that only exist; the keys "_out" and "_hidden" of a case
    ({slot: count}) replace and extend them. exact: values must be equal. rtol: not the default.
    """
    return Entry(name, make, "op", n, out.split(), exact, rtol, formats.split(), hidden.split())


def api(name, make, n=10, exact=False, rtol=None, formats="pir", eager=False):
    """Cases built by the Python API: in ProgramDesc by Paddle 2.6, in PIR by Paddle 3.3."""
    return Entry(name, make, "api", n, [], exact, rtol, formats.split(), [], eager=eager)


class NotHere(ValueError):
    """The entry has no case of this number: raised by `make`."""


class Codes(np.ndarray):
    """The bytes of elements of a type that NumPy does not have, as uint8; `element_type` is its name."""

    @classmethod
    def of(cls, array, element_type):
        codes = np.asarray(array, np.uint8).view(cls)
        codes.element_type = element_type
        return codes


def element_type(array):
    """Paddle's name of the type of an array's elements."""
    return getattr(array, "element_type", str(array.dtype))


class Tensor:
    """An input of a case. param: stored with the model instead of being fed. lod: offsets per level."""

    def __init__(self, array, param=False, lod=None, static=False):
        self.array, self.param, self.lod, self.static = array, param, lod, static
        self.dtype, self.shape = element_type(array), list(array.shape)
        self.unknown = []  # axes that a program of the Python API declares with an unknown size

    def fixed(self):
        """The same tensor, never declared with unknown sizes."""
        self.static = True
        return self


class Draw:
    """Random values for one case."""

    def __init__(self, key):
        self.random = np.random.RandomState(zlib.crc32(key.encode()) & 0x7FFFFFFF)
        self.index = int(key.rsplit("/", 1)[-1])

    # ---- plain values
    def pick(self, *choices):
        return choices[self.random.randint(len(choices))]

    def turn(self, *choices):
        """The choice for this case's index, so that each is met."""
        return choices[self.index % len(choices)]

    def int(self, low, high):
        return int(self.random.randint(low, high + 1))

    def num(self, low, high):
        return float(np.float32(self.random.uniform(low, high)))

    def maybe(self, chance=0.5):
        return bool(self.random.uniform() < chance)

    def dim(self, most=17):
        return int(min(most, self.pick(1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 17, 33)))

    def shape(self, low=1, high=4, elements=600, least=1):
        rank = self.int(low, high)
        while True:
            dims = [max(least, self.dim(33 if rank < 3 else 9)) for _ in range(rank)]
            if np.prod(dims, dtype=np.int64) <= elements:
                return dims

    def axis(self, rank):
        """An axis of a tensor of that rank, at times counted from the end."""
        a = self.int(0, max(rank, 1) - 1)
        return a - max(rank, 1) if self.maybe(0.4) else a

    def axes(self, rank, least=1):
        chosen = sorted(self.random.permutation(rank)[: self.int(least, rank)].tolist())
        return [int(a - rank) if self.maybe(0.3) else int(a) for a in chosen]

    def perm(self, rank):
        return [int(a) for a in self.random.permutation(rank)]

    def dtype(self, *choices):
        return self.pick(*choices)

    # ---- tensors
    def f(self, *shape, lo=-2.0, hi=2.0, dtype="float32", lod=None, param=False):
        return Tensor(self.random.uniform(lo, hi, _dims(shape)).astype(dtype), param, lod)

    def w(self, *shape, lo=-1.0, hi=1.0, dtype="float32"):
        """A weight: a parameter of the model."""
        return self.f(*shape, lo=lo, hi=hi, dtype=dtype, param=True)

    def i(self, *shape, lo=-9, hi=9, dtype="int64", lod=None, param=False):
        """Integers in lo .. hi, both included."""
        return Tensor(self.random.randint(lo, hi + 1, _dims(shape)).astype(dtype), param, lod)

    def b(self, *shape):
        return Tensor(self.random.randint(0, 2, _dims(shape)).astype("bool"))

    def any(self, shape, *dtypes, lo=-9, hi=9):
        """A tensor of one of these dtypes."""
        dtype = self.pick(*dtypes)
        if dtype == "bool":
            return self.b(shape)
        if dtype.startswith("float"):
            return self.f(shape, lo=lo / 3.0, hi=hi / 3.0, dtype=dtype)
        return self.i(shape, lo=0 if dtype == "uint8" else lo, hi=hi, dtype=dtype)

    def v(self, values, dtype="int64", param=False, lod=None):
        """These values; fed, with a declared shape that is exact."""
        return Tensor(np.array(values, dtype), param, lod, static=True)

    def distinct(self, *shape, lo=-4.0, hi=4.0, dtype="float32"):
        """Values without ties: a shuffled even spacing."""
        dims = _dims(shape)
        n = int(np.prod(dims, dtype=np.int64))
        return Tensor(self.random.permutation(np.linspace(lo, hi, max(n, 1))[:n]).astype(dtype).reshape(dims))

    def offsets(self, sequences, low=1, high=5):
        """One LoD level of that many sequences."""
        return [0] + [int(x) for x in np.cumsum(self.random.randint(low, high + 1, sequences))]

    def boxes(self, count, width=60.0, height=60.0, least=2.0, dtype="float32"):
        """Corner boxes inside an image of that size, as an array."""
        x = np.sort(self.random.uniform(0, width - least, (count, 2)), axis=1) + [0, least]
        y = np.sort(self.random.uniform(0, height - least, (count, 2)), axis=1) + [0, least]
        return np.stack([x[:, 0], y[:, 0], x[:, 1], y[:, 1]], 1).astype(dtype)

    def t(self, array, dtype=None, lod=None, param=False):
        return Tensor(np.asarray(array, dtype), param, lod)


def _dims(shape):
    return [int(d) for d in (shape[0] if len(shape) == 1 and isinstance(shape[0], (list, tuple)) else shape)]


def is_tensors(value):
    """Whether a value of a case is an input slot (and not an attribute)."""
    return isinstance(value, Tensor) or (isinstance(value, list) and value and isinstance(value[0], Tensor))
