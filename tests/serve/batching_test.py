# SPDX-License-Identifier: Apache-2.0
"""Batches do not change answers, and a request harms nobody else."""
import http.client
import os
import time

import numpy as np
import program_file
import pytest
from conftest import Refused, centred, save, together

MIXES = int(os.environ.get("CORACLE_SERVE_MIXES", "1000"))
CLIENTS = 12


def test_every_mix_has_the_bits_of_single_requests(serve, tmp_path):
    folder = save(tmp_path / "m", program_file.linear(width=64, layers=3))
    alone = serve("m=%s" % folder, "--max-batch-size", 0)
    random = np.random.default_rng(0)
    inputs = [random.standard_normal((random.integers(1, 6), 64), np.float32) for _ in range(40)]
    for i in range(0, 40, 8):  # what must not reach others
        inputs[i][0, i] = (np.nan, np.inf, -np.inf, 3e38, 1e-40)[i // 8]
    wanted = [alone.infer("m", {"x": x}) for x in inputs]
    # Batches alone take half of the mixes; the rest comes with all that changes what runs when, before and after a restart.
    kept = ["--memory-limit-mib", 8, "--idle-seconds", 1, "--target-p99-ms", 5, "--state-directory", tmp_path / "state"]
    for options, mixes in (([], MIXES // 2), (kept, MIXES // 4), (kept, MIXES // 4)):
        server = serve("m=%s" % folder, "--max-batch-size", 8, "--max-queue-delay-us", 2000, *options)
        check_mixes(server, inputs, wanted, mixes, batches=not options)
        assert server.stop() == 0
    assert "goes on with what was learnt" in "".join(server.lines)


def check_mixes(server, inputs, wanted, mixes, batches):
    refused = []

    def client(number):
        chosen = np.random.default_rng(number)
        for _ in range(mixes // CLIENTS):
            i = chosen.integers(len(inputs))
            if chosen.integers(200) == 0:
                time.sleep(1.5)  # so that sometimes nobody asks
            try:
                answer = server.infer("m", {"x": inputs[i]})
            except Refused as refusal:
                assert refusal.answer.status == 503 and "--memory-limit-mib" in refusal.answer.error
                refused.append(i)
                continue
            for name, array in wanted[i].items():
                assert answer[name].tobytes() == array.tobytes(), (i, name)

    together(CLIENTS, client)
    statistics = server.statistics("m")
    assert len(refused) < mixes // 10 and statistics["inference_stats"]["success"]["count"] + len(refused) == mixes // CLIENTS * CLIENTS
    if batches:
        assert not refused
        assert any(each["batch_size"] > 5 for each in statistics["batch_stats"]), "nothing ran together"


def test_a_model_whose_rows_depend_on_each_other_is_not_batched(serve, tmp_path):
    server = serve("m=%s" % save(tmp_path / "m", centred()), "--max-queue-delay-us", 2000)
    random = np.random.default_rng(1)
    inputs = [random.standard_normal((2, 4), np.float32) for _ in range(8)]

    def client(number):
        x = inputs[number % len(inputs)]
        for _ in range(20):
            answer = server.infer("m", {"x": x})["y"]
            assert np.allclose(answer, x - x.mean(0), atol=1e-6)

    together(8, client)
    assert "model 'm' runs without batches from now on: rows of a batch have other bits" in "".join(server.lines)
    assert all(each["batch_size"] == 2 for each in server.statistics("m")["batch_stats"])


def test_shapes_run_apart(serve, tmp_path):
    server = serve("m=%s" % save(tmp_path / "m", program_file.doubled("float32")), "--max-queue-delay-us", 1000)

    def client(number):
        x = np.full((1 + number % 2, 3 + number % 3), number, np.float32)
        for _ in range(30):
            assert np.array_equal(server.infer("m", {"x": x})["y"], x + x)

    together(CLIENTS, client)


def test_a_full_queue_says_so_and_the_rest_is_answered(serve, tmp_path):
    server = serve("m=%s" % save(tmp_path / "m", program_file.linear(width=512, layers=40)), "--max-queue-size", 2,
                   "--instances", 1, "--max-batch-size", 0)
    refused, answered = [], []

    def client(number):
        x = np.ones((64, 512), np.float32)
        for _ in range(10):
            try:
                answered.append(server.infer("m", {"x": x}))
            except Refused as refusal:
                assert refusal.answer.status == 503 and "queue is full" in refusal.answer.error
                refused.append(number)

    together(8, client)
    assert answered and refused and len(answered) + len(refused) == 80
    assert server.statistics("m")["inference_stats"]["success"]["count"] == len(answered)


def test_a_time_limit_of_a_request(serve, tmp_path):
    server = serve("m=%s" % save(tmp_path / "m", program_file.linear(width=1024, layers=60)), "--max-batch-size", 0)
    with pytest.raises(Refused) as refusal:
        server.infer("m", {"x": np.ones((2000, 1024), np.float32)}, timeout=2000)
    assert refusal.value.answer.status == 504
    assert server.infer("m", {"x": np.ones((1, 1024), np.float32)}, timeout=30_000_000)


def test_a_client_that_hangs_up_ends_its_run(serve, tmp_path):
    server = serve("m=%s" % save(tmp_path / "m", program_file.linear(width=1024, layers=60)), "--max-batch-size", 0,
                   "--instances", 1)
    x = np.ones((4000, 1024), np.float32)
    for _ in range(3):
        connection = server.connection()
        connection.putrequest("POST", "/v2/models/m/infer")
        connection.putheader("Inference-Header-Content-Length", "0")
        connection.putheader("Content-Length", str(x.nbytes))
        connection.endheaders(x.tobytes())
        connection.close()
    server.wait_until(lambda: server.statistics("m")["inference_stats"]["fail"]["count"] == 3)
    assert 'reason="CANCELED"} 3' in server.metrics().body.decode()


def test_a_batch_that_nobody_waits_for_ends(serve, tmp_path):
    server = serve("m=%s" % save(tmp_path / "m", program_file.linear(width=1024, layers=60)), "--max-batch-size", 4000,
                   "--instances", 1, "--max-queue-delay-us", 60_000_000)
    x = np.ones((2000, 1024), np.float32)
    connections = []
    waiting = 'nv_inference_pending_request_count{model="m",version="1"} '
    for waits in "10":  # they run when the second one has come
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        connection.putrequest("POST", "/v2/models/m/infer")
        connection.putheader("Inference-Header-Content-Length", "0")
        connection.putheader("Content-Length", str(x.nbytes))
        connection.endheaders(x.tobytes())
        connections.append(connection)
        server.wait_until(lambda: waiting + waits in server.metrics().body.decode())
    for connection in connections:
        connection.close()
    server.wait_until(lambda: server.statistics("m")["inference_stats"]["fail"]["count"] == 2)
    assert 'reason="CANCELED"} 2' in server.metrics().body.decode()
    assert server.statistics("m")["execution_count"] == 0, "a run went on"


def test_widths_are_padded_where_the_configuration_says_so(serve, tmp_path):
    save(tmp_path / "m" / "1", program_file.doubled("float32"))
    config = 'max_batch_size: 4 dynamic_batching { max_queue_delay_microseconds: 60000000 } parameters { key: "pad_width" value { string_value: "%s" } }'
    (tmp_path / "m" / "config.pbtxt").write_text(config % 1)
    save(tmp_path / "wrong" / "1", program_file.doubled("float32"))
    (tmp_path / "wrong" / "config.pbtxt").write_text(config % "width")
    server = serve("--repository", tmp_path)

    def client(number):
        x = np.full((1, 3 + number), 1 + number, np.float32)
        assert np.array_equal(server.infer("m", {"x": x})["y"], x + x)

    together(4, client)
    assert server.statistics("m")["batch_stats"] == [{"batch_size": 4, "execution_count": 1}]
    index = {each["name"]: each for each in server.post("/v2/repository/index").json}
    assert "has pad_width 'width', expected an axis" in index["wrong"]["reason"]
