#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the archive with which a machine with a GPU proves this build: make gpu-bundle.

    make_bundle.py BUILD SHARED FILLED OUT.tar.gz

It holds programs of BUILD without symbols, with the libraries of theirs that a machine may lack; of the reference folder SHARED, with
weights from FILLED, the goldens of models of at most GOLDEN_BYTES; the networks whose speed is measured, with shortened parameters
(parameters.py); and the scripts. Without the reference folder it has no models, and says so.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

import parameters

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = ("coracle", "coracle-bench-copies", "devices_tests", "cuda_tests", "golden_test")
SCRIPTS = ("parameters.py", "report.py", "run_gpu.py", "torch_networks.py")
# What each Linux with a driver has; whatever else a program needs goes along.
SYSTEM = re.compile(r"(ld-linux.*|linux-vdso|lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+))\.so")
MOST_BYTES = 60_000_000
GOLDEN_BYTES = 2_000_000
ZOO = "models/program-only-zoo/%s/inference.pdmodel"
PPOCR = "models/program-only/ch_PP-OCRv4_%s_infer/inference.pdmodel"
# name, program in the reference folder, weights in FILLED, inputs with B for the batch
NETWORKS = (
    ("resnet50", ZOO % "resnet50", "resnet50", {"x": "B,3,224,224"}),
    ("mobilenet_v3_large", ZOO % "mobilenet_v3_large", "mobilenet_v3_large", {"x": "B,3,224,224"}),
    ("ppocrv4_det", PPOCR % "det", "ch_PP-OCRv4_det_infer", {"x": "B,3,640,640"}),
    ("ppocrv4_rec", PPOCR % "rec", "ch_PP-OCRv4_rec_infer", {"x": "B,3,48,320"}),
    ("bilstm_ctc", ZOO % "bilstm_ctc", "bilstm_ctc", {"x": "B,3,32,320"}),
    ("vit_base", ZOO % "vit_base_patch16_224", "vit_base_patch16_224", {"x": "B,3,224,224"}),
    ("bert_base", ZOO % "bert_base", "bert_base",
     {name: "B,128" for name in ("input_ids", "token_type_ids", "position_ids", "attention_mask")}),
)


def copy_programs(build, folder):
    folder.mkdir()
    for name in PROGRAMS:
        program = build / name
        if not program.is_file():
            sys.exit("make_bundle.py: %s is absent; build it (the tests of CUDA need OpenCL's headers, see docs/cuda.md)" % program)
        shutil.copy(program, folder)
        for found in re.finditer(r"^\s*(\S+) => (\S+)", subprocess.check_output(["ldd", program], text=True), re.MULTILINE):
            if not SYSTEM.match(found[1]):
                shutil.copy(found[2], folder / found[1])
    subprocess.run(["strip", *folder.iterdir()], check=True)


def size_of(path):
    return sum(f.stat().st_size for f in path.rglob("*")) if path.is_dir() else path.stat().st_size


def copy_goldens(shared, filled, folder):
    """The cases of small models, where golden_test --data looks; how many."""
    count = 0
    for case in sorted(shared.glob("goldens/*/*/case.json")):
        model = json.loads(case.read_text())["model"]
        # A program in a folder of its own may lie beside its weights.
        files = {}
        for path in model.values():
            if isinstance(path, str):
                files[path] = filled / path[len("filled/"):] if path.startswith("filled/") else shared / path
        if not all(f.exists() for f in files.values()) or sum(map(size_of, files.values())) > GOLDEN_BYTES:
            continue
        for path, source in files.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, target, dirs_exist_ok=True)
            else:
                shutil.copy(source, target)
        shutil.copytree(case.parent, folder / case.parent.relative_to(shared))
        count += 1
    shutil.copy(ROOT / "tests/models/known.txt", folder)
    return count


def copy_networks(shared, filled, folder):
    """Those that are there, with networks.json, which says how they are run."""
    rows = []
    for name, program, weights, shapes in NETWORKS:
        if not (shared / program).is_file() or not (filled / (weights + ".pdiparams")).is_file():
            continue
        shutil.copy(shared / program, folder / (name + ".pdmodel"))
        (folder / (name + ".short")).write_bytes(parameters.shorten((filled / (weights + ".pdiparams")).read_bytes()))
        rows.append({"name": name, "shapes": shapes})
    (folder / "networks.json").write_text(json.dumps(rows))
    return len(rows)


def commit():
    asked = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty"], capture_output=True, text=True, check=False)
    return asked.stdout.strip() or "unknown"


def main():
    build, shared, filled, out = map(pathlib.Path, sys.argv[1:])
    with tempfile.TemporaryDirectory() as temporary:
        bundle = pathlib.Path(temporary) / "coracle-gpu"
        for folder in (bundle / "goldens-data", bundle / "networks", bundle / "gpu"):
            folder.mkdir(parents=True)
        copy_programs(build, bundle / "bin")
        goldens = copy_goldens(shared, filled, bundle / "goldens-data")
        networks = copy_networks(shared, filled, bundle / "networks")
        for script in SCRIPTS:
            shutil.copy(ROOT / "scripts/gpu" / script, bundle / "gpu")
        for file in (ROOT / "scripts/gpu/run-gpu.sh", ROOT / "LICENSE", ROOT / "THIRD_PARTY_NOTICES"):
            shutil.copy(file, bundle)
        (bundle / "commit").write_text(commit() + "\n")
        subprocess.run(["chmod", "-R", "u+w", bundle], check=True)
        out.parent.mkdir(parents=True, exist_ok=True)
        with tarfile.open(out, "w:gz", compresslevel=6) as archive:
            archive.add(bundle, bundle.name)
    print("%s: %.1f MB, %d golden cases, %d networks" % (out, out.stat().st_size * 1e-6, goldens, networks))
    if out.stat().st_size > MOST_BYTES:
        sys.exit("make_bundle.py: %s has %d bytes, at most %d are allowed; lower GOLDEN_BYTES" % (out, out.stat().st_size, MOST_BYTES))


if __name__ == "__main__":
    main()
