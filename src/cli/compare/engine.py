# SPDX-License-Identifier: Apache-2.0
"""Runs a model with Paddle, onnxruntime or OpenVINO for `coracle compare`: python3 -c SCRIPT FOLDER.

FOLDER/request.json says what to run; tensors come and go as .npy files in FOLDER, FOLDER/reply.json lists what was
written, or says in "error" (and "missing", for a package) why nothing was. Format of both: see engine.cc.
"""
import importlib
import json
import os
import sys

FOLDER = sys.argv[1]
PROVIDERS = ["CPUExecutionProvider"]
# Operations of PIR that are no operators.
NOT_COUNTED = ("pd_op.data", "pd_op.feed", "pd_op.fetch", "cf.yield")
# Numbers of fields in messages of ONNX.
MODEL_GRAPH, GRAPH_NODE, GRAPH_OUTPUT, NODE_OUTPUT, NODE_TYPE, VALUE_NAME = 7, 1, 12, 2, 4, 1


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
    outputs = []
    if request["mode"] == "values" and program.endswith(".json"):
        show_pir_values(paddle, program, params, inputs, values)
    elif request["mode"] == "values":

        def hook(op, name, tensor):
            values.add(op, name, tensor.copy_to_cpu if hasattr(tensor, "copy_to_cpu") else tensor.numpy)

        predictor.register_output_hook(hook)
        predictor.run()
    else:
        predictor.run()
        for name in predictor.get_output_names():
            array = predictor.get_output_handle(name).copy_to_cpu()
            outputs.append({"name": name, "file": store.save(array)})
    return {"version": paddle.__version__, "outputs": outputs, "values": values.list}


def list_size(value):
    """How many tensors a result of an operation is, as Coracle counts them."""
    return len(value.type().as_vec_type().as_list()) if value.type().as_vec_type() else 1


def pir_results(program):
    """(operation, value, name) of tensors that operations outside loops and branches make.

    Files of PIR have no names for values: they are called by their operation, its type and its place among all of the
    file, as Coracle does. Elements of lists are seen where the program takes them out.
    """
    count = 0
    elements = {}  # id of a list: names of what is in it

    def name_of(operation, at):
        return operation if at == 0 else "%s.%d" % (operation, at)

    def within(block):
        return sum(1 + sum(within(b) for b in o.blocks()) for o in block.ops if counts(o))

    def counts(op):
        return not op.name().startswith("builtin.") and op.name() not in NOT_COUNTED

    for op in program.global_block().ops:
        if op.name() in ("builtin.split", "builtin.slice"):
            names = elements.get(op.operand_source(0).id, [])
            first = op.attrs().get("index", 0) if op.name() == "builtin.slice" else 0
            for value, name in zip(op.results(), names[first:]):
                yield op, value, name
        if not counts(op):
            continue
        name = "%s_%d" % (op.name().split(".", 1)[1].rstrip("_"), count)
        count += 1 + sum(within(block) for block in op.blocks())
        at = 0
        for value in op.results():
            size = list_size(value) if value.initialized() else 1
            if value.initialized() and value.is_dense_tensor_type():
                yield op, value, name_of(name, at)
            elif value.initialized() and value.type().as_vec_type():
                elements[value.id] = [name_of(name, i) for i in range(at, at + size)]
            at += size


def show_pir_values(paddle, program_file, params, inputs, values):
    """Runs a program of PIR and shows what its operations make. Values are copied where they are made: operations that
    work in place write over them later."""
    if any(lod for _, _, lod in inputs):
        raise ValueError("it does not show what operators compute for inputs with sequence offsets")
    paddle.enable_static()
    executor = paddle.static.Executor(paddle.CPUPlace())
    program, feeds, _ = paddle.static.load_inference_model(
        os.path.dirname(program_file) or ".",
        executor,
        model_filename=os.path.abspath(program_file),
        params_filename=os.path.abspath(params),
    )
    shown = list(pir_results(program))
    if values.wanted is None:
        for op, _, name in shown:
            values.add(op.name(), name, None)
        return
    for op in list(program.global_block().ops):
        if op.name() == "pd_op.fetch":
            program.global_block().remove_op(op)
    shown = [(op, value, name) for op, value, name in shown if name + "#0" in values.wanted]
    copies = []
    with paddle.static.program_guard(program):
        for op, value, _ in shown:
            paddle.pir.set_insertion_point_after(op)
            copies.append(paddle.assign(value))
    feed = {name: array for name, (array, _) in zip(feeds, in_order(feeds, inputs))}
    arrays = executor.run(program, feed=feed, fetch_list=copies)
    for (op, _, name), array in zip(shown, arrays):
        values.add(op.name(), name, lambda array=array: array)


def run_onnxruntime(request, inputs, store):
    runtime = importlib.import_module("onnxruntime")
    with open(request["model"], "rb") as file:
        model = file.read()
    values = Values(store, request.get("wanted"))
    shown = []
    if request["mode"] == "values":
        shown = [(op, name) for op, name in onnx_results(model) if op != "Constant"]
        if values.wanted is None:
            for op, name in shown:
                values.add(op, name, None)
            return {"version": runtime.__version__, "outputs": [], "values": values.list}
        shown = [(op, name) for op, name in shown if name + "#0" in values.wanted]
    session = runtime.InferenceSession(model, providers=PROVIDERS)
    own = [info.name for info in session.get_outputs()]
    more = [name for _, name in shown if name not in own]
    if more:
        session = runtime.InferenceSession(with_outputs(model, more), providers=PROVIDERS)
    names = [i.name for i in session.get_inputs()]
    feeds = {name: array for name, (array, _) in zip(names, in_order(names, inputs))}
    outputs = []
    if request["mode"] == "values":
        for (op, name), array in zip(shown, session.run([name for _, name in shown], feeds)):
            values.add(op, name, lambda array=array: array)
    else:
        outputs = [{"name": name, "file": store.save(array)} for name, array in zip(own, session.run(own, feeds))]
    return {"version": runtime.__version__, "outputs": outputs, "values": values.list}


def run_openvino(request, inputs, store):
    runtime = importlib.import_module("openvino")
    core = runtime.Core()
    model = core.read_model(request["model"])
    values = Values(store, request.get("wanted"))
    shown = []
    if request["mode"] == "values":
        shown = list(openvino_results(model))
        if values.wanted is None:
            for op, name in shown:
                values.add(op, name, None)
            return {"version": runtime.__version__, "outputs": [], "values": values.list}
        shown = [(op, name) for op, name in shown if name + "#0" in values.wanted]
        model.add_outputs([name for _, name in shown])
    names = [sorted(port.get_names())[0] if port.get_names() else port.get_node().get_friendly_name() for port in model.inputs]
    given = [array for array, _ in in_order(names, inputs)]
    # Sizes that a model declares bind OpenVINO, and not Coracle.
    model.reshape({port: list(array.shape) for port, array in zip(model.inputs, given)})
    # Numbers as the model has them: OpenVINO else takes what the processor is fastest with.
    compiled = core.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    request_of_run = compiled.create_infer_request()
    request_of_run.infer(given)
    outputs = []
    if request["mode"] == "values":
        for op, name in shown:
            array = request_of_run.get_tensor(name).data.copy()
            values.add(op, name, lambda array=array: array)
    else:
        for i, port in enumerate(compiled.outputs):
            name = sorted(port.get_names())[0] if port.get_names() else str(i)
            outputs.append({"name": name, "file": store.save(request_of_run.get_output_tensor(i).data)})
    return {"version": runtime.__version__, "outputs": outputs, "values": values.list}


def openvino_results(model):
    """(operator, name) of tensors with a name that operators of a model make."""
    for node in model.get_ordered_ops():
        if node.get_type_name() in ("Parameter", "Constant", "Result"):
            continue
        for port in node.outputs():
            for name in sorted(port.get_names())[:1]:
                yield node.get_type_name(), name


def wire_fields(data):
    """(number, value) of the fields of a protobuf message; integers, or bytes."""

    def varint(at):
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value, at

    at = 0
    while at < len(data):
        key, at = varint(at)
        if key & 7 == 0:
            value, at = varint(at)
        else:
            size = {1: 8, 5: 4}.get(key & 7)
            if size is None:
                size, at = varint(at)
            value = data[at : at + size]
            at += size
        yield key >> 3, value


def wire_field(number, content):
    """A field of bytes of a protobuf message."""
    size, rest = b"", len(content)
    while rest > 127:
        size += bytes([rest & 127 | 128])
        rest >>= 7
    return bytes([number << 3 | 2]) + size + bytes([rest]) + content


def onnx_results(model):
    """(operator, name) of the tensors that nodes of an ONNX model make, regions left out."""
    for graph in (value for number, value in wire_fields(memoryview(model)) if number == MODEL_GRAPH):
        for node in (value for number, value in wire_fields(graph) if number == GRAPH_NODE):
            fields = list(wire_fields(node))
            op = "".join(bytes(value).decode() for number, value in fields if number == NODE_TYPE)
            for value in (value for number, value in fields if number == NODE_OUTPUT and value):
                yield op, bytes(value).decode()


def with_outputs(model, names):
    """An ONNX model with more outputs: behind a message, more of its fields are added to it."""
    outputs = b"".join(wire_field(GRAPH_OUTPUT, wire_field(VALUE_NAME, name.encode())) for name in names)
    return model + wire_field(MODEL_GRAPH, outputs)


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
        run = {"paddle": run_paddle, "onnxruntime": run_onnxruntime, "openvino": run_openvino}[request["engine"]]
        reply = run(request, inputs, Store(numpy))
    except ImportError as error:
        reply = {"error": str(error), "missing": error.name or ""}
    except Exception as error:  # pylint: disable=broad-except  # whatever an engine throws is told
        reply = {"error": str(error).strip() or type(error).__name__}
    with open(os.path.join(FOLDER, "reply.json"), "w", encoding="utf-8") as file:
        json.dump(reply, file)


main()
