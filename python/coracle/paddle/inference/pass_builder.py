# SPDX-License-Identifier: Apache-2.0
"""Paddle's names of graph passes, and the rewrites here that do the same."""

from __future__ import annotations

from collections.abc import Iterable

from .pass_rewrites import REWRITES


def _rewrite_of(name: str) -> str | None:
    """The rewrite for a pass; Paddle had mkldnn in names where it now has onednn."""
    name = name.replace("mkldnn", "onednn")
    for rewrite, names in REWRITES.items():
        if name == rewrite or name in names:
            return rewrite
    return None


class PassBuilder:
    """What `Config.pass_builder()` returns: the names of passes in order. A rewrite is left out when one of its names is deleted,
    or when `set_passes` leaves none of them. Names without a rewrite here are kept, without effect.
    """

    def __init__(self):
        self._passes = [name for names in REWRITES.values() for name in names]
        self._analysis_passes: list[str] = []
        self._left_out: set[str | None] = set()
        self.debug = False

    def copy(self) -> PassBuilder:
        other = PassBuilder()
        other._passes, other._analysis_passes = list(self._passes), list(self._analysis_passes)
        other._left_out, other.debug = set(self._left_out), self.debug
        return other

    def all_passes(self) -> list[str]:
        return list(self._passes)

    def analysis_passes(self) -> list[str]:
        return list(self._analysis_passes)

    def set_passes(self, passes: Iterable[str]) -> None:
        self._passes = list(passes)
        kept = {_rewrite_of(name) for name in self._passes}
        self._left_out = {rewrite for rewrite in REWRITES if rewrite not in kept}

    def append_pass(self, name: str) -> None:
        self.insert_pass(len(self._passes), name)

    def insert_pass(self, index: int, name: str) -> None:
        """The order of rewrites here does not change with it."""
        self._passes.insert(index, name)
        self._left_out.discard(_rewrite_of(name))

    def append_analysis_pass(self, name: str) -> None:
        self._analysis_passes.append(name)

    def delete_pass(self, name: str) -> None:
        self._passes = [each for each in self._passes if each != name]
        rewrite = _rewrite_of(name)
        if rewrite is not None:
            self._left_out.add(rewrite)

    def turn_on_debug(self) -> None:
        """Graphs are written as by `Config.switch_ir_debug`."""
        self.debug = True

    def debug_string(self) -> str:
        return "Passes to apply:\n" + "".join("  - %s\n" % name for name in self._passes)

    def left_out(self) -> list[str]:
        """The rewrites of Coracle to be left out."""
        return sorted(name for name in self._left_out if name)
