# SPDX-License-Identifier: Apache-2.0
"""OpenVINO's CPU plugin for latency, one stream. `precision` is its inference precision hint; without it, as it comes.
`kept`: a folder for its cache of compiled models.
"""
import openvino


class Engine:
    version = openvino.__version__.split("-")[0]

    def __init__(self, files, threads, precision=None, kept=None):
        config = {"PERFORMANCE_HINT": "LATENCY", "NUM_STREAMS": 1, "INFERENCE_NUM_THREADS": threads}
        if precision:
            config["INFERENCE_PRECISION_HINT"] = precision
        if kept:
            config["CACHE_DIR"] = kept
        self.model = openvino.Core().compile_model(files["onnx"], "CPU", config)
        self.request = self.model.create_infer_request()
        self.names = [value.any_name for value in self.model.inputs]

    def set_inputs(self, arrays):
        self.inputs = {name: arrays[name] for name in self.names}

    def run(self):
        self.results = self.request.infer(self.inputs, share_inputs=True, share_outputs=True)

    def outputs(self):
        return [self.results[output] for output in self.model.outputs]
