# SPDX-License-Identifier: Apache-2.0
"""The Python code of docs/distributed.md, run as it stands but for its folders."""
import re
import shutil

import numpy as np
import pytest
from conftest import MODELS, ROOT, long
from ray import serve


def blocks():
    return re.findall(r"^```python\n(.*?)^```$", (ROOT / "docs/distributed.md").read_text("utf-8"), re.M | re.S)


def test_the_page_has_code():
    assert len(blocks()) == 4
    for number, code in enumerate(blocks()):
        compile(code, "block %d" % number, "exec")


@long
def test_the_code_runs(local, tmp_path):
    if not (MODELS / "models/ch_PP-OCRv4_det_infer").is_dir():
        pytest.skip("scripts/demo-models.sh fetches the models")
    shutil.copy(ROOT / "examples/ocr/demo.jpg", tmp_path / "a.jpg")
    folders = {"/models/ppocr_keys_v1.txt": MODELS / "ch_ppocr_rec/ppocr_keys_v1.txt", "/models/": "%s/" % (MODELS / "models"), "/photos": tmp_path}
    found = {}
    try:
        for code in blocks():
            for text, path in folders.items():
                code = code.replace('"' + text, '"' + str(path))
            exec(code, found)
        answers = [next(iter(each.values())) for each in (found["result"], *found["results"])]
        assert [len(a) for a in answers] == [1, 4, 4, 4] and all(np.array_equal(a[:1], answers[0]) for a in answers)
        assert found["scores"].count() == 64 and found["texts"].take_all()[0]["text"]
    finally:
        serve.shutdown()
