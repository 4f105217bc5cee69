# SPDX-License-Identifier: Apache-2.0
"""Pictures that go into pipelines, and what comes out: what was found, typed."""

from __future__ import annotations

import ctypes
import dataclasses
import os
from typing import Any

import numpy as np

from . import _arrays, _library, _vision
from .errors import InvalidArgumentError, named_files
from .sources import FromSource

Corner = tuple[int, int]


@dataclasses.dataclass(frozen=True)
class Label:
    """A class of the picture. `name` is its number where the model has no names."""

    id: int
    name: str
    score: float


@dataclasses.dataclass(frozen=True)
class TextBox:
    """Where there is text. `corners` in pixels, in the order of reading: top left, top right, bottom right, bottom left. `polygon`: of
    detectors of bent text any number of points, whose corners are then those of a rectangle round them; else None."""

    corners: tuple[Corner, Corner, Corner, Corner]
    score: float
    polygon: tuple[Corner, ...] | None = None

    def _to_dict(self) -> dict[str, Any]:
        found = {"score": self.score, "corners": [list(c) for c in self.corners]}
        return {**found, "polygon": [list(c) for c in self.polygon]} if self.polygon else found


@dataclasses.dataclass(frozen=True)
class TextLine:
    """Text that was read. `corners` and `polygon` as of a TextBox; None where the picture is one line."""

    text: str
    score: float
    corners: tuple[Corner, Corner, Corner, Corner] | None = None
    polygon: tuple[Corner, ...] | None = None


@dataclasses.dataclass(frozen=True, repr=False)
class Mask:
    """Some pixels of a picture. `size`: its height and width. `counts`: how many pixels are outside and inside in turn, outside first, one
    column after the other from the left and each from the top; COCO's uncompressed run lengths, `{"size": size, "counts": counts}`."""

    size: tuple[int, int]
    counts: tuple[int, ...]

    @property
    def area(self) -> int:
        """How many pixels are inside."""
        return sum(self.counts[1::2])

    def array(self) -> np.ndarray:
        """bool [height, width] of the whole picture."""
        height, width = self.size
        inside = np.arange(len(self.counts)) % 2 == 1
        return np.repeat(inside, self.counts).reshape(width, height).T

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return self.array() if dtype is None else self.array().astype(dtype)

    def __repr__(self) -> str:
        return "<coracle.Mask of %d pixels in %d x %d>" % (self.area, self.size[1], self.size[0])


@dataclasses.dataclass(frozen=True)
class DetectedObject:
    """An object. `box` is left, top, right, bottom in pixels; `corners` those of a box that is turned, as PP-YOLOE-R has them, else None.
    `mask`: the pixels of the object, of instance segmentation; else None."""

    id: int
    name: str
    score: float
    box: tuple[float, float, float, float]
    corners: tuple[tuple[float, float], ...] | None = None
    mask: Mask | None = None

    def _to_dict(self) -> dict[str, Any]:
        found = {"id": self.id, "name": self.name, "score": self.score, "box": list(self.box)}
        if self.corners:
            found["corners"] = [list(c) for c in self.corners]
        if self.mask is not None:
            found.update(area=self.mask.area, mask={"size": list(self.mask.size), "counts": list(self.mask.counts)})
        return found


@dataclasses.dataclass(frozen=True)
class Keypoint:
    """A point of a body, in pixels. `name` is its number where its name is not known."""

    id: int
    name: str
    score: float
    x: float
    y: float


@dataclasses.dataclass(frozen=True)
class ClassArea:
    """A class of a class map and how many pixels it has."""

    id: int
    name: str
    pixels: int


@dataclasses.dataclass(frozen=True, eq=False)
class AnomalyMap:
    """How unlike what the model learnt each place of a picture is. `scores`: float32 [height, width], over the whole picture, of the size that
    the model gives; `marked`: bool of the same shape, regions above the threshold without specks and spikes."""

    scores: np.ndarray
    marked: np.ndarray

    @property
    def greatest(self) -> float:
        return float(self.scores.max())

    @property
    def mean(self) -> float:
        return float(self.scores.mean(dtype=np.float64))

    def _to_dict(self) -> dict[str, Any]:
        height, width = self.scores.shape
        return {"width": width, "height": height, "greatest": self.greatest, "mean": self.mean, "marked": int(self.marked.sum())}


@dataclasses.dataclass(frozen=True)
class Table:
    """The structure of a table. `cells` has the corners of each cell, or none. Of a Document, `html` has the text of the cells, and `box` is
    left, top, right, bottom on the page; of a Prediction there is no text, and None: the table is the picture."""

    html: str
    score: float
    cells: tuple[tuple[Corner, Corner, Corner, Corner], ...]
    box: tuple[float, float, float, float] | None = None


def image_of(picture: Any) -> _vision.Handle:
    """A picture as users have it, in the library."""
    if isinstance(picture, (str, os.PathLike)):
        with named_files(picture):
            return _vision.made("image", "image_read", _library.path_bytes(picture))
    if isinstance(picture, (bytes, bytearray, memoryview)):
        array = np.frombuffer(picture, np.uint8)
        return _vision.made("image", "image_decode", _arrays.pointer(array), array.size)
    if hasattr(picture, "convert") and hasattr(picture, "mode"):   # PIL, which need not be installed
        picture = _of_pil(picture)
    if not isinstance(picture, np.ndarray):
        raise InvalidArgumentError("a picture is an array, a PIL image, a path or the bytes of a file, given a %s" % type(picture).__name__)
    return _from_array(picture)


def _of_pil(image: Any) -> np.ndarray:
    """8 bits for each channel. Pillow's own conversion would cut 16 bits at 255, so that a picture becomes white."""
    if image.mode == "I" or image.mode.startswith("I;16"):   # What Pillow reads from a file of 16 bits, and writes to one.
        values = np.asarray(image)
        if values.size and not 0 <= values.min() <= values.max() <= 0xFFFF:
            raise InvalidArgumentError("a PIL image of mode %s has values from %d to %d, expected 0 to 65535; scale it to 8 bits (mode L)"
                                       % (image.mode, values.min(), values.max()))
        return (values >> 8).astype(np.uint8)   # The upper 8 bits, as of a file.
    if image.mode == "F":
        raise InvalidArgumentError("a PIL image of mode F does not say which value is white; scale it to 8 bits (mode L)")
    return np.asarray(image.convert("RGB"))


def _from_array(array: np.ndarray) -> _vision.Handle:
    channels = 1 if array.ndim == 2 else array.shape[-1] if array.ndim == 3 else 0
    if array.dtype != np.uint8 or channels not in (1, 3, 4):
        raise InvalidArgumentError("a picture is an array of uint8 with the shape [height, width, 3] (red, green, blue), or 1 or 4 for "
                                   "grey and RGBA, given %s%s" % (array.dtype, list(array.shape)))
    height, width = array.shape[:2]
    rows_are_whole = array.size and array.strides[-1] == 1 and (array.ndim == 2 or array.strides[1] == channels)
    if not (rows_are_whole and array.strides[0] >= width * channels):
        array = np.ascontiguousarray(array)
    stride = array.strides[0] if array.size else 0
    return _vision.made("image", "image_create", _arrays.pointer(array), width, height, channels, stride, _vision.RGB)


def pixels_of(image: _vision.Handle) -> np.ndarray:
    """The pixels as [height, width, 3], red first."""
    array = np.empty((_vision.ask("image_height", image.pointer), _vision.ask("image_width", image.pointer), 3), np.uint8)
    _vision.call("image_copy", image.pointer, _vision.RGB, _arrays.pointer(array), array.nbytes)
    return array


class Prediction(FromSource):
    """What was found in a picture. What does not belong to the task is empty.

    task: "classification", "multilabel", "text-detection", "text-recognition", "object-detection", "segmentation", "table-structure",
    "unwarping", "features", "instance-segmentation", "keypoints", "anomaly", or "text-reading". width, height: of the picture. labels: Label, the best first.
    boxes: TextBox. lines: TextLine in reading order. objects: DetectedObject. areas: ClassArea. class_map: of segmentation, int32 [height, width]; else None.
    table: Table; else None. page: of unwarping, the flat page, uint8 [height, width, 3], red first; else None. features: a vector of length 1, float32,
    of which the product with another picture's says how alike they are; else None. keypoints: Keypoint. anomaly: AnomalyMap; else None.
    """

    HANDLE = "prediction"
    __slots__ = ("task", "width", "height", "labels", "boxes", "lines", "objects", "areas", "class_map", "table", "page", "features", "keypoints", "anomaly",
                 "_image", "_handle")

    def __init__(self, image: _vision.Handle, handle: _vision.Handle):
        self._image = image
        self._handle = handle
        self.task: str = _vision.ask("prediction_task", handle.pointer).decode()
        self.width: int = _vision.ask("image_width", image.pointer)
        self.height: int = _vision.ask("image_height", image.pointer)
        items = self._items()
        self.labels: list[Label] = []
        self.boxes: list[TextBox] = []
        self.lines: list[TextLine] = []
        self.objects: list[DetectedObject] = []
        self.areas: list[ClassArea] = []
        self.class_map: np.ndarray | None = None
        self.table: Table | None = None
        self.page: np.ndarray | None = None
        self.features: np.ndarray | None = None
        self.keypoints: list[Keypoint] = []
        self.anomaly: AnomalyMap | None = None
        if self.task in ("classification", "multilabel"):
            self.labels = [Label(i.id, i.text.decode(), i.score) for i in items]
        elif self.task == "text-detection":
            self.boxes = [TextBox(_corners(i), i.score, self._polygon(n)) for n, i in enumerate(items)]
        elif self.task in ("text-recognition", "text-reading"):
            self.lines = [TextLine(i.text.decode(), i.score, _corners(i) if i.points else None, self._polygon(n)) for n, i in enumerate(items)]
        elif self.task == "object-detection":
            self.objects = [DetectedObject(i.id, i.text.decode(), i.score, _box(i), _turned(i)) for i in items]
        elif self.task == "instance-segmentation":
            self.objects = [DetectedObject(i.id, i.text.decode(), i.score, _box(i), None, self._mask(at)) for at, i in enumerate(items)]
        elif self.task == "keypoints":
            self.keypoints = [Keypoint(i.id, i.text.decode(), i.score, i.outline[0], i.outline[1]) for i in items]
        elif self.task == "segmentation":
            self.areas = [ClassArea(i.id, i.text.decode(), i.pixels) for i in items]
            self.class_map = self._map()
        elif self.task == "table-structure":
            whole = items[0]
            self.table = Table(whole.text.decode(), whole.score, tuple(map(_corners, items[1:])), _box(whole) if whole.points else None)
        elif self.task == "unwarping":
            self.page = self.draw()
        elif self.task == "features":
            self.features = self._vector()
        elif self.task == "anomaly":
            self.anomaly = self._anomaly()

    def _items(self) -> list[_vision.Item]:
        items = [_vision.Item() for _ in range(_vision.ask("prediction_size", self._handle.pointer))]
        for index, item in enumerate(items):
            _vision.call("prediction_item", self._handle.pointer, index, ctypes.byref(item))
        return items

    def _polygon(self, index: int) -> tuple[Corner, ...] | None:
        points = ctypes.c_size_t()
        values = _vision.ask("prediction_polygon", self._handle.pointer, index, ctypes.byref(points))
        return tuple((int(values[2 * i]), int(values[2 * i + 1])) for i in range(points.value)) or None

    def _map(self) -> np.ndarray:
        array = np.empty((self.height, self.width), np.int32)
        ctypes.memmove(_arrays.pointer(array), _vision.ask("prediction_class_map", self._handle.pointer), array.nbytes)
        return array

    def _mask(self, index: int) -> Mask:
        count = ctypes.c_size_t()
        counts = _vision.ask("prediction_mask_counts", self._handle.pointer, index, ctypes.byref(count))
        return Mask((self.height, self.width), tuple(counts[:count.value]))

    def _vector(self) -> np.ndarray:
        count = ctypes.c_size_t()
        values = _vision.ask("prediction_features", self._handle.pointer, ctypes.byref(count))
        array = np.empty(count.value, np.float32)
        ctypes.memmove(_arrays.pointer(array), values, array.nbytes)
        return array

    def _anomaly(self) -> AnomalyMap:
        width, height = ctypes.c_int32(), ctypes.c_int32()
        values = _vision.ask("prediction_scores", self._handle.pointer, ctypes.byref(width), ctypes.byref(height))
        scores = np.empty((height.value, width.value), np.float32)
        ctypes.memmove(_arrays.pointer(scores), values, scores.nbytes)
        marked = np.empty(scores.shape, np.bool_)
        ctypes.memmove(_arrays.pointer(marked), _vision.ask("prediction_marks", self._handle.pointer), marked.nbytes)
        return AnomalyMap(scores, marked)

    @property
    def text(self) -> str:
        """What was read, a line for each line."""
        return "\n".join(line.text for line in self.lines)

    def to_dict(self) -> dict[str, Any]:
        """As `coracle predict --json` has it, without the picture's name."""
        found: dict[str, Any] = {"width": self.width, "height": self.height, "task": self.task}
        if self.task in ("classification", "multilabel"):
            found["labels"] = [dataclasses.asdict(label) for label in self.labels]
        elif self.task == "text-detection":
            found["boxes"] = [box._to_dict() for box in self.boxes]
        elif self.task == "text-recognition":
            found.update(text=self.lines[0].text, score=self.lines[0].score)
        elif self.task == "text-reading":
            found["lines"] = [{"text": line.text, "score": line.score, "corners": [list(c) for c in line.corners or ()]}
                              for line in self.lines]
        elif self.task in ("object-detection", "instance-segmentation"):
            found["objects"] = [o._to_dict() for o in self.objects]
        elif self.task == "keypoints":
            scores = [k.score for k in self.keypoints]
            found.update(score=sum(scores) / max(len(scores), 1), keypoints=[dataclasses.asdict(k) for k in self.keypoints])
        elif self.task == "segmentation":
            found["classes"] = [dataclasses.asdict(area) for area in self.areas]
        elif self.table is not None:
            found.update(html=self.table.html, score=self.table.score, cells=[[list(c) for c in cell] for cell in self.table.cells])
        elif self.page is not None:
            found["page"] = {"width": self.page.shape[1], "height": self.page.shape[0]}
        elif self.features is not None:
            found["features"] = self.features.tolist()
        elif self.anomaly is not None:
            found["map"] = self.anomaly._to_dict()
        return found

    def _drawn(self) -> _vision.Handle:
        return _vision.made("image", "prediction_draw", self._handle.pointer, self._image.pointer)

    def draw(self) -> np.ndarray:
        """The picture with outlines and numbers, masks, points, or classes in colours, or the flat page: uint8 [height, width, 3], red first."""
        return pixels_of(self._drawn())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes what `draw` gives to a PNG file."""
        drawing = self._drawn()
        _vision.call("image_write_png", drawing.pointer, _library.path_bytes(path))

    def _found(self) -> list[Any]:
        numbers = [] if self.features is None else self.features.tolist()
        return [*self.labels, *self.boxes, *self.lines, *self.objects, *self.keypoints, *self.areas, *([self.table] if self.table else []),
                *([self.anomaly._to_dict()] if self.anomaly else []), *numbers]

    def __repr__(self) -> str:
        found = self._found()
        listed = ", ".join(map(repr, found[:3])) + (", ... (%d in all)" % len(found) if len(found) > 3 else "")
        return "<coracle.Prediction %s of %d x %d pixels: %s>" % (self.task, self.width, self.height, listed or "nothing found")

    def __reduce__(self):
        raise TypeError("a prediction cannot be pickled; to_dict() can")


def _corners(item: _vision.Item) -> tuple[Corner, Corner, Corner, Corner]:
    points = [int(v) for v in item.outline[0:8]]
    return ((points[0], points[1]), (points[2], points[3]), (points[4], points[5]), (points[6], points[7]))


def _box(item: _vision.Item) -> tuple[float, float, float, float]:
    across, down = item.outline[0:8:2], item.outline[1:8:2]
    return (min(across), min(down), max(across), max(down))


def _turned(item: _vision.Item) -> tuple[tuple[float, float], ...] | None:
    """The corners, where they are not those of the box."""
    left, top, right, bottom = _box(item)
    corners = tuple(zip(item.outline[0:8:2], item.outline[1:8:2]))
    return None if corners == ((left, top), (right, top), (right, bottom), (left, bottom)) else corners
