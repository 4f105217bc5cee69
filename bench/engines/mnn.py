# SPDX-License-Identifier: Apache-2.0
"""MNN's interpreter on the CPU in full precision. Its models are made from the ONNX files by its own converter."""
import MNN
import numpy as np

TYPES = {"float32": MNN.Halide_Type_Float, "int32": MNN.Halide_Type_Int, "int64": MNN.Halide_Type_Int64}


class Engine:
    version = MNN.version() if hasattr(MNN, "version") else MNN.__version__

    def __init__(self, files, threads):
        self.interpreter = MNN.Interpreter(files["mnn"])
        self.session = self.interpreter.createSession({"backend": "CPU", "numThread": threads, "precision": "high"})
        self.output_names = files["output_names"]

    def set_inputs(self, arrays):
        tensors = self.interpreter.getSessionInputAll(self.session)
        for name, array in arrays.items():
            self.interpreter.resizeTensor(tensors[name], tuple(array.shape))
        self.interpreter.resizeSession(self.session)
        self.inputs = []
        for name, array in arrays.items():
            if array.dtype == np.int64:
                array = array.astype(np.int32)      # MNN's graphs have 32-bit indices only.
            self.inputs.append((tensors[name], array,
                                MNN.Tensor(array.shape, TYPES[array.dtype.name], array, MNN.Tensor_DimensionType_Caffe)))

    def run(self):
        for tensor, _, host in self.inputs:
            tensor.copyFrom(host)
        self.interpreter.runSession(self.session)
        self.results = []
        tensors = self.interpreter.getSessionOutputAll(self.session)
        for name in self.output_names:
            tensor = tensors[name]
            shape = tensor.getShape()
            host = MNN.Tensor(shape, tensor.getDataType(), np.empty(shape, np.float32), MNN.Tensor_DimensionType_Caffe)
            tensor.copyToHostTensor(host)
            self.results.append(host)

    def outputs(self):
        return [np.array(host.getNumpyData()) for host in self.results]
