# SPDX-License-Identifier: Apache-2.0
"""What all tests share. ctest sets CORACLE_LIBRARY, PYTHONPATH and CORACLE_SHARED."""
import os
import pathlib
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE)]

import coracle
import program_file


@pytest.fixture
def shared():
    """The reference folder; tests that need it are skipped where it is absent."""
    folder = pathlib.Path(os.environ.get("CORACLE_SHARED", ROOT.parent / "shared"))
    if not (folder / "models").is_dir():
        pytest.skip("the reference folder %s is absent" % folder)
    return folder


@pytest.fixture
def total():
    return coracle.load_memory(*program_file.total())


@pytest.fixture
def linear():
    return coracle.load_memory(*program_file.linear())


@pytest.fixture
def linear_files(tmp_path):
    """The model `linear` as files: (program, params)."""
    program, params = program_file.linear()
    paths = tmp_path / "linear.pdmodel", tmp_path / "linear.pdiparams"
    for path, data in zip(paths, (program, params)):
        path.write_bytes(data)
    return paths
