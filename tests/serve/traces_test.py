# SPDX-License-Identifier: Apache-2.0
"""--trace-endpoint: what a collector of OpenTelemetry gets, by OTLP over HTTP in JSON."""
import base64
import http.server
import json
import os
import re
import subprocess
import threading

import numpy as np
import pytest
from pipeline_client import DEMO_PICTURE, STAGES, needs_demo, short

X = np.ones((2, 4), np.float32)
TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
PARTS = ["queue", "compute_input", "compute_infer", "compute_output"]


class Collector:
    """Keeps spans. `statuses` are those of its next answers; 200 once there are none."""

    def __init__(self):
        self.spans, self.resources, self.posts, self.statuses = [], [], 0, []
        collector = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                collector.posts += 1
                status = collector.statuses.pop(0) if collector.statuses else 200
                if status == 200 and self.path == "/v1/traces" and self.headers["Content-Type"] == "application/json":
                    collector.take(json.loads(body))
                self.send_response(status)
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.endpoint = "http://127.0.0.1:%d/v1/traces" % self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def take(self, request):
        assert list(request) == ["resourceSpans"]
        for resource in request["resourceSpans"]:
            self.resources.append(attributes(resource["resource"]))
            for scope in resource["scopeSpans"]:
                assert scope["scope"]["name"] == "coracle-serve" and scope["scope"]["version"]
                self.spans += scope["spans"]


def attributes(of):
    return {each["key"]: next(iter(each["value"].values())) for each in of["attributes"]}


@pytest.fixture
def collector():
    collector = Collector()
    yield collector
    collector.server.shutdown()


def metric(server, name):
    return float(next(line for line in server.metrics().body.decode().splitlines() if line.startswith(name + " ")).split()[1])


def infer(server, headers=None, shape=(2, 4)):
    tensor = {"name": "x", "datatype": "FP32", "shape": shape, "data": [1] * int(np.prod(shape))}
    return server.post("/v2/models/m/infer", {"id": "7", "inputs": [tensor]}, headers)


def test_spans_of_a_request(serve, linear, collector):
    server = serve("m=%s" % linear, "--trace-endpoint", collector.endpoint, "--trace-rate", 0)
    answer = infer(server, {"traceparent": "00-%s-%s-01" % (TRACE, PARENT)})
    found = re.fullmatch("00-%s-([0-9a-f]{16})-01" % TRACE, answer.headers["traceparent"])
    server.wait_until(lambda: len(collector.spans) == 5)
    for span in collector.spans:
        assert span["traceId"] == TRACE and re.fullmatch("[0-9a-f]{16}", span["spanId"])
        assert int(span["startTimeUnixNano"]) <= int(span["endTimeUnixNano"]) and span["status"] == {}
    assert len({span["spanId"] for span in collector.spans}) == 5
    request = next(span for span in collector.spans if span["name"] == "request")
    assert request["spanId"] == found[1] and request["parentSpanId"] == PARENT and request["kind"] == 2
    about = attributes(request)
    assert about["http.request.method"] == "POST" and about["url.path"] == "/v2/models/m/infer" and about["http.response.status_code"] == "200"
    assert about["client.address"].startswith("127.0.0.1:") and about["coracle.request_id"] == "7"
    parts = [span for span in collector.spans if span["parentSpanId"] == request["spanId"]]
    assert [span["name"] for span in parts] == PARTS and all(span["kind"] == 1 for span in parts)
    times = [request["startTimeUnixNano"], *(t for span in parts for t in (span["startTimeUnixNano"], span["endTimeUnixNano"])), request["endTimeUnixNano"]]
    assert [int(t) for t in times] == sorted(int(t) for t in times)
    assert all(before["endTimeUnixNano"] == after["startTimeUnixNano"] for before, after in zip(parts, parts[1:]))
    assert attributes(parts[2]) == {"coracle.model": "m", "coracle.model_version": "1", "coracle.batch_size": "2"}
    assert collector.resources[0]["service.name"] == "coracle-serve" and collector.resources[0]["service.version"]


def test_who_decides_what_is_traced(serve, linear, collector):
    server = serve("m=%s" % linear, "--trace-endpoint", collector.endpoint, "--trace-rate", 0)
    assert infer(server).headers["traceparent"].endswith("-00")
    for wrong in ("", "00-%s-%s" % (TRACE, PARENT), "ff-%s-%s-01" % (TRACE, PARENT), "00-%s-%s-01-x" % (TRACE, PARENT),
                  "00-%s-%s-01" % ("0" * 32, PARENT), "00-%s-%s-01" % (TRACE, "0" * 16), "00-%s-%s-01" % (TRACE.upper(), PARENT), "x" * 55):
        assert TRACE not in infer(server, {"traceparent": wrong}).headers["traceparent"].lower(), wrong
    assert infer(server, {"traceparent": "00-%s-%s-00" % (TRACE, PARENT)}).headers["traceparent"].endswith("-00")
    assert infer(server, {"traceparent": "cc-%s-%s-09-later" % (TRACE, PARENT)}).headers["traceparent"].endswith("-01")
    server.wait_until(lambda: metric(server, "coracle_traces_exported_total") == 1)
    assert {span["traceId"] for span in collector.spans} == {TRACE}


def test_a_share_is_traced_and_the_end_sends_the_rest(serve, linear, collector):
    server = serve("m=%s" % linear, "--trace-endpoint", collector.endpoint, "--trace-rate", 0.5)
    sampled = [server.get("/v2").headers["traceparent"].split("-") for _ in range(200)]
    wanted = {trace for _, trace, _, flags in sampled if flags == "01"}
    assert 50 < len(wanted) < 150
    assert server.stop() == 0
    assert {span["traceId"] for span in collector.spans} == wanted and all("parentSpanId" not in span for span in collector.spans)
    assert collector.posts < len(wanted)  # many at a time


def test_requests_that_fail(serve, linear, collector):
    server = serve("m=%s" % linear, "--trace-endpoint", collector.endpoint, "--trace-rate", 1)
    assert infer(server, shape=(2, 5)).status == 400
    server.wait_until(lambda: collector.spans)
    assert [span["name"] for span in collector.spans] == ["request"]
    assert attributes(collector.spans[0])["http.response.status_code"] == "400" and collector.spans[0]["status"] == {}


def test_a_collector_that_is_busy_is_asked_again(serve, linear, collector):
    collector.statuses = [503, 429]
    server = serve("m=%s" % linear, "--trace-endpoint", collector.endpoint, "--trace-rate", 1)
    server.get("/v2")
    server.wait_until(lambda: metric(server, "coracle_traces_exported_total") == 1)
    assert collector.posts == 3 and len(collector.spans) == 1
    collector.statuses = [400]
    server.get("/v2")
    server.wait_until(lambda: metric(server, "coracle_traces_lost_total") == 1)
    assert collector.posts == 4


def test_without_a_collector_requests_go_on(serve, linear):
    server = serve("m=%s" % linear, "--trace-endpoint", "http://127.0.0.1:9/v1/traces", "--trace-rate", 1)
    for _ in range(2600):  # more than wait for it
        assert server.get("/v2").status == 200
    assert metric(server, "coracle_traces_lost_total") > 0
    assert server.stop() == 0


def test_traces_are_off_without_an_endpoint(serve, linear):
    server = serve("m=%s" % linear)
    assert "traceparent" not in infer(server, {"traceparent": "00-%s-%s-01" % (TRACE, PARENT)}).headers


@pytest.mark.parametrize("endpoint, words", [("https://a/v1/traces", "TLS"), ("localhost:4318", "http://HOST"), ("http://", "no host"),
                                             ("http://a:x/", "no port"), ("http://a:70000/", "no port"), ("http://u@a/", "character")])
def test_wrong_endpoints(linear, endpoint, words):
    ended = subprocess.run([os.environ["CORACLE_SERVE"], "m=%s" % linear, "--trace-endpoint", endpoint], capture_output=True, text=True, timeout=60)
    assert ended.returncode == 2 and words in ended.stderr


@needs_demo
@pytest.mark.parametrize("by_reader", [False, True])
def test_a_page_of_text_has_spans_for_each_run(serve, collector, tmp_path, by_reader):
    """By a pipeline, whose runs are those of its stages, and by a reader."""
    log = tmp_path / "access.log"
    models = ["%s=%s" % (stage, STAGES[stage]) for stage in ("det", "rec")] + ["--reader", "text=det,rec,dictionary=%s" % STAGES["dict"]]
    pipeline = [short("OCR", **{stage: STAGES[stage] for stage in ("det", "rec", "dict")})]
    server = serve(*(models if by_reader else pipeline), "--trace-endpoint", collector.endpoint, "--trace-rate", 0, "--access-log", log)
    headers = {"traceparent": "00-%s-%s-01" % (TRACE, PARENT), "Content-Type": "image/jpeg" if by_reader else "application/json"}
    if by_reader:
        path, body = "/v2/models/text/predict", DEMO_PICTURE
    else:
        path, body = "/ocr", json.dumps({"file": base64.b64encode(DEMO_PICTURE).decode(), "fileType": 1, "visualize": False, "logId": "page 7"})
    for number in (1, 2):    # the second with the tools of the first
        assert server.ask("POST", path, body, headers).status == 200
        server.wait_until(lambda: metric(server, "coracle_traces_exported_total") == number)
        request = next(span for span in collector.spans if span["name"] == "request")
        spans = [span for span in collector.spans if span["parentSpanId"] == request["spanId"]]
        runs = len(spans) // 4
        assert runs >= 2 and len(spans) == len(collector.spans) - 1 == 4 * runs
        assert [span["name"] for span in spans] == PARTS * runs
        stages = [attributes(span)["coracle.model"].replace("OCR.", "") for span in spans[::4]]
        assert stages[0] == "det" and set(stages[1:]) == {"rec"}
        line = json.loads(log.read_text().splitlines()[number - 1])
        assert line["path"] == path and line["runs"] == runs and line["model"].endswith("det") and line["trace_id"] == TRACE
        assert 0 < line["compute_ms"] and line.get("id") == (None if by_reader else "page 7")
        collector.spans.clear()
