#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the demo's picture: a notice with about twenty lines in Chinese and English, some tilted, some upside down.

The text is our own, the fonts are Debian's (fonts-noto-cjk, fonts-dejavu-core), and Pillow draws it (python3-pil).
    examples/ocr/make_image.py [examples/ocr/demo.jpg]
"""

import pathlib
import random
import sys

from PIL import Image, ImageDraw, ImageFilter, ImageFont

WIDTH, HEIGHT = 1120, 1440
PAPER = (247, 244, 236)
INK = (38, 36, 44)
RED = (168, 32, 38)
BLUE = (28, 62, 128)

NOTO = "/usr/share/fonts/opentype/noto/"
DEJAVU = "/usr/share/fonts/truetype/dejavu/"
SANS = NOTO + "NotoSansCJK-Regular.ttc"
SANS_BOLD = NOTO + "NotoSansCJK-Bold.ttc"
SERIF = NOTO + "NotoSerifCJK-Regular.ttc"
LATIN = DEJAVU + "DejaVuSans.ttf"
LATIN_BOLD = DEJAVU + "DejaVuSans-Bold.ttf"
MONO = DEJAVU + "DejaVuSansMono.ttf"

# Text, font, size in pixels, colour, centre of the line, counter-clockwise angle in degrees.
LINES = [
    ("湖畔茶馆", SANS_BOLD, 72, RED, (560, 86), 0),
    ("Lakeside Tea House", LATIN_BOLD, 44, INK, (560, 168), 0),
    ("杭州市西湖区北山街18号", SANS, 34, INK, (560, 232), 0),
    ("Open daily from 9:30 to 22:00", LATIN, 30, INK, (560, 288), 0),
    ("订单号：20240517-0086", SANS, 32, INK, (310, 372), 0),
    ("Table 12", LATIN_BOLD, 34, BLUE, (900, 372), 0),
    ("龙井绿茶", SERIF, 38, INK, (190, 458), 0),
    ("58.00", MONO, 36, INK, (940, 458), 0),
    ("Jasmine pearls", LATIN, 36, INK, (240, 524), 0),
    ("46.50", MONO, 36, INK, (940, 524), 0),
    ("桂花糕两份", SERIF, 38, INK, (210, 592), 0),
    ("32.00", MONO, 36, INK, (940, 592), 0),
    ("Total: 136.50", LATIN_BOLD, 42, RED, (850, 680), 0),
    ("今日推荐：手工莲子酥", SANS_BOLD, 40, BLUE, (330, 760), 5),
    ("Fresh every morning", LATIN, 36, BLUE, (790, 790), -6),
    ("请勿在室内吸烟", SANS_BOLD, 42, INK, (300, 900), 180),
    ("Thank you for visiting", LATIN_BOLD, 38, INK, (780, 914), 180),
    ("欢迎扫码加入会员", SANS, 38, INK, (300, 1008), 177),
    ("Members save 15 percent", LATIN, 34, INK, (760, 1020), -4),
    ("A river is never the same twice", LATIN, 34, INK, (420, 1130), 3),
    ("品茶听雨，静候花开", SERIF, 46, INK, (420, 1230), -2),
    ("电话 0571-8796 5432", SANS, 34, INK, (400, 1330), 0),
    ("WiFi:teahouse2024", MONO, 32, BLUE, (960, 1240), 90),
]


def paper(seed=7):
    """A sheet with a soft shade and a little grain, so that the page looks photographed."""
    rng = random.Random(seed)
    sheet = Image.new("RGB", (WIDTH, HEIGHT), PAPER)
    shade = Image.linear_gradient("L").resize((WIDTH, HEIGHT)).rotate(20, fillcolor=128)
    sheet = Image.composite(sheet, Image.new("RGB", (WIDTH, HEIGHT), (222, 217, 206)), shade.point(lambda v: 255 - v // 2))
    grain = Image.new("L", (WIDTH // 4, HEIGHT // 4))
    grain.putdata([rng.randrange(118, 138) for _ in range(grain.width * grain.height)])
    grain = grain.resize((WIDTH, HEIGHT), Image.BICUBIC)
    return Image.blend(sheet, Image.merge("RGB", [grain] * 3), 0.06)


def draw_line(page, text, font_path, size, colour, centre, angle):
    """Draws one line on its own layer, turns the layer, and pastes it with its centre where it belongs."""
    font = ImageFont.truetype(font_path, size, index=2 if font_path.endswith(".ttc") else 0)  # 2: simplified Chinese
    text = text.replace(" ", "  ")  # Small recognisers overlook the narrow spaces of proportional fonts.
    left, top, right, bottom = font.getbbox(text)
    layer = Image.new("L", (right - left + 8, bottom - top + 8), 0)
    ImageDraw.Draw(layer).text((4 - left, 4 - top), text, font=font, fill=255)
    layer = layer.rotate(angle, resample=Image.BICUBIC, expand=True)
    corner = (centre[0] - layer.width // 2, centre[1] - layer.height // 2)
    page.paste(Image.new("RGB", layer.size, colour), corner, layer)


def main():
    page = paper()
    pen = ImageDraw.Draw(page)
    for y in (330, 414, 634):
        pen.line([(90, y), (1030, y)], fill=(150, 145, 135), width=2)
    for line in LINES:
        draw_line(page, *line)
    page = page.filter(ImageFilter.GaussianBlur(0.6))
    target = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).with_name("demo.jpg"))
    page.save(target, quality=88)
    print(f"{target}: {WIDTH} x {HEIGHT}, {len(LINES)} lines, {target.stat().st_size} bytes")


if __name__ == "__main__":
    main()
