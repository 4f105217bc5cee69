# SPDX-License-Identifier: Apache-2.0
"""Marks that power_by_engine sets while the real Paddle exports a model: Paddle still runs it, and Coracle finds them.

The real Paddle is in the virtual environments of scripts/oracle-venv.sh (`make migration` makes them); skipped without.
"""
import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

import coracle

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
VENVS = {"2.6.2": ROOT / "build" / "oracle-venv", "3.3.1": ROOT / "build" / "oracle-venv-3.3"}

# The engine of each operator that matters, in the order of the graph; None: not marked.
CHAIN = [("matmul", "openvino"), ("add", "openvino"), ("relu", "openvino"), ("exp", "other"), ("abs", "openvino"),
         ("matmul", None), ("add", None), ("tanh", "openvino"), ("sin", None)]
BRANCH = [("exp", None), ("mean", "openvino"), ("greater_than", "openvino"), ("if", "openvino"), ("matmul", "openvino"),
          ("add", "openvino"), ("cos", "openvino"), ("matmul", "openvino"), ("add", "openvino"), ("sin", "openvino")]
WRITTEN = [("exp", None), ("matmul", "openvino"), ("add", "openvino"), ("mean", "openvino"), ("greater_than", "openvino"),
           ("if", "openvino"), ("sin", "openvino"), ("cos", "openvino"), ("tanh", None)]
MARKED = {"chain-static-marked": CHAIN, "chain-dygraph-marked": CHAIN, "branch-static-marked": BRANCH,
          "branch-dygraph-marked": BRANCH, "written": WRITTEN, "net": CHAIN[:2] + CHAIN[5:7]}
NAMES = {name for name, _ in CHAIN + BRANCH + WRITTEN} | {"linear"}


def engines(model):
    """(operator, engine of its innermost mark) of the lines of a graph's text."""
    found = []
    for operator, behind in re.findall(r" = (\w+)\((.*)", model.graph_text()):
        scope = re.search(r' scope "([^"]*)"', behind)
        marks = re.findall(r"/coracle_engine_(\w+?)(?:_\d+)?(?=/)", scope.group(1)) if scope else []
        if operator in NAMES:
            found.append((operator, marks[-1] if marks else None))
    return found


@pytest.fixture(params=sorted(VENVS))
def exported(request, tmp_path):
    venv = VENVS[request.param]
    if not (venv / "complete").exists():
        pytest.skip("Paddle %s is absent (%s); make migration installs it" % (request.param, venv.name))
    run = subprocess.run([str(venv / "bin" / "python"), str(HERE / "power_by_engine_script.py"), str(tmp_path)],
                         env={**os.environ, "GLOG_minloglevel": "3"}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert run.returncode == 0, run.stdout.decode("utf-8", "replace")[-3000:]
    return tmp_path


def test_marks_travel_in_the_file(exported):
    for name, expected in MARKED.items():
        assert engines(coracle.load(exported / name, disable_passes=["all"])) == expected, name
    # The products carry the mark on.
    for kind in ("static", "dygraph"):
        model = coracle.load(exported / ("chain-%s-marked" % kind))
        assert [engine for operator, engine in engines(model) if operator == "linear"] == ["openvino", None]


def test_without_it_nothing_is_marked(exported):
    for name in ("chain-static-plain", "chain-dygraph-plain", "branch-static-plain", "branch-dygraph-plain"):
        found = engines(coracle.load(exported / name, disable_passes=["all"]))
        assert found and not any(engine for _, engine in found), name


def test_paddle_and_coracle_give_the_same_answers(exported):
    x = np.load(exported / "x.npy")
    for path in sorted(exported.glob("*-*.npy")) + [exported / "written.npy"]:
        answer = np.load(path)
        assert np.array_equal(answer, np.load(str(path).replace("-marked", "-plain"))), path.stem
        np.testing.assert_allclose(coracle.load(exported / path.stem)(x)[0], answer, 1e-5, 1e-6, err_msg=path.stem)


@pytest.mark.parametrize("name", ["", "a/b", "a b", "openvino_1", "ä", "x\n", None, 3])
def test_names_that_a_scope_cannot_hold(name):
    with pytest.raises(coracle.InvalidArgumentError, match="expected an engine's name of letters"):
        coracle.power_by_engine(name)


def test_without_paddle(monkeypatch):
    monkeypatch.setitem(sys.modules, "paddle", None)
    with pytest.raises(coracle.UnsupportedError, match="use it where the model is exported, with paddlepaddle"):
        with coracle.power_by_engine("openvino"):
            pytest.fail("it was entered")
