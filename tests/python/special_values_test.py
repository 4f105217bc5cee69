# SPDX-License-Identifier: Apache-2.0
"""The table of docs/special-values.md says of functions of one number what they answer here."""
import pathlib
import re
import sys

import program_file
import pytest

import coracle

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "oracle"))
from special_operators import SINGLE  # noqa: E402
from special_values import SHOWN, label, single_inputs, written  # noqa: E402

TYPES = {0: "bool", 2: "int32", 3: "int64", 4: "float16", 6: "float64", 20: "uint8"}


def rows():
    """{what stands for the operator: cells}"""
    text = (ROOT / "docs" / "special-values.md").read_text("utf-8")
    table = text[text.index("## Functions of one number"):text.index("## Functions of two numbers")]
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if line.startswith("| `")]
    return {line[0]: line[1:] for line in lines}


def answered(cell):
    """What Coracle answers, as the cell says it: its own answer, or one of Paddle's."""
    if "; Coracle " in cell:
        return [cell.split("; Coracle ")[1]]
    return re.split(r" [(]2[.]6[.]2[)], ", cell.removesuffix(" (3.3.1)"))


@pytest.mark.parametrize("name", SINGLE)
def test_the_table_is_true(name):
    kind = name.partition("/")[0]
    dtype = TYPES[SINGLE[name]["out_dtype"]] if kind == "cast" else \
        "bool" if kind in ("isnan_v2", "isinf_v2", "isfinite_v2", "logical_not") else "float32"
    operator = program_file.operator(kind, {"X": ["x"]}, {"Out": ["y"]}, SINGLE[name])
    program = program_file.model([("x", "float32", (-1,))], [operator], [("y", dtype, (-1,))])
    session = coracle.load_memory(*program).session(threads=1)
    inputs = single_inputs()
    cells = rows()[label(name)]
    for key, cell in zip(SHOWN, cells, strict=True):
        (result,) = session.run({"x": inputs[key]}).values()
        assert written(result) in answered(cell), f"{name} of {key}"


def test_the_table_has_no_other_operators():
    assert list(rows()) == [label(name) for name in SINGLE]
