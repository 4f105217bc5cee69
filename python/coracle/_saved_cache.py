# SPDX-License-Identifier: Apache-2.0
"""Models as they are after the passes, in the user's cache folder: the next process loads them without running the passes again.

A file's name is a checksum of all that its content is made of: the bytes of both files of the model, the library, and the options of
loading. A model that changes gets another file. When a file is written, those that were not used for 30 days are deleted, and beyond 4 GiB
the least recently used ones. Any file may be deleted at any time.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import logging
import os
import pathlib
import re
import sys
import time
from collections.abc import Iterator
from typing import Any

from . import _file_lock, _library
from . import model as models
from .errors import Error

MAX_BYTES = 4 << 30
MAX_SECONDS = 30 * 24 * 3600   # since a file was last used

_LOGGER = logging.getLogger("coracle")
_NAME = re.compile("[0-9a-f]{40}[.](coracle|lock)")


def default_folder() -> pathlib.Path:
    """$XDG_CACHE_HOME/coracle/models, or ~/.cache/coracle/models; on Windows %LOCALAPPDATA%\\coracle\\models."""
    base = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return pathlib.Path(base) / "coracle" / "models"


def load(program: Any, params: Any, folder: Any, **options: Any) -> models.Model:
    """The model of these two files, from `folder` if it is there; otherwise it is made, once: others wait for it. Where the folder cannot be
    written, or a file in it is damaged, the model itself is loaded. Options and errors as for `coracle.load`.
    """
    contents = pathlib.Path(program).read_bytes(), pathlib.Path(params).read_bytes()
    saved = pathlib.Path(folder) / (_key(contents, options) + ".coracle")
    try:
        saved.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _locked(saved):
            if saved.exists():
                try:
                    model = models.load(saved, **options)
                    with contextlib.suppress(OSError):   # Another user's file.
                        os.utime(saved)
                    return model
                except Error as error:
                    _LOGGER.debug("the saved model '%s' is made anew: %s", saved, error)
            # From the bytes of the checksum: the files may change meanwhile.
            models.load_memory(*contents, **options).save(saved)
            _clean(saved)
            return models.load(saved, **options)
    except OSError as error:   # FileError is one.
        _LOGGER.warning("the model is not kept in '%s': %s", saved.parent, error)
    return models.load_memory(*contents, **options)


@contextlib.contextmanager
def _locked(saved: pathlib.Path, wait: bool = True) -> Iterator[None]:
    """One process at a time is inside. The lock is given back when its file is closed, also where this process is killed. Without `wait`
    BlockingIOError where another one has it."""
    path = saved.with_suffix(".lock")
    while True:
        with open(path, "w") as lock:
            _file_lock.take(lock.fileno(), wait)
            try:
                current = os.path.samestat(os.fstat(lock.fileno()), path.stat())
            except FileNotFoundError:
                current = False
            if current:   # Otherwise whoever had the lock has deleted its file.
                yield
                return


def _clean(written: pathlib.Path) -> None:
    """Deletes what its folder holds too long or too much of, without what was just written and what others use now."""
    names = {path.stem for path in written.parent.iterdir() if _NAME.fullmatch(path.name)} - {written.stem}
    about = []
    for name in names:
        path = written.with_name(name + ".coracle")
        with contextlib.suppress(FileNotFoundError):
            stat = (path if path.exists() else path.with_suffix(".lock")).stat()
            about.append((stat.st_mtime, stat.st_size, path))
    size = written.stat().st_size
    for used, bytes_, path in sorted(about, reverse=True):
        size += bytes_
        if size > MAX_BYTES or used < time.time() - MAX_SECONDS:
            with contextlib.suppress(OSError), _locked(path, wait=False):   # BlockingIOError is one.
                path.unlink(missing_ok=True)
                path.with_suffix(".lock").unlink()


def _key(contents: tuple[bytes, ...], options: dict[str, Any]) -> str:
    checksum = hashlib.blake2b(digest_size=20)
    for part in (*contents, repr(sorted(options.items())).encode(), _library_checksum()):
        checksum.update(b"%d:" % len(part))
        checksum.update(part)
    return checksum.hexdigest()


@functools.lru_cache(maxsize=None)
def _library_checksum() -> bytes:
    return hashlib.blake2b(_library.PATH.read_bytes()).digest()
