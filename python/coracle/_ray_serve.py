# SPDX-License-Identifier: Apache-2.0
"""What a replica of Ray Serve does. Imported where Ray Serve is."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Mapping, Sequence
from typing import Any, Union

import numpy as np
from ray import serve
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from .batch import Batch, PicturePredictor, Predictor
from .errors import FileError, InvalidArgumentError

Stage = Union[Predictor, PicturePredictor]
_DATATYPES = {"BOOL": "bool", "UINT8": "uint8", "INT8": "int8", "INT16": "int16", "INT32": "int32", "INT64": "int64", "FP16": "float16",
              "FP32": "float32", "FP64": "float64"}
_NAMES = {dtype: name for name, dtype in _DATATYPES.items()}


class Together:
    """Runs requests as one batch, if that is proved to give each the bits that it gets alone."""

    def __init__(self, stage: Stage):
        self._stage = stage
        self._proved: set[tuple] = set()
        self._alone = False

    def __call__(self, requests: Sequence[Batch]) -> list[Any]:
        """An answer for each request, or what it raises."""
        groups: dict[Any, list[int]] = {}
        for number, request in enumerate(requests):
            groups.setdefault(_kind(request) or number, []).append(number)
        answers: dict[int, Any] = {}
        for kind, members in groups.items():
            found = self._joined(kind, [requests[member] for member in members])
            answers.update(zip(members, found or [self._one(requests[member]) for member in members]))
        return [answers[number] for number in range(len(requests))]

    def _one(self, request: Batch) -> Any:
        try:
            return self._stage(request)
        except Exception as error:
            return error

    def _joined(self, kind: Any, requests: Sequence[Batch]) -> list[dict[str, Any]] | None:
        """None where they run one by one."""
        if len(requests) == 1 or self._alone or not isinstance(kind, tuple):
            return None
        try:
            results = self._stage({name: np.concatenate([request[name] for request in requests]) for name in requests[0]})
        except Exception:
            return None
        ends = np.cumsum([len(next(iter(request.values()))) for request in requests])[:-1]
        parts = {name: np.split(column, ends) for name, column in results.items()}
        found = [{name: column[number] for name, column in parts.items()} for number in range(len(requests))]
        kind = (kind, tuple(ends))
        if kind not in self._proved:
            alone = [self._one(request) for request in requests]
            if not all(_equal(*each) for each in zip(found, alone)):
                self._alone = True
                logging.getLogger("coracle").warning("%r gives a row other bits in a batch than alone: requests run one by one from now on", self._stage)
                return alone
            self._proved.add(kind)
        return found


def _kind(request: Batch) -> tuple | None:
    """What requests that can be joined have in common."""
    columns = sorted(request.items())
    if not columns or not all(isinstance(column, np.ndarray) and column.ndim and column.dtype != object for _, column in columns):
        return None
    if len({len(column) for _, column in columns}) != 1:
        return None
    return tuple((name, column.dtype.str, column.shape[1:]) for name, column in columns)


def _equal(one: Mapping[str, Any], other: Any) -> bool:
    return (isinstance(other, Mapping) and one.keys() == other.keys() and
            all(np.shape(one[n]) == np.shape(other[n]) and np.asarray(one[n]).tobytes() == np.asarray(other[n]).tobytes() for n in one))


def _batch_of(body: bytes) -> tuple[dict[str, Any], Any]:
    """Arrays by name of a request of the Open Inference Protocol, and its id."""
    try:
        request = json.loads(body)
        inputs = {each["name"]: np.array(each["data"], _DATATYPES[each["datatype"]]).reshape(each["shape"]) for each in request["inputs"]}
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise InvalidArgumentError("the body is not a request of the Open Inference Protocol in JSON, {\"inputs\": [{\"name\", \"datatype\", \"shape\", "
                                   "\"data\"}]}: %s: %s" % (type(error).__name__, error)) from error
    return inputs, request.get("id")


def _tensors(answer: Mapping[str, Any], identity: Any) -> dict[str, Any]:
    outputs = [{"name": name, "datatype": _NAMES.get(np.asarray(column).dtype.name, "BYTES"), "shape": list(np.shape(column)),
                "data": np.asarray(column).ravel().tolist()} for name, column in answer.items()]
    return {"model_name": "coracle", **({} if identity is None else {"id": identity}), "outputs": outputs}


@serve.deployment
class Replica:
    """A stage that is loaded before the first request comes."""

    def __init__(self, stage: Stage, max_batch_size: int, batch_wait_timeout_s: float):
        self._stage = stage
        self._together = Together(stage)
        self._batched.set_max_batch_size(max_batch_size)
        self._batched.set_batch_wait_timeout_s(batch_wait_timeout_s)
        stage.load()

    async def __call__(self, request: Request | Batch) -> Any:
        if not isinstance(request, Request):
            return await self._answer(request)
        try:
            return await self._http(await request.body())
        except (InvalidArgumentError, FileError) as error:   # FileError: a picture that cannot be read.
            return JSONResponse({"error": str(error)}, 400)

    async def _http(self, body: bytes) -> Response:
        if isinstance(self._stage, PicturePredictor):
            answer = await self._answer({self._stage._column or "bytes": [body]})
            return JSONResponse({name: json.loads(column[0]) if name in self._stage._json_columns and column[0] else column[0]
                                 for name, column in answer.items()})
        inputs, identity = _batch_of(body)
        return JSONResponse(_tensors(await self._answer(inputs), identity))

    async def _answer(self, request: Batch) -> Any:
        answer = await self._batched(request)
        if isinstance(answer, Exception):
            raise answer
        return answer

    @serve.batch
    async def _batched(self, requests: list[Batch]) -> list[Any]:
        return await asyncio.to_thread(self._together, requests)
