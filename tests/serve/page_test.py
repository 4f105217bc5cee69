# SPDX-License-Identifier: Apache-2.0
"""The page as HTTP sees it: its files, their headers, what they refer to, and what the server tells it."""
import gzip
import pathlib
import re

import numpy as np
import pytest

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "src/serve/page"
FILES = sorted(path for path in FOLDER.iterdir() if path.suffix in (".html", ".css", ".js", ".svg", ".png"))
TYPES = {".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
         ".svg": "image/svg+xml", ".png": "image/png"}
POLICY = ("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; "
          "base-uri 'none'; form-action 'none'; frame-ancestors 'none'")


def place(file):
    return "/" if file.name == "index.html" else "/page/" + file.name


def test_files_and_their_headers(serve, linear):
    server = serve("m=%s" % linear)
    tags = set()
    for file in FILES:
        answer = server.get(place(file))
        assert answer.status == 200 and answer.body == file.read_bytes()
        assert answer.headers["Content-Type"] == TYPES[file.suffix]
        assert answer.headers["Content-Security-Policy"] == POLICY
        assert answer.headers["Cache-Control"] == "no-cache" and answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["X-Frame-Options"] == "DENY" and answer.headers["Referrer-Policy"] == "no-referrer"
        tag = answer.headers["ETag"]
        tags.add(tag)
        for given in (tag, '"other", %s' % tag):
            again = server.ask("GET", place(file), headers={"If-None-Match": given})
            assert again.status == 304 and again.body == b"" and again.headers["ETag"] == tag
            assert again.headers["Content-Security-Policy"] == POLICY and again.headers["Content-Length"] is None
        assert server.ask("GET", place(file), headers={"If-None-Match": '"other"'}).status == 200
        packed = server.ask("GET", place(file), headers={"Accept-Encoding": "gzip"})
        body = gzip.decompress(packed.body) if packed.headers["Content-Encoding"] == "gzip" else packed.body
        assert body == file.read_bytes() and packed.headers["Vary"] == "Accept-Encoding"
        head = server.ask("HEAD", place(file))
        assert head.status == 200 and head.body == b"" and head.headers["Content-Length"] == str(len(file.read_bytes()))
        assert server.post(place(file)).status == 405
    assert len(tags) == len(FILES)
    assert sum(file.stat().st_size for file in FILES) < 100_000
    for path in ("/page", "/page/", "/page/index.html", "/page/none.js", "/page/page.js/x", "/index.html", "/page/..%2Fpage.cc"):
        assert server.get(path).status == 404, path


@pytest.mark.parametrize("file", [file for file in FILES if file.suffix != ".png"], ids=lambda file: file.name)
def test_what_files_refer_to(file):
    text = file.read_text()
    assert "SPDX-License-Identifier: Apache-2.0" in "\n".join(text.split("\n")[:2])
    for reference in re.findall(r"""(?:src|href)="([^"]*)"|from "([^"]*)"|url\(["']?([^)"']*)""", text):
        name = next(filter(None, reference), "")
        target = FOLDER / (name.removeprefix("page/") if file.name == "index.html" else name)
        assert target.parent.resolve() == FOLDER and target in FILES, name
    # Names of XML are no addresses.
    for address in re.findall(r"""["'(]\s*((?:https?:)?//[^"'\s)]*)""", text):
        assert address == "http://www.w3.org/2000/svg", address
    # What servers say becomes text, and nothing runs that is text; nor does the content security policy allow these.
    for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "DOMParser",
                 "localStorage", "document.cookie", "<style", " style=", "javascript:"):
        assert word not in text, word
    if file.suffix == ".html":
        assert not re.search(r"\son\w+=", text) and not re.search(r"<script(?![^>]*\ssrc=)", text)


def test_it_can_be_left_out(serve, linear):
    server = serve("m=%s" % linear, "--page", "off")
    assert [server.get(path).status for path in ("/", "/page/page.js", "/page/server.json", "/v2")] == [404, 404, 404, 200]


def test_files_are_for_all_and_names_are_not(serve, linear, tmp_path):
    (tmp_path / "token").write_text("secret\n")
    server = serve("m=%s" % linear, "--token-file", tmp_path / "token")
    for path in ("/", "/page/page.js", "/page/icon.svg"):
        assert server.get(path).status == 200
    for path in ("/page/server.json", "/v2/models/stats", "/v2"):
        assert server.get(path).status == 401
        assert server.ask("GET", path, headers={"Authorization": "Bearer secret"}).status == 200


def test_what_charts_are_drawn_of(serve, linear):
    server = serve("m=%s" % linear)
    for _ in range(5):
        server.infer("m", {"x": np.ones((1, 4), np.float32)})
    answer = server.get("/v2/models/stats").json
    assert 1 << 20 < answer["memory_bytes"] < 1 << 40
    stats = answer["model_stats"][0]
    bounds, counts = stats["request_ms"]["bounds"], stats["request_ms"]["counts"]
    assert bounds == sorted(bounds) and len(counts) == len(bounds) + 1 and sum(counts) == 5 and stats["waiting"] == 0
