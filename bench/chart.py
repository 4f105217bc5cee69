# SPDX-License-Identifier: Apache-2.0
"""Results as SVG: a bar chart of each engine's least time as a multiple of Coracle's, and how Coracle's time grows."""
import math

COLOURS = ["#1b6f8a", "#d98032", "#7a9a4e", "#9a5ea1", "#b0413e", "#777777"]
BAR, GAP, TITLE, LEFT, WIDTH, RIGHT, SHOWN = 9, 10, 46, 270, 460, 70, 3.0


def draw(results):
    names = [peer["name"] for peer in results["peers"]]
    scale = WIDTH / SHOWN
    parts, y = [], TITLE
    for row in results["rows"]:
        ours = row["peers"].get("coracle", {}).get("min_ms")
        bars = [(i, row["peers"][name]["min_ms"]) for i, name in enumerate(names) if "min_ms" in row["peers"].get(name, {})]
        if not ours:
            continue
        label = "%s, %d thread%s" % (results["titles"][row["model"]], row["threads"], "s" if row["threads"] > 1 else "")
        middle = y + BAR * len(bars) / 2 + 4
        parts.append('<text x="%d" y="%.1f" text-anchor="end">%s</text>' % (LEFT - 8, middle, label))
        for i, milliseconds in bars:
            ratio = milliseconds / ours
            parts.append('<rect x="%d" y="%d" width="%.1f" height="%d" fill="%s"/>' % (
                LEFT, y, min(ratio, SHOWN) * scale, BAR - 1, COLOURS[i % len(COLOURS)]))
            parts.append('<text x="%.1f" y="%d" font-size="8">%.2f ms</text>' % (
                LEFT + min(ratio, SHOWN) * scale + 4, y + BAR - 2, milliseconds))
            y += BAR
        y += GAP
    head = ['<text x="%d" y="16" font-weight="bold">Least time of a run as a multiple of Coracle\'s (shorter is faster)</text>' % LEFT]
    for i, name in enumerate(names):
        x = LEFT + i * 100
        head.append('<rect x="%d" y="25" width="10" height="10" fill="%s"/>' % (x, COLOURS[i % len(COLOURS)]))
        head.append('<text x="%d" y="34">%s</text>' % (x + 14, name))
    line = '<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke="#444" stroke-dasharray="3 3"/>' % (LEFT + scale, TITLE - 4, LEFT + scale, y)
    size = 'width="%d" height="%d"' % (LEFT + WIDTH + RIGHT, y + 4)
    return '<svg xmlns="http://www.w3.org/2000/svg" %s font-family="sans-serif" font-size="11">\n<rect %s fill="white"/>\n%s\n</svg>\n' % (
        size, size, "\n".join(head + parts + [line]))


PANEL, MARGIN = 220, 60


def ticks(low, high):
    """1, 2 and 5 times powers of ten from low to high."""
    values = [digit * 10.0**power for power in range(-3, 6) for digit in (1, 2, 5)]
    return [value for value in values if low <= value <= high]


def draw_growth(series):
    """Time over size in panels with logarithmic axes: a line for each number of threads, dashed where time would grow as size does."""
    parts = []
    for number, row in enumerate(series):
        left, top = MARGIN + number * (PANEL + MARGIN), 40
        sizes, all_times = row["sizes"], [t for times in row["ms"].values() for t in times]
        low_x, high_x, low_y, high_y = min(sizes), max(sizes), min(all_times) * 0.8, max(all_times) * 1.25

        def place(size, time):
            x = left + PANEL * math.log(size / low_x) / math.log(high_x / low_x)
            return x, top + PANEL - PANEL * math.log(time / low_y) / math.log(high_y / low_y)

        def line(points, style):
            return '<polyline points="%s" fill="none" %s/>' % (" ".join("%.1f,%.1f" % place(*point) for point in points), style)

        parts.append('<rect x="%d" y="%d" width="%d" height="%d" fill="none" stroke="#444"/>' % (left, top, PANEL, PANEL))
        parts.append('<text x="%d" y="%d" font-weight="bold">%s: ms over %s</text>' % (left, top - 22, row["title"], row["unit"]))
        for value in ticks(low_x, high_x):
            parts.append('<text x="%.1f" y="%d" text-anchor="middle">%g</text>' % (place(value, low_y)[0], top + PANEL + 14, value))
        for value in ticks(low_y, high_y):
            parts.append('<text x="%d" y="%.1f" text-anchor="end">%g</text>' % (left - 4, place(low_x, value)[1] + 4, value))
        for i, (threads, times) in enumerate(row["ms"].items()):
            unit = times[-1] / sizes[-1]
            ends = [(max(low_x, low_y / unit), unit * max(low_x, low_y / unit)), (sizes[-1], times[-1])]
            parts.append(line(ends, 'stroke="%s" stroke-dasharray="3 3"' % COLOURS[i]))
            parts.append(line(zip(sizes, times), 'stroke="%s" stroke-width="2"' % COLOURS[i]))
            parts.append('<text x="%d" y="%d" fill="%s">%s thread%s</text>' % (
                left + i * 70, top - 6, COLOURS[i], threads, "s" if threads != "1" else ""))
    size = 'width="%d" height="%d"' % (MARGIN + len(series) * (PANEL + MARGIN), 40 + PANEL + 24)
    return '<svg xmlns="http://www.w3.org/2000/svg" %s font-family="sans-serif" font-size="11">\n<rect %s fill="white"/>\n%s\n</svg>\n' % (
        size, size, "\n".join(parts))
