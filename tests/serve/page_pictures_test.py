# SPDX-License-Identifier: Apache-2.0
"""The page looks as on the committed pictures, whose comparison sees what is missing, moved or in other colours, but not how
letters are drawn. `make page-pictures` makes them again where the page has changed."""
import json

import pytest

from page_client import FAINT, WIDE, page, shared

pytest.importorskip("PIL", reason="the package pillow, which reads pictures, is not installed")
from page_pictures import ANSWERS, ROOT, committed, differences, picture_of
from page_scenes import SCENES, stage

# Whether letters are as wide as those of the pictures: of the same font.
FONT = """(() => {
  const context = document.createElement('canvas').getContext('2d');
  const width = (font) => {
    context.font = '40px ' + font;
    return context.measureText('Coracle reads 0123').width;
  };
  const near = (a, b) => Math.abs(a - b) < 0.01 * b;
  return near(width('system-ui, sans-serif'), width('"DejaVu Sans", monospace')) && !near(width('"DejaVu Sans", monospace'), width('monospace'));
})()"""


@pytest.fixture(scope="module")
def scene(shared):
    with stage(shared) as address:
        shared.open(address)
        if not shared.js(FONT):
            pytest.skip("the browser's font is not DejaVu Sans, of which the pictures are (Debian's package fonts-dejavu-core)")
        yield lambda name: SCENES[name][0](shared, address, *SCENES[name][1:])


def styled(page, rules):
    """The picture with further rules of style, which leave again."""
    page.js("document.adoptedStyleSheets = [new CSSStyleSheet()]; document.adoptedStyleSheets[0].replaceSync(%s)" % json.dumps(rules))
    picture = picture_of(page)
    page.js("document.adoptedStyleSheets = []")
    return picture


# What may be wrong with a page, as rules of style.
WRONG = {
    "desktop-light": {
        "a chart is missing": ".chart:nth-child(3) { visibility: hidden; }",
        "a panel is missing": "#model > .scroll { display: none; }",
        "the models are missing": "nav { visibility: hidden; }",
        "the answer is missing": ".answer { visibility: hidden; }",
        "the lines of charts have each other's colours": ".plot .line { stroke: var(--second); } .plot .line-1 { stroke: var(--accent); }",
        "states have each other's colours": ".state.good { background: var(--bad-soft); color: var(--bad); }"
                                            ".state.bad { background: var(--good-soft); color: var(--good); }",
        "buttons have another colour": ":root { --accent: #b1500a; }",
        "charts are below each other": ".charts { grid-template-columns: 1fr; }",
        "charts have no lines": ".plot .line { stroke: none; }",
    },
    "phone-dark": {
        "it is light": ":root { --ground: #f3f5f5; --card: #fff; --text: #15201e; }",
        "the charts are too wide": ".charts { width: 500px; }",
        "columns stand beside each other": ".columns { grid-template-columns: 17rem minmax(0, 1fr); }",
        "text is larger": "body { font-size: 1.1rem; }",
        "the canvas is too wide": "canvas { max-width: none; width: 480px; }",
    },
}
# How other machines may draw the same letters.
DRAWN_OTHERWISE = ["* { text-rendering: geometricPrecision; }", "* { -webkit-font-smoothing: none; font-variant-ligatures: none; font-kerning: none; }",
                   "* { -webkit-text-stroke: 0.25px currentcolor; }", "body { letter-spacing: 0.003em; }"]


@pytest.mark.parametrize("name", SCENES)
def test_it_looks_as_before(page, scene, name, tmp_path):
    scene(name)
    picture = picture_of(page)
    found = differences(picture, committed(name))
    if found:
        picture.save(tmp_path / "page.png")
        pytest.fail("%s: %s; %s is what it looks like, make page-pictures makes it the one to compare with" %
                    (name, "; ".join(found), tmp_path / "page.png"))
    assert page.js(WIDE) == [] and page.js("document.documentElement.scrollWidth") == SCENES[name][1]
    seen, faint = page.js(FAINT)
    assert seen > 60 and faint == []
    if name not in WRONG:
        return
    # The comparison itself.
    unseen = [what for what, rules in WRONG[name].items() if not differences(styled(page, rules), committed(name))]
    assert unseen == []
    seen = [(rules, found) for rules in DRAWN_OTHERWISE if (found := differences(styled(page, rules), committed(name)))]
    assert seen == []


def test_pictures_are_small():
    assert {path.stem for path in ANSWERS.glob("*.png")} == set(SCENES)
    assert all(path.stat().st_size < 60_000 for path in ANSWERS.glob("*.png"))
    assert sum(path.stat().st_size for path in (ROOT / "docs").glob("serving-page*.webp")) < 200_000
