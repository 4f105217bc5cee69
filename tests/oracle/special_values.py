# SPDX-License-Identifier: Apache-2.0
"""What Paddle answers for numbers that are not ordinary, operator by operator, and whether Coracle answers the same.

  special_values.py program --out DIR             asks Paddle 2.6 (ProgramDesc)
  special_values.py pir --out DIR                 asks Paddle 3.3 (PIR: its translation of the same programs), after it
  special_values.py coracle --out DIR             asks Coracle for both, with CORACLE_LIBRARY
  special_values.py compare --out DIR             fails where Coracle's answer is none of Paddle's, for no known reason
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
from special_operators import KNOWN, LINES, PAIRS, SINGLE, UNORDERED

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


def kinds(array):
    """0 for finite numbers, and one number for each other kind."""
    kind = np.zeros(array.shape, int)
    kind[np.isnan(array)] = 1
    kind[array == np.inf] = 2
    kind[array == -np.inf] = 3
    return kind


def difference(paddle, coracle):
    """What differs first, or nothing. Zeros may have either sign."""
    if paddle.shape != coracle.shape or paddle.dtype != coracle.dtype:
        return "%s%s, Coracle %s%s" % (paddle.dtype, paddle.shape, coracle.dtype, coracle.shape)
    if paddle.dtype.kind == "f":
        paddle, coracle = np.atleast_1d(paddle.astype(float), coracle.astype(float))
        wrong = kinds(paddle) != kinds(coracle)
        both = np.isfinite(paddle) & np.isfinite(coracle)
        largest = min(np.abs(paddle[both]).max(initial=0), 10)
        wrong[both] |= np.abs(paddle[both] - coracle[both]) > 1e-4 * np.abs(paddle[both]) + 2e-5 * largest + 1e-12
    else:
        wrong = np.atleast_1d(paddle != coracle)
    if not wrong.any():
        return None
    at = tuple(np.argwhere(wrong)[0])
    return "%d of %d, at %s %s, Coracle %s" % (wrong.sum(), wrong.size, list(map(int, at)), paddle.ravel()[wrong.ravel()][0], coracle.ravel()[wrong.ravel()][0])


def compared(name, feed):
    """Whether answers to this feed are compared. Paddle's vectors take denormal numbers for 0 in most kernels, and where
    numbers near the end of float32 overflow depends on the order of steps. Which of equal numbers is taken is not asked."""
    return "denormal" not in feed and feed != "max" and not (name in UNORDERED and feed.startswith(("all", "NaN twice")))


def ordinary_pairs(array):
    """Of all pairs those of no denormal number and none near the end of float32."""
    x, y = pair_values()
    extreme = [(np.abs(v) < 1e-38) & (v != 0) | (np.abs(v) > 1e38) & np.isfinite(v) for v in (x, y)]
    return array[~(extreme[0] | extreme[1])]


def compare(root):
    """Prints what differs; gives whether all of it is known, and all that is known differs."""
    found = set()
    count = 0
    for form in ("program", "pir"):
        for name, _, _, feeds in programs():
            paths = [os.path.join(folder_of(root, form, name), engine + ".npz") for engine in ("paddle", "coracle")]
            if not os.path.exists(paths[0]):
                continue
            if not os.path.exists(paths[1]):
                print(form, name, "has no answer of Coracle")
                found.add((form, name))
                continue
            paddle, coracle = map(np.load, paths)
            for key in paddle.files:
                if not compared(name, key.split("|")[0]):
                    continue
                count += 1
                values = paddle[key], coracle[key]
                what = difference(*(map(ordinary_pairs, values) if key.startswith("pairs") else values))
                if what:
                    found.add((form, name))
                    if not known(form, name):
                        print("%s %s, %s: %s" % (form, name, key, what))
    unknown = {each for each in found if not known(*each)}
    stale = [k for k in KNOWN if not any(k in (n, n.partition("/")[0], "%s %s" % (f, n)) for f, n in found)]
    for name in stale:
        print("%s agrees by now, but is listed as different" % name)
    print("%d answers compared, %d operators differ for known reasons, %d for none" % (count, len(found - unknown), len(unknown)))
    return not unknown and not stale


def known(form, name):
    return any(k in KNOWN for k in (name, name.partition("/")[0], "%s %s" % (form, name)))


def label(name):
    """What stands for an operator in the table."""
    kind, _, variant = name.partition("/")
    numbers = "".join(", %s %g" % (k, v) for k, v in SINGLE[name].items() if isinstance(v, float))
    return "`%s`%s" % (kind, numbers or (variant and ", " + variant))


SHOWN = ["NaN", "inf", "-inf", "-0"]


def print_table(root):
    """A line for each function of one number: Paddle's answers, and Coracle's where it gives others."""
    print("| operator | %s |" % " | ".join(SHOWN))
    print("|---|%s" % ("---|" * len(SHOWN)))
    for name in SINGLE:
        cells = []
        for key in SHOWN:
            paddle = [answer(root, form, "paddle", name, key) for form in ("program", "pir")]
            ours = answer(root, "program", "coracle", name, key)
            cell = paddle[0] if paddle[1] in (None, paddle[0]) else "%s (2.6.2), %s (3.3.1)" % tuple(paddle)
            cells.append(cell if ours in paddle else "%s; Coracle %s" % (cell, ours))
        print("| %s | %s |" % (label(name), " | ".join(cells)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["program", "pir", "coracle", "compare", "table"])
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()
    if arguments.what == "coracle":
        ask_coracle(arguments.out)
    elif arguments.what == "compare":
        sys.exit(0 if compare(arguments.out) else 1)
    elif arguments.what == "table":
        print_table(arguments.out)
    else:
        os.environ["FLAGS_enable_pir_api"] = "1" if arguments.what == "pir" else "0"
        ask_paddle(arguments.what, arguments.out)
