# SPDX-License-Identifier: Apache-2.0
"""Exports a small model of PIR with lists, a branch and a loop, twice: into FOLDER/model, and into FOLDER/other with
another weight of its second layer. export_pir.py FOLDER"""
import os
import sys

import paddle
from paddle.static import InputSpec


class Network(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.first = paddle.nn.Linear(4, 6)
        self.second = paddle.nn.Linear(2, 3)

    def forward(self, x):
        a, b, c = paddle.split(self.first(x), 3, axis=1)
        best, at = paddle.topk(a + c, 1)
        if best.sum() > 0:
            y = paddle.nn.functional.relu(b) + 1
        else:
            y = paddle.tanh(b) - 1
        i = paddle.zeros([1], "int64")
        while i < 3:
            y = y * 0.5 + best
            i = i + 1
        return paddle.nn.functional.softmax(self.second(y)), at


def main():
    paddle.seed(1)
    network = Network()
    network.eval()
    for name in ("model", "other"):
        static = paddle.jit.to_static(network, input_spec=[InputSpec([-1, 4], "float32", "x")], full_graph=True)
        paddle.jit.save(static, os.path.join(sys.argv[1], name, "inference"))
        network.second.weight.set_value(network.second.weight * 2 + 1)


main()
