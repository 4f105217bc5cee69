# SPDX-License-Identifier: Apache-2.0
"""Programs of the system that read files. What they write is not trusted more than the files."""

from __future__ import annotations

import collections
import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from typing import IO

import numpy as np

from .errors import FileError, MissingFileError

PATIENCE = 60          # seconds: a program that gives nothing for so long is ended
MOST_PIXELS = 1 << 27  # as of pictures in files


def _file_of(name: str) -> str:
    """What a program of that name is called by. Windows would look in the current folder before PATH, and there lie files of others."""
    if sys.platform != "win32":
        return name
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        path = os.path.join(folder.strip('"'), name + ".exe")
        if os.path.isabs(path) and os.path.isfile(path):
            return path
    raise FileNotFoundError(name)


class Program:
    """A program of the system that reads a file. Its output is a pipe; of what it says of errors the last lines are kept."""

    def __init__(self, file: str, words: list[str], package: str, said: Callable[[str], None] = lambda line: None):
        if not os.path.exists(file):
            raise MissingFileError("%s: there is no such file" % file, file)
        self.file = file
        self.name = words[0]
        self._lines: collections.deque[str] = collections.deque(maxlen=100)
        self._said = said
        self._silent = False
        try:
            self._process = subprocess.Popen([_file_of(words[0]), *words[1:]], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        except FileNotFoundError:
            raise FileError("%s: is read by the program %s, which is not installed or not in PATH (Debian: apt install %s)"
                            % (file, self.name, package)) from None
        assert self._process.stdout is not None and self._process.stderr is not None
        self.output: IO[bytes] = self._process.stdout
        self._listener = threading.Thread(target=self._listen, args=(self._process.stderr,), daemon=True)
        self._listener.start()

    def _listen(self, errors: IO[bytes]) -> None:
        for line in iter(lambda: errors.readline(1 << 16), b""):
            text = line.decode("utf-8", "replace").strip()
            self._said(text)
            if text and not ("[info]" in text and "[error]" not in text):
                self._lines.append(text)

    def failure(self, why: str) -> FileError:
        return FileError("%s: %s %s" % (self.file, self.name, why))

    @contextlib.contextmanager
    def patience(self) -> Iterator[None]:
        timer = threading.Timer(PATIENCE, self._give_up)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
        if self._silent:
            raise self.failure("was ended, as it gave nothing for %d seconds" % PATIENCE)

    def _give_up(self) -> None:
        self._silent = True
        self._process.kill()

    def last_line(self) -> str:
        told = [line for line in self._lines if "[error]" in line or "[fatal]" in line] or list(self._lines)
        return told[-1][:300] if told else ""

    def text(self) -> str:
        with self.patience():
            text = self.output.read(1 << 25).decode("utf-8", "replace")
        self.finish()
        return text

    def finish(self) -> None:
        with self.patience():
            status = self._process.wait()
            self._listener.join()
        self.output.close()
        if status:
            raise self.failure("says: " + self.last_line() if self.last_line() else "failed with exit code %d" % status)

    def stop(self) -> None:
        """Ends it if it still runs."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        self._listener.join()
        self.output.close()

    def picture(self) -> np.ndarray | None:
        """The next picture in the format PPM: uint8 [height, width, 3], red first; None at the end."""
        with self.patience():
            magic = self.output.readline(16)
            if not magic:
                return None
            size = self.output.readline(64).split()
            if magic.strip() != b"P6" or len(size) != 2 or not all(s.isdigit() for s in size) or self.output.readline(16).strip() != b"255":
                raise self.failure("gave what is no PPM picture of 8 bits")
            width, height = map(int, size)
            if not 0 < width * height <= MOST_PIXELS:
                raise self.failure("gives %d x %d pixels; %d are allowed" % (width, height, MOST_PIXELS))
            pixels = self.output.read(width * height * 3)
        if len(pixels) < width * height * 3:
            self.finish()
            raise self.failure("ended within a picture")
        return np.frombuffer(pixels, np.uint8).reshape(height, width, 3)
