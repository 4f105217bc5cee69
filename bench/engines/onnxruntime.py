# SPDX-License-Identifier: Apache-2.0
"""onnxruntime, CPU provider, all graph optimisations, its default spinning. `kept`: a folder with the optimised model and its packed
weights, which is made with the first use.
"""
import pathlib

import onnxruntime


class Engine:
    version = onnxruntime.__version__

    def __init__(self, files, threads, kept=None):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
        options.log_severity_level = 3
        model = files["onnx"]
        if kept:
            optimised = pathlib.Path(kept) / "optimised.onnx"
            if optimised.exists():
                model = str(optimised)
                options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
            else:
                optimised.parent.mkdir(parents=True, exist_ok=True)
                options.optimized_model_filepath = str(optimised)
                for key, value in {"optimized_model_external_initializers_file_name": "optimised.data",
                                   "save_external_prepacked_constant_initializers": "1"}.items():
                    options.add_session_config_entry("session." + key, value)
        self.session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self.names = [value.name for value in self.session.get_inputs()]

    def set_inputs(self, arrays):
        self.inputs = {name: arrays[name] for name in self.names}

    def run(self):
        self.results = self.session.run(None, self.inputs)

    def outputs(self):
        return self.results
