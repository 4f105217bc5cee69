# SPDX-License-Identifier: Apache-2.0
"""The models of models.toml as files and inputs for every engine. What has to be made is made once, in build/bench/models."""
import json
import pathlib
import subprocess
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
BENCH = ROOT / "bench"
MADE = ROOT / "build" / "bench" / "models"
SHARED = ROOT.parent / "shared"
PLACES = {"package": ROOT / "build" / "demo-models" / "models", "shared": SHARED}
PYTHON = ROOT / "build" / "bench-venv" / "bin" / "python"
SETS = 8
# Where the processor adds products of bytes with saturation, weights of int8 have 7 bits, as onnxruntime's documentation asks for.
SATURATES = "vnni" not in pathlib.Path("/proc/cpuinfo").read_text()
PYTHON_PIR = ROOT / "build" / "bench-venv-pir" / "bin" / "python"
PYTHON_MIXED = ROOT / "build" / "bench-venv-mixed" / "bin" / "python"


class Absent(Exception):
    """A model or a form of it that cannot be had, with the reason."""


def make_input(seed, recipe):
    random = np.random.default_rng(seed)
    shape = recipe["shape"]
    if "uniform" in recipe:
        low, high = recipe["uniform"]
        return random.uniform(low, high, shape).astype(np.float32)
    if "integers" in recipe:
        low, high = recipe["integers"]
        return random.integers(low, high, shape, np.int64)
    if "arange" in recipe:
        return np.broadcast_to(np.arange(shape[-1], dtype=np.int64), shape).copy()
    return np.ones(shape, np.int64)


def make_inputs(recipes, first_seed=0):
    return {name: make_input(seed, recipe) for seed, (name, recipe) in enumerate(recipes.items(), first_seed)}


def run(command, log):
    name = pathlib.Path(str(command[1] if command[0] in (PYTHON, PYTHON_PIR, PYTHON_MIXED) else command[0])).name
    try:
        with open(log, "w") as out:
            status = subprocess.run([str(word) for word in command], stdout=out, stderr=out).returncode
    except FileNotFoundError:
        raise Absent("%s is not installed" % name) from None
    if status != 0:
        raise Absent("%s failed, see %s" % (name, log.relative_to(ROOT)))


def made(path, *command):
    """`path`, made by `command` if it is not there yet; a command that fails is not tried again in this build folder."""
    failed = path.with_name(path.name + ".failed")
    if failed.exists():
        raise Absent(failed.read_text())
    if not path.exists():
        print("making %s" % path.relative_to(ROOT), file=sys.stderr, flush=True)
        try:
            run(command, path.with_name(path.name + ".log"))
            if not path.exists():
                raise Absent("no %s was made" % path.name)
        except Absent as error:
            failed.write_text(str(error))
            raise
    return str(path)


class Model:
    def __init__(self, row):
        self.name, self.title, self.recipes = row["name"], row["title"], row["inputs"]
        self.agree = row.get("agree", 1e-3)
        self.folder = MADE / self.name
        self.row = row
        self.pir = row["program"].endswith(".json")

    def find(self, text):
        place, rest = text.split("/", 1)
        path = PLACES[place] / rest
        if not path.exists():
            raise Absent("%s is absent" % text)
        return path

    def inputs(self):
        """The inputs as an .npz file."""
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / "inputs.npz"
        np.savez(path, **make_inputs(self.recipes))
        return str(path)

    def native(self):
        """{"program", "params", "combined_params"}: Paddle's own files. params is what a user has, maybe a folder."""
        program = self.find(self.row["program"])
        params, fill = self.row["params"], SHARED / "tools" / "fill_weights.py"
        combined = self.folder / "inference.pdiparams"
        if params == "generated":
            params = combined = pathlib.Path(made(combined, PYTHON, fill, program, "-o", combined))
        else:
            params = self.find(params)
            if params.is_dir():
                made(combined, PYTHON, fill, program, "-o", combined, "--real", params)
            else:
                combined = params
        return {"program": str(program), "params": str(params), "combined_params": str(combined)}

    def fixed_shapes(self):
        """Whether the ONNX file has the shapes of `inputs` only."""
        about = self.folder / "model.json"
        return about.exists() and json.loads(about.read_text())["fixed_shapes"]

    def sets(self):
        """Folders with sets of inputs, a NAME.npy for each, from which ranges of values are taken."""
        folders = [self.folder / "sets" / ("%02d" % i) for i in range(SETS)]
        for i, folder in enumerate(folders):
            folder.mkdir(parents=True, exist_ok=True)
            for name, array in make_inputs(self.recipes, 1 + i * len(self.recipes)).items():
                np.save(folder / (name + ".npy"), array)
        return folders

    def int8_files(self, engine):
        """The same of the model that the engine's own tool made with int8."""
        if engine == "coracle":
            native, folder = self.native(), self.folder / "int8"
            folder.mkdir(exist_ok=True)
            program = folder / ("inference.json" if self.pir else "inference.pdmodel")
            made(program, ROOT / "build" / "release" / "coracle", "quantize", native["program"], "--params", native["params"],
                 "--method", "minmax", "--scaling", "none", *["--reduce-range"] * SATURATES, "-o", folder, *(word for one in self.sets() for word in ("--data", one)))
            return {"program": str(program), "params": str(program.with_suffix(".pdiparams"))}
        files = self.files(engine)
        int8 = self.folder / "model-int8.onnx"
        files["onnx"] = made(int8, PYTHON, BENCH / "quantize_onnx.py", files["onnx"], self.sets()[0].parent, int8, *["reduce-range"] * SATURATES)
        return files

    def mixed_files(self, precision):
        """Paddle's files with weights in 16 bits that Paddle's own tool made."""
        if self.pir:
            raise Absent("Paddle converts no PIR program")
        native, folder = self.native(), self.folder / precision
        folder.mkdir(exist_ok=True)
        program = made(folder / "inference.pdmodel", PYTHON_MIXED, BENCH / "convert_mixed.py", native["program"],
                       native["combined_params"], folder, precision)
        return {"program": program, "params": str(folder / "inference.pdiparams")}

    def files(self, engine, form=None):
        """What `engine` reads, by kind of file. Raises Absent where that cannot be made."""
        self.folder.mkdir(parents=True, exist_ok=True)
        if form == "int8":
            return self.int8_files(engine)
        if form in ("fp16", "bf16"):
            return self.mixed_files(form)
        files = self.native()
        if engine in ("coracle", "paddle"):
            return files
        onnx = self.folder / "model.onnx"
        shapes = json.dumps({name: recipe["shape"] for name, recipe in self.recipes.items()})
        python = PYTHON_PIR if self.pir else PYTHON
        files["onnx"] = made(onnx, python, BENCH / "convert.py", files["program"], files["combined_params"], onnx, shapes)
        files["output_names"] = json.loads(onnx.with_suffix(".json").read_text())["outputs"]
        if engine == "mnn":
            files["input_names"] = list(self.recipes)
            mnn = self.folder / "model.mnn"
            files["mnn"] = made(mnn, PYTHON.with_name("mnnconvert"), "-f", "ONNX", "--modelFile", onnx,
                                "--MNNModel", mnn, "--bizCode", "bench")
        return files
