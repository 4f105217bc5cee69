# SPDX-License-Identifier: Apache-2.0
"""Pieces of HTML for notebooks. All text is escaped: names come from model files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

NAME_WIDTH = 220
BAR_WIDTH = 320
LABEL_WIDTH = 200
ROW_HEIGHT = 20
GAP = 8


def heading(text: str) -> str:
    return "<b>%s</b>" % escape(text)


def paragraph(text: str) -> str:
    return "<p>%s</p>" % escape(text)


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table; cells that are numbers stand at the right."""
    head = "".join("<th>%s</th>" % escape(column) for column in columns)
    body = "".join("<tr>%s</tr>" % "".join(_cell(value) for value in row) for row in rows)
    return "<table><thead><tr>%s</tr></thead><tbody>%s</tbody></table>" % (head, body)


def _cell(value: object) -> str:
    if isinstance(value, float):
        return '<td style="text-align:right">%.3f</td>' % value
    if isinstance(value, int):
        return '<td style="text-align:right">%s</td>' % format(value, ",")
    return '<td style="text-align:left">%s</td>' % escape(str(value))


def folded(summary: str, content: str) -> str:
    return "<details><summary>%s</summary>%s</details>" % (escape(summary), content)


def bars(rows: Sequence[tuple[str, float, str]]) -> str:
    """Horizontal bars as SVG: (name, length, label), the longest fills the width."""
    longest = max((length for _, length, _ in rows), default=0.0) or 1.0
    lines = []
    for number, (name, length, label) in enumerate(rows):
        top = number * ROW_HEIGHT
        width = BAR_WIDTH * length / longest
        lines.append('<text x="%d" y="%d" text-anchor="end">%s</text>' % (NAME_WIDTH, top + 14, escape(name)))
        lines.append('<rect x="%d" y="%d" width="%.1f" height="%d" fill="#4878a8"/>' % (NAME_WIDTH + GAP, top + 3, width, ROW_HEIGHT - 6))
        lines.append('<text x="%.1f" y="%d">%s</text>' % (NAME_WIDTH + 2 * GAP + width, top + 14, escape(label)))
    return ('<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="12" '
            'fill="currentColor">%s</svg>' % (NAME_WIDTH + 2 * GAP + BAR_WIDTH + LABEL_WIDTH, ROW_HEIGHT * len(rows), "".join(lines)))
