# SPDX-License-Identifier: Apache-2.0
"""Calls of Config that have no effect here, kept for Config.summary()."""

from __future__ import annotations


class Recorder:
    _recorded: dict[str, tuple[str, str]]   # By call: the value and the reason.

    def _defaults(self) -> None:
        self._recorded = {}

    def _record(self, call: str, value: object, reason: str) -> None:
        """A call again replaces the one before."""
        self._recorded[call] = (_text(value), reason)


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (set, frozenset)):
        value = sorted(value)
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value)) or "none"
    return str(value)
