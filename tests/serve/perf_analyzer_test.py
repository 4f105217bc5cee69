# SPDX-License-Identifier: Apache-2.0
"""Triton's load generator, which tritonclient brings: it reads metadata, configuration and statistics, and sends requests in all its ways."""
import csv
import os
import pathlib
import subprocess
import sys

import pytest

PROGRAM = pathlib.Path(sys.executable).with_name("perf_analyzer")
MODELS = pathlib.Path(os.environ["CORACLE_DEMO_MODELS"]) / "models"


def environment():
    libraries = [str(path) for path in pathlib.Path(sys.prefix).glob("lib/python3*/site-packages/nvidia/*/lib")]
    return {**os.environ, "LD_LIBRARY_PATH": ":".join(libraries)}


def analyze(server, model, folder, *arguments):
    """The rows of its table."""
    table = folder / "table.csv"
    ended = subprocess.run([PROGRAM, "-m", model, "-u", "127.0.0.1:%d" % server.port, "-p", "300", "-r", "3", "-s", "999", "-f", table,
                            *arguments], env=environment(), capture_output=True, text=True, timeout=240)
    if ended.returncode == 127:
        pytest.skip("perf_analyzer cannot start: " + ended.stderr.strip())
    assert ended.returncode == 0, ended.stdout + ended.stderr
    with open(table) as rows:
        return list(csv.DictReader(rows))


@pytest.fixture
def models(serve):
    if not PROGRAM.exists():
        pytest.skip("this tritonclient has no perf_analyzer")
    if not MODELS.is_dir():
        pytest.skip("%s is absent" % MODELS)
    return serve("rec=%s" % (MODELS / "ch_PP-OCRv4_rec_infer"), "cls=%s" % (MODELS / "ch_ppocr_mobile_v2_cls_infer"))


def test_closed_loop(models, tmp_path):
    rows = analyze(models, "cls", tmp_path, "--shape", "x:3,48,192", "-b", "2", "--concurrency-range", "1:4:3")
    # In the order of their throughput.
    assert sorted(row["Concurrency"] for row in rows) == ["1", "4"] and all(float(row["Inferences/Second"]) > 0 for row in rows)
    statistics = models.statistics("cls")
    assert statistics["inference_stats"]["fail"]["count"] == 0 and statistics["inference_count"] >= 2 * statistics["execution_count"]


def test_open_loop_of_another_width(models, tmp_path):
    (row,) = analyze(models, "rec", tmp_path, "--shape", "x:3,48,160", "--request-rate-range", "10", "--async")
    assert float(row["Inferences/Second"]) > 0 and models.statistics("rec")["inference_stats"]["fail"]["count"] == 0


def test_json_tensors(models, tmp_path):
    rows = analyze(models, "cls", tmp_path, "--shape", "x:3,48,32", "--input-tensor-format", "json", "--output-tensor-format", "json")
    assert float(rows[0]["Inferences/Second"]) > 0
