# SPDX-License-Identifier: Apache-2.0
"""Programs of PyPI, unmodified, read pictures with Coracle as with the real Paddle: text for text, box for box.

`make paddleocr` makes their virtual environments, which have no PaddlePaddle, and takes all programs and 21 pictures; otherwise a sample of
both. Skipped where an environment is absent; the real Paddle is in those of scripts/oracle-venv.sh.
"""
import functools
import json
import os
import pathlib
import subprocess

import ocr_pictures
import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILD = ROOT / "build"
MODELS = BUILD / "demo-models"
NEW, OLD = BUILD / "paddleocr-venv", BUILD / "paddleocr-2-venv"
REAL = BUILD / "oracle-venv-3.3"   # Also for the older programs: Paddle 2.6.2 ends on processors without AVX-512 while it loads (SIGILL).
# Program, environment, and what is told to run the models: "paddle" through coracle.as_paddle, "coracle" by the engine.
PROGRAMS = [("rapidocr", NEW, "paddle"), ("paddlex", NEW, "coracle"), ("paddleocr3", NEW, "coracle"), ("paddleocr3", NEW, "paddle"),
            ("rapidocr_paddle", OLD, "paddle"), ("paddleocr2", OLD, "paddle")]
ALL = os.environ.get("CORACLE_OCR_PICTURES", "0")   # Generated pictures beside the demo's; with any, all programs run.


def pictures(folder):
    made = [str(ROOT / "examples" / "ocr" / "demo.jpg")]
    for number in range(int(ALL)):
        made.append(str(folder / ("%d.png" % number)))
        if not os.path.exists(made[-1]):
            ocr_pictures.picture(number).save(made[-1])
    return made


def require(*venvs):
    for venv in venvs:
        if not (venv / "complete").exists():
            pytest.skip("%s is absent; make paddleocr makes it" % venv.name)
    if not (MODELS / "models").is_dir():
        pytest.skip("the demo's models are absent; make models fetches them")


def read(program, venv, engine, folder, paths, real):
    """What the program answers; `real`: with the real Paddle, without anything of Coracle."""
    results = folder / ("%s-%s-%s.json" % (program, engine, "paddle" if real else "coracle"))
    script = [str(HERE / "ocr_programs_script.py"), program, engine, str(MODELS), str(results), *paths, "--work", str(folder / "models")]
    environment = {**os.environ, "PADDLE_PDX_DISABLE_MODEL_SOURCE_CHECK": "True", "XDG_CACHE_HOME": str(folder / "cache")}
    if real:
        environment.pop("PYTHONPATH", None)
        (site,) = (REAL / "lib").glob("python3*/site-packages")
        script += ["--paddle", str(site)]
    elif engine == "paddle":
        script = ["-m", "coracle.as_paddle", *script]
    done = subprocess.run([str(venv / "bin" / "python"), *script], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.returncode == 0, "%s: %s" % (program, done.stdout.decode("utf-8", "replace")[-3000:])
    return json.loads(results.read_text("utf-8"))


@functools.lru_cache(maxsize=None)
def reference(program, venv, folder):
    """The real Paddle's answers, once for both ways to Coracle."""
    return read(program, venv, "paddle", folder, pictures(folder), True)


def differences(ours, theirs):
    """What differs, one sentence each. Confidences are sums in another order."""
    for path, expected in theirs.items():
        found, name = ours[path], os.path.basename(path)
        if [line[0] for line in found] != [line[0] for line in expected]:
            yield "%s: texts %s, Paddle has %s" % (name, [line[0] for line in found], [line[0] for line in expected])
        elif [line[2] for line in found] != [line[2] for line in expected]:
            yield "%s: boxes differ: %s" % (name, [(a[2], b[2]) for a, b in zip(found, expected) if a[2] != b[2]])
        else:
            yield from ("%s: %r has the confidence %g, Paddle has %g" % (name, a[0], a[1], b[1])
                        for a, b in zip(found, expected) if abs(a[1] - b[1]) > 2e-4)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("ocr")


@pytest.mark.parametrize("program, venv, engine", PROGRAMS, ids=["%s-%s" % (each[0], each[2]) for each in PROGRAMS])
def test_a_program_reads_as_with_the_real_paddle(program, venv, engine, folder):
    require(venv, REAL)
    if ALL == "0" and (program, engine) not in (("rapidocr", "paddle"), ("paddlex", "coracle")):
        pytest.skip("make paddleocr runs it")
    theirs = reference(program, venv, folder)
    ours = read(program, venv, engine, folder, pictures(folder), False)
    assert theirs["inference"] == "paddle.inference" and theirs["paddle"]
    assert ours["paddle"] is None and ours["inference"] == (None if engine == "coracle" else "coracle.paddle.inference")
    assert not list(differences(ours["lines"], theirs["lines"])), "\n".join(differences(ours["lines"], theirs["lines"]))
    assert sum(map(len, theirs["lines"].values())) > 20
    if engine == "coracle":
        assert len(list((folder / "cache" / "coracle" / "models").glob("*.coracle"))) >= 2
