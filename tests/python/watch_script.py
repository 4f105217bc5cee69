# SPDX-License-Identifier: Apache-2.0
"""Watches runs of a model with one input, by Paddle or by what has its names: ranges of shapes, and what hooks see.

    watch_script.py MODEL PARAMS RANGES SHAPES TENSORS      TENSORS (.npz) gets the results of the operators of a run
"""
import ast
import sys

import numpy as np


def collect(paddle_infer, program, params, file, shapes):
    """Writes the ranges of shapes of runs."""
    config = paddle_infer.Config(program, params)
    config.disable_glog_info()
    config.collect_shape_range_info(file)
    predictor = paddle_infer.create_predictor(config)
    for shape in shapes:
        predictor.get_input_handle("x").copy_from_cpu(np.ones(shape, np.float32))
        predictor.run()


def results(paddle_infer, program, params, shape):
    """The last result by each name that hooks see, without optimisation of the graph."""
    config = paddle_infer.Config(program, params)
    config.disable_glog_info()
    config.switch_ir_optim(False)
    predictor = paddle_infer.create_predictor(config)
    seen = {}
    predictor.register_output_hook(lambda operator, name, tensor: seen.update({name: np.array(tensor.numpy())}))
    predictor.get_input_handle("x").copy_from_cpu(np.random.default_rng(0).uniform(-1, 1, shape).astype(np.float32))
    predictor.run()
    return seen


if __name__ == "__main__":
    import paddle.inference
    given_shapes = ast.literal_eval(sys.argv[4])
    collect(paddle.inference, *sys.argv[1:4], given_shapes)
    np.savez(sys.argv[5], **{name.replace("/", "|"): array for name, array in results(paddle.inference, *sys.argv[1:3], given_shapes[0]).items()})
