#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/model-table.md: each model of the reference folder, what `coracle run` computes against the recorded answers of the real
Paddle, and what `coracle predict` says against the projects' own programs. `make model-table`; needs NumPy.

    model_table.py --program build/release/coracle --shared ../shared --filled build/filled --demo-models build/demo-models [NAME ...]
"""
import argparse
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Of models with more outputs only the greatest difference is shown.
MOST_OUTPUTS = 8


def module(path):
    """A Python file of the reference folder or the tests, as a module."""
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


class Table:
    def __init__(self, arguments):
        self.program = arguments.program
        self.shared = arguments.shared.resolve()
        self.filled = arguments.filled.resolve()
        self.golden = module(self.shared / "tools" / "golden.py")

    def place(self, path):
        return self.filled / path.split("/", 1)[1] if path.startswith("filled/") else self.shared / path

    def row(self, name):
        """The cells of a model's row for its first case; None where its weights are absent."""
        folder = sorted(p for p in (self.shared / "goldens" / name).iterdir() if (p / "case.json").is_file())[0]
        case = self.golden.load_case(folder)
        model = case["model"]
        program = self.place(model.get("program") or model["params_dir"])
        options = ["--params", self.place(model["params"])] if "params" in model else []
        if any(not self.place(model[key]).exists() for key in ("params", "params_dir", "program") if key in model):
            return None
        about = json.loads(self.call("inspect", program, *options, "--json"))
        operators = sum(about["operators"].values())
        inputs = ", ".join("%s %s" % (i["dtype"], "x".join(map(str, i["shape"]))) for i in case["inputs"])
        cells = [name, about["format"], str(operators), inputs]
        with tempfile.TemporaryDirectory() as out:
            command = ["run", program, *options, "--output-dir", out]
            for i, spec in enumerate(case["inputs"]):
                path = os.path.join(out, "in%d.npy" % i)
                np.save(path, self.golden.load_input(str(folder), spec))
                command += ["--input", "%s=%s" % (spec["name"], path)]
                if spec.get("lod"):
                    command += ["--lod", "%s=%s" % (spec["name"], "/".join(",".join(map(str, level)) for level in spec["lod"]))]
            self.call(*command)
            found = [self.compared(folder, out, i, o) for i, o in enumerate(case["outputs"])]
        texts = [f[0] for f in found]
        if len(texts) > MOST_OUTPUTS:
            worst = max(found, key=lambda f: f[2])
            texts = ["%s, the greatest of %d outputs" % (worst[0], len(found))]
        return cells + ["; ".join(texts), self.verdict(found, case)]

    @staticmethod
    def verdict(found, case):
        if all(f[1] for f in found):
            return "yes"
        quantised = any(o.get("max_rms", 0) >= 0.02 for o in case["outputs"])
        return "no: simulated integers ([known.txt](../tests/models/known.txt))" if quantised else "no"

    def compared(self, folder, out, i, spec):
        """The greatest difference of an output, as text, whether it is within the tolerance that was recorded with it, and the difference
        as a part of the largest value."""
        want = np.load(folder / spec["file"])
        got = np.load(os.path.join(out, "%d.npy" % i))
        if list(got.shape) != spec["shape"] and not spec.get("rows"):
            return "shape %s" % list(got.shape), False, float("inf")
        if "sample" in spec:
            got = got.ravel()[spec["sample"]["start"] :: spec["sample"]["step"]][: want.size].reshape(want.shape)
        share = self.golden.outside(want, got, spec["atol"], spec["rtol"], spec.get("rows", False))
        well = share <= spec.get("max_outside", 0.0)
        well &= "max_rms" not in spec or self.golden.rms(want, got) <= spec["max_rms"]
        if spec.get("rows"):
            return "%d of %d boxes" % (round((1 - share) * len(want)), len(want)), well, share
        difference = self.golden.difference(want, got)
        if not want.size or "abs" not in difference:
            return "-", well, 0.0
        return "0" if difference["abs"] == 0 else "%.2g (%.1g)" % (difference["abs"], difference["peak"]), well, difference["peak"]

    def call(self, *arguments):
        done = subprocess.run([self.program, *map(str, arguments)], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip())
        return done.stdout

    def predictions(self, demo_models):
        """Rows of what `predict` says against the projects' own answers."""
        tests = module(ROOT / "tests" / "vision" / "expected_test.py")
        places = {"shared": self.shared / "models", "demo": demo_models / "models", "source": ROOT}
        path = lambda name: places[name.split("/", 1)[0]] / name.split("/", 1)[1]  # noqa: E731
        for case in json.loads((ROOT / "tests" / "vision" / "expected.json").read_text("utf-8")):
            wanted = {str(path(a["picture"])): a for a in case["answers"] if path(a["picture"]).is_file()}
            if not path(case["model"]).is_dir() or not wanted:
                continue
            options = ["--description", ROOT / "tests" / "vision" / "descriptions" / case["description"]] if case["description"] else []
            answers = [json.loads(line) for line in self.call("predict", path(case["model"]), *wanted, "--json", *options).splitlines()]
            same = sum(not tests.differs(case["task"], wanted[a["picture"]], a) for a in answers)
            yield [path(case["model"]).name, case["description"] or "inference.yml", case["task"], "%d of %d" % (same, len(wanted))]


def markdown(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


TEXT = """# Published models compared with Paddle

Made by `make model-table`. The table has the first recorded case of each model of the reference folder: its inputs, and for each output the
largest difference from the real Paddle without its passes (2.6.2 for ProgramDesc, 3.3.1 for PIR), in brackets relative to the output's
largest value. The tolerance is recorded with each case: four times the difference between Paddle's own settings, at least 2e-5 of the
largest value. Models whose programs were published without weights, and `zoo-*`, have generated weights.

%(models)d models, %(well)d within the tolerance.

%(table)s

%(left)s## Results of `predict`

The last column counts the pictures for which [`coracle predict`](predict.md) gives the same results as PaddleX's own programs with models run
by the real Paddle: the same classes, texts and boxes, and scores within 0.0002 (for text boxes 0.001).

%(predictions)s
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    for name in ("--shared", "--filled", "--demo-models"):
        parser.add_argument(name, type=pathlib.Path, required=True)
    parser.add_argument("-o", "--output", type=pathlib.Path, default=ROOT / "docs" / "model-table.md")
    parser.add_argument("models", nargs="*", help="instead of all")
    arguments = parser.parse_args()
    table = Table(arguments)
    rows, absent = [], []
    for name in arguments.models or sorted(p.name for p in (arguments.shared / "goldens").iterdir() if p.is_dir()):
        try:
            row = table.row(name)
        except RuntimeError as error:
            row = [name, "-", "-", "-", str(error).replace("|", "/").splitlines()[0], "no"]
        (absent.append(name) if row is None else rows.append(row))
        print(" | ".join(row or [name, "left out: its weights are absent"]), file=sys.stderr, flush=True)
    head = ["model", "format", "operators", "inputs", "greatest difference", "within"]
    left = "Left out, as their weights were not there: %s.\n\n" % ", ".join(absent) if absent else ""
    arguments.output.write_text(TEXT % {
        "models": len(rows), "well": sum(r[-1] == "yes" for r in rows), "table": markdown(head, rows), "left": left,
        "predictions": markdown(["model", "described by", "task", "same answers"], table.predictions(arguments.demo_models)),
    }, "utf-8")


main()
