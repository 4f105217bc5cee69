# SPDX-License-Identifier: Apache-2.0
"""MNN's modules on the CPU in full precision. Its models are made from the ONNX files by its own converter."""
import MNN
import MNN.expr
import MNN.nn
import numpy as np

CPU, HIGH_PRECISION = 0, 1      # MNN_FORWARD_CPU, BackendConfig::Precision_High


class Engine:
    version = MNN.version()

    def __init__(self, files, threads):
        config = {"backend": CPU, "numThread": threads, "precision": HIGH_PRECISION}
        self.manager = MNN.nn.create_runtime_manager((config,))
        self.module = MNN.nn.load_module_from_file(files["mnn"], files["input_names"], files["output_names"],
                                                   runtime_manager=self.manager)
        self.input_names = files["input_names"]

    def set_inputs(self, arrays):
        # MNN's graphs have 32-bit indices only.
        self.inputs = [arrays[name].astype(np.int32) if arrays[name].dtype == np.int64 else arrays[name]
                       for name in self.input_names]

    def run(self):
        variables = []
        for array in self.inputs:
            dtype = MNN.expr.float if array.dtype == np.float32 else MNN.expr.int
            variables.append(MNN.expr.const(array, list(array.shape), MNN.expr.NCHW, dtype))
        self.results = [result.read() for result in self.module.forward(variables)]

    def outputs(self):
        return [np.array(result) for result in self.results]
