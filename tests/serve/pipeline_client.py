# SPDX-License-Identifier: Apache-2.0
"""Pipelines that tests serve, and clients as PaddleX's documentation writes them."""
import base64
import os
import pathlib
import struct
import zlib

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = ROOT / "tests/vision"
DEMO = pathlib.Path(os.environ.get("CORACLE_DEMO_MODELS", ROOT / "build/demo-models"))
DEMO_PICTURE = (ROOT / "examples/ocr/demo.jpg").read_bytes()
STAGES = {"det": DEMO / "models/ch_PP-OCRv4_det_infer", "rec": DEMO / "models/ch_PP-OCRv4_rec_infer",
          "cls": DEMO / "models/ch_ppocr_mobile_v2_cls_infer", "dict": DEMO / "ch_ppocr_rec/ppocr_keys_v1.txt"}
needs_demo = pytest.mark.skipif(not STAGES["det"].exists(), reason="the demo's models are not there (make demo)")


def short(name, **stages):
    return "--pipeline=%s:%s" % (name, ",".join("%s=%s" % item for item in stages.items()))


def with_description(folder, model, description, **replaced):
    """A model of tests/vision with one of the descriptions there."""
    folder.mkdir()
    for file in (MODELS / model).iterdir():
        (folder / file.name).symlink_to(file)
    text = (MODELS / "descriptions" / description).read_text("utf-8")
    for old, new in replaced.items():
        assert old in text
        text = text.replace(old, new)
    (folder / "inference.yml").write_text(text, "utf-8")
    return folder


def png(height=96, width=128):
    """A picture of colours that change."""
    y, x = np.mgrid[:height, :width]
    pixels = np.stack([x * 2, y * 2, (x * 3 + y * 5) % 256], axis=-1).astype(np.uint8)
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def ask(server, path, picture, status=200, field="file", **payload):
    """As the clients of the documentation do it."""
    payload[field] = base64.b64encode(picture).decode("ascii")
    if field == "file":
        payload.setdefault("fileType", 1)
    answer = server.post(path, payload, {"Content-Type": "application/json"})
    assert answer.status == status, answer.body[:500]
    assert answer.json["errorCode"] == (0 if status == 200 else status)
    if status != 200:
        return answer.json
    assert answer.json["errorMsg"] == "Success" and answer.json["logId"]
    return answer.json["result"]


def is_jpeg(text):
    return base64.b64decode(text).startswith(b"\xff\xd8\xff")


def size_of_png(text):
    return struct.unpack(">II", base64.b64decode(text)[16:24])
