# SPDX-License-Identifier: Apache-2.0
"""Models as they are after the passes, in the user's cache folder: the next process loads them without running the passes again.

A file's name is a checksum of all that its content is made of: the bytes of both files of the model, the library, and the options of
loading. A model that changes gets another file. Files that no one needs any more may be deleted at any time.
"""

from __future__ import annotations

import fcntl
import functools
import hashlib
import logging
import os
import pathlib
from typing import Any

from . import _library
from . import model as models
from .errors import Error

_LOGGER = logging.getLogger("coracle")


def default_folder() -> pathlib.Path:
    """$XDG_CACHE_HOME/coracle/models, or ~/.cache/coracle/models."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return pathlib.Path(base) / "coracle" / "models"


def load(program: Any, params: Any, folder: Any, **options: Any) -> models.Model:
    """The model of these two files, from `folder` if it is there; otherwise it is made, once: others wait for it. Where the folder cannot be
    written, or a file in it is damaged, the model itself is loaded. Options and errors as for `coracle.load`.
    """
    contents = pathlib.Path(program).read_bytes(), pathlib.Path(params).read_bytes()
    saved = pathlib.Path(folder) / (_key(contents, options) + ".coracle")
    try:
        saved.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with open(saved.with_suffix(".lock"), "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)   # Given back when the file is closed, also where this process is killed.
            if saved.exists():
                try:
                    return models.load(saved, **options)
                except Error as error:
                    _LOGGER.debug("the saved model '%s' is made anew: %s", saved, error)
            # From the bytes of the checksum: the files may change meanwhile.
            models.load_memory(*contents, **options).save(saved)
        return models.load(saved, **options)
    except OSError as error:   # FileError is one.
        _LOGGER.warning("the model is not kept in '%s': %s", saved.parent, error)
    return models.load_memory(*contents, **options)


def _key(contents: tuple[bytes, ...], options: dict[str, Any]) -> str:
    checksum = hashlib.blake2b(digest_size=20)
    for part in (*contents, repr(sorted(options.items())).encode(), _library_checksum()):
        checksum.update(b"%d:" % len(part))
        checksum.update(part)
    return checksum.hexdigest()


@functools.lru_cache(maxsize=None)
def _library_checksum() -> bytes:
    return hashlib.blake2b(_library.PATH.read_bytes()).digest()
