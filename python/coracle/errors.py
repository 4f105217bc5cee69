# SPDX-License-Identifier: Apache-2.0
"""What goes wrong in the library, as exceptions: one class for each status of the C interface.

All are RuntimeError, and besides the exception that Python has for such cases, so that `except ValueError` or
`except OSError` work as they do elsewhere. The text is the library's: what was expected, what was found, where.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from typing import Any


class Error(RuntimeError):
    """Any failure of Coracle."""

    status = 0


class InvalidArgumentError(Error, ValueError):
    """A wrong name, shape, element type or option; a missing input; a session used by two threads."""

    status = 1


class InvalidModelError(Error, ValueError):
    """The model file is damaged or contradicts itself."""

    status = 2


class UnsupportedError(Error, NotImplementedError):
    """An operator or feature that does not exist here."""

    status = 3


class FileError(Error, OSError):
    """A file cannot be read."""

    status = 4


class MissingFileError(FileError, FileNotFoundError):
    """A file or folder that was named is not there: `filename`."""

    def __init__(self, message: str, filename: str):
        super().__init__(message)
        self.errno = errno.ENOENT
        self.filename = filename

    def __str__(self) -> str:
        return str(self.args[0])

    def __reduce__(self):
        return type(self), (str(self), self.filename)


class OutOfMemoryError(Error, MemoryError):
    """Memory or a set limit is exhausted."""

    status = 5


class RunFailureError(Error):
    """A run failed on its data."""

    status = 6


class CancelledError(Error):
    """Somebody cancelled the run (`Session.cancel`)."""

    status = 7


def counted(count: int, noun: str) -> str:
    """"1 input", "2 inputs": for messages."""
    return "%d %s%s" % (count, noun, "" if count == 1 else "s")


BY_STATUS = {kind.status: kind for kind in (InvalidArgumentError, InvalidModelError, UnsupportedError, FileError,
                                            OutOfMemoryError, RunFailureError, CancelledError)}


@contextlib.contextmanager
def named_files(*paths: Any) -> Iterator[None]:
    """Where a model cannot be read because one of `paths` (or None) is not there, raises the error that says so."""
    try:
        yield
    except FileError as error:
        missing = [path for path in paths if path is not None and not os.path.exists(path)]
        if not missing or "no such" not in str(error):
            raise
        raise MissingFileError(str(error), _as_text(missing[0])) from None


def _as_text(path: Any) -> str:
    try:
        return os.fsdecode(path)
    except UnicodeDecodeError:   # On Windows, where it cannot be a file's name.
        return repr(path)
