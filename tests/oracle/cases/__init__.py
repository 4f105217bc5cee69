# SPDX-License-Identifier: Apache-2.0
"""The case tables, one file per family of operators."""

import importlib

FAMILIES = [
    "elementwise",
    "activation",
    "shape",
    "movement",
    "reduce",
    "matmul",
    "conv_pool",
    "norm",
    "creation",
    "index",
    "logic",
    "interp",
    "rnn",
    "quantize",
    "detection",
    "sequence",
    "loss",
    "algebra",
    "fused",
    "special",
    "control",
    "native",
    "edges",
    "offsets",
    "ranked",
    "fluid",
    "types",
    "float8",
]


def table(family):
    return importlib.import_module("cases." + family).TABLE
