# SPDX-License-Identifier: Apache-2.0
"""From pictures to answers: published models with their inference.yml, and the whole way to the text of a picture."""

from __future__ import annotations

import contextlib
import ctypes
import os
from collections.abc import Iterator
from typing import Any, Generic, TypeVar, Union, overload

import numpy as np

from . import _arrays, _library, _log, _progress, _vision, sources
from ._interrupt import Interruptible
from .documents import Document
from .errors import FileError, InvalidArgumentError, named_files
from .pictures import Prediction, image_of

Path = Union[str, "os.PathLike[str]"]
Picture = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview, np.ndarray, Any]
Answer = TypeVar("Answer", Prediction, Document)


class Pipeline(Generic[Answer]):
    """Answers about pictures: `pipeline("cat.jpg")`. Made by `coracle.pipeline`, `coracle.ocr` and `coracle.document`; for one thread at a
    time, and for the process that made it."""

    task: str      #: what the model, or the chain of models, is for: "classification", "text-reading", ...
    assumed: str   #: how pictures are prepared where no description says it, in a line; empty where one does

    def __init__(self, answer: type[Answer], verb: str, handle: _vision.Handle, task: str, model: str, assumed: str = ""):
        self._answer_type = answer
        self._kind = handle.kind
        self._verb = verb
        self._handle: _vision.Handle | None = handle
        self._model = model
        self.task = task
        self.assumed = assumed

    @overload
    def __call__(self, pictures: list[Picture] | tuple[Picture, ...], *, progress: _progress.Wanted = ..., dpi: int = ..., pages: Any = ...,
                 every: int = ..., fps: float | None = ..., skip_errors: bool = ...) -> list[Answer]: ...

    @overload
    def __call__(self, pictures: Picture, *, progress: _progress.Wanted = ..., dpi: int = ..., pages: Any = ...,
                 every: int = ..., fps: float | None = ..., skip_errors: bool = ...) -> Answer: ...

    def __call__(self, pictures, *, progress=False, dpi=144, pages=None, every=1, fps=None, skip_errors=False):
        """What a picture shows; of a list of pictures a list; of a folder, a PDF or a video an iterator, which has one picture in memory.

        A picture is a path, the bytes of a PNG, JPEG, BMP or WebP file (both are turned as their EXIF orientation says), an array of
        uint8 [height, width, 3] with red first (OpenCV's are `array[..., ::-1]`; grey and RGBA are taken too), or a PIL image, as it is.

        The path of a folder stands for the pictures, PDFs and videos in it and below it, by name, without hidden ones; that of a PDF for its
        pages, which poppler's program `pdftoppm` makes; that of a video for its frames, by `ffmpeg`. An iterator of pictures is taken too. In
        a list each of these stands for all its pictures. `answer.source` says where a picture is from.

        dpi, pages: pixels of a page for each inch, and which pages: "1-3,5", "7-" or a list of numbers. every: each N-th frame; fps: so many
        frames for each second, where there are more. progress: True shows a bar in a notebook or a terminal; a function is called with what
        is done and all there is to do (None if not known). skip_errors: pictures that cannot be read are left out and told as
        WARNINGs of the logger "coracle".

        Raises MissingFileError (a FileNotFoundError) and FileError for pictures that are not there or cannot be read,
        InvalidArgumentError for what is no picture or a size that the model cannot take, KeyboardInterrupt at once after Ctrl-C.
        """
        reading = sources.reading_of(dpi, pages, every, fps)
        bar = _progress.Progress(progress)
        if isinstance(pictures, (list, tuple)):
            return list(self._answers(sources.Stream(pictures, reading, False), bar, skip_errors))
        if isinstance(pictures, Iterator):
            return self._answers(sources.Stream(pictures, reading, True), bar, skip_errors)
        if sources.kind_of(pictures) != "picture":
            return self._answers(sources.Stream([pictures], reading, False), bar, skip_errors)
        return self._answer(pictures, sources.Source(os.fsdecode(pictures)) if isinstance(pictures, (str, os.PathLike)) else None)

    def _answers(self, stream: sources.Stream, bar: _progress.Progress, skip_errors: bool) -> Iterator[Answer]:
        done = 0
        pictures = iter(stream)
        with contextlib.closing(pictures), contextlib.closing(bar):
            while True:
                bar.show(done, stream.expected)
                found = next(pictures, None)
                if found is None:
                    return
                source, picture = found
                done += 1
                try:
                    if isinstance(picture, Exception):
                        raise picture
                    answer = self._answer(picture, source)
                except (FileError, InvalidArgumentError) as error:
                    if not skip_errors or self._handle is None:
                        raise
                    _log.warning(str(error))
                    continue
                yield answer

    def _answer(self, picture: Picture, source: sources.Source | None) -> Answer:
        image = image_of(picture)
        handle = self._handle
        if handle is None:
            raise InvalidArgumentError("the pipeline is closed")
        with Interruptible(lambda: _vision.call(self._kind + "_cancel", handle.pointer)):
            made = _vision.made(self._answer_type.HANDLE, "%s_%s" % (self._kind, self._verb), handle.pointer, image.pointer)
        answer = self._answer_type(image, made)
        answer._source = source
        return answer

    def cancel(self) -> None:
        """Ends what another thread has this pipeline do: there the call raises CancelledError. As `Session.cancel`."""
        if self._handle is not None:
            _vision.call(self._kind + "_cancel", self._handle.pointer)

    def close(self) -> None:
        """Gives the model back; a call that another thread is in ends first. A closed pipeline can be closed again, nothing else."""
        self._handle = None

    def __enter__(self) -> Pipeline:
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def __reduce__(self):
        raise TypeError("a pipeline cannot be pickled; make one in each process")

    def __repr__(self) -> str:
        return "<coracle.Pipeline %s%s of %s>" % ("closed, " if self._handle is None else "", self.task, self._model)


def pipeline(model: Path | bytes, *, description: Path | None = None, task: str | None = None, labels: Path | None = None,
             topk: int | None = None, threshold: float | None = None, params: Path | None = None, threads: int = 0) -> Pipeline[Prediction]:
    """A model as PaddleX, PaddleClas, PaddleDetection, PaddleOCR or PaddleSeg publish it: `coracle.pipeline("PP-LCNet_x1_0_infer")("cat.jpg")`.

    `model`: a folder, an archive of one (`.tar`, `.tar.gz`, `.zip`) or one of its files, or the bytes of such an archive. What is done
    to pictures and what outputs mean is read from the inference.yml beside it (infer_cfg.yml, deploy.yaml of older exports).

    description: an inference.yml that lies elsewhere; task, labels: for a model without description, what is usual for the task, and a
    file with a name (or a character of the dictionary) per line. Without description, `Pipeline.assumed` says how pictures are
    prepared, and so does a WARNING of the logger "coracle". topk: classes at most; threshold: least score of labels, boxes and
    objects; both otherwise as described. params: the parameter file, where Paddle's naming rules do not find it. threads: 0 is
    `coracle.default_threads()`.

    Raises MissingFileError (a FileNotFoundError) if a file is not there, InvalidArgumentError for wrong options and for a model without
    description and task, InvalidModelError for a damaged model or description, UnsupportedError for steps that do not exist here.
    """
    options = _vision.PredictorOptions()
    _vision.ask("predictor_options_init", ctypes.byref(options), ctypes.sizeof(options))
    _set_paths(options, description=description, labels=labels, params=params)
    options.task = None if task is None else task.encode()
    options.threads = _number("threads", threads, int)
    if topk is not None:
        options.topk = _number("topk", topk, int)
    if threshold is not None:
        options.threshold = _number("threshold", threshold, float)
    if isinstance(model, (bytes, bytearray, memoryview)):
        buffer = np.frombuffer(model, np.uint8)
        name = "an archive in memory"
        with named_files(description, labels):
            handle = _vision.made("predictor", "predictor_create_memory", _arrays.pointer(buffer), buffer.size, ctypes.byref(options))
        handle.buffer = buffer
    else:
        name = repr(os.fspath(model))
        with named_files(model, params, description, labels):
            handle = _vision.made("predictor", "predictor_create", _library.path_bytes(model), ctypes.byref(options))
    task, assumed = (_vision.ask(asked, handle.pointer).decode("utf-8", "replace") for asked in ("predictor_task", "predictor_assumed"))
    if assumed:
        _log.warning(assumed)
    return Pipeline(Prediction, "predict", handle, task, name, assumed)


def ocr(detector: Path, recognizer: Path, classifier: Path | None = None, *, dictionary: Path | None = None, min_score: float = 0.5,
        threads: int = 0) -> Pipeline[Prediction]:
    """The whole way from a picture to its text: `coracle.ocr("det_infer", "rec_infer")("page.jpg").text`.

    `detector` finds lines of text, `recognizer` reads them, `classifier`, if given, tells which ones stand on their head; models as for
    `coracle.pipeline`, from paths. dictionary: a file with a character per line, where the recogniser has no inference.yml. min_score:
    lines below it are left out. The Prediction has the lines in reading order in `lines`, and all of them as `text`. Errors as for
    `coracle.pipeline`.
    """
    options = _vision.TextReaderOptions()
    _vision.ask("text_reader_options_init", ctypes.byref(options), ctypes.sizeof(options))
    _set_paths(options, detector=detector, recognizer=recognizer, classifier=classifier, dictionary=dictionary)
    options.min_score = _number("min_score", min_score, float)
    options.threads = _number("threads", threads, int)
    with named_files(detector, recognizer, classifier, dictionary):
        handle = _vision.made("text_reader", "text_reader_create", ctypes.byref(options))
    return Pipeline(Prediction, "read", handle, "text-reading", _named(detector, classifier, recognizer))


def document(*, detector: Path | None = None, recognizer: Path | None = None, classifier: Path | None = None, dictionary: Path | None = None,
             layout: Path | None = None, table: Path | None = None, orientation: Path | None = None, unwarper: Path | None = None,
             table_orientation: Path | None = None, table_classifier: Path | None = None, wired_structure: Path | None = None,
             wired_cells: Path | None = None, wireless_structure: Path | None = None, wireless_cells: Path | None = None,
             seal_detector: Path | None = None, seal_recognizer: Path | None = None, seal_dictionary: Path | None = None,
             min_score: float = 0.5, threads: int = 0) -> Pipeline[Document]:
    """The whole way from a picture to its regions, text, tables and seals: `coracle.document(layout="PP-DocLayout-M_infer",
    table="SLANet_plus_infer", detector="PP-OCRv4_det_infer", recognizer="PP-OCRv4_rec_infer")("report.png").html()`.

    Each stage is a model, as for `coracle.pipeline` from paths, and is left out where none is given; at least one is needed.
    orientation: tells which of its four sides is up; unwarper: makes a bent page flat; layout: finds regions, in the order of reading;
    detector, recognizer, classifier, dictionary, min_score: as for `coracle.ocr`, but without a detector the page is one line, and
    without a recogniser lines have no text; table: tells the structure of the layout's tables or, without a layout, of the page.

    Instead of table, tables of two kinds: table_classifier tells wired ones, whose cells have lines round them, from wireless ones; for each
    kind a model for the structure, one that finds cells, or both (docs/predict.md). table_orientation: tells which side of a table is up.
    seal_detector: finds text of the layout's seals or, without a layout, of a page that is one; seal_recognizer reads it, with
    seal_dictionary where it has no inference.yml; without it the recognizer does. Errors as for `coracle.pipeline`.
    """
    stages = {"orientation": orientation, "unwarper": unwarper, "layout": layout, "table": table, "detector": detector,
              "classifier": classifier, "recognizer": recognizer, "table_orientation": table_orientation,
              "table_classifier": table_classifier, "wired_structure": wired_structure, "wired_cells": wired_cells,
              "wireless_structure": wireless_structure, "wireless_cells": wireless_cells, "seal_detector": seal_detector,
              "seal_recognizer": seal_recognizer}
    options = _vision.DocumentReaderOptions()
    _vision.ask("document_reader_options_init", ctypes.byref(options), ctypes.sizeof(options))
    _set_paths(options, dictionary=dictionary, seal_dictionary=seal_dictionary, **stages)
    options.min_score = _number("min_score", min_score, float)
    options.threads = _number("threads", threads, int)
    with named_files(dictionary, seal_dictionary, *stages.values()):
        handle = _vision.made("document_reader", "document_reader_create", ctypes.byref(options))
    return Pipeline(Document, "read", handle, "document-reading", _named(*stages.values()))


def _named(*models: Path | None) -> str:
    return ", ".join(repr(os.fspath(model)) for model in models if model is not None)


def _set_paths(options: ctypes.Structure, **paths: Path | None) -> None:
    for name, path in paths.items():
        setattr(options, name, None if path is None else _library.path_bytes(path))


def _number(name: str, value: Any, kind: type) -> Any:
    """Numbers that fit; negative ones mean something else to the library."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer) if kind is int else (int, float, np.number)) or not 0 <= value < 2**31:
        raise InvalidArgumentError("%s is %r, expected %s" % (name, value, "an integer from 0 on" if kind is int else "a number from 0 on"))
    return kind(value)
