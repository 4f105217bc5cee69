# SPDX-License-Identifier: Apache-2.0
"""The page as it always looks: its own files, with answers that are fixed instead of a server's, and a clock that stands still."""
import contextlib
import http.server
import json
import math
import pathlib
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILES = ROOT / "src/serve/page"
ANSWERS = ROOT / "tests/serve/page"
TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml", ".png": "image/png"}
SECONDS = 126  # that have passed when the clock stops
# Each answer about the counters is a second later than the one before, at once; then nothing is asked any more, and answers
# to pictures take 42 ms.
CLOCK = """(() => {
  const end = %d, fetched = window.fetch.bind(window), later = window.setTimeout.bind(window);
  let seconds = 0, more = 0;
  window.fetch = (path, options) => {
    if (path === "v2/models/stats") path += "?second=" + ++seconds;
    return fetched(path, options);
  };
  performance.now = () => 1000 * seconds + (seconds < end ? 0 : (more += 42));
  window.setTimeout = (task, time, ...rest) => (time < 1000 ? later(task, time, ...rest) :
    time === 1000 && seconds < end ? later(task, 0) : (window.stopped = seconds === end, 0));
})()""" % SECONDS
MODELS = ("OCR.cls", "OCR.det", "OCR.rec", "layout", "old")
INDEX = [{"name": name, "version": "1", "state": "READY", "reason": ""} for name in MODELS[:4]]
INDEX.append({"name": "old", "version": "", "state": "UNAVAILABLE", "reason": "no model in the folder 'models/old/1'"})
OCR = [{"name": name, "model": "OCR." + name} for name in ("cls", "det", "rec")]
SERVER = {"readers": [{"name": "receipts", "path": "v2/models/receipts/predict",
                       "stages": [{"name": "detector", "model": "OCR.det"}, {"name": "recognizer", "model": "OCR.rec"}]}],
          "pipelines": [{"name": "OCR", "path": "ocr", "stages": OCR},
                        {"name": "layout_parsing", "path": "layout-parsing", "stages": [*OCR, {"name": "table", "model": "old"}]}]}
METADATA = {"name": "OCR.rec", "versions": ["1"], "platform": "paddle",
            "inputs": [{"name": "x", "datatype": "FP32", "shape": [-1, 8]}],
            "outputs": [{"name": "softmax_0.tmp_0", "datatype": "FP32", "shape": [-1, 4]}]}
CONFIG = {"name": "OCR.rec", "max_batch_size": 8, "instance_group": [{"count": 2}]}
INFERRED = {"model_name": "OCR.rec", "model_version": "1",
            "outputs": [{"name": "softmax_0.tmp_0", "datatype": "FP32", "shape": [1, 4], "data": [0.0625, 0.125, 0.75, 0.0625]}]}
BOUNDS = [0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500]


def counters(second):
    """Of a model after so many seconds: load comes in waves, and some requests fail."""
    answered = rows = runs = failed = waiting = 0
    counts = [0] * (len(BOUNDS) + 1)
    for s in range(second + 1):
        wave = 1 + math.sin(s / 9) + 0.25 * math.sin(s * 1.7)
        waiting = max(0, round(3 * wave))
        new = round(8 + 14 * wave)
        answered, rows, runs, failed = answered + new, rows + new, runs + round(new / (1 + wave)), failed + (s % 19 == 7) * 3
        counts[3] += new - new // 3 - new // 12
        counts[4] += new // 3
        counts[5 + (wave > 1.6)] += new // 12
    return {"name": "OCR.rec", "version": "1", "inference_stats": {"success": {"count": answered}, "fail": {"count": failed}},
            "inference_count": rows, "execution_count": runs, "waiting": waiting, "request_ms": {"bounds": BOUNDS, "counts": counts}}


def statistics(second):
    return {"model_stats": [counters(second)], "memory_bytes": int((150 + 60 * (1 - math.exp(-second / 30))) * (1 << 20))}


def text(lines):
    """An answer of /ocr: (text, score, left, top, right, bottom) or corners of each line."""
    corners = [each[2] if len(each) == 3 else [[each[2], each[3]], [each[4], each[3]], [each[4], each[5]], [each[2], each[5]]] for each in lines]
    return {"result": {"ocrResults": [{"prunedResult": {"rec_texts": [each[0] for each in lines], "rec_scores": [each[1] for each in lines],
                                                        "rec_polys": corners}}]}}


TEST_PICTURE = text([("Coracle reads", 0.998, 28, 40, 372, 90), ("a picture of its page", 0.987, 28, 108, 332, 148),
                     ("2026-01-31   No. 4711", 0.994, 28, 166, 372, 198)])


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body at once: with the head alone, TCP would wait

    def answer(self, body, kind="application/json", status=200):
        body = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        path, _, query = self.path.partition("?")
        name = "index.html" if path == "/" else path.removeprefix("/page/")
        fixed = {"/page/server.json": SERVER, "/v2": {"name": "coracle", "version": "1.0"},
                 "/v2/models/OCR.rec": METADATA, "/v2/models/OCR.rec/config": CONFIG}
        if path == "/v2/models/stats":
            self.answer(statistics(int(query.removeprefix("second="))))
        elif path in fixed:
            self.answer(fixed[path])
        elif "/" not in name and (FILES / name).is_file():
            self.answer((FILES / name).read_bytes(), TYPES[pathlib.Path(name).suffix])
        else:
            self.answer({"error": "there is no %s" % path}, status=404)

    def do_POST(self):
        length = len(self.rfile.read(int(self.headers.get("Content-Length") or 0)))
        demo = length > (ROOT / "examples/ocr/demo.jpg").stat().st_size
        fixed = {"/v2/repository/index": INDEX, "/v2/models/OCR.rec/infer": INFERRED,
                 "/ocr": text(json.loads((ANSWERS / "demo.json").read_text())) if demo else TEST_PICTURE}
        self.answer(fixed[self.path])

    def log_message(self, *arguments):
        pass


@contextlib.contextmanager
def stage(browser):
    """The address of the page, for a browser whose clock stands still."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    script = browser.call("Page.addScriptToEvaluateOnNewDocument", source=CLOCK)["identifier"]
    try:
        yield "http://127.0.0.1:%d/" % server.server_port
    finally:
        browser.call("Page.removeScriptToEvaluateOnNewDocument", identifier=script)
        server.shutdown()


def read_picture(browser, address, width, scheme, picture=None):
    """A pipeline with what it has read of the page's test picture, or of a file."""
    begin(browser, address, "pipelines/OCR", width, scheme)
    if picture is None:
        browser.js("[...document.querySelectorAll('.zone button')].find((e) => e.textContent === 'Use a test picture').click()")
    else:
        browser.choose([picture], "#model input[type=file]")
    return end(browser)


def ask_model(browser, address, width, scheme):
    """A model with the answer to a request of tensors."""
    begin(browser, address, "models/OCR.rec", width, scheme)
    browser.js("document.querySelector('#model form').requestSubmit()")
    return end(browser)


def begin(browser, address, place, width, scheme):
    browser.size(width, 800)
    browser.scheme(scheme)
    browser.open("about:blank")
    browser.open(address + "#" + place)
    browser.wait("window.stopped && document.querySelector('#model .try')")


def end(browser):
    browser.wait("document.querySelector('.programs')")
    # The port is another one each time.
    browser.js("document.querySelectorAll('.programs code').forEach((e) => (e.textContent = e.textContent.replace(/127[.0-9]+:\\d+/g, 'localhost:8000')))")
    browser.js("document.activeElement.blur()")


SCENES = {"desktop-light": (read_picture, 1280, "light"), "desktop-dark": (ask_model, 1280, "dark"),
          "phone-light": (ask_model, 360, "light"), "phone-dark": (read_picture, 360, "dark")}
