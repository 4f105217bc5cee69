# SPDX-License-Identifier: Apache-2.0
"""Pictures that come from folders, PDFs and videos, one after the other. Pages are made by poppler's `pdftoppm`, frames by `ffmpeg`: programs
of the system, not libraries of this process, as for `coracle predict`."""

from __future__ import annotations

import contextlib
import dataclasses
import math
import os
import queue
import re
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Any

from ._external import MOST_PIXELS, Program
from .errors import FileError, InvalidArgumentError

PICTURES = (".png", ".jpg", ".jpeg", ".bmp", ".webp")
VIDEOS = (".mp4", ".m4v", ".mov", ".avi", ".mkv", ".webm", ".mpg", ".mpeg", ".wmv", ".flv", ".ogv", ".3gp", ".mts", ".m2ts")
MOST_SIZES = 100_000  # pages whose sizes are asked for before they are made
USUAL_RATE = 25.0
TIMES_LATE = 5        # seconds that ffmpeg may take to say when a frame is, after it gave it
# Playlists, which name other files, are not among them.
FORMATS = "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpeg,mpegts,mpegvideo,m4v,asf,flv,live_flv,ogg,mjpeg,h264,hevc,ivf"


@dataclasses.dataclass(frozen=True)
class Source:
    """Where a picture is from. `page`: of a PDF, from 1 on. `frame`: of a video, from 0 on, and its `time` in seconds."""

    path: str
    page: int | None = None
    frame: int | None = None
    time: float | None = None

    def __str__(self) -> str:
        if self.page is not None:
            return "%s, page %d" % (self.path, self.page)
        return self.path if self.frame is None else "%s, frame %d" % (self.path, self.frame)


class FromSource:
    """What belongs to a picture."""

    __slots__ = ("_source",)

    @property
    def source(self) -> Source | None:
        """Where the picture is from, if it came from a path, or from a folder, a PDF or a video; else None."""
        return getattr(self, "_source", None)


@dataclasses.dataclass(frozen=True)
class Reading:
    """What is read of documents and videos."""

    dpi: int = 144
    pages: tuple[tuple[int, int | None], ...] = ()
    every: int = 1
    fps: float | None = None


def reading_of(dpi: int, pages: Any, every: int, fps: float | None) -> Reading:
    for name, value, most in (("dpi", dpi, 2400), ("every", every, 1 << 31)):
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
            raise InvalidArgumentError("%s is %r, expected an integer from 1 to %d" % (name, value, most))
    if fps is not None and (isinstance(fps, bool) or not isinstance(fps, (int, float)) or not 0 < fps <= 1e6):
        raise InvalidArgumentError("fps is %r, expected a number above 0" % (fps,))
    if fps is not None and every != 1:
        raise InvalidArgumentError("every and fps are both given; give one of them")
    return Reading(dpi, tuple(_ranges(pages)), every, fps)


def _ranges(pages: Any) -> Iterator[tuple[int, int | None]]:
    wrong = InvalidArgumentError("pages is %r, expected a text such as '1-3,5' or '7-', or numbers from 1 on" % (pages,))
    if pages is None:
        return
    for part in pages.split(",") if isinstance(pages, str) else [pages] if isinstance(pages, int) else pages:
        found = re.fullmatch(r"([0-9]{1,9})(?:(-)([0-9]{1,9})?)?", str(part))
        if found is None:
            raise wrong
        first = int(found[1])
        last = first if not found[2] else int(found[3]) if found[3] else None
        if first < 1 or (last is not None and last < first):
            raise wrong
        yield first, last


def kind_of(path: Any) -> str:
    """ "folder", "pdf", "video" or, of all else, "picture"."""
    if not isinstance(path, (str, os.PathLike)):
        return "picture"
    name = os.fsdecode(path)
    ending = os.path.splitext(name)[1].lower()
    kind = "pdf" if ending == ".pdf" else "video" if ending in VIDEOS else "picture"
    return "folder" if os.path.isdir(name) else kind


def _below(folder: str, listed: set[str]) -> Iterator[tuple[str, OSError | None]]:
    """The files of a folder and of those below, by name; with an error where one cannot be listed. Each is listed once, wherever links lead."""
    place = os.path.realpath(folder)
    if place in listed:
        return
    listed.add(place)
    try:
        names = sorted(os.listdir(folder))
    except OSError as error:
        yield folder, error
        return
    for name in names:
        path = os.path.join(folder, name)
        if name.startswith("."):
            continue
        if os.path.isdir(path):
            yield from _below(path, listed)
        elif os.path.isfile(path) and (kind_of(path) != "picture" or os.path.splitext(name)[1].lower() in PICTURES):
            yield path, None


class Stream:
    """Pictures with their sources, or instead of a picture why there is none, one in memory at a time.

    given: what was given, of which iterators are left as they are until their turn comes. `expected` is how many pictures there will have
    been in the end, as far as that is known, or None."""

    def __init__(self, given: Iterable[Any], reading: Reading, whole: bool):
        self._reading = reading
        self._files: Iterable[Any] = given if whole else self._listed(given)
        self._whole = whole
        self._taken = 0
        self._opened = 0
        self._left: Callable[[], int] = lambda: 0

    @staticmethod
    def _listed(given: Iterable[Any]) -> list[Any]:
        files: list[Any] = []
        for one in given:
            if kind_of(one) != "folder":
                files.append(one)
                continue
            found = [FileError("%s: cannot be listed: %s" % (path, error.strerror)) if error else path
                     for path, error in _below(os.fsdecode(one), set())]
            if not found:
                raise FileError("%s: there is no picture (%s), PDF or video in the folder or below it"
                                % (os.fsdecode(one), ", ".join(PICTURES)))
            files += found
        return files

    @property
    def expected(self) -> int | None:
        return None if self._whole or not isinstance(self._files, list) else self._taken + self._left() + len(self._files) - self._opened

    def __iter__(self) -> Generator[tuple[Source | None, Any], None, None]:
        for file in self._files:
            self._opened += 1
            kind = "error" if isinstance(file, Exception) else kind_of(file)
            path = os.fsdecode(file) if isinstance(file, (str, os.PathLike)) else None
            if kind in ("pdf", "video") and path is not None:
                pictures = (_pages if kind == "pdf" else _frames)(path, self._reading, self._expect)
                with contextlib.closing(pictures):
                    yield from self._counted(pictures, Source(path))
            else:
                self._taken += 1
                yield None if path is None else Source(path), file
        self._left = lambda: 0

    def _counted(self, pictures: Iterator[tuple[Source, Any]], file: Source) -> Iterator[tuple[Source, Any]]:
        try:
            for source, picture in pictures:
                self._taken += 1
                yield source, picture
        except FileError as error:
            self._taken += 1
            self._left = lambda: 0
            yield file, error
        self._left = lambda: 0

    def _expect(self, left: Callable[[], int]) -> None:
        self._left = left


def _as_path(path: str) -> str:
    """A path that is no option."""
    return "./" + path if path.startswith("-") else path


def _document(path: str, first: int, last: int) -> tuple[int, dict[int, tuple[float, float]]]:
    """How many pages a document has, and the sizes of some in points."""
    program = Program(path, ["pdfinfo", "-f", str(first), "-l", str(last), _as_path(path)], "poppler-utils")
    try:
        text = program.text()
    finally:
        program.stop()
    count = 0
    sizes: dict[int, tuple[float, float]] = {}
    for line in text.splitlines():
        if found := re.match(r"Pages:\s+([0-9]{1,9})", line):
            count = int(found[1])
        elif found := re.match(r"Page\s+([0-9]{1,9})\s+size:\s+([0-9.]+) x ([0-9.]+)", line):
            sizes[int(found[1])] = float(found[2]), float(found[3])
    if count < 1:
        raise FileError("%s: the document has no pages" % path)
    return count, sizes


def _pages(path: str, reading: Reading, expect: Callable[[Callable[[], int]], None]) -> Generator[tuple[Source, Any], None, None]:
    """The pages of a PDF: one in memory, and one that is made ahead."""
    count, sizes = _document(path, 1, 1)
    numbers: list[range] = []
    for first, last in reading.pages or ((1, None),):
        if first > count or (last or 1) > count:
            raise FileError("%s: has %d pages; page %d was asked for" % (path, count, first if first > count else last or 0))
        numbers.append(range(first, (last or count) + 1))
    if count > 1:
        first = min(r.start for r in numbers)
        count, sizes = _document(path, first, min(max(r.stop - 1 for r in numbers), first + MOST_SIZES))
    wanted = [number for part in numbers for number in part]
    left = len(wanted)
    expect(lambda: left)
    ahead: Program | FileError | None = None
    program: Program | FileError | None = None

    def begin(number: int) -> Program | FileError:
        width, height = (math.ceil(side * reading.dpi / 72) for side in sizes.get(number, (1.0, 1.0)))
        if width * height > MOST_PIXELS:
            return FileError("%s, page %d: has %d x %d pixels at %d dpi; %d are allowed, a smaller dpi makes fewer"
                             % (path, number, width, height, reading.dpi, MOST_PIXELS))
        return Program(path, ["pdftoppm", "-cropbox", "-r", str(reading.dpi), "-f", str(number), "-l", str(number), _as_path(path)],
                        "poppler-utils")

    try:
        for at, number in enumerate(wanted):
            program = ahead if ahead is not None else begin(number)
            ahead = begin(wanted[at + 1]) if at + 1 < len(wanted) else None
            left -= 1
            source = Source(path, page=number)
            if isinstance(program, FileError):
                yield source, program
                continue
            try:
                pixels = program.picture()
                program.finish()
                if pixels is None:
                    raise program.failure("gave no picture: " + program.last_line())
                page: Any = pixels
            except FileError as error:
                page = FileError(str(source) + str(error)[len(path):])
            yield source, page
    finally:
        for one in (program, ahead):
            if isinstance(one, Program):
                one.stop()


def _film(path: str) -> tuple[float, float]:
    """Frames for each second on average, and how many there are; 0 where that is not known."""
    program = Program(path, ["ffprobe", "-hide_banner", "-loglevel", "error", "-select_streams", "v:0", "-show_entries",
                              "stream=avg_frame_rate,nb_frames,duration:format=duration", "-of", "default=noprint_wrappers=1",
                              *_input(path)], "ffmpeg")
    try:
        told = dict(re.findall(r"^(\w+)=(.*)$", program.text(), re.MULTILINE))
    finally:
        program.stop()
    if "avg_frame_rate" not in told:
        raise FileError("%s: there is no video in the file" % path)

    def number(text: str) -> float:
        return float(text) if re.fullmatch(r"[0-9]{1,15}(\.[0-9]*)?", text) else 0.0

    above, _, below = told["avg_frame_rate"].partition("/")
    rate = number(above) / number(below) if number(below) else 0.0
    return rate, number(told.get("nb_frames", "")) or round(number(told.get("duration", "")) * rate)


def _input(path: str) -> list[str]:
    """A file whose name is no option, address or pattern, and that names no other file."""
    return ["-protocol_whitelist", "file", "-format_whitelist", FORMATS, "-i", "file:" + path]


def _frames(path: str, reading: Reading, expect: Callable[[Callable[[], int]], None]) -> Generator[tuple[Source, Any], None, None]:
    rate, count = _film(path)
    share = min(reading.fps / rate, 1.0) if reading.fps and rate else 1 / reading.every
    taken = 0
    expect(lambda: max(math.ceil(count * share) - taken, 0))
    times: queue.SimpleQueue[tuple[int, float]] = queue.SimpleQueue()
    seen = 0

    def listen(line: str) -> None:
        nonlocal seen
        found = re.search(r" n: *([0-9]+) .*pts_time:([0-9.eE+-]+)", line) if "showinfo@" in line else None
        if found and "showinfo@all" in line:
            seen = int(found[1])
        elif found:
            times.put((seen, float(found[2])))

    choice = ""
    if reading.fps:
        # The first frame in each part of a second: none twice, whatever the film's rate.
        choice = ("showinfo@all=checksum=0,select='isnan(prev_selected_t)+gt(floor(t*%.9g+0.001)\\,floor(prev_selected_t*%.9g+0.001))',"
                  % (reading.fps, reading.fps))
    elif reading.every > 1:
        choice = "select='not(mod(n\\,%d))'," % reading.every
    # The last two give the frames a steady pace, so that ffmpeg neither repeats nor drops any.
    filters = choice + "showinfo@taken=checksum=0,settb=1/25,setpts=N"
    program = Program(path, ["ffmpeg", "-nostdin", "-hide_banner", "-nostats", "-loglevel", "level+info", "-max_pixels", str(MOST_PIXELS),
                              *_input(path), "-map", "0:v:0", "-vf", filters, "-r", "25", "-f", "image2pipe", "-c:v", "ppm", "-"], "ffmpeg",
                       listen)
    try:
        while (pixels := program.picture()) is not None:
            frame = taken * reading.every
            time = frame / (rate or USUAL_RATE)
            with contextlib.suppress(queue.Empty):
                number, time = times.get(timeout=TIMES_LATE)
                frame = number if reading.fps else frame
            taken += 1
            yield Source(path, frame=frame, time=time), pixels
        program.finish()
        if taken == 0:
            raise program.failure("gave no picture of the video: " + program.last_line())
    finally:
        program.stop()
