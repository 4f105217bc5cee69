# SPDX-License-Identifier: Apache-2.0
"""The Python code of README.md, python/README.md and pages of docs/, and the example, run as they stand."""
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = ROOT / "build" / "demo-models" / "models"
PAGES = ("README.md", "docs/getting-started.md", "docs/migration.md", "docs/python.md", "docs/python-paddle.md", "python/README.md")


def blocks(page, language="python"):
    return re.findall(r"^```" + language + r"\n(.*?)^```$", (ROOT / page).read_text("utf-8"), re.M | re.S)


def test_pages_have_code():
    assert len(blocks("README.md")) == 1 and len(blocks("python/README.md")) == 1 and len(blocks("docs/python.md")) >= 2
    # Those of C++ and C are built and run by tests/install.
    text = (ROOT / "README.md").read_text("utf-8")
    assert text.index("```python") < text.index("```cpp") < text.index("```c\n")
    for language, most in (("python", 6), ("cpp", 15), ("c", 20)):
        assert len(blocks("README.md", language)[0].splitlines()) <= most


@pytest.mark.parametrize("page, number", [(page, number) for page in PAGES for number in range(len(blocks(page)))])
def test_code_runs(page, number, monkeypatch):
    code = compile(blocks(page)[number], page, "exec")
    if "coracle.power_by_engine" in blocks(page)[number]:
        pytest.skip("the code was compiled; power_by_engine_test.py runs it with the real Paddle")
    if not (MODELS / "ch_PP-OCRv4_det_infer").is_dir():
        pytest.skip("the code was compiled; to run it scripts/demo-models.sh fetches the models")
    monkeypatch.chdir(MODELS)
    pixels = np.full((1, 3, 160, 160), 0.5, np.float32)
    found = {"pixels": pixels}
    exec(code, found)
    assert np.asarray(found["result"]).shape[:2] == (1, 1)


def test_the_example_runs(linear_files):
    answer = subprocess.run([sys.executable, str(ROOT / "examples" / "python" / "first_run.py"), str(linear_files[0])], check=True,
                            stdout=subprocess.PIPE)
    assert answer.stdout == b"{'y': (1, 4), 'p0': (1, 4)}\n"
    code = (ROOT / "examples" / "python" / "first_run.py").read_text("utf-8")
    assert len([line for line in code.splitlines() if line and not line.startswith("#")]) == 6
