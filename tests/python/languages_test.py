# SPDX-License-Identifier: Apache-2.0
"""One model, one input, three programs written for Paddle: C++, C and Python give the same bits with Coracle, and the Python one gives
with Paddle 2.6.2 and 3.3.1 what it gives here. migration_test.py compares many more models in Python.

ctest sets CORACLE_PADDLE_PROGRAMS, the folder of the programs that tests/paddle builds.
"""
import os
import pathlib
import signal
import subprocess
import sys

import coracle
import coracle.paddle.inference as paddle_infer
import numpy as np
import program_file
import pytest
import watch_script

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PROGRAMS = pathlib.Path(os.environ.get("CORACLE_PADDLE_PROGRAMS", pathlib.Path(coracle._library.PATH).parent / "tests" / "paddle"))
MODELS = ROOT / "build" / "demo-models" / "models"
VENVS = {"2.6.2": ROOT / "build" / "oracle-venv", "3.3.1": ROOT / "build" / "oracle-venv-3.3"}
IMPORT = "import paddle.inference as paddle_infer\n"
CONFIG = "    config = paddle_infer.Config(program, params)\n"


def convolution():
    """y = softmax(mean(relu(conv2d(x, w)))) for images; needs no model of others."""
    weights = np.random.default_rng(0).standard_normal((8, 3, 3, 3)).astype(np.float32)
    operators = [
        program_file.operator("conv2d", {"Input": ["x"], "Filter": ["w"]}, {"Output": ["c"]},
                              {"strides": [1, 1], "paddings": [1, 1], "dilations": [1, 1], "groups": 1,
                               "padding_algorithm": "EXPLICIT", "data_format": "NCHW"}),
        program_file.operator("relu", {"X": ["c"]}, {"Out": ["r"]}),
        program_file.operator("pool2d", {"X": ["r"]}, {"Out": ["p"]},
                              {"pooling_type": "avg", "ksize": [1, 1], "global_pooling": True, "strides": [1, 1], "paddings": [0, 0],
                               "padding_algorithm": "EXPLICIT", "data_format": "NCHW", "adaptive": False, "exclusive": True,
                               "ceil_mode": False}),
        program_file.operator("softmax", {"X": ["p"]}, {"Out": ["y"]}, {"axis": 1})]
    names = [(name, "float32", (-1, 8, -1, -1)) for name in ("y", "c", "r", "p")]
    return program_file.model([("x", "float32", (-1, 3, -1, -1))], operators, names, {"w": weights})


def cases(folder):
    """(name, program, params, (batch, height, width))"""
    paths = folder / "convolution.pdmodel", folder / "convolution.pdiparams"
    for path, data in zip(paths, convolution()):
        path.write_bytes(data)
    yield "convolution", *paths, (2, 12, 9)
    for name, size in (("ch_ppocr_mobile_v2_cls_infer", (3, 48, 192)), ("ch_PP-OCRv4_det_infer", (1, 64, 96)),
                       ("ch_PP-OCRv4_rec_infer", (2, 48, 160))):
        if (MODELS / name).is_dir():
            yield name, MODELS / name / "inference.pdmodel", MODELS / name / "inference.pdiparams", size


def run_program(command, case, output, environment=None):
    _, program, params, size = case
    return subprocess.run([*map(str, command), str(program), str(params), *map(str, size), str(output)], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, env=environment)


def answer(command, case, folder, environment=None, instead=None):
    """What the program writes; that of the command `instead` where the processor lacks an instruction of it."""
    output = folder / "output"
    run = run_program(command, case, output, environment)
    if run.returncode == -signal.SIGILL and instead:
        run = run_program(instead, case, output, environment)
    assert run.returncode == 0, run.stdout.decode("utf-8", "replace")[-2000:]
    values = np.fromfile(output, np.float32)
    output.unlink()
    assert values.size
    return values


def require_programs():
    if not (PROGRAMS / "resnet50").exists():
        pytest.skip("the programs of tests/paddle are not built in %s" % PROGRAMS)


def test_three_languages_give_the_same_bits_and_what_paddle_gives(tmp_path):
    require_programs()
    script = HERE / "languages_script.py"
    text = script.read_text("utf-8")
    assert text.count(IMPORT) == 1 and text.count(CONFIG) == 1
    moved = tmp_path / "moved.py"
    moved.write_text(text.replace(IMPORT, "import coracle.paddle.inference as paddle_infer\n"), "utf-8")
    # Paddle 2.6.2's rewriting for attention uses AVX-512 on every processor, and ends with SIGILL where there is none.
    plainer = tmp_path / "plainer.py"
    plainer.write_text(text.replace(CONFIG, CONFIG + "    config.switch_ir_optim(False)\n"), "utf-8")
    plain = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    compared = {}
    for case in cases(tmp_path):
        python = answer([sys.executable, moved], case, tmp_path)
        assert np.array_equal(answer([PROGRAMS / "resnet50"], case, tmp_path), python), "C++: " + case[0]
        assert np.array_equal(answer([PROGRAMS / "resnet50_c"], case, tmp_path), python), "C: " + case[0]
        compared[case[0]] = ["C++", "C"]
        for version, venv in sorted(VENVS.items()):
            if (venv / "complete").exists():
                paddle = venv / "bin" / "python"
                theirs = answer([paddle, script], case, tmp_path, {**plain, "GLOG_minloglevel": "3"}, instead=[paddle, plainer])
                assert np.allclose(python, theirs, 1e-3, 2e-5 * max(1.0, float(np.abs(theirs).max()))), "Paddle %s: %s" % (version, case[0])
                compared[case[0]].append("Paddle " + version)
    print("\n".join("%s: Python equals %s" % (name, ", ".join(others)) for name, others in compared.items()))
    assert compared


def test_ranges_of_shapes_in_two_languages(linear_files, tmp_path):
    """The records of what both list are the same text."""
    require_programs()
    rows = (2, 5, 5, 3)
    subprocess.run([str(PROGRAMS / "shape_ranges"), *map(str, linear_files), str(tmp_path / "cpp.txt"), "4", *map(str, rows)],
                   check=True, stdout=subprocess.DEVNULL)
    watch_script.collect(paddle_infer, *map(str, linear_files), str(tmp_path / "python.txt"), [(count, 4) for count in rows])

    def records(name):
        return {block.split('"')[1]: block for block in (tmp_path / name).read_text().split("shape_range_info {")[1:]}

    cpp, python = records("cpp.txt"), records("python.txt")
    both = set(cpp) & set(python)
    assert {"x", "p0"} <= both and all(cpp[name] == python[name] for name in both)
