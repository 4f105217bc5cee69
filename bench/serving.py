# SPDX-License-Identifier: Apache-2.0
"""Requests per second and latency of coracle-serve and other servers with the same models: `make bench-serving`, or --help.

Every server has the same protocol on its port and gets the same request from wrk, in a closed loop: each of 1 to 32 clients sends the next one
when it has its answer. For each model all servers run at the same time, but those whose turn it is not are stopped (SIGSTOP). They take turns
in each round. What counts is the median over the rounds. For each other server the table has the load at which it answers most requests per
second, and the most that coracle-serve answers at a p99 that is not greater, whatever the number of its clients.

With --rates the loop is open: so many requests are sent in each second, whatever is answered, and latencies count from the time at which each was
to be sent.
"""
import argparse
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import tomllib

import numpy as np

BENCH = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(BENCH), str(BENCH / "servers")]
import binary
import machine
import open_loop
from models import ROOT, Absent, Model, make_inputs

VENV = ROOT / "build" / "bench-serving-venv" / "bin" / "python"
PADDLEX = ROOT / "build" / "bench-paddlex-venv" / "bin" / "paddlex"
PROGRAM = ROOT / "build" / "release" / "coracle-serve"
OURS = "coracle-serve"
CLIENTS = (1, 2, 4, 8, 16, 32)
# By name: the script of bench/servers and the engine behind it.
SERVERS = {
    OURS: None,
    "FastAPI, onnxruntime": ("fastapi_server.py", "onnxruntime"),
    "FastAPI, OpenVINO": ("fastapi_server.py", "openvino"),
    "Ray Serve, onnxruntime": ("ray_server.py", "onnxruntime"),
    "Triton (pytriton), onnxruntime": ("triton_server.py", "onnxruntime"),
}

OCR = """
pipeline_name: OCR
text_type: general
use_doc_preprocessor: False
use_textline_orientation: False
SubModules:
  TextDetection:
    module_name: text_detection
    model_name: PP-OCRv4_mobile_det
    model_dir: {folder}/PP-OCRv4_mobile_det_infer
    limit_side_len: 960
    limit_type: max
    thresh: 0.3
    box_thresh: 0.6
    unclip_ratio: 1.5
  TextRecognition:
    module_name: text_recognition
    model_name: PP-OCRv4_mobile_rec
    model_dir: {folder}/PP-OCRv4_mobile_rec_infer
    batch_size: 6
    score_thresh: 0.0
"""


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Server:
    """A program with a port, and the request that it is to answer: path, headers and body."""

    def __init__(self, name, command, request, log):
        self.name, self.port, self.log, (self.path, self.headers, self.body) = name, free_port(), log, request
        with open(log, "w") as out:
            self.process = subprocess.Popen([str(word).replace("PORT", str(self.port)) for word in command], stdout=out, stderr=out,
                                            start_new_session=True)
        for _ in range(900):
            if self.process.poll() is not None:
                raise Absent("it ended: %s" % log.read_text()[-400:])
            try:
                self.answer()
                return
            except (Absent, OSError):
                time.sleep(0.1)
        raise Absent("it was not ready after a minute and a half: %s" % log.read_text()[-400:])

    def answer(self):
        """What it gives for the request: headers and body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("POST", self.path, self.body, self.headers)
        answer = connection.getresponse()
        body = answer.read()
        if answer.status != 200:
            raise Absent("it answers %d %s" % (answer.status, body[:200]))
        return answer.headers, body

    def pause(self, paused):
        """Its processes stand still, or go on."""
        for pid in tree(self.process.pid):
            try:
                os.kill(pid, signal.SIGSTOP if paused else signal.SIGCONT)
            except ProcessLookupError:
                pass

    def load(self, clients, seconds):
        body = self.log.with_suffix(".body")
        body.write_bytes(self.body)
        environment = {**os.environ, "LOAD_BODY": str(body), "LOAD_TYPE": self.headers["Content-Type"], "LOAD_LENGTH": self.headers.get(binary.LENGTH, "")}
        ended = subprocess.run(["wrk", "-t1", "-c%d" % clients, "-d%ds" % seconds, "--timeout", "60s", "-s",
                                str(BENCH / "servers" / "load.lua"), "http://127.0.0.1:%d%s" % (self.port, self.path)],
                               env=environment, capture_output=True, text=True)
        found = re.search(r"^RESULT (.*)$", ended.stdout, re.M)
        if not found:
            raise Absent("wrk: " + (ended.stderr or ended.stdout)[-300:])
        return json.loads(found[1])

    def load_openly(self, rate, seconds):
        return open_loop.load(self.port, self.path, self.headers, self.body, rate, seconds)

    def close(self):
        self.pause(False)
        pids = tree(self.process.pid)
        self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            pass
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.wait()


def tree(root):
    """A process and its descendants, and others of its session."""
    parents, sessions = {}, {}
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        parents[int(path.parent.name)], sessions[int(path.parent.name)] = int(fields[1]), int(fields[3])
    found = {pid for pid, session in sessions.items() if session == root} | {root}
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def close_enough(model, ours, theirs):
    return len(ours) == len(theirs) and all(
        a.shape == b.shape and np.max(np.abs(a.astype(float) - b), initial=0) <= model.agree * max(1e-6, np.max(np.abs(b), initial=0))
        for a, b in zip(ours, theirs))


def start(title, commands, request, check):
    """The servers that start and answer, all of them stopped. `commands` are (name, command, log); `check(name, answer)` says what is wrong."""
    servers = []
    for name, command, log in commands:
        try:
            server = Server(name, command() if callable(command) else command, request, log)
            wrong = check(name, *server.answer())
        except (Absent, OSError) as error:
            print("%s: %s is left out: %s" % (title, name, error), file=sys.stderr)
            continue
        if wrong:
            print("%s: %s %s" % (title, name, wrong), file=sys.stderr)
        server.pause(True)
        servers.append(server)
    return servers


def start_model(model, names, folder):
    """Servers of one model, asked by the Open Inference Protocol."""
    inputs = make_inputs(model.recipes)
    length, body = binary.request(inputs)
    files = model.native()
    kept = folder / model.name
    kept.mkdir()
    (kept / "inference.pdmodel").symlink_to(files["program"])
    (kept / "inference.pdiparams").symlink_to(files["combined_params"])
    ours = []

    def check(name, headers, body):
        answer = list(binary.unpacked(headers[binary.LENGTH], body).values())
        if name == OURS:
            ours[:] = answer
        return None if close_enough(model, ours, answer) else "gives other answers"

    def command(name):
        if SERVERS[name] is None:
            return [PROGRAM, "m=%s" % kept, "--http-port", "PORT", "--metrics-port", "off", *OPTIONS]
        script, engine = SERVERS[name]
        words = [VENV, BENCH / "servers" / script, "PORT", model.files("onnxruntime")["onnx"], engine]
        if script == "triton_server.py":
            outputs = model.files("onnxruntime")["output_names"]
            words.append(json.dumps({"inputs": {key: (array.dtype.name, array.shape[1:]) for key, array in inputs.items()},
                                     "outputs": {key: (array.dtype.name, array.ndim - 1) for key, array in zip(outputs, ours)}}))
        return words

    commands = [(name, lambda name=name: command(name), folder / ("%s-%d.log" % (model.name, i))) for i, name in enumerate(names)]
    headers = {"Content-Type": "application/octet-stream", binary.LENGTH: length}
    return start(model.name, commands, ("/v2/models/m/infer", headers, body), check)


def start_ocr(folder):
    """Whole pages, by PaddleX's interface: coracle-serve and PaddleX's own server with the same pipeline's file and models."""
    import base64
    sys.path.insert(0, str(ROOT / "tests" / "python"))
    subprocess.run([PADDLEX.with_name("python"), "-c", "import sys, types; sys.path.insert(0, %r); import ocr_programs_script as s, pathlib; "
                    "s.OPTIONS = types.SimpleNamespace(); s.paddlex_models(pathlib.Path(%r), %r)"
                    % (str(ROOT / "tests" / "python"), str(ROOT / "build" / "demo-models"), str(folder))], check=True)
    pipeline = folder / "OCR.yaml"
    pipeline.write_text(OCR.format(folder=folder))
    picture = (ROOT / "examples" / "ocr" / "demo.jpg").read_bytes()
    body = json.dumps({"file": base64.b64encode(picture).decode(), "fileType": 1, "visualize": False}).encode()
    texts = []

    def check(name, headers, body):
        answer = json.loads(body)["result"]["ocrResults"][0]["prunedResult"]["rec_texts"]
        if name == OURS:
            texts[:] = answer
        return None if answer == texts else "reads other texts: %s" % sorted(set(answer) ^ set(texts))

    commands = [(OURS, [PROGRAM, "--pipeline", pipeline, "--http-port", "PORT", "--metrics-port", "off", *OPTIONS], folder / "ocr-0.log"),
                ("paddlex --serve", [PADDLEX, "--serve", "--pipeline", pipeline, "--host", "127.0.0.1", "--port", "PORT", "--device", "cpu"],
                 folder / "ocr-1.log")]
    return start("ocr", commands, ("/ocr", {"Content-Type": "application/json"}, body), check)


def measure(servers, loads, rounds, seconds, run=Server.load):
    """{server: {load: {"rps", "least", "p50", "p99", "failed"}}}, medians over the rounds. A load is a number of clients, or with Server.load_openly a rate."""
    runs = {}
    for round in range(-1, rounds):  # the first one warms up
        for count in loads:
            for server in list(servers):
                server.pause(False)
                try:
                    result = run(server, count, seconds if round >= 0 else 1)
                except Absent as error:
                    print("%s is left out from here on: %s" % (server.name, error), file=sys.stderr)
                    servers.remove(server)
                    server.close()
                    continue
                server.pause(True)
                if round >= 0:
                    runs.setdefault(server.name, {}).setdefault(count, []).append(result)
    return {name: {count: {"rps": statistics.median(r["requests"] / r["seconds"] for r in results),
                           "least": min(r["requests"] / r["seconds"] for r in results),
                           **{key: statistics.median(r[key] for r in results) for key in ("p50", "p99")},
                           "failed": sum(r["failed"] for r in results)}
                   for count, results in counts.items()} for name, counts in runs.items()}


def table(title, results):
    ours = results.get(OURS, {})
    lines = ["", "### %s" % title, "", "| server | clients | requests/s | least of a round | p50 ms | p99 ms | coracle-serve at that p99 | ratio |", "|---|---|---|---|---|---|---|---|"]
    for name, counts in results.items():
        count, best = max(counts.items(), key=lambda item: item[1]["rps"])
        within = [row["rps"] for row in ours.values() if row["p99"] <= best["p99"]]
        most = max(within, default=0)
        row = [name, str(count), "%.1f" % best["rps"], "%.1f" % best["least"], "%.2f" % best["p50"], "%.2f" % best["p99"]]
        row += ["", ""] if name == OURS else ["%.1f" % most, "%.2f" % (most / best["rps"]) if best["rps"] else "–"]
        failed = sum(r["failed"] for r in counts.values())
        lines.append("| %s |%s" % (" | ".join(row), " %d requests failed" % failed if failed else ""))
    return "\n".join(lines)


def open_table(title, results):
    lines = ["", "### %s, fixed rates" % title, "", "| requests/s sent | server | answered/s | p50 ms | p99 ms |", "|---|---|---|---|---|"]
    rates = sorted({rate for counts in results.values() for rate in counts})
    for rate in rates:
        for name, counts in results.items():
            if row := counts.get(rate):
                lines.append("| %g | %s | %.0f | %.1f | %.1f |%s" % (rate, name, row["rps"], row["p50"], row["p99"],
                                                                   " %d requests failed" % row["failed"] if row["failed"] else ""))
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", default="mobilenet_v3,rec,bert", help="names of models.toml, and ocr: whole pages, beside PaddleX's own server")
    parser.add_argument("--servers", help="parts of names, separated by commas; coracle-serve is always there")
    parser.add_argument("--clients", default=",".join(map(str, CLIENTS)))
    parser.add_argument("--rates", help="requests per second, e.g. 50,100,200: an open loop at each of them, after the loads of --clients")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=5, help="of each load")
    parser.add_argument("--option", action="append", default=[], help="of coracle-serve, e.g. --option=--instances=1")
    parser.add_argument("--json", type=pathlib.Path, help="file for all numbers")
    arguments = parser.parse_args()
    if not shutil.which("wrk"):
        sys.exit("bench: wrk is not installed (Debian: wrk)")
    global OPTIONS
    OPTIONS = arguments.option
    rows = {row["name"]: row for row in tomllib.loads((BENCH / "models.toml").read_text())["model"]}
    wanted = [part.lower() for part in arguments.servers.split(",")] if arguments.servers else [""]
    names = [name for name, how in SERVERS.items() if how is None or any(part in name.lower() for part in wanted)]
    clients = [int(count) for count in arguments.clients.split(",") if count]
    rates = [float(rate) for rate in (arguments.rates or "").split(",") if rate]
    everything = {}
    print("%s, %s processors" % (machine.field("/proc/cpuinfo", "model name"), os.cpu_count()))
    with tempfile.TemporaryDirectory() as folder:
        for model_name in arguments.models.split(","):
            if model_name == "ocr":
                title, servers = "PP-OCRv4, a page", start_ocr(pathlib.Path(folder))
            else:
                model = Model(rows[model_name])
                title, servers = model.title, start_model(model, names, pathlib.Path(folder))
            try:
                closed = measure(servers, clients, arguments.rounds, arguments.seconds)
                opened = measure(servers, rates, arguments.rounds, arguments.seconds, Server.load_openly)
            finally:
                for server in servers:
                    server.close()
            everything[model_name] = {"clients": closed, "rates": opened}
            if clients:
                print(table(title, closed), flush=True)
            if rates:
                print(open_table(title, opened), flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps(everything, indent=1))


if __name__ == "__main__":
    main()
