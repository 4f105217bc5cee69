# SPDX-License-Identifier: Apache-2.0
"""A script as people write them for Paddle. migration_test.py runs it with Paddle as it is, and with Coracle after changing the import.

    migration_script.py MODEL PARAMS INPUTS.npz OUTPUTS.npz

INPUTS.npz has arrays by input name, and NAME.lod for sequence offsets of one level.
"""
import sys

import numpy as np
import paddle.inference as paddle_infer


def make_config(program, params):
    config = paddle_infer.Config(program, params)
    config.disable_gpu()
    config.set_cpu_math_library_num_threads(2)
    if program.endswith(".pdmodel"):   # Paddle 3.3 cannot clone predictors of the other format with it.
        config.enable_memory_optim()
    config.disable_glog_info()
    config.switch_use_feed_fetch_ops(False)
    config.switch_specify_input_names(True)
    config.switch_ir_optim(True)
    if hasattr(config, "disable_mkldnn"):
        config.disable_mkldnn()
    config.delete_pass("conv_transpose_eltwiseadd_bn_fuse_pass")
    assert config.summary() and not config.use_gpu() and config.cpu_math_library_num_threads() == 2
    return config


def run(predictor, inputs):
    for name in predictor.get_input_names():
        handle = predictor.get_input_handle(name)
        handle.reshape(list(inputs[name].shape))
        handle.copy_from_cpu(inputs[name])
        if name + ".lod" in inputs:
            handle.set_lod([inputs[name + ".lod"].tolist()])
    predictor.run()
    return [predictor.get_output_handle(name) for name in predictor.get_output_names()]


def main():
    program, params, given, results = sys.argv[1:]
    inputs = dict(np.load(given))
    predictor = paddle_infer.create_predictor(make_config(program, params))
    assert set(predictor.get_input_names()) <= set(inputs)
    outputs = run(predictor, inputs)
    found = {}
    for index, handle in enumerate(outputs):
        found["value%d" % index] = handle.copy_to_cpu()
        found["shape%d" % index] = np.array(handle.shape(), np.int64)
        found["type%d" % index] = np.array(int(handle.type()))
        for level, offsets in enumerate(handle.lod()):
            found["lod%d.%d" % (index, level)] = np.array(offsets, np.int64)
    found["names"] = np.array(predictor.get_input_names() + predictor.get_output_names())

    # Again, in reverse memory order and from a clone; handles outlive runs.
    turned = {name: np.asfortranarray(array) for name, array in inputs.items()}
    for again in (predictor, predictor.clone()):
        for index, handle in enumerate(run(again, turned)):
            assert np.allclose(handle.copy_to_cpu(), found["value%d" % index], 1e-4, 1e-5, equal_nan=True)

    pool = paddle_infer.PredictorPool(make_config(program, params), 2)
    second = pool.retrieve(1) if hasattr(pool, "retrieve") else pool.retrive(1)
    for index, handle in enumerate(run(second, inputs)):
        found["pool%d" % index] = handle.copy_to_cpu()
    predictor.clear_intermediate_tensor()
    predictor.try_shrink_memory()
    np.savez(results, **found)


main()
