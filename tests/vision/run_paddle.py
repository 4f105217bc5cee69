#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a model in the real Paddle: run_paddle.py PROGRAM PARAMS INPUTS.npz OUTPUTS.npz (inputs by name, outputs by number).
Without the files it takes pairs of them from standard input, a line for each run, and prints READY and DONE lines."""
import sys

import numpy as np
from paddle import inference


def run(predictor, inputs, outputs):
    arrays = np.load(inputs)
    for name in predictor.get_input_names():
        predictor.get_input_handle(name).copy_from_cpu(arrays[name])
    predictor.run()
    results = [predictor.get_output_handle(name).copy_to_cpu() for name in predictor.get_output_names()]
    np.savez(outputs, **{str(i): array for i, array in enumerate(results)})


def main():
    program, params, *files = sys.argv[1:]
    config = inference.Config(program, params)
    config.disable_glog_info()
    predictor = inference.create_predictor(config)
    if files:
        return run(predictor, *files)
    print("READY", *predictor.get_input_names(), flush=True)
    for line in sys.stdin:
        run(predictor, *line.split())
        print("DONE", flush=True)


main()
