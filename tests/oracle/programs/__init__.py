# SPDX-License-Identifier: Apache-2.0
"""Random programs: what they are made of (writer.py, the tables), Paddle's side (build.py, answers.py), Coracle's
(engine.py), and the search for the smallest program that fails (reduce.py)."""

import importlib

from notation import Draw

# Each family draws from the tables of its own module and from those named here.
FAMILIES = {
    "dense": [],
    "image": ["dense"],
    "attention": ["dense"],
    "data": ["dense"],
    "control": ["dense", "data"],
    "sequence": ["dense"],
    "mixed": ["dense", "image", "attention", "data", "control", "sequence"],
}
# What Paddle makes of a program: a ProgramDesc (2.6), its translation to PIR, or PIR by the Python API (3.3).
FORMS = {
    "program": list(FAMILIES),
    "translated": list(FAMILIES),
    "native": [f for f in FAMILIES if f not in ("sequence", "mixed")],
}


def write(family, seed, form):
    """The random program of that family, seed and form."""
    from programs.writer import Writer

    names = [family] * (family != "mixed") + FAMILIES[family]
    tables = [importlib.import_module("programs." + name) for name in names]
    writer = Writer(Draw("%s/%d" % (family, seed)), form)
    return writer.write(tables)
