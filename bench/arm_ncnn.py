# SPDX-License-Identifier: Apache-2.0
"""ncnn for arm_counts.py: PyPI's package for 64-bit ARM, run by Debian's Python of that architecture in qemu-user, with models that pnnx
converts from ONNX, and those with int8 that arm_ncnn_int8.py makes of them. Whatever cannot be had raises models.Absent with the reason.
"""
import json
import os
import pathlib
import subprocess

import numpy as np

import arm_ncnn_int8
import models

ROOT = models.ROOT
WORK = ROOT / "build" / "bench" / "arm"
REQUIREMENTS = models.BENCH / "requirements-arm.txt"
PYTHON_ROOT = ROOT / "build" / "sysroot" / "run-arm64"  # scripts/arm-run-root.sh
TRIPLET = "aarch64-linux-gnu"
PLATFORM = ["--platform", "manylinux_2_28_aarch64", "--python-version", "3.11", "--implementation", "cp"]
# ncnn computes with float16 where the processor can, and stores it else: neither is float32. Models with int8 have layers with float32, too.
FLOAT32 = [name + "=0" for name in ("use_fp16_packed", "use_fp16_storage", "use_fp16_arithmetic", "use_bf16_packed", "use_bf16_storage")]

LEAST_DECIBELS = 20  # of int8 to float32


def installed(package, *options):
    """The folder with a package of REQUIREMENTS, without what it depends on: pnnx wants PyTorch for models in Python alone."""
    folder = WORK / package
    wanted = next(line for line in REQUIREMENTS.read_text().splitlines() if line.startswith(package + "=="))
    if (folder / "complete").exists() and (folder / "complete").read_text() == wanted:
        return folder
    command = [models.PYTHON.with_name("pip"), "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary", ":all:",
               *options, "--upgrade", "--target", folder, wanted]
    models.run(command, WORK / (package + ".log"))
    (folder / "complete").write_text(wanted)
    return folder


class Ncnn:
    def __init__(self):
        models.run([ROOT / "scripts" / "arm-run-root.sh", "arm64"], WORK / "run-root.log")
        self.package = installed("ncnn", *PLATFORM)
        self.converter = installed("pnnx") / "pnnx" / "pnnx"
        self.int8 = {}  # quantized() by model and shape

    def files(self, model, shape):
        """(param, weights, input), with the first of inputs that models.toml describes, in this shape."""
        onnx = pathlib.Path(model.files("ncnn")["onnx"])
        stem = model.folder / ("ncnn-" + "x".join(map(str, shape)))
        param, weights, given = (stem.with_suffix(end) for end in (".param", ".bin", ".npy"))
        names = ["%s=%s" % (name, stem.with_suffix(end)) for name, end in {
            "pnnxparam": ".pnnx.param", "pnnxbin": ".pnnx.bin", "pnnxpy": ".pnnx.py", "pnnxonnx": ".pnnx.onnx", "ncnnpy": ".py"}.items()]
        # Weights stay float32: 16 bits, as pnnx has them otherwise, would be other numbers than the model's.
        models.made(param, self.converter, onnx, "inputshape=" + str(list(shape)).replace(" ", ""), "fp16=0", "ncnnparam=%s" % param,
                    "ncnnbin=%s" % weights, *names)
        np.save(given, models.make_input(0, {**model.recipes["x"], "shape": shape}))
        return param, weights, given

    def quantized(self, model, shape):
        """(files() with int8, of the ranges that activations have for this input; the blob to compare; a .npy file with it in float32)."""
        key = (model.name, *shape)
        if key not in self.int8:
            param, weights, given = self.files(model, shape)
            network = arm_ncnn_int8.Network(param, weights)
            ranges, float32, stem = param.with_suffix(".ranges.json"), param.with_suffix(".float32.npy"), param.with_name(param.stem + "-int8")
            self.run("ncnn_ranges.py", param, weights, given, ranges, ",".join(network.calibrated_blobs()))
            self.run("run_ncnn.py", param, weights, given, 0, network.answer(), float32)
            network.quantize(json.loads(ranges.read_text()))
            files = stem.with_suffix(".param"), stem.with_suffix(".bin")
            network.save(*files)
            self.int8[key] = (*files, given), network.answer(), float32
        return self.int8[key]

    def run(self, script, *words):
        command = ["qemu-aarch64", *self.python(script), *words, *FLOAT32]
        environment = {**os.environ, **self.environment(), "QEMU_CPU": "neoverse-n1"}
        if subprocess.run([str(word) for word in command], env=environment).returncode != 0:
            raise models.Absent("%s failed" % script)

    def environment(self):
        libraries = [PYTHON_ROOT / "usr" / "lib" / TRIPLET / name for name in ("blas", "lapack", "")] + [PYTHON_ROOT / "lib" / TRIPLET]
        # With other hashes Python starts by a million instructions more or less, which would be taken for the model's.
        set_in_qemu = {"LD_LIBRARY_PATH": ":".join(map(str, libraries)), "PYTHONHOME": PYTHON_ROOT / "usr", "PYTHONHASHSEED": 0,
                       "PYTHONDONTWRITEBYTECODE": 1,
                       "PYTHONPATH": "%s:%s" % (self.package, PYTHON_ROOT / "usr" / "lib" / "python3" / "dist-packages")}
        return {"QEMU_LD_PREFIX": str(PYTHON_ROOT), "QEMU_SET_ENV": ",".join("%s=%s" % pair for pair in set_in_qemu.items())}

    def python(self, script):
        return [PYTHON_ROOT / "usr" / "bin" / "python3.11", models.BENCH / "arm" / script]

    def command(self, files, runs, answer="out0", options=FLOAT32):
        """What qemu runs, with one more run that writes the blob `answer` into output(runs)."""
        return [*self.python("run_ncnn.py"), *files, str(runs), answer, self.output(runs), *options]

    def output(self, runs):
        return WORK / ("ncnn-output-%d.npy" % runs)

    def check(self, model, ours, runs):
        """Raises models.Absent unless so many runs gave the same numbers as `ours`, within what models.toml calls agreement."""
        found, want = self.answers(ours, runs)
        difference = np.abs(found - want).max() / max(np.abs(want).max(), 1e-30)
        print("%s: largest difference of ncnn from Coracle, as a share of the largest value: %.1e" % (model.name, difference), flush=True)
        if difference > model.agree:
            raise models.Absent("the results of ncnn differ from Coracle's by %.1e of the largest value" % difference)

    def check_int8(self, model, float32, runs):
        """Raises models.Absent unless so many runs with int8 gave what `float32` has, but for the noise of int8."""
        found, want = self.answers(float32, runs)
        decibels = 10 * np.log10((want ** 2).sum() / max(((found - want) ** 2).sum(), 1e-30))
        print("%s: ncnn's int8 has a ratio of signal to noise of %.1f dB" % (model.name, decibels), flush=True)
        if not decibels >= LEAST_DECIBELS:
            raise models.Absent("int8 of ncnn has a ratio of signal to noise of %.1f dB, and %d are wanted" % (decibels, LEAST_DECIBELS))

    def answers(self, expected, runs):
        found, want = (np.load(file).ravel().astype(np.float64) for file in (self.output(runs), expected))
        if found.shape != want.shape:
            raise models.Absent("ncnn gives %d numbers, and %d were expected" % (found.size, want.size))
        return found, want


def coracle_answer(program, files, given, processor, sysroot):
    """A .npy file with what Coracle gives for the same input, on the same processor."""
    folder = WORK / "coracle-answer"
    environment = {"QEMU_LD_PREFIX": str(sysroot), "QEMU_CPU": processor}
    subprocess.run(["qemu-aarch64", program, "run", files["program"], "--params", files["params"], "--input", "x=%s" % given, "--output-dir",
                    folder, "--threads", "1"], env={**os.environ, **environment}, check=True, stdout=subprocess.DEVNULL)
    return folder / "0.npy"
