# SPDX-License-Identifier: Apache-2.0
"""Reads the packed operator cases of tests/oracle/sample, which the real Paddle answered."""
import io
import pathlib
import tarfile
from typing import NamedTuple

import numpy as np

ORACLE = pathlib.Path(__file__).resolve().parents[1] / "oracle"
FAMILIES = sorted(path.name[:-len(".tar.gz")] for path in (ORACLE / "sample").glob("*.tar.gz"))
KNOWN = {line.split()[0] for line in (ORACLE / "known.txt").read_text("utf-8").splitlines() if line and not line.startswith("#")}


class Case(NamedTuple):
    """A model and a run of it: inputs are (name, array, offsets), outputs (array, atol, rtol, offsets)."""

    name: str       # "program/conv2d-00" or "pir/..."
    file: str       # The name of the program file: "model.pdmodel" or "model.json".
    program: bytes
    params: bytes
    inputs: list
    outputs: list


def offsets(words):
    """The offsets that stand at the end of a line of case.txt, if any."""
    return [[int(n) for n in level.split(",")] for level in words[0].split(";")] if words else []


def cases(family):
    """The cases of a family that are expected to agree."""
    folders = {}
    with tarfile.open(ORACLE / "sample" / (family + ".tar.gz")) as archive:
        for member in archive.getmembers():
            if member.isfile():
                folder, file = member.name.rsplit("/", 1)
                folders.setdefault(folder, {})[file] = archive.extractfile(member).read()
    for name, files in folders.items():
        inputs, outputs, words_of = [], [], {"params": None}
        for line in files["case.txt"].decode().splitlines():
            kind, *words = line.split()
            if kind == "run" and outputs:
                break  # the first run of a session
            if kind == "input":
                inputs.append((words[0], np.load(io.BytesIO(files[words[1]])), offsets(words[2:])))
            elif kind == "output":
                outputs.append((np.load(io.BytesIO(files[words[0]])), float(words[1]), float(words[2]), offsets(words[3:])))
            elif kind != "run":
                words_of[kind] = words[0]
        if name not in KNOWN and "%s/%s" % (name.split("/")[0], words_of["op"]) not in KNOWN:
            yield Case(name, words_of["model"], files[words_of["model"]], files.get(words_of["params"], b""), inputs, outputs)
