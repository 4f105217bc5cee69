# SPDX-License-Identifier: Apache-2.0
"""Programs of PyPI, unmodified, read pictures with Coracle as with the real Paddle: text for text, box for box.

`make paddleocr` makes their virtual environments, which have no PaddlePaddle, and takes all programs and 21 pictures; otherwise a sample of
both. Skipped where an environment is absent; the real Paddle is in those of scripts/oracle-venv.sh. With CORACLE_PADDLEX, other versions of
PaddleX run, too; with CORACLE_WHEEL, that file is installed in the environments, which then have Coracle from nowhere else.
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
# Other versions of PaddleX, such as "3.3.13 3.6.1"; before 3.5 it has no registry of engines.
PROGRAMS += [("paddlex", BUILD / ("paddlex-%s-venv" % version), "coracle" if int(version.split(".")[1]) >= 5 else "paddle")
             for version in os.environ.get("CORACLE_PADDLEX", "").split()]
WHEEL = os.environ.get("CORACLE_WHEEL")
ALL = os.environ.get("CORACLE_OCR_PICTURES", "0")   # Generated pictures beside the demo's; with any, all programs run.


def pictures(folder):
    if int(ALL) and ocr_pictures.absent_fonts():
        pytest.skip("fonts are absent, scripts/setup-debian.sh --fonts installs them: %s" % ", ".join(map(str, ocr_pictures.absent_fonts())))
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


def environment(folder, *paths):
    """That of a program with Coracle, which imports from `paths`, too."""
    variables = {**os.environ, "PADDLE_PDX_DISABLE_MODEL_SOURCE_CHECK": "True", "XDG_CACHE_HOME": str(folder / "cache")}
    if WHEEL:
        del variables["CORACLE_LIBRARY"], variables["PYTHONPATH"]
    if paths:
        variables["PYTHONPATH"] = os.pathsep.join([*variables.get("PYTHONPATH", "").split(os.pathsep), *map(str, paths)]).strip(os.pathsep)
    return variables


def read(program, venv, engine, folder, paths, real):
    """What the program answers; `real`: with the real Paddle, without anything of Coracle."""
    results = folder / ("%s-%s-%s-%s.json" % (program, venv.name, engine, "paddle" if real else "coracle"))
    script = [str(HERE / "ocr_programs_script.py"), program, engine, str(MODELS), str(results), *paths, "--work", str(folder / "models")]
    variables = environment(folder)
    if real:
        variables.pop("PYTHONPATH", None)
        (site,) = (REAL / "lib").glob("python3*/site-packages")
        script += ["--paddle", str(site)]
    elif engine == "paddle":
        script = ["-m", "coracle.as_paddle", *script]
    done = subprocess.run([str(venv / "bin" / "python"), *script], env=variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
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


@pytest.fixture(scope="module", autouse=True)
def wheel():
    venvs = {venv for _, venv, _ in PROGRAMS if WHEEL and (venv / "complete").exists()}
    for venv in venvs:
        subprocess.run([venv / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check", "--force-reinstall", "--no-deps", WHEEL], check=True)
        subprocess.run([venv / "bin" / "pip", "show", "--quiet", "numpy"], check=True)   # All that the wheel needs.
    yield
    for venv in venvs:
        subprocess.run([venv / "bin" / "pip", "uninstall", "--quiet", "--yes", "coracle"], check=True)


@pytest.mark.parametrize("program, venv, engine", PROGRAMS, ids=["%s-%s-%s" % (each[0], each[1].name, each[2]) for each in PROGRAMS])
def test_a_program_reads_as_with_the_real_paddle(program, venv, engine, folder):
    require(venv, REAL)
    if ALL == "0" and not WHEEL and (program, engine) not in (("rapidocr", "paddle"), ("paddlex", "coracle")):
        pytest.skip("make paddleocr runs it")
    theirs = reference(program, venv, folder)
    ours = read(program, venv, engine, folder, pictures(folder), False)
    assert theirs["inference"] == "paddle.inference" and theirs["paddle"]
    assert ours["paddle"] is None and ours["inference"] == (None if engine == "coracle" else "coracle.paddle.inference")
    assert not list(differences(ours["lines"], theirs["lines"])), "\n".join(differences(ours["lines"], theirs["lines"]))
    assert sum(map(len, theirs["lines"].values())) > 20
    if engine == "coracle":
        assert len(list((folder / "cache" / "coracle" / "models").glob("*.coracle"))) >= 2


ENGINE = """
import sys
import coracle.paddlex
from paddlex import create_model
import cv2, ocr_programs_script, pathlib
line = cv2.imread(sys.argv[3])[49:123, 418:703]
folders = ocr_programs_script.paddlex_models(pathlib.Path(sys.argv[1]), sys.argv[2])

def answer(**options):
    model = create_model("PP-OCRv4_mobile_rec", model_dir=str(folders["rec"]), engine="coracle", **options)
    return [(found["rec_text"], found["rec_score"]) for found in model.predict(line)]

expected = answer()
assert expected[0][0] == "湖畔茶馆", expected
coracle.paddlex.register()   # Once more is no harm.
sys.modules["paddleocr._common_args"] = None   # As where PaddleOCR is absent, or its name is that of a folder.
coracle.paddlex.register()
for config in ({"threads": 1}, {"cpu_threads": 3}, {"cache": False}, {"cache": sys.argv[2] + "/other"}, {"coracle": {"precision": "strict"}}):
    assert answer(engine_config=config) == expected, config
for options, text in (({"device": "gpu:0"}, "runs on the CPU"), ({"engine_config": {"other": 1}}, "Invalid coracle engine_config"),
                      ({"engine_config": {"threads": -1}}, "Invalid coracle engine_config")):
    try:
        answer(**options)
    except ValueError as error:
        assert text in str(error), error
    else:
        raise AssertionError(options)
try:
    create_model("PP-OCRv4_mobile_rec", model_dir=sys.argv[2] + "/none", engine="coracle")
except (FileNotFoundError, ValueError) as error:
    print("done", "paddle" in sys.modules)
"""


def test_the_engine_takes_options(folder):
    require(NEW)
    done = subprocess.run([str(NEW / "bin" / "python"), "-c", ENGINE, str(MODELS), str(folder / "models"), pictures(folder)[0]],
                          env=environment(folder, HERE), capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.strip().splitlines()[-1] == "done False", done.stderr[-3000:]


@pytest.mark.parametrize("program", ["paddleocr", "paddlex"])
def test_the_command_lines_take_the_engine(program, folder):
    require(NEW)
    if ALL == "0":
        pytest.skip("make paddleocr runs it")
    python, picture, models = str(NEW / "bin" / "python"), pictures(folder)[0], folder / "models"
    subprocess.run([python, "-c", "import sys, pathlib, ocr_programs_script as s; s.paddlex_models(pathlib.Path(sys.argv[1]), sys.argv[2])",
                    str(MODELS), str(models)], env=environment(folder, HERE), check=True)
    parts = {"text_detection": models / "PP-OCRv4_mobile_det_infer", "text_recognition": models / "PP-OCRv4_mobile_rec_infer"}
    if program == "paddleocr":
        arguments = ["ocr", "-i", picture]
        for part, path in parts.items():
            arguments += ["--%s_model_name" % part, path.name[:-len("_infer")], "--%s_model_dir" % part, str(path)]
        for part in ("doc_orientation_classify", "doc_unwarping", "textline_orientation"):
            arguments += ["--use_" + part, "False"]
    else:
        config = {"pipeline_name": "OCR", "text_type": "general", "use_doc_preprocessor": False, "use_textline_orientation": False, "SubModules": {
            "TextDetection": {"module_name": "text_detection", "model_name": "PP-OCRv4_mobile_det", "model_dir": str(parts["text_detection"])},
            "TextRecognition": {"module_name": "text_recognition", "model_name": "PP-OCRv4_mobile_rec", "model_dir": str(parts["text_recognition"]),
                                "score_thresh": 0.0}}}
        (folder / "OCR.yaml").write_text(json.dumps(config), "utf-8")   # JSON is YAML.
        arguments = ["--pipeline", str(folder / "OCR.yaml"), "--input", picture]
    done = subprocess.run([python, "-m", "coracle.paddlex", program, *arguments, "--engine", "coracle"], env=environment(folder), stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    text = done.stdout.decode("utf-8", "replace")
    assert done.returncode == 0 and "湖畔茶馆" in text and "'coracle'" in text, text[-3000:]
