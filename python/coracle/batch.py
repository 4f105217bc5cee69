# SPDX-License-Identifier: Apache-2.0
"""Models for engines that spread work over processes and machines (Ray, Spark, Dask): what takes a batch of rows and gives one back.

    predict = coracle.batch.Predictor("PP-LCNet_x1_0_infer")
    predict({"x": pixels, "name": names})                      # {"softmax_0.tmp_0": scores, "name": names}

A batch is a dict of columns: arrays, or lists, with an entry for each row. These objects hold a path and options, nothing else, so that they
are pickled to some hundred bytes. The first call in a process loads the model, and all of the same arguments in that process share it.
"""

from __future__ import annotations

import inspect
import json
import os
import sys
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Union

import numpy as np

from . import model as _model
from . import pipelines as _pipelines
from ._handle import TensorInfo
from .errors import Error, InvalidArgumentError
from .pictures import Prediction
from .pool import default_threads

__all__ = ["PicturePredictor", "Predictor", "TextReader", "assigned_threads"]

Path = Union[str, "os.PathLike[str]"]
Batch = Mapping[str, Any]

_FILES = ("description", "dictionary", "labels", "params")   # Options of pipelines that are paths.
_MOST_LOADED = 8
_loaded: dict[str, Any] = {}   # What this process has loaded, by how; the oldest goes when there are too many.
_loading = threading.Lock()


def _unlock() -> None:
    global _loading
    _loading = threading.Lock()   # Nobody in a forked child would release that of the parent.


if hasattr(os, "register_at_fork"):   # Windows has no fork.
    os.register_at_fork(after_in_child=_unlock)


def _once(make: Callable[..., Any], arguments: Mapping[str, Any]) -> Any:
    """What `make` gives for these arguments, made once in a process."""
    key = "%s %r" % (make.__qualname__, arguments)
    found = _loaded.get(key)
    if found is None:
        with _loading:
            found = _loaded.get(key)
            if found is None:
                found = make(**arguments)
                while len(_loaded) >= _MOST_LOADED:
                    del _loaded[next(iter(_loaded))]
                _loaded[key] = found
    return found


def _ray_cpus(ray: Any) -> float | None:
    if not ray.is_initialized():
        return None
    try:
        return ray.get_runtime_context().get_assigned_resources().get("CPU", 1)
    except AssertionError:   # The program that uses the cluster, no worker.
        return None


def _spark_cpus(pyspark: Any) -> float | None:
    task = pyspark.TaskContext.get()
    return None if task is None else task.cpus()


def _dask_cpus(distributed: Any) -> float | None:
    try:
        distributed.get_worker()
    except ValueError:
        return None
    return 1   # A worker has a thread for each of its tasks.


# By the module that is imported in every process of an engine.
_CPUS = {"ray": _ray_cpus, "pyspark": _spark_cpus, "distributed": _dask_cpus}


def assigned_threads() -> int:
    """The threads that an engine grants the calling code: the CPUs of its Ray task or actor (`num_cpus`; 1 where it has none), those of a Spark
    task (`spark.task.cpus`), 1 in a task of Dask. Elsewhere `coracle.default_threads()`."""
    for name, cpus in _CPUS.items():
        given = cpus(sys.modules[name]) if name in sys.modules else None
        if given is not None:
            return max(1, int(given))
    return default_threads()


def _absolute(path: Path | None) -> str | None:
    return None if path is None else os.path.abspath(os.fspath(path))


def _names(names: str | Iterable[str] | None) -> tuple[str, ...] | None:
    return None if names is None else (names,) if isinstance(names, str) else tuple(names)


def _rows(batch: Batch) -> int:
    counts = {name: len(column) for name, column in batch.items()}
    if len(set(counts.values())) != 1:
        raise InvalidArgumentError("a batch has columns of one length, given " + (", ".join("%r of %d" % each for each in counts.items()) or "none"))
    return next(iter(counts.values()))


def _joined(batch: Batch, used: Iterable[str], keep: tuple[str, ...] | None, results: dict[str, Any]) -> dict[str, Any]:
    """The columns that are kept, all but those `used` where nothing else was asked for, and the results."""
    kept = {name: batch[name] for name in ([name for name in batch if name not in used] if keep is None else keep)}
    if both := sorted(kept.keys() & results.keys()):
        raise InvalidArgumentError("the column %r would be kept and also be a result; keep=[...] names the columns to keep" % both[0])
    return {**kept, **results}


class _Runs:
    """A loaded model, and a session of it for each thread."""

    def __init__(self, threads: int | None, **arguments: Any):
        self.model = _model.load(**arguments)
        self._threads = threads
        self._local = threading.local()

    def __call__(self, inputs: Mapping[str, Any]) -> Mapping[str, np.ndarray]:
        session = getattr(self._local, "session", None)
        if session is None or session._pid != os.getpid():
            session = self._local.session = self.model.session(self._threads or assigned_threads())
        return session.run(inputs)


class Predictor:
    """A model that takes a batch and gives its results as columns: `Predictor("PP-LCNet_x1_0_infer")({"x": pixels})`.

    model, params, options: as for `coracle.load`. A relative path is one of the process that makes this object. columns: columns of
    inputs that are named otherwise, {input: column}. outputs: the results to give, names or {output: column}; None is all of them.
    keep: the columns to hand on; None is all but those that the model reads. threads: of a run; None is `assigned_threads()`.

    Arrays whose elements lie one after the other are read where they are, read-only ones too. A column whose rows differ in shape (an
    array of objects, or a list) is run in groups of equal shapes, which for most models changes no bit: kernels compute a row in the same
    order whatever the batch. Any thread may call a predictor, and a forked child.

    Raises TypeError for unknown options; a call raises InvalidArgumentError for missing columns and for results that have not one row for
    each row of the batch, and what `coracle.load` and `Session.run` raise.
    """

    def __init__(self, model: Path, params: Path | None = None, *, columns: Mapping[str, str] | None = None,
                 outputs: str | Iterable[str] | Mapping[str, str] | None = None, keep: str | Iterable[str] | None = None,
                 threads: int | None = None, **options: Any):
        inspect.signature(_model.load).bind(model, params, **options)
        self._arguments = {"path": _absolute(model), "params": _absolute(params), "threads": threads, **options}
        self._columns = dict(columns or {})
        self._outputs = None if outputs is None else dict(outputs) if isinstance(outputs, Mapping) else {n: n for n in _names(outputs) or ()}
        self._keep = _names(keep)

    def load(self) -> None:
        """Loads the model now instead of at the first call."""
        self._runs()

    def _runs(self) -> _Runs:
        return _once(_Runs, self._arguments)

    @property
    def inputs(self) -> tuple[TensorInfo, ...]:
        """The inputs of the model, which this loads."""
        return self._runs().model.inputs

    def __call__(self, batch: Batch) -> dict[str, Any]:
        runs, count = self._runs(), _rows(batch)
        columns = {info.name: self._columns.get(info.name, info.name) for info in runs.model.inputs}
        for info in runs.model.inputs:
            if columns[info.name] not in batch:
                raise InvalidArgumentError("the batch has no column %r for the input %s; it has %s: columns={%r: ...} names one" % (
                    columns[info.name], info, ", ".join(map(repr, batch)), info.name))
        inputs = {name: batch[column] for name, column in columns.items()}
        wanted = self._outputs or {info.name: info.name for info in runs.model.outputs}
        if count == 0:
            return _joined(batch, columns.values(), self._keep, _nothing(runs.model.outputs, wanted))
        if all(isinstance(column, np.ndarray) and column.dtype != object for column in inputs.values()):
            found = _checked(runs(inputs), wanted, count)
        else:
            found = _in_groups(runs, inputs, wanted, count)
        return _joined(batch, columns.values(), self._keep, {wanted[name]: array for name, array in found.items()})

    def __repr__(self) -> str:
        return "<coracle.batch.Predictor of %s>" % self._arguments["path"]


def _checked(results: Mapping[str, np.ndarray], wanted: Iterable[str], count: int) -> dict[str, np.ndarray]:
    found = {name: results[name] for name in wanted}
    for name, array in found.items():
        if array.shape[:1] != (count,):
            raise InvalidArgumentError("the output '%s' has the shape %s for a batch of %d rows, expected a row for each; outputs=[...] names those that "
                                       "have, and batches of one row suit most other models" % (name, list(array.shape), count))
    return found


def _nothing(outputs: Sequence[TensorInfo], wanted: Mapping[str, str]) -> dict[str, np.ndarray]:
    return {wanted[info.name]: np.empty((0, *(size or 0 for size in (info.shape or ())[1:])), info.numpy_dtype)
            for info in outputs if info.name in wanted}


def _objects(values: Sequence[Any]) -> np.ndarray:
    column = np.empty(len(values), object)
    for row, value in enumerate(values):
        column[row] = value
    return column


def _in_groups(runs: _Runs, inputs: Mapping[str, Any], wanted: Iterable[str], count: int) -> dict[str, np.ndarray]:
    """Rows of one shape run together."""
    rows = {name: [np.asarray(value) for value in column] for name, column in inputs.items()}
    groups: dict[tuple, list[int]] = {}
    for row in range(count):
        groups.setdefault(tuple(values[row].shape for values in rows.values()), []).append(row)
    found: dict[str, list[Any]] = {name: [None] * count for name in wanted}
    for members in groups.values():
        results = _checked(runs({name: np.stack([values[row] for row in members]) for name, values in rows.items()}), wanted, len(members))
        for name, array in results.items():
            for row, value in zip(members, array):
                found[name][row] = value
    return {name: np.stack(values) if len({value.shape for value in values}) == 1 else _objects(values) for name, values in found.items()}


class _Reads:
    """A pipeline, for one call at a time."""

    def __init__(self, make: str, threads: int | None, **arguments: Any):
        self._pipeline = getattr(_pipelines, make)(threads=threads or assigned_threads(), **arguments)
        self._lock = threading.Lock()

    def __call__(self, picture: Any) -> Prediction:
        with self._lock:
            return self._pipeline(picture)


class PicturePredictor:
    """Answers about pictures as a column: `PicturePredictor("PP-LCNet_x1_0_infer")({"path": ["cat.jpg"]})`.

    model, options: as for `coracle.pipeline`. column: where the pictures are: paths, bytes of files, or arrays of uint8 [height, width, 3] with
    red first; None is the first of "image", "bytes" and "path" that there is. The result is the column "prediction", for each picture what
    `coracle predict --json` gives for it, as JSON. keep, threads: as for `Predictor`. errors: "raise" raises what a picture raises that
    cannot be read; "column" leaves its result empty and adds the column "error", with "" for all others.

    A process answers one call at a time.
    """

    _make = "pipeline"
    _json_columns = ("prediction", "lines")   # Those that are JSON, here and in what inherits.

    def __init__(self, model: Path, *, column: str | None = None, keep: str | Iterable[str] | None = None, errors: str = "raise",
                 threads: int | None = None, **options: Any):
        self._prepare({"model": _absolute(model), **options}, column, keep, errors, threads)

    def _prepare(self, arguments: dict[str, Any], column: str | None, keep: str | Iterable[str] | None, errors: str, threads: int | None) -> None:
        if errors not in ("raise", "column"):
            raise InvalidArgumentError("errors is %r, expected 'raise' or 'column'" % (errors,))
        inspect.signature(getattr(_pipelines, self._make)).bind(**arguments)
        arguments.update({name: _absolute(arguments[name]) for name in _FILES if name in arguments})
        self._arguments = {"make": self._make, "threads": threads, **arguments}
        self._column, self._keep, self._errors = column, _names(keep), errors

    def load(self) -> None:
        """Loads the model now instead of at the first call."""
        self._reads()

    def _reads(self) -> _Reads:
        return _once(_Reads, self._arguments)

    @staticmethod
    def _columns(prediction: Prediction | None) -> dict[str, str]:
        """The columns of a picture; empty ones of one that cannot be read."""
        return {"prediction": _json(prediction.to_dict()) if prediction else ""}

    def __call__(self, batch: Batch) -> dict[str, Any]:
        reads = self._reads()
        _rows(batch)
        column = self._column or next((name for name in ("image", "bytes", "path") if name in batch), None)
        if column not in batch:
            raise InvalidArgumentError("the batch has no column %s of pictures; it has %s: column=... names one" % (
                repr(column) if column else "'image', 'bytes' or 'path'", ", ".join(map(repr, batch))))
        results: dict[str, list[str]] = {name: [] for name in self._columns(None)}
        failed = []
        for picture in batch[column]:
            prediction, failure = None, ""
            try:
                prediction = reads(picture)
            except Error as error:
                if self._errors == "raise":
                    raise
                failure = str(error)
            for name, text in self._columns(prediction).items():
                results[name].append(text)
            failed.append(failure)
        if self._errors == "column":
            results["error"] = failed
        return _joined(batch, (column,), self._keep, {name: _objects(texts) for name, texts in results.items()})

    def __repr__(self) -> str:
        return "<coracle.batch.%s of %s>" % (type(self).__name__, ", ".join(str(v) for v in self._arguments.values() if isinstance(v, str) and os.sep in v))


class TextReader(PicturePredictor):
    """The text of pictures as columns: `TextReader("det_infer", "rec_infer")({"path": ["page.jpg"]})`.

    detector, recognizer, classifier, options: as for `coracle.ocr`; the rest as for `PicturePredictor`. The results are "text", a line for each
    line, and "lines": as JSON a list of {"text", "score", "corners"} in the order of reading.
    """

    _make = "ocr"

    def __init__(self, detector: Path, recognizer: Path, classifier: Path | None = None, *, column: str | None = None,
                 keep: str | Iterable[str] | None = None, errors: str = "raise", threads: int | None = None, **options: Any):
        models = {"detector": detector, "recognizer": recognizer, "classifier": classifier}
        self._prepare({**{name: _absolute(path) for name, path in models.items()}, **options}, column, keep, errors, threads)

    @staticmethod
    def _columns(prediction: Prediction | None) -> dict[str, str]:
        return {"text": prediction.text if prediction else "", "lines": _json(prediction.to_dict()["lines"] if prediction else [])}


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)

