# SPDX-License-Identifier: Apache-2.0
"""Ray Data on one node: the answers of a plain loop, threads as assigned, and the example."""
import os
import pathlib
import shutil
import subprocess
import sys

import conftest
import coracle
import coracle.ray
import numpy as np
import pyarrow.parquet
import pytest
import ray
from conftest import ALL, MODELS, ROOT, ROWS

PICTURE = ROOT / "examples/ocr/demo.jpg"


def dataset():
    blocks = [{"id": ids, "x": conftest.inputs(ids)} for ids in np.split(np.arange(ROWS), 8)]
    return ray.data.from_items([{"block": number} for number in range(8)], override_num_blocks=8).map_batches(
        lambda batch: blocks[batch["block"][0]], batch_size=1)


@pytest.mark.parametrize("workers, size", [(w, s) for w in (1, 2, 4) for s in (1, 7, 32)] if ALL else [(2, 7)])
def test_answers_are_those_of_a_plain_loop(local, folder, expected, workers, size):
    rows = dataset().map_batches(coracle.ray.Predictor, fn_constructor_kwargs={"model": str(folder), "outputs": "y"}, batch_size=size,
                                 concurrency=workers).take_all()
    conftest.check(rows, expected)


@pytest.mark.parametrize("cpus, threads", [(1, 1), (2, 2)] if ALL else [(2, 2)])
def test_threads_are_the_cpus_of_the_worker(local, cpus, threads):
    @ray.remote
    class Worker:
        def threads(self):
            import coracle.batch
            return coracle.batch.assigned_threads()

    assert ray.get(Worker.options(num_cpus=cpus).remote().threads.remote()) == threads
    assert coracle.batch.assigned_threads() == coracle.default_threads()   # This program is no worker.


def test_the_example_reads_texts(local, tmp_path):
    if not (MODELS / "models/ch_PP-OCRv4_det_infer").is_dir():
        pytest.skip("scripts/demo-models.sh fetches the models")
    chosen = {"detector": MODELS / "models/ch_PP-OCRv4_det_infer", "recognizer": MODELS / "models/ch_PP-OCRv4_rec_infer",
              "dictionary": MODELS / "ch_ppocr_rec/ppocr_keys_v1.txt"}
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    for name in ("a.jpg", "b.jpg"):
        shutil.copy(PICTURE, pictures / name)
    (pictures / "c.jpg").write_bytes(b"no picture")
    subprocess.run([sys.executable, str(ROOT / "examples/ray/read_texts.py"), str(pictures), str(tmp_path / "texts"),
                    *(word for name, path in chosen.items() for word in ("--" + name, str(path)))],
                   check=True, env={**os.environ, "RAY_ADDRESS": local})
    table = {pathlib.Path(row["path"]).name: row for row in pyarrow.parquet.read_table(tmp_path / "texts").to_pylist()}
    text = coracle.ocr(**chosen)(PICTURE).text
    assert text and table["a.jpg"]["text"] == table["b.jpg"]["text"] == text and table["a.jpg"]["error"] == ""
    assert table["c.jpg"]["text"] == "" and table["c.jpg"]["error"] and len(table) == 3
