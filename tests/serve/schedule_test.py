# SPDX-License-Identifier: Apache-2.0
"""What a server does between requests: it warms models up, shares memory among them, and keeps what runs have taught."""
import json
import os
import subprocess

import numpy as np
import program_file
import pytest
from conftest import Refused, centred, save, together

X = np.ones((1, 4), np.float32)
WARM_UP = """
model_warmup { name: "w" batch_size: 2 count: 3
  inputs { key: "x" value { data_type: TYPE_FP32 dims: %d zero_data: true } } }
max_batch_size: 4
"""


def test_models_are_ready_once_they_are_warm(serve, tmp_path):
    save(tmp_path / "warm" / "1", program_file.linear())
    (tmp_path / "warm" / "config.pbtxt").write_text(WARM_UP % 4)
    save(tmp_path / "wrong" / "1", program_file.linear())
    (tmp_path / "wrong" / "config.pbtxt").write_text(WARM_UP % 5)
    server = serve("--repository", tmp_path, "--model-control", "explicit")
    index = {each["name"]: each for each in server.post("/v2/repository/index").json}
    assert index["warm"]["state"] == "READY" and index["wrong"]["state"] == "UNAVAILABLE"
    assert "the warm-up 'w' of model 'wrong' failed: input 'x'" in index["wrong"]["reason"]
    assert "[2, 5]" in index["wrong"]["reason"]
    assert server.get("/v2/models/wrong/ready").status == 503 and server.get("/v2/health/ready").status == 503
    # A version that does not warm up does not take the place of the one that serves.
    before = server.infer("warm", {"x": X})["y"]
    (tmp_path / "warm" / "config.pbtxt").write_text(WARM_UP % 5)
    save(tmp_path / "warm" / "1", program_file.linear(seed=1))
    assert server.post("/v2/repository/models/warm/load").status == 400
    assert np.array_equal(server.infer("warm", {"x": X})["y"], before)
    (tmp_path / "warm" / "config.pbtxt").write_text(WARM_UP % 4)
    assert server.post("/v2/repository/models/warm/load").status == 200
    assert not np.array_equal(server.infer("warm", {"x": X})["y"], before)
    assert server.statistics("warm")["inference_count"] == 1, "warm-ups are no requests"


def test_a_warm_up_by_option(serve, tmp_path):
    model = "m=%s" % save(tmp_path / "m", program_file.doubled("float32"))
    server = serve("--warm-up", "m=x:2x3", "--warm-up", "m=5x6", model)
    assert server.get("/v2/health/ready").status == 200
    for words, arguments in (("has shapes for 2 inputs, the model has 1", ["--warm-up", "m=x:2x3,y:3"]),
                             ("the warm-up 'x:2' of model 'm' failed", ["--warm-up", "m=x:2"]),
                             ("there is no model 'n'", ["--warm-up", "n=x:2"]),
                             ("'2y' is not a shape", ["--warm-up", "m=2y"]),
                             ("'2..5/2' does not end with its last size", ["--warm-up", "m=2..5/2x3"]),
                             ("the warm-up 'x:3' of model 'm' failed", ["--warm-up", "m=x:2..3"])):
        assert words in ended(arguments + [model])


def test_sizes_that_are_warmed_up_together_keep_their_plans(serve, tmp_path):
    """Of these there are more than plans of such a model may take by themselves, 4 MiB."""
    server = serve("--warm-up", "m=1..64x1..100", "m=%s" % save(tmp_path / "m", program_file.doubled("float32")))
    assert server.statistics("m")["memory_usage"][0]["byte_size"] > 5 << 20


def ended(arguments):
    """What the program says that ends by itself."""
    command = [os.environ["CORACLE_SERVE"], "--http-port", "0", "--metrics-port", "0", *arguments]
    process = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert process.returncode != 0
    return process.stderr


def resident(server, field="VmHWM"):
    """The most that the process has had in memory, in MiB."""
    with open("/proc/%d/status" % server.process.pid) as file:
        return next(int(line.split()[1]) for line in file if line.startswith(field)) / 1024


def test_memory_is_one_budget_for_all(serve, tmp_path):
    folder = save(tmp_path / "m", program_file.doubled("float32"))
    server = serve("m=%s" % folder, "n=%s" % folder, "--memory-limit-mib", 48, "--max-batch-size", 0)
    small = np.arange(6, dtype=np.float32).reshape(2, 3)

    def works():
        return np.array_equal(server.infer("m", {"x": small})["y"], small + small)

    # 16 MiB of body, of results and of the answer that is sent.
    fits = np.ones((1024, 3584), np.float32)
    assert np.array_equal(server.infer("n", {"x": fits})["y"], fits + fits)
    for elements, words in ((13 << 20, "the body of the request, 53 MiB: "), (9 << 20, "MiB are in use (--memory-limit-mib)")):
        with pytest.raises(Refused) as refusal:
            server.infer("m", {"x": np.ones((1024, elements // 1024), np.float32)})
        assert refusal.value.answer.status == 503 and words in refusal.value.answer.error, refusal.value
        assert works()
    # Without a length, and as JSON, whose document is larger than its text.
    answer = server.ask("POST", "/v2/models/m/infer", iter([b" " * (1 << 20)] * 60))
    assert answer.status == 503 and "the body of the request" in answer.error
    text = b'{"inputs": [{"name": "x", "datatype": "FP32", "shape": [1, 4000000], "data": [' + b"1," * 3999999 + b"1]}]}"
    answer = server.ask("POST", "/v2/models/m/infer", text)
    assert answer.status == 503 and "the JSON of the request" in answer.error
    assert works()
    assert "memory_usage" in server.statistics("m")


def test_many_requests_share_the_memory(serve, tmp_path):
    folder = save(tmp_path / "m", program_file.doubled("float32"))
    server = serve("m=%s" % folder, "n=%s" % folder, "--memory-limit-mib", 40, "--max-body-mib", 16)
    before, answered, refused = resident(server), [], []

    def client(number):
        x = np.full((1 + number, 256 << 10), number, np.float32)
        for _ in range(10):
            try:
                assert np.array_equal(server.infer("mn"[number % 2], {"x": x})["y"], x + x)
                answered.append(number)
            except Refused as refusal:
                assert refusal.answer.status == 503 and "--memory-limit-mib" in refusal.answer.error
                refused.append(number)

    together(8, client)
    assert answered and refused, "the test asks for too much or too little"
    assert resident(server) - before < 40 + 24, "buffers of connections and copies that are being made"
    x = np.ones((1, 4), np.float32)
    assert np.array_equal(server.infer("m", {"x": x})["y"], x + x)


def test_idle_models_give_memory_back(serve, tmp_path):
    server = serve("m=%s" % save(tmp_path / "m", program_file.linear(width=256, layers=3)), "--idle-seconds", 1, "--instances", 1)
    x = np.random.default_rng(0).standard_normal((2000, 256), np.float32)

    def held():
        return server.statistics("m")["memory_usage"][0]["byte_size"]

    for _ in range(2):
        answer = server.infer("m", {"x": x})["y"].tobytes()
        most = held()
        assert most > x.nbytes
        server.wait_until(lambda: held() < most - x.nbytes)
        assert server.infer("m", {"x": x})["y"].tobytes() == answer


def test_what_runs_have_taught_is_kept(serve, tmp_path):
    folder = save(tmp_path / "m", program_file.linear(width=64, layers=3))
    save(tmp_path / "c", centred())
    options = ["m=%s" % folder, "c=%s" % (tmp_path / "c"), "--max-queue-delay-us", 60_000_000, "--max-batch-size", 4]
    random = np.random.default_rng(3)
    inputs = [random.standard_normal((1, 64), np.float32) for _ in range(4)]
    alone = serve("m=%s" % folder, "--max-batch-size", 0)
    wanted = [alone.infer("m", {"x": x})["y"].tobytes() for x in inputs]

    def run(state):
        """What the server says at its start, after a batch of both models."""
        server = serve(*options, "--state-directory", state)

        def client(number):
            assert server.infer("m", {"x": inputs[number]})["y"].tobytes() == wanted[number]
            if number < 2:
                server.infer("c", {"x": np.full((2, 4), number, np.float32) + np.eye(2, 4, dtype=np.float32)})

        together(4, client)
        assert server.statistics("m")["batch_stats"] == [{"batch_size": 4, "execution_count": 1}]
        assert server.stop() == 0
        return "".join(server.lines)

    def learnt(state, name):
        head, content = (state / (name + ".1.state")).read_bytes().split(b"\n", 1)
        return json.loads(content[int(head.split()[2]):])

    first, second = tmp_path / "first", tmp_path / "second"
    assert "goes on" not in run(first)
    assert [each["proven"] for each in learnt(first, "m")["shapes"]] == [True]
    assert [cost["rows"] for cost in learnt(first, "m")["shapes"][0]["costs"]] == [4]
    said = run(first)
    assert "model 'm' goes on with what was learnt of it before" in said
    assert learnt(first, "c")["refused"] in said, "the other model is known not to be one for batches"
    # What is made again is what was kept.
    run(second)
    assert [(each["shape"], each["proven"]) for each in learnt(second, "m")["shapes"]] == \
        [(each["shape"], each["proven"]) for each in learnt(first, "m")["shapes"]]
    # Damaged, and of a model that was changed without a change of size or time.
    kept = first / "m.1.state"
    kept.write_bytes(kept.read_bytes()[:-1])
    assert "is damaged" in run(first)
    weights = folder / "inference.pdiparams"
    status = weights.stat()
    weights.write_bytes(weights.read_bytes()[:-4] + b"\0\0\0\0")
    os.utime(weights, ns=(status.st_atime_ns, status.st_mtime_ns))
    wanted[:] = [serve("m=%s" % folder, "--max-batch-size", 0).infer("m", {"x": x})["y"].tobytes() for x in inputs]
    assert "is of other files of the model" in run(first)
    assert "goes on" in run(first)


def test_a_target_changes_no_bits(serve, tmp_path):
    folder = save(tmp_path / "m", program_file.linear(width=64, layers=3))
    server = serve("m=%s" % folder, "--target-p99-ms", 1, "--max-queue-delay-us", 2000)
    alone = serve("m=%s" % folder, "--max-batch-size", 0)
    x = np.random.default_rng(0).standard_normal((8, 64), np.float32)
    wanted = [alone.infer("m", {"x": x[i:i + 1]})["y"].tobytes() for i in range(8)]

    def client(number):
        for _ in range(50):
            assert server.infer("m", {"x": x[number:number + 1]})["y"].tobytes() == wanted[number]

    together(8, client)
