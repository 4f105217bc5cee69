# SPDX-License-Identifier: Apache-2.0
"""Exports the functions of corpus/ with the Paddle that runs this script, and records what its predictor gives.

  export_corpus.py --out DIR [NAME ...]

Each run of a function becomes a case in DIR/corpus (generate.py says what is in one): ProgramDesc with Paddle 2.6, PIR
with Paddle 3.3. What this Paddle cannot export or run is listed with the reason in DIR/corpus/dropped.txt.
"""

import argparse
import importlib
import inspect
import json
import os
import shutil
import tempfile

import numpy as np
import paddle

import corpus
import modelio

PIR = int(paddle.__version__.split(".")[0]) >= 3
ATOL, RTOL = 2e-5, 1e-4


def specs(function, runs):
    """One InputSpec for each argument; dimensions that differ between runs are free."""
    names = [p for p in inspect.signature(function).parameters if p != "self"]
    result = []
    for name, arrays in zip(names, zip(*runs)):
        dims = [sizes[0] if len(set(sizes)) == 1 else None for sizes in zip(*(a.shape for a in arrays))]
        result.append(paddle.static.InputSpec(dims, str(arrays[0].dtype), name))
    return names, result


def strip_call_stacks(path):
    """Takes out where in Python each operator was made, most of a ProgramDesc."""
    from paddle.base.proto import framework_pb2

    program = framework_pb2.ProgramDesc()
    with open(path, "rb") as f:
        program.ParseFromString(f.read())
    for block in program.blocks:
        for op in block.ops:
            kept = [a for a in op.attrs if a.name not in ("op_callstack", "op_namescope", "op_device", "op_role_var")]
            del op.attrs[:]
            op.attrs.extend(kept)
    with open(path, "wb") as f:
        f.write(program.SerializeToString())


def export(function, runs, folder):
    """Saves the model; returns (model file, parameter file or None, names of the arguments)."""
    layer = function() if inspect.isclass(function) else None
    names, spec = specs(function.forward if layer else function, runs)
    static = paddle.jit.to_static(layer or function, input_spec=spec, full_graph=True)
    if layer:
        static.eval()
    path = os.path.join(folder, "model")
    paddle.jit.save(static, path)
    if PIR:
        modelio.compact_json(path + ".json")
    else:
        strip_call_stacks(path + ".pdmodel")
    params = path + ".pdiparams"
    if not os.path.exists(params) or os.path.getsize(params) == 0:
        params = None
    return path + (".json" if PIR else ".pdmodel"), params, names


def record(name, number, model, params, feeds, results, out):
    folder = os.path.join(out, "%s-%d" % (name, number))
    os.makedirs(folder)
    files = [shutil.copy(f, folder) for f in (model, params) if f]
    case = {"op": name, "model": os.path.basename(files[0])}
    if params:
        case["params"] = os.path.basename(files[1])
    case["inputs"] = modelio.input_files(folder, feeds)
    case["outputs"] = []
    for i, (_, array, lod) in enumerate(results):
        file = "out%d.npy" % i
        np.save(os.path.join(folder, file), np.asarray(array, order="C"))
        exact = array.dtype.kind != "f"
        largest = float(np.abs(array).max()) if array.size and not exact else 0.0
        spec = {"file": file, "atol": 0.0 if exact else ATOL * max(1.0, largest), "rtol": 0.0 if exact else RTOL}
        if lod:
            spec["lod"] = lod
        case["outputs"].append(spec)
    with open(os.path.join(folder, "case.json"), "w", encoding="utf-8") as f:
        json.dump(case, f)


def make_cases(name, out):
    """The runs of one function as cases; returns why it has none, or nothing."""
    function, runs = corpus.FUNCTIONS[name]
    with tempfile.TemporaryDirectory() as work:
        try:
            model, params, arguments = export(function, runs, work)
            answers = []
            for run in runs:
                feeds = {a: (array, []) for a, array in zip(arguments, run)}
                answers.append((feeds, modelio.Runner(model, params, PIR).run(feeds)))
            for number, (feeds, results) in enumerate(answers):
                record(name, number, model, params, feeds, results, out)
        except Exception as error:  # pylint: disable=broad-except
            lines = [line.strip() for line in str(error).splitlines() if line.strip()]
            return "%s: %s" % (type(error).__name__, " | ".join(lines[-2:])[:300])
    return ""


def make_in_child(name, out):
    """make_cases in a process of its own: some programs end the one that exports or runs them."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        with os.fdopen(write, "w", encoding="utf-8") as f:
            f.write(make_cases(name, out))
        os._exit(0)
    os.close(write)
    with os.fdopen(read, encoding="utf-8") as f:
        reason = f.read()
    _, status = os.waitpid(child, 0)
    return reason or ("the process ended with status %d" % status if status else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    for module in corpus.MODULES:
        importlib.import_module("corpus." + module)
    out = os.path.join(arguments.out, "corpus")
    os.makedirs(out, exist_ok=True)
    names = arguments.names or list(corpus.FUNCTIONS)
    for name in names:
        for number in range(len(corpus.FUNCTIONS[name][1])):
            shutil.rmtree(os.path.join(out, "%s-%d" % (name, number)), ignore_errors=True)
    dropped = {name: reason for name in names if (reason := make_in_child(name, out))}
    with open(os.path.join(out, "dropped.txt"), "w", encoding="utf-8") as f:
        f.write("".join("%s: %s\n" % item for item in dropped.items()))
    print("%d functions exported and run, %d not (dropped.txt)" % (len(names) - len(dropped), len(dropped)))


if __name__ == "__main__":
    main()
