# SPDX-License-Identifier: Apache-2.0
"""Writes random programs as plain data.

A program is a dict of what JSON can hold and arrays:
  inputs     [{name, dtype, dims, lod_level}]  dims: -1 where runs differ
  params     {name: array}
  body       statements, in order
  fetch      names of results
  runs       [{input name: (array, lod)}]      each with other sizes and offsets

Statements:
  {call: "f.relu(x)", in: {x: name}, out: [name]}                    an expression of the Python API
  {op: type, in: {slot: [name]}, out: {slot: [name]}, at: {attribute: value}, dtype: {name: dtype}}
  {if: name, then: statements, else: statements, results: [names, names], out: [name]}
  {while: [initial], limit: name, names: [name], body: statements, next: [name], out: [name]}

While it is written, a value has a dtype, dims (numbers, or symbols for sizes that only a run knows: equal symbols are
equal sizes), a symbol for its sequence offsets, and a bound on its magnitude, so that numbers stay moderate.
"""

import re
from collections import namedtuple

import numpy as np

Value = namedtuple("Value", "name dtype dims lod size")
Rule = namedtuple("Rule", "takes write weight forms")

ALL = ("program", "translated", "native")
OPERATORS = ("program", "translated")  # forms that can have operators as they are
PROGRAM = ("program",)  # ... operators that Paddle 3.3 cannot translate

LARGE = 30.0  # values that may be larger are squashed before anything else
RUNS = 2
MOST_FETCHED = 6
DEPTH = 3


def rule(*takes, weight=1.0, forms=ALL):
    """Makes a function of (writer, values...) a row of a table. It may do nothing if the values do not suit it.
    forms: of programs that can have what it writes."""
    return lambda write: Rule(takes, write, weight, forms)


def rules(module):
    """The table of a module: its rules."""
    return [value for value in module.values() if isinstance(value, Rule)]


def real(low=1, high=4, **more):
    return lambda v: v.dtype in ("float32", "float64") and low <= len(v.dims) <= high and _is(v, **more)


def float32(low=1, high=4, **more):
    return lambda v: v.dtype == "float32" and low <= len(v.dims) <= high and _is(v, **more)


def whole(low=1, high=4, **more):
    return lambda v: v.dtype in ("int32", "int64") and low <= len(v.dims) <= high and _is(v, **more)


def boolean(low=1, high=4):
    return lambda v: v.dtype == "bool" and low <= len(v.dims) <= high


def _is(v, lod=None, static=()):
    """lod: whether it has sequence offsets; static: axes whose size must be known."""
    return (lod is None or lod == (v.lod is not None)) and all(isinstance(v.dims[axis], int) for axis in static)


class Writer:
    def __init__(self, draw, form):
        self.r, self.form = draw, form
        self.inputs, self.params, self.body, self.values = [], {}, [], []
        self.least, self.kinds, self.offsets = {}, {}, {}
        self.count, self.depth = 0, 0
        self.tables = []

    # ---- names and sizes
    def fresh(self, prefix="v"):
        self.count += 1
        return "%s%d" % (prefix, self.count)

    def symbol(self, least=1, kind="any"):
        """A size that each run draws anew; `kind` says among which ones."""
        name = self.fresh("n")
        self.least[name], self.kinds[name] = least, kind
        return name

    def derived(self, text, least):
        """A size computed from others, the same symbol for the same text."""
        self.least[text] = least
        return text

    def at_least(self, dim):
        return dim if isinstance(dim, int) else self.least.get(dim, 0)

    # ---- statements
    def value(self, dtype, dims, lod=None, size=1.0):
        return Value(self.fresh(), dtype, tuple(dims), lod, size)

    def add(self, values):
        self.values += values
        return values[0] if len(values) == 1 else values

    def call(self, text, operands, *outs):
        """An expression; operands: {letter: value}, outs: (dtype, dims, lod, size)."""
        values = [self.value(*out) for out in outs]
        names = {k: v if isinstance(v, str) else v.name for k, v in operands.items()}
        self.body.append({"call": text, "in": names, "out": [v.name for v in values]})
        return self.add(values)

    def operator(self, kind, slots, outs, attributes=None, hidden=""):
        """An operator as it is: slots {slot: value(s)}, outs {slot: (dtype, dims, lod, size)}."""
        values = {slot: self.value(*out) for slot, out in outs.items()}
        out = {slot: [v.name] for slot, v in values.items()}
        dtypes = {v.name: v.dtype for v in values.values()}
        for slot in hidden.split():
            out[slot] = [self.fresh("h")]
            dtypes[out[slot][0]] = "float32"
        named = {
            s: [x if isinstance(x, str) else x.name for x in (v if isinstance(v, list) else [v])]
            for s, v in slots.items()
        }
        self.body.append({"op": kind, "in": named, "out": out, "at": attributes or {}, "dtype": dtypes})
        return self.add(list(values.values()))

    def param(self, *shape, lo=None, hi=None, dtype="float32"):
        """A weight; by default of a magnitude that keeps that of a product."""
        name = self.fresh("w")
        scale = 1.2 / max(1.0, float(np.prod(shape[:-1]))) ** 0.5 if len(shape) > 1 else 0.5
        low, high = (-scale if lo is None else lo), (scale if hi is None else hi)
        if dtype.startswith("int"):
            self.params[name] = self.r.random.randint(low, high + 1, shape).astype(dtype)
        else:
            self.params[name] = self.r.random.uniform(low, high, shape).astype(dtype)
        return name

    def input(self, dtype, dims, lod=None, lo=-2.0, hi=2.0):
        value = self.value(dtype, dims, lod, max(abs(lo), abs(hi)))
        self.inputs.append((value, lo, hi))
        return self.add([value])

    def sequences(self, group=None):
        """A symbol of sequence offsets, that of the rows they divide, and that of the number of sequences, which all
        those of a group share."""
        group = group or self.fresh("lod")
        lod = "%s/%s" % (group, self.fresh("l"))
        rows = self.derived("rows(%s)" % lod, 1)
        self.offsets[lod] = rows
        return lod, rows, self.derived("count(%s)" % group, 1)

    # ---- choosing
    def choose(self, takes):
        """Values for the operands of a rule, later ones with a better chance; None if some operand has none."""
        chosen = []
        for take in takes:
            fitting = [v for v in self.values if take(v)]
            if not fitting:
                return None
            weights = np.arange(1, len(fitting) + 1, dtype=np.float64) ** 1.5
            chosen.append(fitting[self.r.random.choice(len(fitting), p=weights / weights.sum())])
        return chosen

    def like(self, value):
        """Another value of the same dtype and dims, or itself."""
        same = [v for v in self.values if (v.dtype, v.dims) == (value.dtype, value.dims) and v.name != value.name]
        return self.r.pick(*same) if same else value

    def step(self):
        """Writes what one random rule says."""
        table = [rule for t in self.tables for rule in t if self.form in rule.forms]
        weights = np.array([rule.weight for rule in table])
        row = table[self.r.random.choice(len(table), p=weights / weights.sum())]
        operands = self.chosen(row)
        if operands is not None:
            row.write(self, *operands)

    def chosen(self, row):
        operands = self.choose(row.takes)
        if operands is None:
            return None
        return [self.small(v) for v in operands]

    def small(self, v):
        if v.dtype in ("float32", "float64") and v.size > LARGE:
            return self.call(
                self.r.pick("p.tanh(x)", "f.sigmoid(x)", "f.softsign(x)"), {"x": v}, (v.dtype, v.dims, v.lod, 1.0)
            )
        return v

    def inside(self, count, extra, finish):
        """(statements, what finish() returns) of an inner block that sees the values `extra` as well."""
        body, values = self.body, self.values
        self.body, self.values, self.depth = [], values + list(extra), self.depth + 1
        for _ in range(count):
            self.step()
        result = finish(self.values[len(values) + len(extra) :])
        inner = self.body
        self.body, self.values, self.depth = body, values, self.depth - 1
        return inner, result

    # ---- the whole
    def write(self, tables):
        weights = [t.WEIGHT if hasattr(t, "WEIGHT") else 1.0 for t in tables]
        self.tables = [
            [rule._replace(weight=rule.weight * weight / len(t.TABLE)) for rule in t.TABLE]
            for t, weight in zip(tables, weights)
        ]
        for table in tables:
            table.start(self)
        length = self.r.int(5, 40)
        for _ in range(8 * length):
            if len(self.body) >= length:
                break
            self.step()
        runs = [self.feeds() for _ in range(RUNS)]
        inputs = [
            {
                "name": v.name,
                "dtype": v.dtype,
                "dims": [d if isinstance(d, int) else -1 for d in v.dims],
                "lod_level": int(v.lod is not None),
            }
            for v, _, _ in self.inputs
        ]
        return prune(
            {"inputs": inputs, "params": self.params, "body": self.body, "fetch": self.fetched(), "runs": runs}
        )

    def fetched(self):
        """Results that nothing reads, the last ones first."""
        read, made = set(), []
        for s in self.body:
            read |= names_read(s)
            made += names_made(s)
        known = {v.name for v in self.values if v.dtype != "array"}
        free = [n for n in dict.fromkeys(reversed(made)) if n in known and n not in read]
        return free[:MOST_FETCHED]

    def array(self, v, dims, lo, hi):
        if v.dtype == "bool":
            return self.r.b(dims).array
        draw = self.r.f if v.dtype.startswith("float") else self.r.i
        return draw(dims, lo=lo, hi=hi, dtype=v.dtype).array

    def feeds(self):
        """Inputs of one run: a size for each symbol, then values."""
        sizes = {}
        for name, kind in self.kinds.items():
            choices = {"any": (1, 2, 3, 4, 5, 7, 8, 9), "image": tuple(range(5, 24)), "few": (1, 2, 3)}[kind]
            sizes[name] = max(self.least[name], self.r.pick(*choices))
        lods = {}
        for lod, rows in self.offsets.items():
            count = sizes.setdefault("count(%s)" % lod.split("/")[0], self.r.int(1, 4))
            lods[lod] = self.r.offsets(count, 1, 6)
            sizes[rows] = lods[lod][-1]
        feeds = {}
        for v, lo, hi in self.inputs:
            dims = [d if isinstance(d, int) else sizes[d] for d in v.dims]
            array = self.array(v, dims, lo, hi)
            feeds[v.name] = (array, [lods[v.lod]] if v.lod else None)
        return feeds


# ---- reading statements
def labels(body):
    """What the statements of a program are, without numbers."""
    found = []
    for s in body:
        if "call" in s:
            found.append(re.sub(r"[-\d.]+", "", s["call"]))
        elif "op" in s:
            found.append(s["op"])
        elif "if" in s:
            found += ["if"] + labels(s["then"]) + labels(s["else"])
        else:
            found += ["while"] + labels(s["body"])
    return found


def names_read(s):
    """Names that a statement takes from outside of it."""
    if "call" in s:
        return set(s["in"].values())
    if "op" in s:
        return {n for names in s["in"].values() for n in names}
    if "if" in s:
        inner = {s["if"]}
        for body, results in zip((s["then"], s["else"]), s["results"]):
            inner |= free_names(body, results)
        return inner
    return set(s["while"]) | {s["limit"]} | (free_names(s["body"], s["next"]) - set(s["names"]))


def names_made(s):
    if "op" in s:
        return [n for names in s["out"].values() for n in names]
    return list(s["out"])


def free_names(body, results):
    """Names that statements and results need and that the statements do not make first."""
    made, read = set(), set()
    for s in body:
        read |= names_read(s) - made
        made |= set(names_made(s))
    return read | (set(results) - made)


def prune(program):
    """The program without what its results do not need."""
    needed, body = set(program["fetch"]), []
    for s in reversed(program["body"]):
        made = set(names_made(s))
        if made & needed:
            body.append(s)
            needed = (needed - made) | names_read(s)
    inputs = [i for i in program["inputs"] if i["name"] in needed]
    return {
        "inputs": inputs,
        "params": {name: array for name, array in program["params"].items() if name in needed},
        "body": body[::-1],
        "fetch": program["fetch"],
        "runs": [{i["name"]: run[i["name"]] for i in inputs} for run in program["runs"]],
    }
