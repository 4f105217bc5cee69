# SPDX-License-Identifier: Apache-2.0
"""The engines behind servers of Python, by name: arrays by input name to arrays by output name, for any number of threads."""


class Onnxruntime:
    def __init__(self, path):
        import onnxruntime
        self.session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
        self.outputs = [value.name for value in self.session.get_outputs()]

    def __call__(self, inputs):
        return dict(zip(self.outputs, self.session.run(None, inputs)))


class OpenVINO:
    def __init__(self, path):
        import openvino
        self.model = openvino.Core().compile_model(path, "CPU", {"PERFORMANCE_HINT": "THROUGHPUT", "INFERENCE_PRECISION_HINT": "f32"})
        self.outputs = [value.any_name for value in self.model.outputs]

    def __call__(self, inputs):
        results = self.model.create_infer_request().infer(inputs)
        return {name: results[name] for name in self.outputs}


ENGINES = {"onnxruntime": Onnxruntime, "openvino": OpenVINO}
