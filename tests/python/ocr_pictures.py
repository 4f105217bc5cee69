# SPDX-License-Identifier: Apache-2.0
"""Pictures of text, made with Pillow and fonts of Debian (scripts/setup-debian.sh --fonts): lines, tables, turned texts; Latin, Greek,
Cyrillic and Chinese. The same number makes the same picture."""
import pathlib
import random

from PIL import Image, ImageDraw, ImageFont

FONTS = pathlib.Path("/usr/share/fonts/truetype")
FACES = [FONTS / "dejavu" / name for name in ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf", "DejaVuSerif.ttf", "DejaVuSansMono.ttf")]
HAN = FONTS / "wqy" / "wqy-microhei.ttc"
WORDS = ("invoice total amount 2024 delivery address name 1,250.00 Zürich façade naïve señor Ελλάδα Москва привет order 42% "
         "No.7 e-mail (draft) page water bridge QUALITY 08:30 +49 0571-8796 Straße").split()
HAN_WORDS = "合同编号 甲方 地址 上海市浦东新区 发票 金额 2024年5月 电话 有限公司 日期 合计 ¥1,250.00 Total 湖畔茶馆 清蒸鲈鱼 营业时间 08:30 谢谢惠顾".split()


def absent_fonts():
    return [path for path in (*FACES, HAN) if not path.exists()]


def picture(number):
    """An RGB picture; each third is a table, each fourth is turned, each fifth is Chinese."""
    numbers = random.Random(number)
    face, words = (HAN, HAN_WORDS) if number % 5 == 4 else (FACES[number % len(FACES)], WORDS)

    def text(count):
        return " ".join(numbers.choice(words) for _ in range(count))

    width, height = numbers.randrange(320, 900), numbers.randrange(240, 700)
    paper, ink = numbers.choice((((255, 255, 255), (0, 0, 0)), ((244, 238, 220), (40, 30, 60)), ((30, 40, 60), (240, 240, 220))))
    image = Image.new("RGB", (width, height), paper)
    draw = ImageDraw.Draw(image)
    font = ImageFont.truetype(str(face), numbers.randrange(18, 34))
    line = int(font.size * 1.9)
    if number % 3 == 2:
        columns = numbers.randrange(2, 4)
        for row, y in enumerate(range(15, height - line, line)):
            for column in range(columns):
                x = 15 + column * (width - 30) // columns
                draw.rectangle((x, y, x + (width - 30) // columns, y + line), outline=ink)
                draw.text((x + 8, y + line // 5), text(1), ink, font)
    else:
        for y in range(20, height - line, line):
            draw.text((numbers.randrange(10, 60), y), text(numbers.randrange(1, 5)), ink, font)
    if number % 4 == 3:
        image = image.rotate(numbers.choice((-7, -3, 4, 9, 90, 180)), expand=True, fillcolor=paper)
    return image
