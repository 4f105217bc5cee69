#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles tests/paddle/custom_operators/kinds.cc for the real Paddle 3.3, saves models with its operators in both formats, and compares what
Paddle answers with what Coracle does, whose library of the same source is LIBRARY.

  PADDLE_PYTHON tests/oracle/custom_operators.py --library build/release/tests/paddle/custom_operators.so --python PYTHON

PYTHON is an interpreter that imports coracle. Needs g++ and the headers of Python. Exit code 1: some answer differs."""
import argparse
import os
import pathlib
import subprocess
import sys
import sysconfig
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
ATTRIBUTES = {"twice": True, "shift": 3, "wide": 40, "scale": 0.5, "mode": "sum", "sizes": [1, 2], "ratios": [0.25, 0.5], "wides": [7],
              "names": ["a", "b"]}
X, Y = [1, -2, 3, -4], [2, 1, 0, 5]

ANSWERS = """
import sys
import numpy as np, coracle
library, folder = sys.argv[1:]
coracle.load_operators(library)
x, y = (np.array(each, np.float32) for each in (%r, %r))
for model, name in (("pir.json", "pir"), ("program.pdmodel", "program")):
    got, want = list(coracle.load(folder + "/" + model)(x, y).values()), list(np.load(folder + "/" + name + ".npz").values())
    same = len(got) == len(want) and all(np.array_equal(g, w) and g.dtype == w.dtype for g, w in zip(got, want))
    print("%%s: %%d results, %%s" %% (model, len(got), "equal" if same else "DIFFERENT: %%s, Paddle %%s" %% (got, want)))
    if not same:
        sys.exit(1)
""" % (X, Y)


def compiled(folder):
    import paddle
    package = pathlib.Path(paddle.__file__).parent
    out = folder / "kinds.so"
    subprocess.run(["g++", "-std=c++17", "-O1", "-w", "-fPIC", "-shared", "-DPADDLE_WITH_CUSTOM_KERNEL", "-I%s" % (package / "include"),
                    "-I%s" % (package / "include/third_party"), "-I%s" % sysconfig.get_paths()["include"],
                    str(ROOT / "tests/paddle/custom_operators/kinds.cc"), "-o", str(out), str(package / "base/libpaddle.so")], check=True)
    return out


def operator(name, inputs, outputs, attributes=()):
    """A node of the older format."""
    from paddle.base.layer_helper import LayerHelper
    helper = LayerHelper(name)
    made = {slot: helper.create_variable_for_type_inference(dtype) for slot, dtype in outputs.items()}
    helper.append_op(type=name, inputs=inputs, outputs=made, attrs=dict(attributes))
    return list(made.values())


def save(folder, pir):
    """A model with Paddle's answers to it."""
    import numpy as np
    import paddle
    from paddle.utils.cpp_extension.extension_utils import load_op_meta_info_and_register_op
    load_op_meta_info_and_register_op(str(folder / "kinds.so"))
    paddle.enable_static()
    main = paddle.static.Program()
    with paddle.static.program_guard(main, paddle.static.Program()):
        x, y = (paddle.static.data(name, [-1], "float32") for name in "xy")
        relu = paddle.nn.functional.relu(x)
        if pir:
            call = paddle._C_ops._run_custom_op
            results = [*call("test_affine", x, None, [x, y], *ATTRIBUTES.values()), *call("test_affine", x, y, [x, y], *ATTRIBUTES.values())]
            added = call("test_add_in_place", relu, y)
            results.append(added[0] if isinstance(added, (list, tuple)) else added)
        else:
            two = {"Out": "float32", "Count": "int64"}
            results = operator("test_affine", {"X": x, "Parts@VECTOR": [x, y]}, two, ATTRIBUTES)
            results += operator("test_affine", {"X": x, "Bias@OPTIONAL": y, "Parts@VECTOR": [x, y]}, two, ATTRIBUTES)
            results += operator("test_add_in_place", {"X": relu, "Y": y}, {"Out": "float32"})
        executor = paddle.static.Executor(paddle.CPUPlace())
        feed = {"x": np.array(X, np.float32), "y": np.array(Y, np.float32)}
        name = str(folder / ("pir" if pir else "program"))
        np.savez(name + ".npz", *executor.run(main, feed=feed, fetch_list=results))
        paddle.static.save_inference_model(name, [x, y], results, executor, program=main)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", type=pathlib.Path)
    parser.add_argument("--python")
    parser.add_argument("--save", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.save:
        return save(pathlib.Path(arguments.save[0]), arguments.save[1] == "pir")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        compiled(folder)
        for form, flag in (("pir", "1"), ("program", "0")):
            subprocess.run([sys.executable, __file__, "--save", name, form], check=True, env={**os.environ, "FLAGS_enable_pir_api": flag})
        sys.exit(subprocess.run([arguments.python, "-c", ANSWERS, str(arguments.library), name]).returncode)


main()
