# SPDX-License-Identifier: Apache-2.0
"""Requests that are damaged, in raw bytes: the server lives, says why, answers others as before and does not grow. CORACLE_HOSTILE_REQUESTS is
how many (make serve-fuzz), CORACLE_HOSTILE_SEED where their generator starts."""
import collections
import gzip
import json
import os
import random
import re
import socket
import zlib

import numpy as np
import program_file
from conftest import save

REQUESTS = int(os.environ.get("CORACLE_HOSTILE_REQUESTS", "20000"))
SEED = int(os.environ.get("CORACLE_HOSTILE_SEED", "1"))
EACH = 4    # on one connection, which the first one that is no HTTP ends
STATUSES = {100, 200, 400, 404, 405, 408, 413, 431, 499, 501, 503, 504}
JSON = json.dumps({"inputs": [{"name": "x", "datatype": "FP32", "shape": [1, 4], "data": [1, 2, 3, 4]}]}).encode()
HEAD = json.dumps({"inputs": [{"name": "x", "datatype": "FP32", "shape": [1, 4], "parameters": {"binary_data_size": 16}}],
                   "parameters": {"binary_data_output": True}}).encode()
NUMBERS = (b"0", b"-1", b"1", b"4294967296", b"18446744073709551615", b"18446744073709551616", b"1e9", b"0x10", b"", b"999999")
WORDS = (b"\r\n", b"\n", b"\r\n\r\n", b"\0", b":", b" ", b"%", b"%00", b"%2f", b"../", b"//", b"?", b"Transfer-Encoding: chunked\r\n", b"Content-Length: 5\r\n",
         b"Content-Encoding: gzip\r\n", b"Expect: 100-continue\r\n", b"Connection: close\r\n", b"Upgrade: h2c\r\n", b"HTTP/1.0", b"HTTP/9.9", b"[" * 2000, b'{"a":' * 500,
         b"A" * 5000, b"\xff\xfe", b"\xe2\x82")


def request(method, path, body=b"", *headers):
    length = [] if any(h.startswith(b"Transfer") for h in headers) else [b"Content-Length: %d" % len(body)] if body else []
    return b"\r\n".join([b"%s %s HTTP/1.1" % (method, path), b"Host: a", *headers, *length, b"", b""]) + body


def chunked(body, size):
    parts = [body[i:i + size] for i in range(0, len(body), size)]
    return b"".join(b"%x;a=b\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\nTrailer: x\r\n\r\n"


INFER = b"/v2/models/m/infer"
# Method, path, a header, body.
PARTS = [
    (b"POST", INFER, b"", JSON),
    (b"POST", INFER, b"Inference-Header-Content-Length: %d" % len(HEAD), HEAD + b"\0" * 16),
    (b"POST", INFER, b"Inference-Header-Content-Length: 0", b"\0" * 32),
    (b"POST", INFER, b"Accept-Encoding: gzip, deflate;q=0.5", JSON),
    (b"POST", INFER, b"Content-Encoding: gzip", gzip.compress(JSON, mtime=0)),
    (b"POST", INFER, b"Content-Encoding: deflate", zlib.compress(JSON)),
    (b"POST", b"/v2/repository/index", b"", b'{"ready": true}'),
    (b"POST", b"/v2/repository/models/m/unload", b"", b"{}"),
    (b"GET", b"/v2/models/m/versions/1/stats", b"", b""), (b"GET", b"/v2/models/%6D/config?x=1", b"Accept: */*", b"")]
SEEDS = [
    *(request(method, path, body, *([header] if header else [])) for method, path, header, body in PARTS),
    request(b"POST", INFER, chunked(JSON, 7), b"Transfer-Encoding: chunked"),
    request(b"POST", INFER, JSON, b"Expect: 100-continue"),
    request(b"HEAD", b"/v2"), request(b"GET", b"/v2/health/ready").replace(b"1.1", b"1.0"), request(b"OPTIONS", b"*"),
    request(b"GET", b"http://a:1/v2")]


def damaged(chance, data):
    data = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 4, 16))):
        at = chance.randrange(len(data) + 1)
        end = min(len(data), at + chance.choice((1, 2, 8, 100)))
        kind = chance.randrange(7)
        if kind == 0 and at < len(data):
            data[at] ^= 1 << chance.randrange(8)
        elif kind == 1:
            del data[at:end]
        elif kind == 2:
            data[at:at] = chance.choice(WORDS)
        elif kind == 3:
            data[at:at] = data[at:end] * chance.choice((1, 1, 50))
        elif kind == 4:
            other = chance.choice(SEEDS)
            data[at:] = other[chance.randrange(len(other)):]
        elif kind == 5 and (found := list(re.finditer(rb"\d+", data))):
            number = chance.choice(found)
            data[number.start():number.end()] = chance.choice(NUMBERS)
        elif kind == 6:
            data[at:at] = chance.randbytes(chance.choice((1, 4, 30)))
    return bytes(data)


def whole_and_damaged(chance):
    """HTTP with a damaged path, header or body."""
    method, path, header, body = chance.choice(PARTS)
    which = chance.randrange(4)
    if which == 0:
        path = re.sub(rb"[\0-\x20\x7f-\xff]", b"%7f", damaged(chance, path))
    elif which == 1 and header:
        name, value = header.split(b": ", 1)
        header = name + b": " + re.sub(rb"[\0-\x1f\x7f-\xff]", b"", damaged(chance, value))
    else:
        body = damaged(chance, body)
    return request(method, path, body, *([header] if header else []))


def answers_to(port, parts, end=True):
    """All that the server says to what is sent on one connection; it may hang up before it has read all of that."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        received = b""
        try:
            for part in parts:
                connection.sendall(part)
            if end:
                connection.shutdown(socket.SHUT_WR)
            while more := connection.recv(65536):
                received += more
        except TimeoutError:
            raise
        except OSError:    # it has hung up
            pass
    return received


def resident(process):
    with open("/proc/%d/status" % process.pid) as status:
        return int(re.search(r"VmRSS:\s+(\d+) kB", status.read())[1])


def test_damaged_requests(serve, tmp_path):
    server = serve("m=%s" % save(tmp_path / "m", program_file.linear()))
    x = np.ones((2, 4), np.float32)
    wanted = server.infer("m", {"x": x})["y"].tobytes()
    whole = [b"200"] * 4 + [b"503"] + [b"200"] * 3 + [b"100"] + [b"200"] * 2    # what may unload is refused
    assert re.findall(rb"HTTP/1\.1 (\d+) ", answers_to(server.port, [*SEEDS[:3], *SEEDS[6:12], SEEDS[13]], end=False)) == whole
    chance, seen, before = random.Random(SEED), collections.Counter(), None
    for number in range(REQUESTS // EACH):
        # Half of them are damaged HTTP, whose end is where the client stops.
        http = number % 2 == 0
        parts = [damaged(chance, chance.choice(SEEDS)) if http else whole_and_damaged(chance) for _ in range(EACH)]
        if not http:
            parts.append(request(b"GET", b"/v2", b"", b"Connection: close"))
        for status in re.findall(rb"HTTP/1\.1 (\d+) ", answers_to(server.port, parts, end=http)):
            seen[int(status)] += 1
            assert int(status) in STATUSES, parts
        if number % 50 == 49:
            assert server.process.poll() is None, "".join(server.lines)
            assert server.infer("m", {"x": x})["y"].tobytes() == wanted
        if number == REQUESTS // EACH // 2:
            before = resident(server.process)
    assert {200, 400, 404, 405} <= set(seen) and seen.total() > REQUESTS / 3, seen
    assert resident(server.process) < before * 1.1 + 8192    # kB
    assert server.get("/v2/health/ready").status == 200
