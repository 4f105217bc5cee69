# SPDX-License-Identifier: Apache-2.0
"""Exports models with the real Paddle, marked and not, and runs them with it. power_by_engine_test.py starts it.

    power_by_engine_script.py FOLDER

FOLDER gets net, which the code of docs/python.md exports; a folder for each model (chain-static-marked ...), their input x.npy,
and Paddle's answers, chain-static-marked.npy.
"""
import contextlib
import pathlib
import re
import runpy
import sys

import numpy as np
import paddle

import coracle

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "python.md"
INPUT = np.random.default_rng(0).uniform(-1, 1, (3, 8)).astype(np.float32)


class NoMark(contextlib.nullcontext):
    """In the place of power_by_engine."""


def chain(x, backbone, head, mark):
    with mark("openvino"):
        x = paddle.nn.functional.relu(backbone(x))
        with mark("other"):
            x = paddle.exp(x)
        x = paddle.abs(x)
    x = head(x)
    with mark("openvino"):   # Paddle numbers the second scope of a name.
        x = paddle.tanh(x)
    return paddle.sin(x)


def branch(x, backbone, head, mark):
    x = paddle.exp(x)
    with mark("openvino"):
        return paddle.static.nn.cond(paddle.mean(x) > 0, lambda: paddle.cos(head(x)), lambda: paddle.sin(head(x)))


class Net(paddle.nn.Layer):
    def __init__(self, build, mark):
        super().__init__()
        self.backbone = paddle.nn.Linear(8, 8)
        self.head = paddle.nn.Linear(8, 4)
        self.build = build
        self.mark = mark

    def forward(self, x):
        return self.build(x, self.backbone, self.head, self.mark)


class Written(Net):
    """As people write it; the condition becomes an operator when it is exported."""

    def forward(self, x):
        x = paddle.exp(x)
        with coracle.power_by_engine("openvino"):
            x = self.head(x)
            if paddle.mean(x) > 100:
                x = paddle.sin(x)
            else:
                x = paddle.cos(x)
        return paddle.tanh(x)


def run_page(folder):
    code, = [c for c in re.findall(r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.M | re.S) if "power_by_engine" in c]
    assert code.count('"net/inference"') == 1
    file = folder / "page.py"   # Paddle reads the source of what it exports.
    file.write_text(code.replace('"net/inference"', repr(str(folder / "net" / "inference"))), "utf-8")
    runpy.run_path(str(file))


def save_static(path, build, mark):
    main, startup = paddle.static.Program(), paddle.static.Program()
    main.random_seed = startup.random_seed = 7
    exe = paddle.static.Executor(paddle.CPUPlace())
    with paddle.static.scope_guard(paddle.static.Scope()), paddle.static.program_guard(main, startup), paddle.utils.unique_name.guard():
        paddle.seed(7)
        x = paddle.static.data("x", [None, 8], "float32")
        y = Net(build, mark)(x)
        exe.run(startup)
        paddle.static.save_inference_model(path, [x], [y], exe, program=main)


def save_dygraph(path, layer):
    paddle.seed(7)
    layer = layer()
    layer.eval()
    assert layer(paddle.to_tensor(INPUT)).shape == [3, 4]   # Where a layer runs at once, nothing is marked.
    paddle.jit.save(layer, path, input_spec=[paddle.static.InputSpec([None, 8], "float32", "x")])


def answer(path):
    exe = paddle.static.Executor(paddle.CPUPlace())
    with paddle.static.scope_guard(paddle.static.Scope()):
        program, feeds, fetches = paddle.static.load_inference_model(path, exe)
        return exe.run(program, feed={feeds[0]: INPUT}, fetch_list=fetches)[0]


def main():
    folder = pathlib.Path(sys.argv[1])
    np.save(folder / "x.npy", INPUT)
    kinds = {"marked": coracle.power_by_engine, "plain": NoMark}
    run_page(folder)
    names = ["written"]
    save_dygraph(str(folder / "written" / "model"), lambda: Written(None, None))
    for build in (chain, branch):
        for kind, mark in kinds.items():
            names += ["%s-dygraph-%s" % (build.__name__, kind), "%s-static-%s" % (build.__name__, kind)]
            save_dygraph(str(folder / names[-2] / "model"), lambda build=build, mark=mark: Net(build, mark))
            paddle.enable_static()
            save_static(str(folder / names[-1] / "model"), build, mark)
            paddle.disable_static()
    paddle.enable_static()
    for name in names:
        np.save(folder / (name + ".npy"), answer(str(folder / name / "model")))


main()
