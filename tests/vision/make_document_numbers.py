#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes document_numbers.txt: what PaddleX makes of made-up outputs of models of documents, for documents_test.cc.

    make_document_numbers.py      (in an environment with paddlex[ocr-core])"""
import pathlib
import random

import cv2
import numpy as np
from paddlex.inference.models.image_unwarping.processors import DocTrPostProcess
from paddlex.inference.models.table_structure_recognition.processors import TableLabelDecode
from paddlex.inference.pipelines.components import rotate_image
from paddlex.inference.pipelines.table_recognition.table_recognition_post_processing import get_html_result, match_table_and_ocr

HERE = pathlib.Path(__file__).resolve().parent
DICTIONARY = ["<thead>", "</thead>", "<tbody>", "</tbody>", "<tr>", "</tr>", "<td>", "<td", ">", "</td>"] + [
    ' %s="%d"' % (kind, n) for kind in ("colspan", "rowspan") for n in range(2, 21)]


def exact(values):
    return " ".join("%.9g" % v for v in np.asarray(values, np.float32).reshape(-1))


def likely_tokens(rng, merge):
    """Classes of a table with a header, spans and now and then nonsense, with what follows the end."""
    names = ["sos"] + [t for t in DICTIONARY if not (merge and t == "<td>")] + (["<td></td>"] if merge else []) + ["eos"]
    index = {n: i for i, n in enumerate(names)}
    plain = ["<td></td>"] if merge else ["<td>", "</td>"]
    chosen = ["sos", "<thead>", "<tr>"]
    for _ in range(rng.randrange(1, 4)):
        chosen += ["<td", ' colspan="%d"' % rng.randrange(2, 21), ">", "</td>"]
    chosen += ["</tr>", "</thead>", "<tbody>"]
    for _ in range(rng.randrange(5)):
        chosen += ["<tr>"] + rng.randrange(1, 6) * plain + ["</tr>"]
    chosen += ["</tbody>"]
    if rng.random() < 0.3:
        chosen.insert(rng.randrange(len(chosen)), rng.choice(names))
    if rng.random() < 0.8:
        chosen += ["eos"] + rng.randrange(3) * plain
    return [index[c] for c in chosen], len(names)


def tables(rng):
    for number in range(24):
        merge, model = rng.random() < 0.7, rng.choice(["SLANet", "SLANet_plus", "SLANeXt_wired"])
        picture = [rng.randrange(20, 3000), rng.randrange(20, 3000)]
        side = rng.choice([488, 512])
        chosen, count = likely_tokens(rng, merge)
        if number == 0:
            chosen = [count - 1, 3, count - 1]  # the end comes first
        best = np.array([rng.uniform(0.3, 1) for _ in chosen], np.float32)
        places = np.array([[rng.uniform(-0.05, 1.05) for _ in range(8)] for _ in chosen], np.float32)
        scores = np.zeros((1, len(chosen), count), np.float32)
        scores[0, range(len(chosen)), chosen] = best
        decode = TableLabelDecode(model, merge, list(DICTIONARY))
        answer = decode([places[None], scores], [[side, side]], [picture])[0]
        yield "table %d %d %d %d %d %d" % (merge, model == "SLANet", side, *picture, len(chosen))
        for i, c in enumerate(chosen):
            yield "step %d %s %s" % (c, exact(best[i]), exact(places[i]))
        yield "cells %.6f %d %s" % (answer["structure_score"], len(answer["bbox"]), " ".join(str(v) for box in answer["bbox"] for v in box))
        yield "html " + "".join(answer["structure"])


def matches(rng):
    for _ in range(30):
        rows, columns = rng.randrange(1, 6), rng.randrange(1, 6)
        cells = []
        for r in range(rows):
            for c in range(columns):
                x, y = c * 100 + rng.uniform(-15, 15), r * 40 + rng.uniform(-8, 8)
                cells.append([x, y, x + rng.uniform(60, 110), y + rng.uniform(25, 45)])
        cells = np.round(np.array(cells) * 4) / 4
        lines, texts = [], []
        for _ in range(rng.randrange(1, 12)):
            x, y = rng.randrange(-20, columns * 100 + 60), rng.randrange(-20, rows * 40 + 30)
            lines.append([x, y, x + rng.randrange(5, 120), y + rng.randrange(5, 40)])
            texts.append("".join(rng.choice(["a", "b", "中", "7", " "]) for _ in range(rng.randrange(0, 6))))
        structure = ["<html>", "<body>", "<table>"] + rows * (["<tr>"] + columns * ["<td></td>"] + ["</tr>"]) + ["</table>", "</body>", "</html>"]
        matched = match_table_and_ocr(cells, np.array(lines))
        owner = {line: cell for cell, members in matched.items() for line in members}
        yield "match %d %d" % (rows, columns)
        yield "cells " + " ".join("%.9g" % v for v in cells.reshape(-1))
        for i, line in enumerate(lines):
            yield "line %s %d [%s]" % (" ".join(map(str, line)), owner[i], texts[i])
        yield "html " + get_html_result(matched, texts, structure)


def pictures(rng):
    for degrees in (0, 90, 180, 270):
        for height, width in ((5, 8), (7, 4), (6, 6), (1, 3)):
            image = np.array([rng.randrange(256) for _ in range(height * width * 3)], np.uint8).reshape(height, width, 3)
            result = rotate_image(image, degrees)
            yield "turned %d %d %d" % (degrees, width, height)
            yield "from " + " ".join(map(str, image.reshape(-1)))
            yield "to " + " ".join(map(str, result.reshape(-1)))
    planes = np.array([rng.uniform(0, 1) for _ in range(3 * 4 * 5)], np.float32).reshape(1, 3, 4, 5)
    yield "flat 5 4 " + exact(planes)
    yield "to " + " ".join(map(str, DocTrPostProcess()([planes.copy()])[0][:, :, ::-1].reshape(-1)))


def main():
    cv2.ipp.setUseIPP(False)
    rng = random.Random(14)
    lines = [line for make in (tables, matches, pictures) for line in make(rng)]
    (HERE / "document_numbers.txt").write_text("\n".join(lines) + "\n", "utf-8")


main()
