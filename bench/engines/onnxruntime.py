# SPDX-License-Identifier: Apache-2.0
"""onnxruntime, CPU provider, all graph optimisations, its default spinning."""
import onnxruntime


class Engine:
    version = onnxruntime.__version__

    def __init__(self, files, threads):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
        options.log_severity_level = 3
        self.session = onnxruntime.InferenceSession(files["onnx"], options, providers=["CPUExecutionProvider"])
        self.names = [value.name for value in self.session.get_inputs()]

    def set_inputs(self, arrays):
        self.inputs = {name: arrays[name] for name in self.names}

    def run(self):
        self.results = self.session.run(None, self.inputs)

    def outputs(self):
        return self.results
