# SPDX-License-Identifier: Apache-2.0
"""A script for paddle.inference gives with Coracle what it gives with Paddle, once its import is changed.

The real Paddle is in the virtual environments of scripts/oracle-venv.sh (`make migration` makes them); skipped without.
"""
import importlib.util
import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import oracle_cases
import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
IMPORT = "import paddle.inference as paddle_infer\n"
VENVS = {"2.6.2": ROOT / "build" / "oracle-venv", "3.3.1": ROOT / "build" / "oracle-venv-3.3"}
FAMILIES = ("conv_pool", "matmul", "sequence", "rnn", "norm", "control", "quantize", "native")


# A case is its name, program, parameters, inputs and how far (absolute) Paddle's own settings take its results apart.
def operator_cases(folder):
    """The first packed case of each family and format that has parameters and plain inputs, as files."""
    for family in FAMILIES:
        formats = set()
        for case in oracle_cases.cases(family):
            kind = case.name.split("/")[0]
            plain = all(array.dtype.name in ("float32", "int32", "int64") and len(lod) < 2 for _, array, lod in case.inputs)
            if kind in formats or not case.params or not plain:
                continue
            formats.add(kind)
            target = folder / case.name.replace("/", "-")
            target.mkdir()
            paths = target / case.file, target / "model.pdiparams"
            for path, data in zip(paths, (case.program, case.params)):
                path.write_bytes(data)
            inputs = {name: array for name, array, _ in case.inputs}
            inputs.update({name + ".lod": np.array(lod[0], np.int64) for name, _, lod in case.inputs if lod})
            yield (case.name, *paths, inputs, 0.0)


def demo_cases():
    """The demo's models, if they are there."""
    models = ROOT / "build" / "demo-models" / "models"
    for name, shape in (("ch_PP-OCRv4_det_infer", (1, 3, 128, 160)), ("ch_PP-OCRv4_rec_infer", (2, 3, 48, 160)),
                        ("ch_ppocr_mobile_v2_cls_infer", (3, 3, 48, 192))):
        if (models / name).is_dir():
            x = np.random.default_rng(0).uniform(-1, 1, shape).astype(np.float32)
            yield name, models / name / "inference.pdmodel", models / name / "inference.pdiparams", {"x": x}, 0.0


def shared_cases(shared):
    """Real models of the reference folder, if it is there, with the inputs and the bounds of their goldens."""
    if not (shared / "models").is_dir():
        return
    sys.path.insert(0, str(shared / "tools"))
    spec = importlib.util.spec_from_file_location("golden", shared / "tools" / "golden.py")
    golden = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(golden)
    for name in ("mtcnn-ONet", "pphumanseg-v2-lite-portrait", "pir-PP-LCNet_x0_25_textline_ori", "ppocr-v2.0-en-rec"):
        folder = sorted((shared / "goldens" / name).iterdir())[0]
        case = json.loads((folder / "case.json").read_text("utf-8"))
        inputs = {spec["name"]: golden.load_input(str(folder), spec) for spec in case["inputs"]}
        bound = max(output["atol"] for output in case["outputs"])
        yield name, shared / case["model"]["program"], shared / case["model"]["params"], inputs, bound


def answers(python, script, case, folder, environment):
    _, program, params, inputs, _ = case
    given, results = folder / "inputs.npz", folder / ("outputs-%s.npz" % script.stem)
    np.savez(given, **inputs)
    run = subprocess.run([str(python), str(script), str(program), str(params), str(given), str(results)], env=environment,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return dict(np.load(results)) if run.returncode == 0 else run.stdout.decode("utf-8", "replace")[-2000:]


def differences(ours, theirs, bound):
    """What differs by more than `bound` (absolute) and what float32 explains, one sentence each."""
    if isinstance(ours, str):
        yield "Coracle failed: " + ours
        return
    for key in sorted(set(ours) | set(theirs)):
        if key not in ours or key not in theirs:
            yield "%s is only there with %s" % (key, "Coracle" if key in ours else "Paddle")
            continue
        a, b = ours[key], theirs[key]
        if a.dtype != b.dtype or a.shape != b.shape:
            yield "%s is %s %s, Paddle has %s %s" % (key, a.dtype, a.shape, b.dtype, b.shape)
        elif a.dtype.kind != "f":
            if not np.array_equal(a, b):
                yield "%s is %s, Paddle has %s" % (key, a, b)
        elif not np.allclose(a, b, 1e-3, max(bound, 2e-5 * max(1.0, np.abs(b).max(initial=0))), equal_nan=True):
            yield "%s differs by up to %g" % (key, np.abs(a - b).max())


@pytest.mark.parametrize("version", sorted(VENVS))
def test_a_script_moves_over(version, tmp_path):
    python = VENVS[version] / "bin" / "python"
    if not (VENVS[version] / "complete").exists():
        pytest.skip("Paddle %s is absent (%s); make migration installs it" % (version, VENVS[version].name))
    script = HERE / "migration_script.py"
    text = script.read_text("utf-8")
    assert text.count(IMPORT) == 1
    moved = tmp_path / "moved.py"
    moved.write_text(text.replace(IMPORT, "import coracle.paddle.inference as paddle_infer\n"), "utf-8")
    shared = pathlib.Path(os.environ.get("CORACLE_SHARED", ROOT.parent / "shared"))
    cases = [*operator_cases(tmp_path), *demo_cases(), *shared_cases(shared)]
    plain = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    failures, count, refused = [], 0, []
    for case in cases:
        if version.startswith("2") and case[1].suffix == ".json":
            continue   # Paddle 2 does not know the format.
        theirs = answers(python, script, case, tmp_path, {**plain, "GLOG_minloglevel": "3"})
        if isinstance(theirs, str):
            refused.append("%s: %s" % (case[0], theirs[-300:]))
            continue
        ours = answers(sys.executable, moved, case, tmp_path, dict(os.environ))
        failures += ["%s: %s" % (case[0], what) for what in differences(ours, theirs, case[4])]
        count += 1
    print("Paddle %s: %d models, %d refused by Paddle" % (version, count, len(refused)))
    assert not failures, "\n".join(failures)
    assert not refused, "\n".join(refused)
    assert count >= 5
