# SPDX-License-Identifier: Apache-2.0
"""What Paddle answers for numbers that are not ordinary, operator by operator, and whether Coracle answers the same.

  special_values.py program --out DIR             asks Paddle 2.6 (ProgramDesc)
  special_values.py pir --out DIR                 asks Paddle 3.3 (PIR: its translation of the same programs), after it
  special_values.py coracle --out DIR             asks Coracle for both, with CORACLE_LIBRARY
  special_values.py table --out DIR               the table of docs/special-values.md, on standard output

Functions of one number get lines of 19 equal numbers: whole vectors and a rest, which Paddle may treat differently.
Functions of two numbers get all pairs. What looks at a line gets a line with one special number, at each place.
"""

import argparse
import json
import os
import sys

import numpy as np

from notation import op
from special_operators import LINES, PAIRS, SINGLE

SIZE = 19
DENORMAL = np.float32(1e-40)
VALUES = {
    "NaN": np.nan,
    "inf": np.inf,
    "-inf": -np.inf,
    "-0": -0.0,
    "denormal": DENORMAL,
    "-denormal": -DENORMAL,
    "max": np.finfo(np.float32).max,
}


def single_inputs():
    return {name: np.full(SIZE, value, np.float32) for name, value in VALUES.items()}


def pair_values():
    numbers = list(VALUES.values()) + [0.0, 1.0, -2.5]
    x, y = np.meshgrid(np.array(numbers, np.float32), np.array(numbers, np.float32), indexing="ij")
    return np.repeat(x.ravel(), SIZE), np.repeat(y.ravel(), SIZE)


def line_inputs(size=SIZE):
    """{name: lines}, a line for each place of the special number among ordinary ones."""
    ordinary = np.random.RandomState(5).permutation(np.linspace(-2, 3, size)).astype(np.float32)
    lines = {}
    for name, value in VALUES.items():
        x = np.tile(ordinary, (size, 1))
        np.fill_diagonal(x, value)
        lines[name] = x
    lines["NaN twice"] = lines["NaN"].copy()
    for row in range(size):
        lines["NaN twice"][row, (row + 3) % size] = np.nan
    for name in ("NaN", "inf", "-inf", "-0"):
        lines["all " + name] = np.full((size, size), VALUES[name], np.float32)
    lines["inf and -inf"] = lines["inf"].copy()
    for row in range(size):
        lines["inf and -inf"][row, (row + 5) % size] = -np.inf
    return lines


def programs():
    """(name, entry, case of any size, {input name: feeds})"""
    from notation import Tensor

    for name, attributes in SINGLE.items():
        x = Tensor(np.zeros(SIZE, np.float32))
        feeds = {n: {"X": (v, None)} for n, v in single_inputs().items()}
        yield name, op(name.partition("/")[0], None), dict(X=x, **attributes), feeds
    for name, attributes in PAIRS.items():
        x, y = pair_values()
        case = dict(X=Tensor(x), Y=Tensor(y), **attributes)
        yield name, op(name.partition("/")[0], None), case, {"pairs": {"X": (x, None), "Y": (y, None)}}
    for name, entry in LINES.items():
        make, out, hidden = entry
        feeds = {}
        case = None
        for key, lines in line_inputs().items():
            case = make(lines)
            feeds[key] = {k: (v.array, v.lod) for k, v in case.items() if isinstance(v, Tensor) and not v.param}
        yield name, op(name.partition("/")[0], None, out=out, hidden=hidden), case, feeds


def folder_of(root, form, name):
    return os.path.join(root, form, name.replace("/", "-"))


def ask_paddle(form, root):
    import paddle

    from modelio import Runner, write_params

    paddle.enable_static()
    if form == "program":
        import program_format
    else:
        import pir_format
    refused = {}
    for name, entry, case, feeds in programs():
        folder = folder_of(root, form, name)
        os.makedirs(folder, exist_ok=True)
        try:
            source = folder_of(root, "program", name)
            params = os.path.join(source, "model.pdiparams")
            if form == "program":
                built = program_format.build_op(entry, case, False)
                if built.params:
                    write_params(params, built.params)
                model = os.path.join(folder, "model.pdmodel")
                with open(model, "wb") as f:
                    f.write(built.bytes())
            else:
                model = os.path.join(folder, "model.json")
                with open(os.path.join(source, "model.pdmodel"), "rb") as f:
                    pir_format.translate(f.read(), model)
            runner = Runner(model, params if os.path.exists(params) else None, form == "pir")
            answers = {}
            types = None
            for key, values in feeds.items():
                results = runner.run(values)
                types = [array for _, array, _ in results]
                for i, (_, array, _) in enumerate(results):
                    answers["%s|%d" % (key, i)] = array
            if form == "program" and built.set_output_types(types):
                with open(model, "wb") as f:
                    f.write(built.bytes())
            np.savez(os.path.join(folder, "paddle.npz"), **answers)
        except Exception as error:
            lines = [l.strip() for l in str(error).splitlines() if l.strip()]
            refused[name] = (([l for l in lines if "Error:" in l] or lines[-1:] or ["?"])[0])[:200]
    for name, why in refused.items():
        print("refused", form, name, why, flush=True)


def ask_coracle(root):
    import coracle

    for form, file in (("program", "model.pdmodel"), ("pir", "model.json")):
        for name, _, _, feeds in programs():
            folder = folder_of(root, form, name)
            if not os.path.exists(os.path.join(folder, "paddle.npz")):
                continue
            params = os.path.join(folder_of(root, "program", name), "model.pdiparams")
            try:
                model = coracle.load(os.path.join(folder, file), params=params if os.path.exists(params) else None)
                answers = {}
                session = model.session() if hasattr(model, "session") else model
                for key, values in feeds.items():
                    lod = {n: offsets for n, (_, offsets) in values.items() if offsets}
                    results = session.run({n: v for n, (v, _) in values.items()}, lod=lod or None)
                    for i, array in enumerate(results.values() if isinstance(results, dict) else results):
                        answers["%s|%d" % (key, i)] = np.asarray(array)
                np.savez(os.path.join(folder, "coracle.npz"), **answers)
            except Exception as error:
                print("coracle refuses", form, name, str(error)[:300])


def written(array):
    """The different numbers of a result in few digits, in the order of their places."""
    texts = []
    for value in np.asarray(array).ravel().tolist():
        text = "NaN" if value != value else "%.4g" % value if isinstance(value, float) else str(value)
        if text not in texts:
            texts.append(text)
    return ", ".join(texts)


def answer(root, form, engine, name, key):
    path = os.path.join(folder_of(root, form, name), engine + ".npz")
    return written(np.load(path)[key + "|0"]) if os.path.exists(path) else None


def print_table(root):
    """A line for each function of one number: Paddle's answers, and Coracle's where it gives others."""
    shown = ["NaN", "inf", "-inf", "-0"]
    print("| operator | %s |" % " | ".join(shown))
    print("|---|%s" % ("---|" * len(shown)))
    for name, attributes in SINGLE.items():
        cells = []
        for key in shown:
            paddle = [answer(root, form, "paddle", name, key) for form in ("program", "pir")]
            ours = answer(root, "program", "coracle", name, key)
            cell = paddle[0] if paddle[1] in (None, paddle[0]) else "%s (2.6.2), %s (3.3.1)" % tuple(paddle)
            cells.append(cell if ours in paddle else "%s; Coracle %s" % (cell, ours))
        numbers = "".join(", %s %g" % (k, v) for k, v in attributes.items() if isinstance(v, float))
        kind, _, variant = name.partition("/")
        print("| `%s`%s | %s |" % (kind, numbers or (variant and ", " + variant), " | ".join(cells)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["program", "pir", "coracle", "table"])
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()
    if arguments.what == "coracle":
        ask_coracle(arguments.out)
    elif arguments.what == "table":
        print_table(arguments.out)
    else:
        os.environ["FLAGS_enable_pir_api"] = "1" if arguments.what == "pir" else "0"
        ask_paddle(arguments.what, arguments.out)
