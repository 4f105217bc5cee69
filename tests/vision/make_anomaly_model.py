#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the test model anomaly/inference.pdmodel, a map of anomalies without training, with the real Paddle 2.6.2:

    make_anomaly_model.py DIR

Its scores are how far the colours of a place are from those around it, of size 1 x 1 x 64 x 64 as the published models give theirs."""
import sys

import paddle

SIDE = 64


def main():
    paddle.enable_static()
    x = paddle.static.data("x", [1, 3, SIDE, SIDE], "float32")
    near = paddle.nn.functional.avg_pool2d(x, 9, 1, 4, exclusive=True)
    around = paddle.nn.functional.avg_pool2d(x, 33, 1, 16, exclusive=True)
    difference = paddle.mean(paddle.square(near - around), axis=1, keepdim=True)
    scores = paddle.clip(difference * 0.02, 0.0, 1.0)
    executor = paddle.static.Executor(paddle.CPUPlace())
    executor.run(paddle.static.default_startup_program())
    paddle.static.save_inference_model(sys.argv[1] + "/inference", [x], [scores], executor)


main()
