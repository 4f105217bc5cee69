# SPDX-License-Identifier: Apache-2.0
"""The wheel for Windows in a Python for Windows (scripts/windows-test.sh): what differs there from other systems."""
import importlib
import importlib.metadata
import json
import os
import pathlib
import pkgutil
import shutil
import signal
import subprocess
import sys
import threading
import time

import coracle
import coracle.paddle.inference as paddle_infer
import numpy as np
import program_file
import pytest
from coracle import _file_lock, _library, _saved_cache

ROOT = pathlib.Path(__file__).resolve().parents[3]
MODELS = ROOT / "build/demo-models"
PICTURE = ROOT / "examples/ocr/demo.jpg"
NAME = "Модель 模型 é"
OTHERS = ("ray", "spark", "paddlex", "_ray_serve", "__main__")   # They import other packages, or are programs.


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / NAME
    made.mkdir()
    return made


@pytest.fixture
def linear_model(folder):
    for ending, data in zip((".pdmodel", ".pdiparams"), program_file.linear()):
        (folder / ("модель" + ending)).write_bytes(data)
    return folder / "модель.pdmodel"


def test_the_libraries_are_those_of_the_package():
    package = pathlib.Path(coracle.__file__).parent
    assert _library.PATH == package / "coracle.dll" and "site-packages" in package.parts
    assert {path.name for path in package.iterdir() if path.suffix in (".dll", ".exe", ".so")} == \
        {"coracle.dll", "coracle_quantize.dll", "coracle_vision.dll", "coracle.exe"}


def test_every_module_can_be_imported():
    names = [m.name for m in pkgutil.walk_packages(coracle.__path__, "coracle.", onerror=lambda _: None)
             if not set(OTHERS) & set(m.name.split("."))]
    for name in names:
        importlib.import_module(name)
    assert len(names) > 40


def test_paths_are_unicode(linear_model):
    x = np.ones((2, 4), np.float32)
    expected = coracle.load(linear_model)(x)["y"]
    saved = linear_model.with_name("сохранено.coracle")
    coracle.load(str(linear_model)).save(saved)
    for path in (saved, str(saved).replace("\\", "/"), os.fsencode(saved)):
        assert np.array_equal(coracle.load(path)(x)["y"], expected)
    assert [path.name for path in linear_model.parent.iterdir() if path.suffix not in (".pdmodel", ".pdiparams", ".coracle")] == []


def test_paddles_names_take_them_too(linear_model):
    config = paddle_infer.Config(str(linear_model), str(linear_model.with_suffix(".pdiparams")))
    config.enable_use_gpu(100, 0)   # There is none in this build: the processor runs it, as on a machine without.
    assert not config.use_gpu() and "this build has no cuda" in config.summary()
    predictor = paddle_infer.create_predictor(config)
    answers = predictor.run([np.ones((2, 4), np.float32)])
    assert answers[0].shape == (2, 4)


def test_errors_name_the_file(folder):
    for path in (folder / "нет.pdmodel", b"\xff.pdmodel"):
        with pytest.raises(FileNotFoundError, match="no such") as error:
            coracle.load(path)
        assert isinstance(error.value, coracle.FileError)
    assert NAME in str(pytest.raises(coracle.FileError, coracle.load, folder / "нет.pdmodel").value)
    with pytest.raises(coracle.Error, match="нет.png"):
        coracle.pipeline(ROOT / "tests/vision/objects", description=ROOT / "tests/vision/descriptions/objects.yml")(folder / "нет.png")


def test_pictures_are_read(folder):
    if not (MODELS / "models").is_dir():
        pytest.skip("there are no models of the demo (make models)")
    picture = folder / "картина.jpg"
    shutil.copy(PICTURE, picture)
    models = MODELS / "models"
    reader = coracle.ocr(models / "ch_PP-OCRv4_det_infer", models / "ch_PP-OCRv4_rec_infer", models / "ch_ppocr_mobile_v2_cls_infer",
                         dictionary=MODELS / "ch_ppocr_rec/ppocr_keys_v1.txt")
    lines = reader(picture).lines
    expected = json.loads((ROOT / "tests/demo/expected.json").read_text("utf-8"))[0]["lines"]
    assert [line.text for line in lines] == [line["text"] for line in expected]
    assert [line.score for line in lines] == pytest.approx([line["score"] for line in expected], abs=1e-3)


def test_interrupts_end_a_run():
    session = coracle.load_memory(*program_file.linear(512, 24)).session(threads=1)
    x = np.ones((60000, 512), np.float32)
    timer = threading.Timer(0.3, signal.raise_signal, (signal.SIGINT,))
    with pytest.raises(KeyboardInterrupt):
        timer.start()
        while True:
            session.run(x)
    timer.join()


def test_models_are_kept_once(linear_model, folder):
    kept = folder / "kept"
    for _ in range(2):
        model = _saved_cache.load(linear_model, linear_model.with_suffix(".pdiparams"), kept)
        assert model(np.ones((1, 4), np.float32))["y"].shape == (1, 4)
    assert [path.suffix for path in kept.iterdir()].count(".coracle") == 1


def run_script(script, *arguments, **environment):
    done = subprocess.run([sys.executable, "-c", script, *map(str, arguments)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, env={**os.environ, **environment}, timeout=300)
    assert done.returncode == 0, done.stdout.decode()
    return done.stdout.decode().strip()


KEEPS = """
import os, sys
os.environ["CORACLE_CACHE"] = sys.argv[2]   # after the library's own C library was loaded it is the system that knows it
import coracle, numpy as np
model = coracle.load(sys.argv[1])
print(model(np.arange(8, dtype=np.float32).reshape(2, 4))["y"].tobytes().hex())
"""


def test_models_are_kept_between_processes(linear_model, folder):
    kept = folder / "Оставлено"
    expected = coracle.load(linear_model)(np.arange(8, dtype=np.float32).reshape(2, 4))["y"].tobytes().hex()
    assert run_script(KEEPS, linear_model, kept) == expected
    (file,) = kept.iterdir()   # written as the process ended
    os.utime(file, (1e9, 1e9))
    assert run_script(KEEPS, linear_model, kept) == expected
    assert list(kept.iterdir()) == [file] and file.stat().st_mtime > 1.1e9   # used


def test_a_process_that_is_killed_leaves_no_part_of_a_file(folder):
    for ending, data in zip((".pdmodel", ".pdiparams"), program_file.linear(1024, 24)):
        (folder / ("large" + ending)).write_bytes(data)
    script = "import sys, coracle\nmodel = coracle.load(sys.argv[1])\nwhile True:\n    model.save(sys.argv[2])\n"
    process = subprocess.Popen([sys.executable, "-c", script, str(folder / "large.pdmodel"), str(folder / "saved.coracle")],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    end = time.monotonic() + 120
    while not list(folder.glob("*.tmp")) and time.monotonic() < end and process.poll() is None:
        pass
    assert process.poll() is None
    process.kill()
    process.communicate()
    # Between its last byte and its new name it stays.
    assert [path for path in folder.glob("*.tmp") if path.stat().st_size < 60e6] == []


def test_a_process_ends_while_others_of_its_threads_work(folder):
    for ending, data in zip((".pdmodel", ".pdiparams"), program_file.linear(512, 24)):
        (folder / ("large" + ending)).write_bytes(data)
    script = ("import sys, threading, time, coracle, numpy as np\n"
              "model = coracle.load(sys.argv[1])\n"
              "def work():\n"
              "    while True:\n"
              "        model.session(threads=2).run(np.ones((3, 512), np.float32))\n"
              "for _ in range(2):\n    threading.Thread(target=work, daemon=True).start()\n"
              "time.sleep(float(sys.argv[2]))\n")
    for i in range(6):
        run_script(script, folder / "large.pdmodel", 0.03 * i, CORACLE_CACHE=str(folder / "kept"))


def test_programs_are_those_in_path(folder, monkeypatch):
    shutil.copy(sys.executable, folder / "pdfinfo.exe")
    (folder / "a.pdf").write_bytes(b"%PDF-1.4")
    monkeypatch.chdir(folder)
    with pytest.raises(coracle.FileError, match="not installed or not in PATH"):
        list(coracle.pipeline(ROOT / "tests/vision/objects", description=ROOT / "tests/vision/descriptions/objects.yml")("a.pdf"))


def test_locks_hold_between_processes(folder):
    path = folder / "one.lock"
    script = ("import sys; from coracle import _file_lock; file = open(sys.argv[1], 'w')\n"
              "try:\n    _file_lock.take(file.fileno(), False); print('free')\n"
              "except BlockingIOError:\n    print('taken')")

    def ask():
        done = subprocess.run([sys.executable, "-c", script, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.stdout.decode().strip()

    with open(path, "w", encoding="utf-8") as file:
        _file_lock.take(file.fileno(), True)
        assert ask() == "taken"
    assert ask() == "free"


def test_the_program_by_its_module(linear_model):
    def run(*words):
        done = subprocess.run([sys.executable, "-m", "coracle", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        return done.returncode, (done.stdout + done.stderr).decode()

    assert run("--version")[1].startswith("coracle " + coracle.__version__)
    code, text = run("inspect", str(linear_model))
    assert code == 0 and "модель" in text
    code, text = run("run", str(linear_model.with_name("нет")))
    assert code == 5 and "нет" in text
    assert importlib.metadata.entry_points(group="console_scripts", name="coracle")["coracle"].value == "coracle.__main__:main"
