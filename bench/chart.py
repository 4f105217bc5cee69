# SPDX-License-Identifier: Apache-2.0
"""A bar chart of results as SVG: each engine's least time as a multiple of Coracle's."""

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
