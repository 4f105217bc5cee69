# SPDX-License-Identifier: Apache-2.0
"""An image classifier as people write it for paddle.inference; tests/paddle/programs/resnet50.cc and resnet50_c.c do the same.

    languages_script.py PROGRAM PARAMS BATCH HEIGHT WIDTH OUTPUT
"""
import sys

import numpy as np
import paddle.inference as paddle_infer


def main():
    program, params, batch, height, width, output = sys.argv[1:]
    config = paddle_infer.Config(program, params)
    config.disable_glog_info()
    config.set_cpu_math_library_num_threads(2)
    predictor = paddle_infer.create_predictor(config)
    shape = (int(batch), 3, int(height), int(width))
    pixels = (np.arange(np.prod(shape)) % 255 * 0.1).astype(np.float32).reshape(shape)
    handle = predictor.get_input_handle(predictor.get_input_names()[0])
    handle.reshape(shape)
    handle.copy_from_cpu(pixels)
    predictor.run()
    result = predictor.get_output_handle(predictor.get_output_names()[0]).copy_to_cpu()
    print("result", result.shape)
    result.tofile(output)


main()
