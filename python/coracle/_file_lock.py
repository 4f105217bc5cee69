# SPDX-License-Identifier: Apache-2.0
"""Locks of files between processes, which end with the file or with the process that has it."""

from __future__ import annotations

import errno
import sys
import time

if sys.platform == "win32":
    import msvcrt

    _PAUSE = 0.02   # Seconds between tries: Windows' own wait ends with an error after ten seconds.

    def take(file: int, wait: bool) -> None:
        """The lock of the file with this descriptor, at its begin; BlockingIOError where another has it and this does not wait."""
        while True:
            try:
                return msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
            except OSError as error:
                if error.errno not in (errno.EACCES, 0):   # 0 in wine.
                    raise
                if not wait:
                    raise BlockingIOError(error.errno, "another process has the lock") from None
            time.sleep(_PAUSE)
else:
    import fcntl

    def take(file: int, wait: bool) -> None:
        """The lock of the file with this descriptor; BlockingIOError where another has it and this does not wait."""
        fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
