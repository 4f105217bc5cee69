# SPDX-License-Identifier: Apache-2.0
"""What the oracle needs of Paddle's file formats and of its predictor."""

import json
import os
import struct

import numpy as np

from notation import NUMBERS, element_type


def record(array):
    """One record of a parameter file."""
    desc = b"\x08" + bytes([NUMBERS[element_type(array)]])
    for d in array.shape:
        desc += b"\x10"
        while d > 127:
            desc += bytes([d & 127 | 128])
            d >>= 7
        desc += bytes([d])
    return struct.pack("<IQIi", 0, 0, 0, len(desc)) + desc + np.ascontiguousarray(array).tobytes()


def write_params(path, params):
    """params: {name: array}; both formats store them in bytewise name order."""
    with open(path, "wb") as f:
        for name in sorted(params, key=lambda n: n.encode()):
            f.write(record(params[name]))


def compact_json(path):
    """Rewrites a PIR file without white space."""
    with open(path, encoding="utf-8") as f:
        doc = json.load(f)
    with open(path, "w", encoding="utf-8") as f:
        json.dump(doc, f, separators=(",", ":"))


class Runner:
    """A model file in Paddle's predictor on the CPU, every optimisation off, one thread."""

    def __init__(self, model, params, pir):
        import paddle
        from paddle import inference

        config = inference.Config()
        if params:
            config.set_model(model, params)
        else:
            config.set_prog_file(model)
        config.disable_gpu()
        config.disable_glog_info()
        config.switch_ir_optim(False)
        config.set_cpu_math_library_num_threads(1)
        if pir:
            config.enable_new_ir(True)
            config.enable_new_executor(True)
            # With it an operator may overwrite a value that a loop or a branch has passed on and that is read again.
            paddle.set_flags({"FLAGS_pir_apply_inplace_pass": False})
        for off in ("disable_mkldnn", "disable_onednn"):
            if hasattr(config, off):
                getattr(config, off)()
        self.predictor = inference.create_predictor(config)

    def run(self, feeds):
        """feeds: {name: (array, lod)} -> [(name, array, lod)]"""
        for name in self.predictor.get_input_names():
            array, lod = feeds[name]
            handle = self.predictor.get_input_handle(name)
            handle.reshape(list(array.shape))
            handle.copy_from_cpu(np.ascontiguousarray(array) if array.ndim else array)
            if lod:
                handle.set_lod(lod)
        self.predictor.run()
        results = []
        for name in self.predictor.get_output_names():
            handle = self.predictor.get_output_handle(name)
            results.append((name, handle.copy_to_cpu(), [list(map(int, level)) for level in handle.lod()]))
        return results


def input_files(folder, feeds):
    """Writes the fed tensors as 0.npy, 1.npy, ... and returns their part of case.json."""
    specs = []
    for i, (name, (array, lod)) in enumerate(feeds.items()):
        np.save(os.path.join(folder, "%d.npy" % i), np.asarray(array, order="C"))
        specs.append({"name": name, "file": "%d.npy" % i, "dtype": str(array.dtype), "shape": list(array.shape)})
        if lod:
            specs[-1]["lod"] = lod
    return specs
