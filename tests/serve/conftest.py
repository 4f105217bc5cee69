# SPDX-License-Identifier: Apache-2.0
"""A server for each test that asks for one. ctest sets CORACLE_SERVE, the program."""
import http.client
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "python")]

import program_file
from program_file import TENSOR, message, model, number, operator, variable

DATATYPES = {"bool": "BOOL", "uint8": "UINT8", "int8": "INT8", "int16": "INT16", "int32": "INT32", "int64": "INT64",
             "float16": "FP16", "float32": "FP32", "float64": "FP64"}


def save(folder, files):
    folder.mkdir(parents=True, exist_ok=True)
    for suffix, data in zip((".pdmodel", ".pdiparams"), files):
        (folder / ("inference" + suffix)).write_bytes(data)
    return folder


def centred():
    """y = x - mean of the rows of x: rows of a batch depend on each other, which its shapes do not say."""
    mean = operator("reduce_mean", {"X": ["x"]}, {"Out": ["m"]}, {"dim": [0], "keep_dim": True, "reduce_all": False})
    less = operator("elementwise_sub", {"X": ["x"], "Y": ["m"]}, {"Out": ["y"]}, {"axis": -1})
    return model([("x", "float32", (-1, 4))], [mean, less], [("y", "float32", (-1, 4))])


def looped():
    """y = x * 2^n, by a loop that doubles it n times."""
    block = message(1, "sub_block") + number(2, 8) + number(12, 1)
    less = operator("less_than", {"X": ["i"], "Y": ["n"]}, {"Out": ["goes_on"]}, {"axis": -1})
    begin = operator("fill_constant", {}, {"Out": ["i"]}, {"shape": [1], "dtype": 3, "value": 0.0, "str_value": "0"})
    first = operator("scale", {"X": ["x"]}, {"Out": ["y"]}, {"scale": 1.0, "bias": 0.0, "bias_after_scale": True})
    loop = operator("while", {"X": ["i", "n", "y"], "Condition": ["goes_on"]}, {"Out": ["i", "y", "goes_on"], "StepScopes": ["scopes"]})
    content = loop[2:] if loop[1] < 128 else loop[3:]  # behind its length
    loop = message(4, content + message(4, block))
    variables = [variable("i", TENSOR, "int64", (1,)), variable("goes_on", TENSOR, "bool", (1,))]
    program, params = model([("x", "float32", (-1, 2)), ("n", "int64", (1,))], [*variables, begin, first, less, loop],
                            [("y", "float32", (-1, 2))])
    body = (operator("elementwise_add", {"X": ["y"], "Y": ["y"]}, {"Out": ["t"]}, {"axis": -1}) +
            operator("assign", {"X": ["t"]}, {"Out": ["y"]}) +
            operator("increment", {"X": ["i"]}, {"Out": ["i"]}, {"step": 1.0}) + less)
    return program + message(1, number(1, 1) + number(2, 0) + body), params


class Answer:
    def __init__(self, response):
        self.status, self.headers, self.body = response.status, response.headers, response.read()

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def error(self):
        return self.json["error"]


class Server:
    """The program, and one connection for each thread that asks it."""
    tls = None    # with TLS the client's ssl.SSLContext
    host = "127.0.0.1"

    def __init__(self, *arguments, program=(), before=(), environment=None, ports=True, **process):
        """`before` are words before the program's; variables of `environment` that are None are unset."""
        command = [*before, *(program or [os.environ["CORACLE_SERVE"]]), *(["--http-port", "0", "--metrics-port", "0"] if ports else []),
                   *([] if "--grpc-port" in arguments else ["--grpc-port", "off"]), *arguments]
        variables = {name: value for name, value in {**os.environ, **(environment or {})}.items() if value is not None}
        self.process = subprocess.Popen(list(map(str, command)), stderr=subprocess.PIPE, text=True, env=variables, **process)
        self.lines, self.local = [], threading.local()
        self.port = self.grpc_port = self.metrics_port = None
        for line in self.process.stderr:
            self.lines.append(line)
            if found := re.search(r"HTTP at https?://([\d.]+):(\d+)", line):
                self.host, self.port = found[1], int(found[2])
            if found := re.search(r"gRPC (?:with TLS )?at 127.0.0.1:(\d+)", line):
                self.grpc_port = int(found[1])
            if found := re.search(r"metrics at http://[\d.]+:(\d+)", line):
                self.metrics_port = int(found[1])
            if self.port and self.metrics_port:
                break
        assert self.metrics_port, "".join(self.lines)
        self.reader = threading.Thread(target=lambda: self.lines.extend(self.process.stderr), daemon=True)
        self.reader.start()

    def connection(self):
        if not hasattr(self.local, "connection"):
            kind, how = (http.client.HTTPSConnection, {"context": self.tls}) if self.tls else (http.client.HTTPConnection, {})
            self.local.connection = kind(self.host, self.port, timeout=60, **how)
        return self.local.connection

    def ask(self, method, path, body=None, headers=None):
        connection = self.connection()
        try:
            connection.request(method, path, body, headers or {})
            return Answer(connection.getresponse())
        except (http.client.HTTPException, OSError):
            del self.local.connection
            connection.close()
            raise

    def get(self, path):
        return self.ask("GET", path)

    def post(self, path, value=None, headers=None):
        return self.ask("POST", path, json.dumps(value) if value is not None else b"", headers)

    def infer(self, name, inputs, **request):
        """Arrays by name to arrays by name, in binary form."""
        tensors, parts = [], []
        for key, array in inputs.items():
            data = np.ascontiguousarray(array).tobytes()
            parts.append(data)
            tensors.append({"name": key, "datatype": DATATYPES[array.dtype.name], "shape": array.shape,
                            "parameters": {"binary_data_size": len(data)}})
        request = {"inputs": tensors, "parameters": {"binary_data_output": True, **request}}
        head = json.dumps(request).encode()
        answer = self.ask("POST", "/v2/models/%s/infer" % name, head + b"".join(parts),
                          {"Inference-Header-Content-Length": str(len(head))})
        if answer.status != 200:
            raise Refused(answer)
        length = int(answer.headers["Inference-Header-Content-Length"])
        results, offset = {}, length
        for output in json.loads(answer.body[:length])["outputs"]:
            size = output["parameters"]["binary_data_size"]
            dtype = next(k for k, v in DATATYPES.items() if v == output["datatype"])
            results[output["name"]] = np.frombuffer(answer.body[offset:offset + size], dtype).reshape(output["shape"])
            offset += size
        assert offset == len(answer.body)
        return results

    def statistics(self, name):
        return self.get("/v2/models/%s/stats" % name).json["model_stats"][0]

    def metrics(self):
        connection = http.client.HTTPConnection(self.host, self.metrics_port, timeout=60)
        connection.request("GET", "/metrics")
        return Answer(connection.getresponse())

    def wait_until(self, condition, seconds=20):
        end = time.time() + seconds
        while not condition():
            assert time.time() < end, "".join(self.lines)
            time.sleep(0.02)

    def stop(self):
        """The status with which the server ends when it is asked to; `lines` are complete then."""
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(60)
        self.reader.join(60)
        return status


class Refused(Exception):
    def __init__(self, answer):
        super().__init__("%d %s" % (answer.status, answer.body[:300]))
        self.answer = answer


def together(clients, work):
    """work(client number) in so many threads; raises what one of them raises."""
    failures = []

    def guarded(client):
        try:
            work(client)
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=guarded, args=(client,)) for client in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


@pytest.fixture
def serve():
    servers = []

    def start(*arguments, **how):
        servers.append(Server(*arguments, **how))
        return servers[-1]

    yield start
    for server in servers:
        if server.process.poll() is None:
            assert server.stop() == 0, "".join(server.lines)


@pytest.fixture
def linear(tmp_path):
    return save(tmp_path / "linear", program_file.linear())
