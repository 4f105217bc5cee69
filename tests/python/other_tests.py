# SPDX-License-Identifier: Apache-2.0
"""What other folders' tests in Python expect, for use here."""
import importlib.util
import pathlib


def module(path: pathlib.Path):
    """A file of theirs, which need not lie where Python looks."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded
