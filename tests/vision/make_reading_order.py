#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes reading_order.txt: what PaddleX's pipeline PP-StructureV3 makes of the regions, lines and tables of made-up pages: blocks in the order
of reading, their text, and Markdown.

    make_reading_order.py [--pages N] [--seed N] [--to FILE]       (in build/paddleocr-venv, which scripts/paddleocr-venv.sh makes)

PaddleX's own functions run, without any model: what would be read once more in a part of the page is the part's size. The environment
variable CORACLE_READING_ORDER names another file to vision_tests."""
import argparse
import copy
import pathlib
import random
import types

import numpy as np
import paddlex.inference.pipelines.layout_parsing.pipeline_v2 as pipeline_v2
import paddlex.inference.pipelines.layout_parsing.xycut_enhanced.xycuts as xycuts
from made_up_numbers import fnv
from paddlex.inference.pipelines.layout_parsing.pipeline_v2 import _LayoutParsingPipelineV2
from paddlex.inference.pipelines.layout_parsing.result_v2 import LayoutParsingResultV2

WHOLE = False    # Markdown as text beside its hash, to see what differs
HERE = pathlib.Path(__file__).resolve().parent
IGNORED = ["number", "footnote", "header", "header_image", "footer", "footer_image", "aside_text"]
ENGLISH = ("the reading order of a page follows its columns and cuts between them while captions stay beside what they explain "
           "Figure 2022 results show that models, however small, learn to split para- graphs. We thank; see: \"quoted\" 15 %").split()
CHINESE = "页面的阅读顺序按栏切分标题与图表相邻段落从左到右从上到下排列文字识别模型给出每一行的位置和内容，我们、比较：结果；“引用”。"
TITLES = ["1 Introduction", "2.1 Related Work", "3.1.2. Details", "IV. Results", "一、绪论", "（二）方法", "(3) Data", "Abstract", "References", "1.", "I",
          "十二 结论", "7、Outlook", "Methods e.g. ours", "0.5 is no number", "2\u3000Wide space", "V\tTab"]
LABELS = ["text"] * 12 + ["paragraph_title"] * 4 + ["image", "table", "chart", "figure_title", "table_title", "chart_title", "formula",
                                                    "abstract", "content", "reference", "algorithm", "footnote", "header", "footer", "number",
                                                    "aside_text", "seal", "doc_title", "formula_number", "header_image", "reference_content"]
TABLE = "<html><body><table><tr><td>%d</td><td>x</td></tr></table></body></html>"


class Stable(np.ndarray):
    """Sorts equal numbers as they come; numpy's order of these depends on the processor."""

    def argsort(self, *_, **__):
        return np.argsort(np.asarray(self), kind="stable")


class StableNumpy(types.ModuleType):
    def __getattr__(self, name):
        return getattr(np, name)

    def asarray(self, values):
        return np.asarray(values).view(Stable)


xycuts.np = StableNumpy("numpy")
lines_within = pipeline_v2.get_sub_regions_ocr_res


def lines_in_order(*arguments, **options):
    """The lines of a region from the first to the last; PaddleX has them in the order of a set of Python."""
    found, indices = lines_within(*arguments, **options)
    return found, sorted(int(i) for i in indices)


pipeline_v2.get_sub_regions_ocr_res = lines_in_order


def read(pictures):
    """The stand-in for the recogniser."""
    height, width = pictures[0].shape[:2]
    yield {"rec_text": "%dx%d" % (width, height), "rec_score": 0.0 if (width + height) % 5 == 0 else 1.0}


def quarter(value):
    return round(value * 4) / 4    # exact as float32, too


class Page:
    """Regions and lines of a page that is being made up."""

    def __init__(self, rng):
        self.rng = rng
        self.width, self.height = rng.randrange(400, 1600), rng.randrange(500, 2000)
        self.regions, self.lines, self.tables = [], [], []

    def region(self, label, left, top, right, bottom):
        box = [quarter(max(0, min(v, limit))) for v, limit in zip((left, top, right, bottom), (self.width, self.height) * 2)]
        if box[2] - box[0] >= 2 and box[3] - box[1] >= 2:
            self.regions.append((label, box))

    def line(self, left, top, right, bottom, text):
        box = [int(max(0, min(v, limit))) for v, limit in zip((left, top, right, bottom), (self.width, self.height) * 2)]
        if box[2] > box[0] and box[3] > box[1]:
            self.lines.append((box, text))

    def words(self, letters):
        rng = self.rng
        if rng.random() < self.chinese:
            at = rng.randrange(len(CHINESE) - 4)
            return CHINESE[at:at + max(1, min(letters // 2, 4))]
        text = " ".join(rng.choice(ENGLISH) for _ in range(max(1, min(letters // 6, 2))))
        return text + rng.choice(["", "", "", "-", ".", ",", "$", "!", ")", "5", "５"])

    def paragraph(self, label, left, top, right, size):
        """A block of text lines; returns where it ends."""
        rng = self.rng
        count = 1 if "title" in label else rng.choice([1, 1, 2, 3, 5, 8])
        gap = size * rng.choice([1.1, 1.3, 1.6])
        y = top
        for number in range(count):
            a = left + (size * 2 if number == 0 and rng.random() < 0.5 else rng.uniform(-1, 3))
            b = right - rng.uniform(-2, 4) if number + 1 < count or rng.random() < 0.3 else a + (right - a) * rng.uniform(0.1, 1)
            if label in ("paragraph_title", "doc_title") and rng.random() < 0.7:
                self.line(a, y, b, y + size, rng.choice(TITLES))
            elif rng.random() < 0.12:
                middle = rng.uniform(a, b)
                self.line(a, y, middle - 3, y + size, self.words(int((middle - a) / size * 1.6)))
                self.line(middle + 3, y + rng.uniform(-4, 4), b, y + size, self.words(int((b - middle) / size * 1.6)))
            else:
                self.line(a, y, b, y + size, self.words(int((b - a) / size * 1.6)))
            y += gap
        bottom = y - gap + size
        self.region(label, left - rng.uniform(0, 4), top - rng.uniform(0, 3), right + rng.uniform(0, 4), bottom + rng.uniform(0, 3))
        return bottom

    def picture(self, left, top, right, size):
        rng = self.rng
        kind = rng.choice(["image", "table", "chart", "image"])
        height = rng.uniform(3, 14) * size
        caption = {"image": "figure_title", "table": "table_title", "chart": "chart_title"}[kind]
        if rng.random() < 0.4:
            top = self.paragraph(rng.choice([caption, caption, "text"]), left + rng.uniform(0, 60), top, right - rng.uniform(0, 60), size * 0.8) + 6
        self.region(kind, left, top, right, top + height)
        if rng.random() < 0.3:
            self.line(left + 10, top + 8, right - 10, top + 8 + size, self.words(12))
        bottom = top + height
        if rng.random() < 0.6:
            bottom = self.paragraph(rng.choice([caption, caption, "text"]), left + rng.uniform(0, 90), bottom + rng.uniform(2, 14),
                                    right - rng.uniform(0, 90), size * 0.8)
        return bottom

    def columns(self):
        """A printed page: a title, bands of columns, blocks across all of them, margins."""
        rng = self.rng
        size = rng.uniform(12, 26)
        margin = self.width * rng.uniform(0.04, 0.1)
        y = self.height * 0.03
        if rng.random() < 0.6:
            self.region("header", margin, y, self.width - margin, y + size)
            self.line(margin, y, margin + 200, y + size, "Journal of Pages")
            y += size * 2
        if rng.random() < 0.5:
            y = self.paragraph("doc_title", margin + 40, y, self.width - margin - 40, size * 1.8) + size
            if rng.random() < 0.5:
                y = self.paragraph("text", margin + 120, y, self.width - margin - 120, size * 0.9) + size
        while y < self.height * 0.88:
            count = rng.choice([1, 1, 2, 2, 2, 3])
            gutter = rng.uniform(1, 2.5) * size
            column = (self.width - 2 * margin - (count - 1) * gutter) / count
            bottoms = []
            stop = min(self.height * 0.9, y + self.height * rng.uniform(0.15, 0.7))
            for number in range(count):
                left, at = margin + number * (column + gutter), y + rng.choice([0, 0, rng.uniform(0, 10)])
                while at < stop:
                    across = column
                    if number == 0 and count > 1 and rng.random() < 0.06:
                        across = self.width - 2 * margin
                    kind = rng.random()
                    if kind < 0.2:
                        at = self.picture(left, at, left + across, size)
                    else:
                        label = "paragraph_title" if kind < 0.38 else rng.choice(["text"] * 9 + ["formula", "abstract", "reference", "algorithm", "content"])
                        at = self.paragraph(label, left, at, left + across, size)
                    at += size * rng.choice([0.1, 0.4, 0.8, 1.5, 3])
                bottoms.append(at)
            y = max(bottoms) + rng.uniform(0, 3) * size
        if rng.random() < 0.5:
            self.paragraph("footnote", margin, self.height * 0.92, self.width * 0.5, size * 0.7)
        if rng.random() < 0.5:
            self.region("number", self.width * 0.48, self.height * 0.97, self.width * 0.52, self.height * 0.985)
            self.line(self.width * 0.48, self.height * 0.97, self.width * 0.52, self.height * 0.985, "17")

    def vertical(self):
        """Chinese or Japanese in columns from the right to the left."""
        rng = self.rng
        size = rng.uniform(14, 26)
        x = self.width * 0.95
        for _ in range(rng.randrange(2, 9)):
            top, count = self.height * rng.uniform(0.05, 0.3), rng.randrange(1, 6)
            bottom = self.height * rng.uniform(0.5, 0.95)
            right = x
            for number in range(count):
                end = bottom if number + 1 < count else top + (bottom - top) * rng.uniform(0.2, 1)
                self.line(x - size, top + (size * 2 if rng.random() < 0.2 else 0), x, end, self.words(int((end - top) / size * 1.6)))
                x -= size * 1.4
            self.region(rng.choice(["text"] * 5 + ["paragraph_title", "image", "doc_title"]), x, top - 3, right + 2, bottom + 3)
            x -= size * rng.choice([0.2, 1, 2])
            if x < size * 2:
                break

    def scattered(self):
        """Boxes of all classes anywhere, over each other or not."""
        rng = self.rng
        for _ in range(rng.randrange(0, 16)):
            left, top = rng.uniform(0, self.width * 0.9), rng.uniform(0, self.height * 0.95)
            across, down = rng.uniform(5, self.width * 0.6), rng.uniform(5, self.height * 0.25)
            self.region(rng.choice(LABELS), left, top, left + across, top + down)
        for _ in range(rng.randrange(0, 25)):
            left, top = rng.uniform(0, self.width * 0.9), rng.uniform(0, self.height * 0.95)
            self.line(left, top, left + rng.uniform(5, 400), top + rng.uniform(8, 40), self.words(rng.randrange(3, 40)))

    def grid(self):
        """Boxes on a grid, which touch, meet and cover each other exactly."""
        rng = self.rng
        step = rng.choice([20, 30, 50])
        for _ in range(rng.randrange(1, 14)):
            left, top = rng.randrange(10) * step, rng.randrange(16) * step
            right, bottom = left + rng.randrange(1, 8) * step, top + rng.randrange(1, 4) * step
            self.region(rng.choice(LABELS), left, top, right, bottom)
            for y in range(top, bottom - 9, 20):
                if rng.random() < 0.7:
                    self.line(left + rng.choice([0, 0, 12]), y, right - rng.choice([0, 0, 30]), y + 18, self.words((right - left) // 10))

    def unread(self):
        """Lines without layout."""
        self.columns()
        self.regions = []

    def made(self):
        self.chinese = self.rng.choice([0, 0, 0.5, 1, 1])
        kind = self.rng.choice([self.columns] * 5 + [self.vertical, self.scattered, self.scattered, self.grid, self.grid, self.unread])
        kind()
        if len(self.regions) > 45 or len(self.lines) > 90:
            self.regions, self.lines = self.regions[:45], self.lines[:90]
        self.rng.shuffle(self.regions)
        tables = sum(label == "table" for label, _ in self.regions)
        self.tables = [TABLE % n for n in range(tables)]
        return self


def pipeline():
    made = _LayoutParsingPipelineV2.__new__(_LayoutParsingPipelineV2)
    made.general_ocr_pipeline = types.SimpleNamespace(text_rec_model=read, text_rec_score_thresh=0.5)
    return made


def answer(page):
    """Blocks, Markdown in both forms and whether the page begins and ends a paragraph."""
    image = np.zeros((page.height, page.width, 3), np.uint8)
    boxes = [box for box, _ in page.lines]
    polygons = [np.array([[b[0], b[1]], [b[2], b[1]], [b[2], b[3]], [b[0], b[3]]], np.int16) for b in boxes]
    text = {"rec_boxes": np.array(boxes, np.int16) if boxes else np.array([]), "rec_texts": [t for _, t in page.lines],
            "rec_scores": [1.0] * len(boxes), "rec_labels": ["text"] * len(boxes), "rec_polys": copy.deepcopy(polygons), "dt_polys": polygons}
    layout = {"boxes": [{"label": label, "coordinate": list(box), "score": 0.9} for label, box in page.regions]}
    kept = xycuts_kept(layout)
    tables = [{"pred_html": page.tables[n]} for n in kept]
    blocks = pipeline().get_layout_parsing_res(image, region_det_res={"boxes": []}, layout_det_res=layout, overall_ocr_res=text,
                                               table_res_list=tables, seal_res_list=[], chart_res_list=[], formula_res_list=[],
                                               text_rec_score_thresh=0.5, markdown_ignore_labels=IGNORED)
    result = LayoutParsingResultV2({
        "parsing_res_list": blocks, "imgs_in_doc": [], "input_path": None, "page_index": None, "doc_preprocessor_res": {"output_img": image},
        "model_settings": {"use_table_recognition": True, "markdown_ignore_labels": IGNORED}})
    return blocks, result._to_markdown(pretty=True), result._to_markdown(pretty=False)


def xycuts_kept(layout):
    """Which tables, by their number, are left where regions overlap; PaddleX would give a table the content of one that it dropped."""
    from paddlex.inference.pipelines.layout_parsing.utils import remove_overlap_blocks
    marked = copy.deepcopy(layout)
    number = 0
    for box in marked["boxes"]:
        if box["label"] == "table":
            box["number"] = number
            number += 1
    return [box["number"] for box in remove_overlap_blocks(marked, threshold=0.5, smaller=True)["boxes"] if "number" in box]


def quoted(text):
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")


def lines_of(page):
    blocks, pretty, plain = answer(page)
    yield "page %d %d" % (page.width, page.height)
    tables = iter(page.tables)
    for label, box in page.regions:
        yield "region %s %s" % (label, " ".join("%.9g" % v for v in box))
        if label == "table":
            yield "table " + next(tables)
    for box, text in page.lines:
        yield "line %s %s" % (" ".join(map(str, box)), quoted(text))
    for b in blocks:
        yield "block %s %s %s %s" % (b.label, " ".join(str(int(v)) for v in b.bbox), b.order_index or 0, quoted(b.content))
    flags = tuple(map(int, pretty["page_continuation_flags"]))
    yield "markdown %s %s %d %d" % (*(fnv(np.frombuffer(m["markdown_texts"].encode(), np.uint8)) for m in (pretty, plain)), *flags)
    if WHOLE:
        yield "text " + quoted(pretty["markdown_texts"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=100)
    parser.add_argument("--seed", type=int, default=66)
    parser.add_argument("--to", type=pathlib.Path, default=HERE / "reading_order.txt")
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    lines, failed = [], {}
    for _ in range(arguments.pages):
        page = Page(rng).made()
        try:
            lines += lines_of(page)
        except (UnboundLocalError, IndexError, ValueError, TypeError) as error:    # pages on which PaddleX itself fails
            failed.setdefault("%s: %s" % (type(error).__name__, error), []).append(page)
    for why, pages in failed.items():
        print("%d pages left out, on which PaddleX fails: %s" % (len(pages), why))
    arguments.to.write_text("\n".join(lines) + "\n", "utf-8")


main()
