# SPDX-License-Identifier: Apache-2.0
"""Scripts that run Coracle with OpenVINO as an engine: on the Python of build/openvino-venv (`make engines`), which has OpenVINO."""
import os
import pathlib
import sys
import tomllib

import models

VENV = models.ROOT / "build" / "openvino-venv"
LIBRARY = str(models.ROOT / "build/release/libcoracle.so")


def enter(library):
    """Starts the script again on that Python if it runs on another; gives the rows of models.toml by name."""
    if pathlib.Path(sys.prefix).resolve() != VENV.resolve():
        os.execv(VENV / "bin" / "python", [str(VENV / "bin" / "python"), *sys.argv])
    import openvino
    # The same library for all, whatever else is installed.
    os.environ.update(CORACLE_LIBRARY=library, CORACLE_OPENVINO=str(pathlib.Path(openvino.__file__).parent))
    sys.path.insert(0, str(models.BENCH / "engines"))
    models.PYTHON = pathlib.Path(sys.executable)
    return {row["name"]: row for row in tomllib.loads((models.BENCH / "models.toml").read_text())["model"]}
