#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lets Paddle Lite's opt write models, and compares what Paddle Lite and Coracle answer to them.

  build/paddle-lite-venv/bin/python tests/oracle/paddle_lite.py MODEL... [--options x86,arm,x86:QUANT_INT8]

MODEL is a .pdmodel beside its .pdiparams. Paddle Lite runs files for x86; those for other targets are compared with the answers
of Coracle to the model that opt was given. Exit code 1: some differ."""
import argparse
import os
import subprocess
import sys
import tempfile

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def write(model, options, out):
    """In a process of its own, which opt may end."""
    from paddlelite.lite import Opt
    target, _, quantised = options.partition(":")
    opt = Opt()
    opt.set_model_file(model)
    opt.set_param_file(model[: -len(".pdmodel")] + ".pdiparams")
    opt.set_valid_places(target)
    opt.set_model_type("naive_buffer")
    opt.set_optimize_out(out)
    if quantised == "fp16":
        opt.enable_fp16()
    elif quantised:
        opt.set_quant_model(True)
        opt.set_quant_type(quantised)
    opt.run()


def answer(nb, inputs, out):
    """In a process of its own, which Paddle Lite may end."""
    from paddlelite.lite import MobileConfig, create_paddle_predictor
    config = MobileConfig()
    config.set_model_from_file(nb)
    predictor = create_paddle_predictor(config)
    given = np.load(inputs)
    for i, name in enumerate(predictor.get_input_names()):
        predictor.get_input(i).from_numpy(given[name])
    predictor.run()
    results = [predictor.get_output(i).numpy() for i in range(len(predictor.get_output_names()))]
    np.savez(out, *results)


def alone(*arguments):
    return subprocess.run([sys.executable, __file__, *arguments], capture_output=True, check=False).returncode == 0


def made_up(model):
    """Inputs of the declared sizes; free ones are small."""
    random = np.random.default_rng(1)
    inputs = {}
    for tensor in model.inputs:
        rank = len(tensor.shape)
        shape = [d or (1 if i == 0 else 64 if rank == 4 and i > 1 else 8) for i, d in enumerate(tensor.shape)]
        dtype = np.dtype(str(tensor.dtype))
        values = random.standard_normal(shape) if dtype.kind == "f" else random.integers(1, 4, shape)
        inputs[tensor.name] = values.astype(dtype)
    return inputs


def difference(expected, got):
    """The greatest of all results, relative to their largest magnitudes."""
    if [r.shape for r in expected] != [r.shape for r in got]:
        return float("inf")
    parts = [np.abs(e.astype("f8") - g.astype("f8")).max() / (np.abs(e).max() + 1e-9) for e, g in zip(expected, got) if e.size]
    return max(parts, default=0.0)


def compare(path, options, folder):
    """A line about one file, and whether its answers are right."""
    import coracle
    nb = os.path.join(folder, "model")
    if not alone("--write", path, options, nb):
        return "opt does not write it", True
    original = coracle.load(path)
    inputs = made_up(original)
    model = coracle.load(nb + ".nb")
    results = model(inputs)
    got = [results[i] for i in range(len(model.outputs))]
    np.savez(os.path.join(folder, "inputs.npz"), **inputs)
    answers = os.path.join(folder, "answers.npz")
    if options.startswith("x86") and alone("--answer", nb + ".nb", os.path.join(folder, "inputs.npz"), answers):
        with np.load(answers) as stored:
            expected, by, limit = [stored[k] for k in stored.files], "Paddle Lite", 2e-4
        if any(not np.isfinite(e).all() for e in expected):
            return "Paddle Lite's answers are not finite", True
    else:
        results = original(inputs)
        expected, by = [results[i] for i in range(len(original.outputs))], "the model that opt was given"
        limit = 0.2 if "QUANT_INT8" in options else 2e-3
    worst = difference(expected, got)
    return f"{worst:.1e} from {by}", worst <= limit


def main():
    if sys.argv[1:2] == ["--write"]:
        return write(*sys.argv[2:])
    if sys.argv[1:2] == ["--answer"]:
        return answer(*sys.argv[2:])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+")
    parser.add_argument("--options", default="x86,arm,arm:fp16,x86:QUANT_INT8,x86:QUANT_INT16")
    arguments = parser.parse_args()
    sys.path.insert(0, os.path.join(ROOT, "python"))
    os.environ.setdefault("CORACLE_LIBRARY", os.path.join(ROOT, "build/release/libcoracle.so"))
    wrong = 0
    for path in arguments.models:
        for options in arguments.options.split(","):
            with tempfile.TemporaryDirectory() as folder:
                line, right = compare(path, options, folder)
            wrong += not right
            print(f"{'' if right else 'WRONG '}{path} {options}: {line}", flush=True)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
