# SPDX-License-Identifier: Apache-2.0
"""Paddle's own inference engine with graph passes; `onednn` turns its oneDNN kernels on. Without `copies` a run neither copies inputs in
nor outputs out."""
import paddle
import paddle.inference


class Engine:
    version = paddle.__version__

    def __init__(self, files, threads, onednn=False, copies=True):
        config = paddle.inference.Config()
        if files["combined_params"]:
            config.set_model(files["program"], files["combined_params"])
        else:
            config.set_prog_file(files["program"])
        config.disable_gpu()
        config.disable_glog_info()
        config.switch_ir_optim(True)
        if not files["program"].endswith(".json"):  # Paddle 3.3.1 fails with it for models of the newer format
            config.enable_memory_optim()
        config.set_cpu_math_library_num_threads(threads)
        if onednn:
            config.enable_mkldnn()
            config.set_mkldnn_cache_capacity(10)
        self.predictor = paddle.inference.create_predictor(config)
        self.copies = copies
        self.output_names = self.predictor.get_output_names()

    def set_inputs(self, arrays):
        self.inputs = [(self.predictor.get_input_handle(name), array) for name, array in arrays.items()]
        if not self.copies:
            self.copy_in()

    def copy_in(self):
        for handle, array in self.inputs:
            handle.copy_from_cpu(array)

    def copy_out(self):
        return [self.predictor.get_output_handle(name).copy_to_cpu() for name in self.output_names]

    def run(self):
        if self.copies:
            self.copy_in()
        self.predictor.run()
        if self.copies:
            self.results = self.copy_out()

    def outputs(self):
        return self.results if self.copies else self.copy_out()
