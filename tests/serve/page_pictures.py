# SPDX-License-Identifier: Apache-2.0
"""Pictures of the page: how they are compared, and the making of those that are committed, also in docs/ (make page-pictures):
    build/serve-venv/bin/python tests/serve/page_pictures.py
"""
import base64
import io

import numpy as np
from PIL import Image

from browser import Browser
from page_scenes import ANSWERS, ROOT, SCENES, read_picture, stage

BLOCK = 16
COLOURS, APART = 128, 8  # of committed pictures
# The most that blocks may differ, of 255, on average and at one place: in brightness, which letters of another rasterisation
# change a little, and in hue, which they leave.
LIMITS = {"brightness": (2.0, 45.0), "hue": (0.8, 13.0)}


def picture_of(browser):
    return Image.open(io.BytesIO(browser.picture(full=True))).convert("RGB")


def committed(name):
    return Image.open(ANSWERS / (name + ".png")).convert("RGB")


def blocks_of(picture):
    """The mean colours of squares, which leave structure and colours and hardly anything of the forms of letters."""
    pixels = np.asarray(picture, np.float64)
    height, width = (size // BLOCK * BLOCK for size in pixels.shape[:2])
    return pixels[:height, :width].reshape(height // BLOCK, BLOCK, width // BLOCK, BLOCK, 3).mean((1, 3))


def differences(picture, wanted):
    """What differs more than it may, in words; nothing where the pictures show the same."""
    if picture.width != wanted.width or abs(picture.height - wanted.height) >= BLOCK:
        return ["its size is %d x %d instead of %d x %d" % (*picture.size, *wanted.size)]
    a, b = blocks_of(picture), blocks_of(wanted)
    rows = min(len(a), len(b))
    apart = a[:rows] - b[:rows]
    brightness = apart.mean(2)
    kinds = {"brightness": np.abs(brightness), "hue": np.abs(apart - brightness[..., None]).max(2)}
    found = []
    for name, by in kinds.items():
        mean, most = LIMITS[name]
        y, x = np.unravel_index(by.argmax(), by.shape)
        if by.mean() > mean or by.max() > most:
            found.append("%s differs by %.2f on average (at most %.2f) and by %.1f (at most %.1f) around (%d, %d)" %
                         (name, by.mean(), mean, by.max(), most, x * BLOCK, y * BLOCK))
    return found


def reduced(picture):
    """The picture in its commonest colours, of which none is near another one: Pillow's own palettes shift them."""
    pixels = np.asarray(picture)
    colours, places, counts = np.unique(pixels.reshape(-1, 3), axis=0, return_inverse=True, return_counts=True)
    colours = colours.astype(int)
    palette = colours[counts.argmax()][None]
    for colour in colours[np.argsort(-counts)]:
        if len(palette) < COLOURS and np.abs(palette - colour).max(1).min() >= APART:
            palette = np.vstack([palette, colour])
    nearest = ((colours[:, None] - palette[None]) ** 2).sum(2).argmin(1).astype(np.uint8)
    result = Image.fromarray(nearest[places].reshape(pixels.shape[:2]), "P")
    result.putpalette(palette.astype(np.uint8).tobytes())
    return result


def save(browser, name):
    path = ANSWERS / (name + ".png")
    reduced(picture_of(browser)).save(path, optimize=True)
    print(path.relative_to(ROOT), path.stat().st_size, "bytes")


def save_for_docs(browser, name, width, height):
    clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
    data = browser.call("Page.captureScreenshot", format="webp", quality=82, captureBeyondViewport=True, clip=clip)["data"]
    path = ROOT / "docs" / name
    path.write_bytes(base64.b64decode(data))
    print(path.relative_to(ROOT), path.stat().st_size, "bytes")


def main():
    browser = Browser()
    try:
        with stage(browser) as address:
            for name, (scene, width, scheme) in SCENES.items():
                scene(browser, address, width, scheme)
                save(browser, name)
            read_picture(browser, address, 1280, "light", ROOT / "examples/ocr/demo.jpg")
            save_for_docs(browser, "serving-page.webp", 1280, browser.js("document.documentElement.scrollHeight"))
            read_picture(browser, address, 360, "dark")
            save_for_docs(browser, "serving-page-phone.webp", 360, browser.js("document.documentElement.scrollHeight"))
    finally:
        browser.close()


if __name__ == "__main__":
    main()
