# SPDX-License-Identifier: Apache-2.0
"""A cluster for all tests that need but one. ctest sets CORACLE_LIBRARY, PYTHONPATH and CORACLE_DEMO_MODELS."""
import os
import pathlib
import sys

import numpy as np
import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(HERE.parent / "python")]

import coracle
import program_file
import ray

MODELS = pathlib.Path(os.environ.get("CORACLE_DEMO_MODELS", ROOT / "build/demo-models"))
WIDTH, ROWS = 64, 224   # 224: whole batches of 1, 7 and 32.
ALL = os.environ.get("SAMPLE") == "all"
STORE = 200 << 20
long = pytest.mark.skipif(not ALL, reason="make ray runs it")

ray.data.DataContext.get_current().enable_progress_bars = False


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """A model of several layers, in files that processes share."""
    folder = tmp_path_factory.mktemp("model")
    for suffix, data in zip((".pdmodel", ".pdiparams"), program_file.linear(WIDTH, 3)):
        (folder / ("inference" + suffix)).write_bytes(data)
    return folder


def inputs(ids):
    """The row of each number."""
    return np.sin(np.asarray(ids)[:, None] * np.arange(1, WIDTH + 1)).astype(np.float32)


@pytest.fixture(scope="session")
def expected(folder):
    """What a plain loop over single rows gives."""
    session = coracle.load(folder).session(1)
    return np.concatenate([session.run(inputs([number]))["y"] for number in range(ROWS)])


@pytest.fixture(scope="module")
def local():
    """A node with CPUs that the machine need not have."""
    ray.init(num_cpus=5, include_dashboard=False, object_store_memory=STORE, log_to_driver=False)
    yield ray.get_runtime_context().gcs_address
    ray.shutdown()


def check(rows, expected):
    """Rows as they came: each number once, with the bits of the plain loop."""
    rows = sorted(rows, key=lambda row: row["id"])
    assert [row["id"] for row in rows] == list(range(len(expected)))
    assert np.array_equal(np.stack([row["y"] for row in rows]), expected)
