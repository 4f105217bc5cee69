# SPDX-License-Identifier: Apache-2.0
"""Runs a model with Paddle or onnxruntime for `coracle compare`: python3 -c SCRIPT FOLDER.

FOLDER/request.json says what to run; tensors come and go as .npy files in FOLDER, FOLDER/reply.json lists what was
written, or says in "error" (and "missing", for a package) why nothing was. Format of both: see compare_engine.cc.
"""
import importlib
import json
import os
import sys

FOLDER = sys.argv[1]


class Store:
    """What is written to the folder, and the list of it."""

    def __init__(self, numpy):
        self.numpy = numpy
        self.count = 0

    def save(self, array):
        name = "reply_%d.npy" % self.count
        self.count += 1
        self.numpy.save(os.path.join(FOLDER, name), self.numpy.asarray(array, order="C"))
        return name


class Values:
    """Results of operators, counted by name: the k-th of name n has the key "n#k"."""

    def __init__(self, store, wanted):
        self.store = store
        self.wanted = wanted and set(wanted)
        self.seen = {}
        self.list = []

    def add(self, op, name, array):
        key = "%s#%d" % (name, self.seen.get(name, 0))
        self.seen[name] = self.seen.get(name, 0) + 1
        entry = {"name": name, "op": op, "node": ""}
        if self.wanted is not None:
            if key not in self.wanted:
                return
            entry["key"] = key
            entry["file"] = self.store.save(array())
        self.list.append(entry)


def params_of(program):
    """The parameter file beside a program file, by Paddle's naming rules; nothing for one file for each parameter."""
    folder, name = os.path.split(program)
    stem = os.path.splitext(name)[0]
    for candidate in (stem + ".pdiparams", "__params__", "params", stem + ".params"):
        path = os.path.join(folder, candidate)
        if os.path.isfile(path):
            return path
    return None


def run_paddle(request, inputs, store):
    paddle = importlib.import_module("paddle")
    inference = importlib.import_module("paddle.inference")
    program = request["model"]
    params = request["params"] or params_of(program)
    config = inference.Config(program, params) if params else inference.Config(os.path.dirname(program) or ".")
    config.disable_gpu()
    config.disable_glog_info()
    config.switch_ir_optim(False)
    if hasattr(config, "disable_mkldnn"):
        config.disable_mkldnn()
    predictor = inference.create_predictor(config)
    names = predictor.get_input_names()
    for name, (array, lod) in zip(names, in_order(names, inputs)):
        handle = predictor.get_input_handle(name)
        handle.reshape(array.shape)
        handle.copy_from_cpu(array)
        if lod:
            handle.set_lod(lod)
    values = Values(store, request.get("wanted"))
    if request["mode"] == "values":

        def hook(op, name, tensor):
            values.add(op, name, tensor.copy_to_cpu if hasattr(tensor, "copy_to_cpu") else tensor.numpy)

        predictor.register_output_hook(hook)
    predictor.run()
    outputs = []
    if request["mode"] == "outputs":
        for name in predictor.get_output_names():
            array = predictor.get_output_handle(name).copy_to_cpu()
            outputs.append({"name": name, "file": store.save(array)})
    return {"version": paddle.__version__, "outputs": outputs, "values": values.list}


def run_onnxruntime(request, inputs, store):
    runtime = importlib.import_module("onnxruntime")
    session = runtime.InferenceSession(request["model"], providers=["CPUExecutionProvider"])
    names = [i.name for i in session.get_inputs()]
    feeds = {name: array for name, (array, _) in zip(names, in_order(names, inputs))}
    results = session.run(None, feeds)
    outputs = [
        {"name": info.name, "file": store.save(array)} for info, array in zip(session.get_outputs(), results)
    ]
    return {"version": runtime.__version__, "outputs": outputs, "values": []}


def in_order(names, inputs):
    """Arrays and offsets for inputs of these names: by name, or by position where the names are others."""
    by_name = {name: (array, lod) for name, array, lod in inputs}
    if all(name in by_name for name in names):
        return [by_name[name] for name in names]
    if len(names) != len(inputs):
        raise ValueError("it has the inputs %s, given are %s" % (", ".join(names), ", ".join(by_name)))
    return [(array, lod) for _, array, lod in inputs]


def main():
    with open(os.path.join(FOLDER, "request.json"), encoding="utf-8") as file:
        request = json.load(file)
    try:
        numpy = importlib.import_module("numpy")
        inputs = [(i["name"], numpy.load(os.path.join(FOLDER, i["file"])), i["lod"]) for i in request["inputs"]]
        run = {"paddle": run_paddle, "onnxruntime": run_onnxruntime}[request["engine"]]
        reply = run(request, inputs, Store(numpy))
    except ImportError as error:
        reply = {"error": str(error), "missing": error.name or ""}
    except Exception as error:  # pylint: disable=broad-except  # whatever an engine throws is told
        reply = {"error": str(error).strip() or type(error).__name__}
    with open(os.path.join(FOLDER, "reply.json"), "w", encoding="utf-8") as file:
        json.dump(reply, file)


main()
