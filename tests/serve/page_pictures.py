# SPDX-License-Identifier: Apache-2.0
"""Makes the pictures of the page in docs/: a server with the demo's models under some load, seen by Chromium.
    CORACLE_SERVE=build/release/coracle-serve CORACLE_DEMO_MODELS=build/demo-models build/serve-venv/bin/python tests/serve/page_pictures.py
"""
import base64
import os
import pathlib
import threading
import time

import numpy as np
from browser import Browser
from conftest import Server

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEMO = pathlib.Path(os.environ["CORACLE_DEMO_MODELS"])
MODELS = DEMO / "models"
LOAD_SECONDS = 70


def load(server, until):
    """Requests now and then, in waves, from a thread of its own."""
    random = np.random.default_rng(1)
    while time.time() < until:
        wave = 1 + np.sin(time.time() / 8)
        server.infer("rec", {"x": np.zeros((1, 3, 48, 64), np.float32)})
        time.sleep(random.exponential(0.08) / (0.3 + wave))


def capture(browser, name, width, height):
    parameters = {"format": "webp", "quality": 82, "captureBeyondViewport": True}
    clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
    data = base64.b64decode(browser.call("Page.captureScreenshot", clip=clip, **parameters)["data"])
    (ROOT / "docs" / name).write_bytes(data)
    print(name, len(data), "bytes")


def main():
    server = Server("det=%s" % (MODELS / "ch_PP-OCRv4_det_infer"), "rec=%s" % (MODELS / "ch_PP-OCRv4_rec_infer"),
                    "cls=%s" % (MODELS / "ch_ppocr_mobile_v2_cls_infer"), "--max-queue-delay-us", "20000",
                    "--reader", "ocr=det,rec,dictionary=%s" % (DEMO / "ch_ppocr_rec/ppocr_keys_v1.txt"))
    browser = Browser(1280, 1000)
    try:
        until = time.time() + LOAD_SECONDS
        for _ in range(4):
            threading.Thread(target=load, args=(server, until), daemon=True).start()
        browser.open("http://127.0.0.1:%d/#models/ocr" % server.port)
        browser.wait("document.querySelector('.zone')")
        time.sleep(LOAD_SECONDS - 8)
        browser.choose([ROOT / "examples/ocr/demo.jpg"], "#model input[type=file]")
        browser.wait("document.querySelector('.answer')")
        time.sleep(2)
        height = int(browser.js("Math.min(document.documentElement.scrollHeight, 1250)"))
        capture(browser, "serving-page.webp", 1280, height)
        browser.scheme("dark")
        browser.js("location.hash = '#models/rec'")
        browser.wait("document.querySelector('#model-title').textContent === 'rec' && document.querySelector('#model textarea')")
        browser.size(360, 740)
        browser.js("[...document.querySelectorAll('[role=tab]')].find((each) => each.textContent === 'Tensors').click()")
        browser.js("document.querySelector('#model form').requestSubmit()")
        browser.wait("document.querySelector('.programs')")
        time.sleep(2)
        capture(browser, "serving-page-phone.webp", 360, 1212)
    finally:
        browser.close()
        server.stop()


if __name__ == "__main__":
    main()
