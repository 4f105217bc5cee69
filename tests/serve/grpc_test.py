# SPDX-License-Identifier: Apache-2.0
"""The Open Inference Protocol over gRPC, with Triton's client as it is, and with messages of our own where that client makes none."""
import asyncio
import os
import pathlib
import queue
import shutil
import subprocess

import numpy as np
import program_file
import pytest
import tritonclient.grpc as triton
import tritonclient.grpc.aio as triton_aio
from conftest import DATATYPES, save
from ensembles_test import ensemble, step
from grpc_client import X, client, inputs, message, refused, serve_grpc, with_module
from tritonclient.grpc import model_config_pb2, service_pb2
from tritonclient.utils import InferenceServerException

PROTOS = pathlib.Path(__file__).resolve().parents[2] / "src/serve/grpc"
pytestmark = with_module


def test_what_the_server_says_of_itself(client):
    ours, http = client.triton, client.server
    assert ours.is_server_live() and ours.is_server_ready() and ours.is_model_ready("m") and ours.is_model_ready("m", "1")
    assert ours.get_server_metadata(as_json=True) == http.get("/v2").json
    metadata = ours.get_model_metadata("m", as_json=True)
    for tensor in metadata["inputs"] + metadata["outputs"]:
        tensor["shape"] = [int(d) for d in tensor["shape"]]
    assert metadata == http.get("/v2/models/m").json
    config, by_http = ours.get_model_config("m").config, http.get("/v2/models/m/config").json
    assert (config.name, config.platform, config.backend, config.max_batch_size) == ("m", "paddle_coracle", "coracle", 8)
    assert by_http["max_batch_size"] == 8 and config.HasField("dynamic_batching")
    assert [(i.name, model_config_pb2.DataType.Name(i.data_type), list(i.dims)) for i in config.input] == [("x", "TYPE_FP32", [4])]
    assert [o.name for o in config.output] == [o["name"] for o in by_http["output"]]
    for _ in range(3):
        ours.infer("m", inputs(x=X))
    statistics, by_http = ours.get_inference_statistics("m").model_stats[0], http.statistics("m")
    assert (statistics.name, statistics.version, statistics.inference_count) == ("m", "1", 6)
    for part in ("success", "fail", "queue", "compute_input", "compute_infer", "compute_output"):
        duration = getattr(statistics.inference_stats, part)
        assert {"count": duration.count, "ns": duration.ns} == by_http["inference_stats"][part]
    assert sum(b.batch_size * b.compute_infer.count for b in statistics.batch_stats) == 6
    assert [m.name for m in ours.get_inference_statistics().model_stats] == ["m"]
    assert [(m.name, m.version, m.state) for m in ours.get_model_repository_index().models] == [("m", "1", "READY")]


FIELDS = {"int8": "int_contents", "int32": "int_contents", "uint8": "uint_contents", "int64": "int64_contents",
          "float32": "fp32_contents", "float64": "fp64_contents", "float16": None}


@pytest.mark.parametrize("dtype", FIELDS)
def test_all_forms_of_a_request_get_the_bits_of_http(serve_grpc, tmp_path, dtype):
    client = serve_grpc("m=%s" % save(tmp_path / "m", program_file.doubled(dtype)))
    x = (np.arange(6000).reshape(2, 3000) % 60).astype(dtype)    # larger than what is copied, and smaller
    for array in (x, x[:, :3].copy(), x[:, :0].copy()):
        wanted = client.server.infer("m", {"x": array})["y"].tobytes()
        assert wanted == (array + array).tobytes()
        requests = [message(array)] + ([message(array, field=FIELDS[dtype])] if FIELDS[dtype] else [])
        for request in requests:
            response = client.stub.ModelInfer(request)
            assert list(response.raw_output_contents) == [wanted]
            assert list(response.outputs[0].shape) == list(array.shape) and response.outputs[0].datatype == DATATYPES[dtype]
        assert client.triton.infer("m", inputs(x=array)).as_numpy("y").tobytes() == wanted


def test_names_versions_and_outputs(client):
    wanted = client.server.infer("m", {"x": X})
    result = client.triton.infer("m", inputs(x=X), "1", [triton.InferRequestedOutput("p0")], "7", sequence_id=5, priority=0,
                                 timeout=10_000_000, parameters={"mine": "x"})
    response = result.get_response()
    assert (response.model_name, response.model_version, response.id) == ("m", "1", "7")
    assert [o.name for o in response.outputs] == ["p0"] and result.as_numpy("p0").tobytes() == wanted["p0"].tobytes()


def test_sequences_have_offsets(serve_grpc, tmp_path):
    client = serve_grpc("m=%s" % save(tmp_path / "m", program_file.sequences()))
    x = np.arange(10, dtype=np.float32).reshape(5, 2)
    request = message(x)
    request.inputs[0].parameters["lod"].string_param = "[[0, 3, 5]]"
    sums = np.stack([x[:3].sum(0), x[3:].sum(0)])
    assert client.stub.ModelInfer(request).raw_output_contents[0] == sums.tobytes()
    for lod in ("[[0, 3", "3", "[0, 3]", "[[0, -1]]", ""):
        request.inputs[0].parameters["lod"].string_param = lod
        code, text = refused(client.stub.ModelInfer, request)
        assert code == "INVALID_ARGUMENT" and "'lod'" in text, lod


def test_dynamic_widths(serve_grpc):
    models = pathlib.Path(os.environ.get("CORACLE_DEMO_MODELS", "")) / "models/ch_PP-OCRv4_rec_infer"
    if not models.exists():
        pytest.skip("the demo's models are not here")
    client = serve_grpc("rec=%s" % models)
    name = client.triton.get_model_metadata("rec").outputs[0].name
    for width in (32, 100, 320):
        x = np.random.default_rng(width).standard_normal((1, 3, 48, width)).astype(np.float32)
        wanted = client.server.infer("rec", {"x": x})[name]
        assert client.triton.infer("rec", inputs(x=x)).as_numpy(name).tobytes() == wanted.tobytes()


def changed(change):
    request = message(X)
    change(request)
    return request


def test_errors_have_their_codes(client):
    for code, words, request in (
            ("NOT_FOUND", "there is no model 'none'", message(X, model="none")),
            ("NOT_FOUND", "no version '9'", message(X, model_version="9")),
            ("INVALID_ARGUMENT", "has no input 'z'; it has 'x'", message(X, name="z")),
            ("INVALID_ARGUMENT", "input 'x' of model 'm' is missing", service_pb2.ModelInferRequest(model_name="m")),
            ("INVALID_ARGUMENT", "given twice", changed(lambda r: (r.inputs.append(r.inputs[0]), r.raw_input_contents.append(b"")))),
            ("INVALID_ARGUMENT", "has the datatype FP32, the request says FP64", message(X.astype("float64"))),
            ("INVALID_ARGUMENT", "'FLOAT', expected one of", changed(lambda r: setattr(r.inputs[0], "datatype", "FLOAT"))),
            ("INVALID_ARGUMENT", "'BYTES', expected one of", changed(lambda r: setattr(r.inputs[0], "datatype", "BYTES"))),
            ("INVALID_ARGUMENT", "[-1, 4] (-1: any size), the request says [4, 2]", message(X.reshape(4, 2))),
            ("INVALID_ARGUMENT", "what is not a size: [-2, 4]", changed(lambda r: r.inputs[0].shape.__setitem__(0, -2))),
            ("INVALID_ARGUMENT", "more than memory has", changed(lambda r: r.inputs[0].shape.__setitem__(0, 2**62))),
            ("INVALID_ARGUMENT", "has 32 bytes of data, its shape and datatype need 48", changed(lambda r: r.inputs[0].shape.__setitem__(0, 3))),
            ("INVALID_ARGUMENT", "2 raw_input_contents, expected one for each of its 1", changed(lambda r: r.raw_input_contents.append(b""))),
            ("INVALID_ARGUMENT", "has contents, and", changed(lambda r: r.inputs[0].contents.fp32_contents.append(1))),
            ("INVALID_ARGUMENT", "has 0 bytes of data", changed(lambda r: r.ClearField("raw_input_contents"))),
            ("INVALID_ARGUMENT", "FP16, whose elements are given in raw_input_contents", message(X.astype("float16"), field="fp32_contents")),
            ("INVALID_ARGUMENT", "element 300, which INT8 does not hold", changed(lambda r: (
                r.ClearField("raw_input_contents"), setattr(r.inputs[0], "datatype", "INT8"), r.inputs[0].contents.int_contents.append(300)))),
            ("INVALID_ARGUMENT", "has no output 'q'; it has 'y', 'p0'", changed(lambda r: r.outputs.add(name="q"))),
            ("INVALID_ARGUMENT", "'timeout' is not an integer", changed(lambda r: setattr(r.parameters["timeout"], "string_param", "soon"))),
            ("UNIMPLEMENTED", "shared memory", changed(lambda r: setattr(r.inputs[0].parameters["shared_memory_region"], "string_param", "s"))),
            ("UNIMPLEMENTED", "classification", changed(lambda r: setattr(r.outputs.add(name="y").parameters["classification"], "int64_param", 3)))):
        given, text = refused(client.stub.ModelInfer, request)
        assert given == code and words in text, (words, given, text)
        assert client.stub.ModelInfer(message(X)).raw_output_contents    # and the next one runs
    fails = client.triton.get_inference_statistics("m").model_stats[0].inference_stats.fail.count
    assert fails == client.server.statistics("m")["inference_stats"]["fail"]["count"] > 0
    bytes_only = client.channel.unary_unary("/inference.GRPCInferenceService/ModelInfer")
    assert refused(bytes_only, b"\xff\xff\xff") == ("INVALID_ARGUMENT", "the message is not an inference.ModelInferRequest")
    for method in ("model_metadata", "model_config", "inference_statistics"):
        with pytest.raises(InferenceServerException, match="NOT_FOUND.* there is no model 'none'"):
            getattr(client.triton, "get_" + method)("none")
    with pytest.raises(InferenceServerException, match="UNAVAILABLE.*--model-control explicit"):
        client.triton.load_model("m")
    for call in (client.triton.get_trace_settings, client.triton.get_log_settings, client.triton.get_system_shared_memory_status):
        with pytest.raises(InferenceServerException, match="UNIMPLEMENTED"):
            call()
    with pytest.raises(InferenceServerException, match="UNIMPLEMENTED.*gzip"):
        client.triton.infer("m", inputs(x=X), compression_algorithm="gzip")


def test_long_messages_arrive(serve_grpc, tmp_path):
    names = ["input %04d é" % i for i in range(400)]
    add = [program_file.operator("elementwise_add", {"X": [n], "Y": [n]}, {"Out": ["y" + n]}, {"axis": -1}) for n in names]
    program = program_file.model([(n, "float32", (-1, 2)) for n in names], add, [("y" + n, "float32", (-1, 2)) for n in names])
    client = serve_grpc("m=%s" % save(tmp_path / "m", program))
    code, text = refused(client.stub.ModelInfer, message(X, name="é" * 200))
    assert code == "INVALID_ARGUMENT" and "input 0001" in text and "input 0399" not in text
    # Half of a character, where a name was cut, is no text that messages may have.
    answer, = client.stub.ModelStreamInfer(iter([message(X, name="é" * 200)]))
    assert "é?'; it has 'input 0000 é'" in answer.error_message and answer.error_message.endswith("'input 0399 é'")


def test_models_are_loaded_and_unloaded(serve_grpc, tmp_path):
    save(tmp_path / "a" / "1", program_file.linear(seed=1))
    client = serve_grpc("--repository", tmp_path, "--model-control", "explicit")
    first = client.triton.infer("a", inputs(x=X)).as_numpy("y")
    save(tmp_path / "a" / "1", program_file.linear(seed=2))
    save(tmp_path / "b" / "1", program_file.linear(seed=3))
    client.triton.load_model("a")
    client.triton.load_model("b")
    assert client.triton.is_model_ready("b") and not np.array_equal(client.triton.infer("a", inputs(x=X)).as_numpy("y"), first)
    client.triton.unload_model("a")
    assert not client.triton.is_model_ready("a")
    assert refused(client.stub.ModelInfer, message(X, model="a"))[0] == "UNAVAILABLE"
    (tmp_path / "b" / "1" / "inference.pdmodel").write_bytes(b"no model")
    for name, code in (("b", "INVALID_ARGUMENT"), ("none", "NOT_FOUND"), ("../b", "INVALID_ARGUMENT")):
        assert refused(client.stub.RepositoryModelLoad, service_pb2.RepositoryModelLoadRequest(model_name=name))[0] == code
    index = {m.name: m for m in client.triton.get_model_repository_index().models}
    assert (index["a"].state, index["a"].reason, index["b"].state) == ("UNAVAILABLE", "unloaded", "READY")


def test_many_calls_at_the_same_time(client):
    rng = np.random.default_rng(0)
    arrays = [rng.standard_normal((1 + i % 3, 4)).astype(np.float32) for i in range(64)]
    wanted = [client.server.infer("m", {"x": array})["y"].tobytes() for array in arrays]
    answers = queue.Queue()
    for number, array in enumerate(arrays):
        client.triton.async_infer("m", inputs(x=array), lambda result, error, number=number: answers.put((number, result, error)))
    for _ in arrays:
        number, result, error = answers.get(timeout=60)
        assert error is None and result.as_numpy("y").tobytes() == wanted[number]

    async def all_at_once():
        async with triton_aio.InferenceServerClient(client.address) as own:
            assert await own.is_model_ready("m")
            return await asyncio.gather(*(own.infer("m", inputs(x=array)) for array in arrays))

    assert [result.as_numpy("y").tobytes() for result in asyncio.run(all_at_once())] == wanted


def test_streams_are_answered_in_order(client):
    answers = queue.Queue()
    client.triton.start_stream(lambda result, error: answers.put((result, error)))
    count = 300    # more than are taken at once
    wanted = client.server.infer("m", {"x": X})["y"]
    for i in range(count):
        model, array = ("none", X) if i % 7 == 3 else ("m", X)
        client.triton.async_stream_infer(model, inputs(x=array), request_id=str(i))
    for i in range(count):
        result, error = answers.get(timeout=60)
        if i % 7 == 3:
            assert result is None and "there is no model 'none'" in error.message()
        else:
            assert error is None and result.get_response().id == str(i) and np.array_equal(result.as_numpy("y"), wanted)
    client.triton.stop_stream()
    first, second = client.stub.ModelStreamInfer(iter([message(X, model="none", id="a"), message(X, id="b")]))
    assert first.error_message and first.infer_response.id == "a" and second.infer_response.id == "b"
    assert list(client.stub.ModelStreamInfer(iter([]))) == []


def test_numbers_are_those_of_triton(tmp_path):
    protoc = shutil.which("protoc")
    if protoc is None:
        pytest.skip("no protoc here")
    from google.protobuf import descriptor_pb2, descriptor_pool
    subprocess.run([protoc, "-I", PROTOS, "--descriptor_set_out", tmp_path / "set", "inference.proto"], check=True)
    ours = descriptor_pb2.FileDescriptorSet.FromString((tmp_path / "set").read_bytes()).file[0]
    theirs = descriptor_pool.Default()

    def same(message_, name):
        known = theirs.FindMessageTypeByName(name).fields_by_name
        for field in message_.field:
            other = known[field.name]
            assert (field.number, field.label, field.type_name.split(".")[-1]) == (other.number, other.label, (
                other.message_type or other.enum_type).name if other.message_type or other.enum_type else ""), (name, field.name)
            assert field.type == other.type, (name, field.name)
        for nested in message_.nested_type:
            same(nested, name + "." + nested.name)

    assert len(ours.message_type) == 36
    for each in ours.message_type:
        same(each, "inference." + each.name)
    for value in ours.enum_type[0].value:
        assert model_config_pb2.DataType.Value(value.name) == value.number
    methods = theirs.FindServiceByName("inference.GRPCInferenceService").methods_by_name
    for method in ours.service[0].method:
        other = methods[method.name]
        assert (method.input_type, method.output_type) == ("." + other.input_type.full_name, "." + other.output_type.full_name)


def test_an_ensemble(serve_grpc, tmp_path):
    save(tmp_path / "m" / "1", program_file.linear())
    ensemble(tmp_path / "e", step("m", {"x": "IN"}, {"y": "t"}), step("m", {"x": "t"}, {"y": "OUT"}, 1), dims="4")
    client = serve_grpc("--repository", tmp_path)
    first = client.triton.infer("m", inputs(x=X)).as_numpy("y")
    assert client.triton.infer("e", inputs(IN=X)).as_numpy("OUT").tobytes() == client.triton.infer("m", inputs(x=first)).as_numpy("y").tobytes()
    config = client.triton.get_model_config("e").config
    assert (config.platform, config.backend, config.max_batch_size) == ("ensemble", "", 8) and config.HasField("ensemble_scheduling")
    steps = config.ensemble_scheduling.step
    assert [(s.model_name, s.model_version, dict(s.input_map), dict(s.output_map)) for s in steps] == [
        ("m", -1, {"x": "IN"}, {"y": "t"}), ("m", 1, {"x": "t"}, {"y": "OUT"})]
