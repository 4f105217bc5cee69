# SPDX-License-Identifier: Apache-2.0
"""What the stages of a document reader found on a page, typed."""

from __future__ import annotations

import ctypes
import dataclasses
import json
import os
from collections.abc import Iterable
from typing import Any

import numpy as np

from . import _library, _vision
from .errors import InvalidArgumentError
from .pictures import DetectedObject, Prediction, Table, TextLine, pixels_of
from .sources import FromSource


@dataclasses.dataclass(frozen=True)
class Seal:
    """`box`: left, top, right and bottom of its region, in whole pixels. `lines`: from top to bottom, those that are bent with their polygons."""

    box: tuple[int, int, int, int]
    lines: list[TextLine]

    @property
    def text(self) -> str:
        """What was read, a line for each line."""
        return "\n".join(line.text for line in self.lines)


def _text_of(function: str, what: str, argument: str, *others) -> str:
    if "\0" in argument:
        raise InvalidArgumentError("the %s %r has a zero byte in it" % (what, argument))
    text = ctypes.c_void_p()
    _vision.call(function, *others, argument.encode(), ctypes.byref(text))
    return _library.taken_text(text)


def markdown(pages: Iterable[Document], pictures: str = "imgs/") -> str:
    """The pages of one document as one Markdown text, in which paragraphs go on over the end of a page. Names of pictures begin with `pictures`
    and `page_1_`, `page_2_` and so on, and then are those of `Document.pictures`."""
    handles = [page._handle for page in pages]
    pointers = (ctypes.c_void_p * len(handles))(*[handle.pointer for handle in handles])
    return _text_of("documents_markdown", "pictures", pictures, pointers, len(handles))


class Document(FromSource):
    """A page that was read. What belongs to a stage that was left out is empty.

    turned: by how many degrees the picture was turned anticlockwise. width, height: of the page, which is the picture upright and flat
    and to which all coordinates belong. regions: DetectedObject in the order of reading. lines: TextLine from top to bottom.
    tables: Table, in the order of their regions. seals: Seal, likewise.
    """

    HANDLE = "document"
    __slots__ = ("turned", "width", "height", "regions", "lines", "tables", "seals", "_page", "_handle")

    def __init__(self, _picture: _vision.Handle, handle: _vision.Handle):
        self._handle = handle
        self._page = self._made("image", "document_page")
        self.turned: int = _vision.ask("document_turned", handle.pointer)
        self.width: int = _vision.ask("image_width", self._page.pointer)
        self.height: int = _vision.ask("image_height", self._page.pointer)
        self.regions: list[DetectedObject] = self._part("document_regions").objects
        self.lines: list[TextLine] = self._part("document_lines").lines
        self.tables: list[Table] = []
        for index in range(_vision.ask("document_tables", handle.pointer)):
            table = self._part("document_table", index).table
            assert table is not None
            self.tables.append(table)
        self.seals: list[Seal] = []
        for index in range(_vision.ask("document_seals", handle.pointer)):
            whole, *lines = self._part("document_seal", index).lines
            assert whole.corners is not None
            self.seals.append(Seal((*whole.corners[0], *whole.corners[2]), lines))

    def _made(self, kind: str, function: str, *arguments) -> _vision.Handle:
        return _vision.made(kind, function, self._handle.pointer, *arguments)

    def _part(self, function: str, *arguments) -> Prediction:
        return Prediction(self._page, self._made("prediction", function, *arguments))

    @property
    def text(self) -> str:
        """What was read, a line for each line."""
        return "\n".join(line.text for line in self.lines)

    @property
    def page(self) -> np.ndarray:
        """The picture upright and flat: uint8 [height, width, 3], red first."""
        return pixels_of(self._page)

    def html(self, title: str = "") -> str:
        """A page of HTML: regions with their lines in the order of reading, tables as such, then lines in no region."""
        return _text_of("document_html", "title", title, self._handle.pointer)

    def markdown(self, pictures: str = "imgs/") -> str:
        """The page as Markdown in the form of PP-StructureV3: titles, paragraphs, tables as HTML and references to `pictures` in the order of
        reading. The argument goes before their names: a folder with its slash, and what tells them from those of other pages."""
        return _text_of("document_markdown", "pictures", pictures, self._handle.pointer)

    @property
    def pictures(self) -> dict[str, np.ndarray]:
        """The parts of the page to which its Markdown refers, by their names: uint8 [height, width, 3], red first."""
        found = {}
        for index in range(_vision.ask("document_pictures", self._handle.pointer)):
            name = ctypes.c_void_p()
            picture = self._made("image", "document_picture", index, ctypes.byref(name))
            found[_library.taken_text(name)] = pixels_of(picture)
        return found

    def structure(self, path: str = "") -> dict[str, Any]:
        """The page in the structure of PP-StructureV3's res.json: `parsing_res_list` with the blocks in the order of reading (`block_label`,
        `block_content`, `block_bbox`, `block_id`, `block_order`), `layout_det_res`, `overall_ocr_res`, `table_res_list`. `path`: that of the
        picture, which is `input_path` there."""
        return json.loads(_text_of("document_json", "path", path, self._handle.pointer))

    def to_dict(self) -> dict[str, Any]:
        """As `coracle-ocr --json` has it, without the picture's name and the times, cells in whole pixels."""
        corners = lambda c: [list(point) for point in c or ()]   # noqa: E731
        return {"width": self.width, "height": self.height, "turned": self.turned,
                "lines": [{"box": corners(line.corners), "text": line.text, "score": line.score} for line in self.lines],
                "regions": [{"name": region.name, "score": region.score, "box": list(region.box)} for region in self.regions],
                "tables": [{"box": list(table.box or ()), "score": table.score, "html": table.html,
                            "cells": [[*cell[0], *cell[2]] for cell in table.cells]} for table in self.tables],
                "seals": [{"box": list(seal.box), "lines": [
                    {"box": corners(line.corners), "text": line.text, "score": line.score, "polygon": corners(line.polygon)}
                    for line in seal.lines]} for seal in self.seals]}

    def _drawn(self) -> _vision.Handle:
        return self._made("image", "document_draw")

    def draw(self) -> np.ndarray:
        """The page with the outlines of regions and lines, lines with their numbers: uint8 [height, width, 3], red first."""
        return pixels_of(self._drawn())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes what `draw` gives to a PNG file."""
        drawing = self._drawn()
        _vision.call("image_write_png", drawing.pointer, _library.path_bytes(path))

    def __repr__(self) -> str:
        found = ["%d %s%s" % (len(part), name, "" if len(part) == 1 else "s")
                 for name, part in (("region", self.regions), ("line", self.lines), ("table", self.tables), ("seal", self.seals)) if part]
        turned = ", turned by %d degrees" % self.turned if self.turned else ""
        return "<coracle.Document of %d x %d pixels%s: %s>" % (self.width, self.height, turned, ", ".join(found) or "nothing found")

    def __reduce__(self):
        raise TypeError("a document cannot be pickled; to_dict() can")
