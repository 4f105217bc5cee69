# SPDX-License-Identifier: Apache-2.0
"""What goes wrong in the library, as exceptions: one class for each status of the C interface.

All are RuntimeError, and besides the exception that Python has for such cases, so that `except ValueError` or
`except OSError` work as they do elsewhere. The text is the library's: what was expected, what was found, where.
"""

from __future__ import annotations


class Error(RuntimeError):
    """Any failure of Coracle."""

    status = 0


class InvalidArgumentError(Error, ValueError):
    """A wrong name, shape, element type or option; a missing input; a session used by two threads, or after a fork."""

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


class OutOfMemoryError(Error, MemoryError):
    """Memory or a set limit is exhausted."""

    status = 5


class RunFailureError(Error):
    """A run failed on its data."""

    status = 6


class CancelledError(Error):
    """Somebody cancelled the run (`Session.cancel`)."""

    status = 7


BY_STATUS = {kind.status: kind for kind in (InvalidArgumentError, InvalidModelError, UnsupportedError, FileError,
                                            OutOfMemoryError, RunFailureError, CancelledError)}
