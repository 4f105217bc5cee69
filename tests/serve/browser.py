# SPDX-License-Identifier: Apache-2.0
"""Debian's Chromium without a window, driven by its DevTools protocol: as much as tests and pictures of the page need."""
import base64
import json
import os
import re
import shutil
import subprocess
import tempfile
import time

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser")
KEYS = {"Enter": (13, "\r"), "Tab": (9, ""), "ArrowLeft": (37, ""), "ArrowRight": (39, ""), "Escape": (27, ""), " ": (32, " ")}
CONTROL, SHIFT = 2, 8


class Navigated(Exception):
    """The page went away while it was asked."""


class Browser:
    """One page. `problems` collects what its console says of errors, violations of the content security policy included."""

    def __init__(self, width=1280, height=900):
        import websocket
        self.folder = tempfile.mkdtemp(prefix="coracle-chromium-")
        # Chromium refuses its sandbox to root; pages here are of this program alone.
        sandbox = ["--no-sandbox"] if os.getuid() == 0 else []
        self.process = subprocess.Popen(
            [PROGRAM, "--headless=new", *sandbox, "--remote-debugging-port=0", "--user-data-dir=" + self.folder, "--no-first-run",
             "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking", "--hide-scrollbars", "--mute-audio",
             "--remote-allow-origins=*", "--force-prefers-reduced-motion", "about:blank"],
            stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        for line in self.process.stderr:
            if found := re.search(r"DevTools listening on (ws://[^/]+)/", line):
                break
        else:
            raise RuntimeError("%s does not start" % PROGRAM)
        # Nobody may have to wait for what it prints further.
        subprocess.Popen(["cat"], stdin=self.process.stderr, stdout=subprocess.DEVNULL)
        import urllib.request
        with urllib.request.urlopen(found[1].replace("ws:", "http:") + "/json/list", timeout=30) as response:
            target = next(each for each in json.load(response) if each["type"] == "page")
        self.socket = websocket.create_connection(target["webSocketDebuggerUrl"], timeout=60)
        self.number, self.problems, self.requested = 0, [], []
        for domain in ("Page", "Runtime", "Log", "Network", "DOM"):
            self.call(domain + ".enable")
        self.call("Emulation.setFocusEmulationEnabled", enabled=True)
        self.size(width, height)

    def close(self):
        self.socket.close()
        self.process.terminate()
        self.process.wait(30)
        shutil.rmtree(self.folder, ignore_errors=True)

    def call(self, method, **parameters):
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.recv())
            if message.get("id") == self.number:
                if "navigated" in message.get("error", {}).get("message", ""):
                    raise Navigated(method)
                assert "error" not in message, (method, message["error"])
                return message["result"]
            self.on_event(message.get("method"), message.get("params"))

    def on_event(self, method, parameters):
        if method == "Log.entryAdded" and parameters["entry"]["level"] == "error":
            self.problems.append(parameters["entry"]["text"] + " " + parameters["entry"].get("url", ""))
        elif method == "Runtime.exceptionThrown":
            self.problems.append(json.dumps(parameters["exceptionDetails"])[:800])
        elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
            self.problems.append(json.dumps(parameters["args"])[:800])
        elif method == "Network.requestWillBeSent":
            self.requested.append(parameters["request"]["url"])

    def js(self, expression):
        """The value of an expression, which may be a promise."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, (expression, answer["exceptionDetails"])
        return answer["result"].get("value")

    def wait(self, expression, seconds=30):
        """Until the expression is true."""
        def holds():
            try:
                return self.js("Boolean(%s)" % expression)
            except Navigated:
                return False  # the page that comes is asked

        end = time.time() + seconds
        while not holds():
            assert time.time() < end, (expression, self.js("document.body.innerText")[:2000], self.problems)
            time.sleep(0.05)

    def open(self, url):
        self.call("Page.navigate", url=url)
        self.wait("document.readyState === 'complete' && location.protocol === %s" % json.dumps(url.split(":")[0] + ":"))

    def size(self, width, height, scale=1):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=False)

    def scheme(self, name):
        """"light" or "dark"."""
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def press(self, key, modifiers=0):
        code, text = KEYS[key]
        event = {"key": key, "code": "Space" if key == " " else key, "windowsVirtualKeyCode": code, "modifiers": modifiers}
        if text and not modifiers:
            event["text"] = text
        self.call("Input.dispatchKeyEvent", type="keyDown" if "text" in event else "rawKeyDown", **event)
        self.call("Input.dispatchKeyEvent", type="keyUp", **event)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def tab_to(self, condition, most=80):
        """Presses Tab until the condition holds for the focused element, `e`."""
        for _ in range(most):
            self.press("Tab")
            if self.js("(e => Boolean(%s))(document.activeElement)" % condition):
                return
        raise AssertionError("no Tab leads to " + condition)

    def drop(self, files, selector):
        """Drops files on the middle of an element."""
        x, y = self.js("(b => [b.x + b.width / 2, b.y + b.height / 2])(document.querySelector(%s).getBoundingClientRect())"
                       % json.dumps(selector))
        data = {"items": [], "files": [str(each) for each in files], "dragOperationsMask": 1}
        for kind in ("dragEnter", "dragOver", "drop"):
            self.call("Input.dispatchDragEvent", type=kind, x=x, y=y, data=data)

    def choose(self, files, selector):
        """Has files chosen in a field for files."""
        root = self.call("DOM.getDocument")["root"]["nodeId"]
        node = self.call("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        self.call("DOM.setFileInputFiles", nodeId=node, files=[str(each) for each in files])

    def picture(self, full=False):
        """PNG of what is seen, or of the whole page."""
        return base64.b64decode(self.call("Page.captureScreenshot", format="png", captureBeyondViewport=full)["data"])
