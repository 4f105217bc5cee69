# SPDX-License-Identifier: Apache-2.0
"""What GET /metrics shows, and that promtool (scripts/promtool.sh) finds nothing to say of it."""
import os
import pathlib
import re
import shutil
import subprocess
import time

import numpy as np
import pytest

X = np.ones((2, 4), np.float32)
PROMTOOL = pathlib.Path(__file__).resolve().parents[2] / "build/promtool/promtool"


def promtool(*arguments, text=None):
    program = PROMTOOL if PROMTOOL.exists() else shutil.which("promtool")
    if not program:
        pytest.skip("promtool is not there (scripts/promtool.sh build/promtool)")
    return subprocess.run([program, *arguments], input=text, capture_output=True, text=True)


def values(server):
    answer = server.metrics()
    assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    lines = [line for line in answer.body.decode().splitlines() if not line.startswith("#")]
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines)}


@pytest.fixture
def server(serve, linear):
    server = serve("m=%s" % linear)
    for _ in range(3):
        server.infer("m", {"x": X})
    return server


def test_histograms_of_all_parts_of_the_work(server):
    shown = values(server)
    labels = 'model="m",version="1"'
    for part in ("request", "queue", "compute_input", "compute_infer", "compute_output"):
        name = "coracle_%s_duration_seconds" % part
        bounds = [re.search('le="(.*)"', key)[1] for key in shown if key.startswith(name + "_bucket{%s" % labels)]
        assert bounds == ["0.0005", "0.001", "0.002", "0.005", "0.01", "0.02", "0.05", "0.1", "0.2", "0.5", "1", "2", "5", "10", "+Inf"]
        counts = [shown['%s_bucket{%s,le="%s"}' % (name, labels, bound)] for bound in bounds]
        assert counts == sorted(counts) and counts[-1] == shown["%s_count{%s}" % (name, labels)] == 3
        microseconds = shown["nv_inference_%s_duration_us{%s}" % (part, labels)]
        assert abs(shown["%s_sum{%s}" % (name, labels)] * 1e6 - microseconds) < 2
    assert shown['coracle_batch_size_bucket{%s,le="1"}' % labels] == 0
    assert shown['coracle_batch_size_bucket{%s,le="2"}' % labels] == shown["coracle_batch_size_count{%s}" % labels] == 3
    assert shown["coracle_batch_size_sum{%s}" % labels] == 6 and shown["coracle_queue_limit{%s}" % labels] == 1024


def test_requests_and_connections(server):
    assert server.get("/v2/models/none").status == 404
    assert server.post("/v2/models/m/infer", {}).status == 400
    server.wait_until(lambda: values(server).get('coracle_http_requests_total{code="400"}') == 1)
    shown = values(server)
    assert shown['coracle_http_requests_total{code="200"}'] == 3 and shown['coracle_http_requests_total{code="404"}'] == 1
    assert shown["coracle_http_connections"] == 1 and shown["coracle_http_requests_in_flight"] == 0
    assert shown["coracle_http_request_bytes_total"] > 3 * X.nbytes and shown["coracle_http_response_bytes_total"] > 3 * 2 * X.nbytes
    assert shown['nv_inference_request_failure{model="m",version="1",reason="OTHER"}'] == 1


def test_process_and_machine(server):
    shown = values(server)
    with open("/proc/%d/statm" % server.process.pid) as file:
        resident = int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")
    assert 0.5 < shown["process_resident_memory_bytes"] / resident < 2
    assert abs(time.time() - shown["process_start_time_seconds"]) < 60 and shown["process_cpu_seconds_total"] >= 0
    assert 3 < shown["process_open_fds"] < shown["process_max_fds"]
    assert 0 < shown["nv_cpu_memory_used_bytes"] < shown["nv_cpu_memory_total_bytes"] and 0 <= shown["nv_cpu_utilization"] <= 1
    program = subprocess.run([os.environ["CORACLE_SERVE"], "--version"], capture_output=True, text=True).stdout.split()[1]
    assert shown['coracle_build_info{version="%s"}' % program] == 1


def test_models_and_their_states(serve, linear, tmp_path):
    (tmp_path / "repository" / "broken").mkdir(parents=True)
    server = serve("m=%s" % linear, "--repository", tmp_path / "repository")
    shown = values(server)
    assert shown['coracle_model_ready{model="m",version="1"}'] == 1 and shown['coracle_model_ready{model="broken",version=""}'] == 0
    assert shown["coracle_models_ready"] == 1 and shown["coracle_ready"] == 0


def test_promtool_finds_nothing_to_say(server):
    """But of Triton's names, which are as Triton has them."""
    text = server.metrics().body.decode()
    checked = promtool("check", "metrics", text=text)
    assert "error" not in checked.stderr.lower(), checked.stderr
    assert [line for line in (checked.stdout + checked.stderr).splitlines() if not line.startswith("nv_")] == []
    own = "\n".join(line for line in text.splitlines() if "nv_" not in line) + "\n"
    assert promtool("check", "metrics", text=own).returncode == 0
    assert promtool("check", "metrics", text="a 1\n").returncode != 0
