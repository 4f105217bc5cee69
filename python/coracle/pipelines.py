# SPDX-License-Identifier: Apache-2.0
"""From pictures to answers: published models with their inference.yml, and the whole way to the text of a picture."""

from __future__ import annotations

import ctypes
import os
from typing import Any, Union, overload

import numpy as np

from . import _arrays, _library, _vision
from ._interrupt import Interruptible
from .errors import InvalidArgumentError, named_files
from .pictures import Prediction, image_of

Path = Union[str, "os.PathLike[str]"]
Picture = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview, np.ndarray, Any]


class Pipeline:
    """Answers about pictures: `pipeline("cat.jpg")`. Made by `coracle.pipeline` and `coracle.ocr`; for one thread at a time, and for the
    process that made it."""

    def __init__(self, kind: str, verb: str, handle: _vision.Handle, task: str, model: str):
        self._kind = kind
        self._verb = verb
        self._handle: _vision.Handle | None = handle
        self._model = model
        self.task = task

    @overload
    def __call__(self, pictures: list[Picture] | tuple[Picture, ...]) -> list[Prediction]: ...

    @overload
    def __call__(self, pictures: Picture) -> Prediction: ...

    def __call__(self, pictures):
        """What a picture shows, or a list of pictures: then a list.

        A picture is a path, the bytes of a PNG, JPEG, BMP or WebP file (both are turned as their EXIF orientation says), an array of
        uint8 [height, width, 3] with red first (OpenCV's are `array[..., ::-1]`; grey and RGBA are taken too), or a PIL image, as it is.

        Raises MissingFileError (a FileNotFoundError) and FileError for pictures that are not there or cannot be read,
        InvalidArgumentError for what is no picture or a size that the model cannot take, KeyboardInterrupt at once after Ctrl-C.
        """
        if isinstance(pictures, (list, tuple)):
            return [self._answer(picture) for picture in pictures]
        return self._answer(pictures)

    def _answer(self, picture: Picture) -> Prediction:
        image = image_of(picture)
        handle = self._handle
        if handle is None:
            raise InvalidArgumentError("the pipeline is closed")
        with Interruptible(lambda: _vision.call(self._kind + "_cancel", handle.pointer)):
            made = _vision.made("prediction", "%s_%s" % (self._kind, self._verb), handle.pointer, image.pointer)
        return Prediction(image, made)

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
             topk: int | None = None, threshold: float | None = None, params: Path | None = None, threads: int = 0) -> Pipeline:
    """A model as PaddleX, PaddleClas, PaddleDetection, PaddleOCR or PaddleSeg publish it: `coracle.pipeline("PP-LCNet_x1_0_infer")("cat.jpg")`.

    `model`: a folder, an archive of one (`.tar`, `.tar.gz`, `.zip`) or one of its files, or the bytes of such an archive. What is done
    to pictures and what outputs mean is read from the inference.yml beside it (infer_cfg.yml, deploy.yaml of older exports).

    description: an inference.yml that lies elsewhere; task, labels: for a model without description, what is usual for the task, and a
    file with a name (or a character of the dictionary) per line. topk: classes at most; threshold: least score of labels, boxes and
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
    return Pipeline("predictor", "predict", handle, _vision.ask("predictor_task", handle.pointer).decode(), name)


def ocr(detector: Path, recognizer: Path, classifier: Path | None = None, *, dictionary: Path | None = None, min_score: float = 0.5,
        threads: int = 0) -> Pipeline:
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
    name = ", ".join(repr(os.fspath(model)) for model in (detector, classifier, recognizer) if model is not None)
    return Pipeline("text_reader", "read", handle, "text-reading", name)


def _set_paths(options: ctypes.Structure, **paths: Path | None) -> None:
    for name, path in paths.items():
        setattr(options, name, None if path is None else _library.path_bytes(path))


def _number(name: str, value: Any, kind: type) -> Any:
    """Numbers that fit; negative ones mean something else to the library."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer) if kind is int else (int, float, np.number)) or not 0 <= value < 2**31:
        raise InvalidArgumentError("%s is %r, expected %s" % (name, value, "an integer from 0 on" if kind is int else "a number from 0 on"))
    return kind(value)
