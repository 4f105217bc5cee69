# SPDX-License-Identifier: Apache-2.0
"""Calls of gRPC in the access log, in traces and in metrics."""
import json
import re

import numpy as np
import pytest
from access_log_test import lines, log
from grpc_client import X, message, refused, serve_grpc, with_module
from grpc_health.v1 import health_pb2
from tritonclient.grpc import service_pb2
from traces_test import PARENT, PARTS, TRACE, attributes, collector, metric

pytestmark = with_module
METADATA = [("traceparent", "00-%s-%s-01" % (TRACE, PARENT))]
SERVICE = "inference.GRPCInferenceService"


def test_a_line_for_each_call(serve_grpc, linear, log):
    client = serve_grpc("m=%s" % linear, "--access-log", log)
    request = message(X, id="7")
    answer = client.stub.ModelInfer(request, metadata=METADATA)
    refused(client.stub.ModelInfer, message(X, name="none"))
    refused(client.stub.ModelMetadata, service_pb2.ModelMetadataRequest(name="none"))
    client.stub.ServerReady(service_pb2.ServerReadyRequest())
    client.health.Check(health_pb2.HealthCheckRequest())
    refused(client.stub.RepositoryModelLoad, service_pb2.RepositoryModelLoadRequest(model_name="m"))
    read = lines(client.server, log, 6)
    read.sort(key=lambda line: line["time"])
    first = next(line for line in read if line.get("id") == "7")
    assert first["method"] == "POST" and first["path"] == "/%s/ModelInfer" % SERVICE and first["status"] == 200 and first["grpc_status"] == "OK"
    assert first["bytes_in"] == request.ByteSize() and first["bytes_out"] == answer.ByteSize()
    assert first["model"] == "m" and first["version"] == 1 and first["batch"] == 2 and first["trace_id"] == TRACE
    assert re.fullmatch(r"127\.0\.0\.1:\d+", first["peer"]) and 0 <= first["queue_ms"] + first["compute_ms"] <= first["ms"]
    by_path = {(line["path"].rsplit("/", 1)[1], line["grpc_status"]): line for line in read}
    wrong = by_path["ModelInfer", "INVALID_ARGUMENT"]
    assert wrong["status"] == 400 and wrong["model"] == "m" and "batch" not in wrong and wrong["bytes_out"] == 0
    assert by_path["ModelMetadata", "NOT_FOUND"]["status"] == 404 and by_path["ServerReady", "OK"]["bytes_out"] == 2
    assert by_path["Check", "OK"]["path"] == "/grpc.health.v1.Health/Check" and ("RepositoryModelLoad", "UNAVAILABLE") in by_path
    assert metric(client.server, 'coracle_grpc_requests_total{code="OK"}') == 3
    assert metric(client.server, 'coracle_grpc_requests_total{code="NOT_FOUND"}') == 1
    assert metric(client.server, 'coracle_http_requests_total{code="200"}') == 0


def test_requests_of_a_stream_have_lines_of_their_own(serve_grpc, linear, log, collector):
    client = serve_grpc("m=%s" % linear, "--access-log", log, "--trace-endpoint", collector.endpoint, "--trace-rate", 0)
    requests = [message(X, id="a"), message(X, id="b", model="none"), message(X[:1], id="c")]
    answers = list(client.stub.ModelStreamInfer(iter(requests), metadata=METADATA))
    assert [bool(answer.error_message) for answer in answers] == [False, True, False]
    read = {line["id"]: line for line in lines(client.server, log, 3)}
    assert [read[i]["grpc_status"] for i in "abc"] == ["OK", "NOT_FOUND", "OK"] and read["c"]["batch"] in (1, 3)
    assert all(line["path"] == "/%s/ModelStreamInfer" % SERVICE and line["trace_id"] == TRACE for line in read.values())
    assert [read[i]["bytes_in"] for i in "abc"] == [r.ByteSize() for r in requests] and read["a"]["bytes_out"] == answers[0].ByteSize()
    client.server.wait_until(lambda: metric(client.server, "coracle_traces_exported_total") == 3)
    spans = [span for span in collector.spans if span["name"] == "request"]
    assert sorted(attributes(span)["coracle.request_id"] for span in spans) == ["a", "b", "c"] and len({span["spanId"] for span in spans}) == 3
    assert all(span["parentSpanId"] == PARENT for span in spans)
    assert len(collector.spans) == 3 + 2 * len(PARTS)


def test_spans_of_a_call(serve_grpc, linear, collector):
    client = serve_grpc("m=%s" % linear, "--trace-endpoint", collector.endpoint, "--trace-rate", 0)
    answer, call = client.stub.ModelInfer.with_call(message(X, id="7"), metadata=METADATA)
    header = dict(call.initial_metadata())["traceparent"]
    client.server.wait_until(lambda: len(collector.spans) == 5)
    request = next(span for span in collector.spans if span["name"] == "request")
    assert header == "00-%s-%s-01" % (TRACE, request["spanId"]) and request["traceId"] == TRACE and request["parentSpanId"] == PARENT
    about = attributes(request)
    assert about["rpc.system"] == "grpc" and about["rpc.service"] == SERVICE and about["rpc.method"] == "ModelInfer"
    assert about["rpc.grpc.status_code"] == "0" and about["coracle.request_id"] == "7" and "http.request.method" not in about
    parts = [span for span in collector.spans if span["parentSpanId"] == request["spanId"]]
    assert [span["name"] for span in parts] == PARTS
    assert attributes(parts[2]) == {"coracle.model": "m", "coracle.model_version": "1", "coracle.batch_size": "2"}
    times = [request["startTimeUnixNano"], *(t for span in parts for t in (span["startTimeUnixNano"], span["endTimeUnixNano"])), request["endTimeUnixNano"]]
    assert [int(t) for t in times] == sorted(int(t) for t in times)
    # Who does not ask for it is not traced, and is told so.
    untraced = client.stub.ServerLive.with_call(service_pb2.ServerLiveRequest())[1]
    assert dict(untraced.initial_metadata())["traceparent"].endswith("-00")


def test_calls_without_a_token(serve_grpc, linear, log, tmp_path):
    (tmp_path / "token").write_text("secret")
    client = serve_grpc("m=%s" % linear, "--access-log", log, "--token-file", tmp_path / "token")
    refused(client.stub.ModelInfer, message(X))
    with pytest.raises(Exception):
        list(client.stub.ModelStreamInfer(iter([message(X)])))
    assert [(line["grpc_status"], line["status"]) for line in lines(client.server, log, 2)] == [("UNAUTHENTICATED", 401)] * 2


def test_hostile_metadata_and_names(serve_grpc, linear, log, collector):
    client = serve_grpc("m=%s" % linear, "--access-log", log, "--trace-endpoint", collector.endpoint, "--trace-rate", 1)
    for value in ("x" * 4000, "00-%s-%s-01x" % (TRACE, PARENT), ""):
        client.stub.ModelInfer(message(np.ones((1, 4), np.float32), id='"},{\n\x00'), metadata=[("traceparent", value)])
    read = lines(client.server, log, 3)
    assert all(line["id"] == '"},{\n\x00' and line["trace_id"] != TRACE for line in read)
