# SPDX-License-Identifier: Apache-2.0
"""What tests of the page share: the browser, and what is wrong to see."""
import browser
import pytest

pytest.importorskip("websocket", reason="the package websocket-client drives the browser")
if browser.PROGRAM is None:
    pytest.skip("Debian's package chromium is not installed", allow_module_level=True)

# Texts that are seen, with less than 4.5 : 1 (3 : 1 where they are large) between them and what is behind them.
FAINT = """(() => {
  const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = (c) => c.slice(0, 3).map((v) => v / 255).map((v) => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
  const behind = (e) => {
    for (; e; e = e.parentElement) {
      const colour = rgba(getComputedStyle(e).backgroundColor);
      if (colour[3] === 255) return colour;
    }
    return rgba(getComputedStyle(document.documentElement).colorScheme.includes('dark') &&
      matchMedia('(prefers-color-scheme: dark)').matches ? '#121212' : '#fff');
  };
  const faint = [];
  let seen = 0;
  for (const e of document.querySelectorAll('body *')) {
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()) || e.value;
    if (!own || !e.checkVisibility() || e.closest('noscript, .unseen, option')) continue;
    ++seen;
    const style = getComputedStyle(e), a = light(rgba(style.color)), b = light(behind(e));
    const contrast = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    const large = parseFloat(style.fontSize) >= 24;
    if (contrast < (large ? 3 : 4.5)) faint.push(e.tagName + '.' + e.className + ' ' + e.textContent.slice(0, 40) + ' ' + contrast);
  }
  return [seen, faint];
})()"""
# Elements that stand out of the page to the right, unless a box around them scrolls.
WIDE = """[...document.querySelectorAll('body *')].filter((e) => e.checkVisibility() && !e.closest('.unseen, svg, pre, .scroll > *, .skip') &&
  e.getBoundingClientRect().right > document.documentElement.clientWidth + .5).map((e) => e.tagName + '.' + e.className)"""


@pytest.fixture(scope="module")
def shared():
    page = browser.Browser()
    yield page
    page.close()


@pytest.fixture
def page(shared):
    """The browser, with nothing that tests before have left; no test may leave an error or ask other servers."""
    shared.open("about:blank")
    shared.size(1280, 900)
    shared.scheme("light")
    shared.problems.clear()
    shared.requested.clear()
    yield shared
    assert shared.problems == []


def address(server):
    return "http://127.0.0.1:%d/" % server.port


def show(page, server, name, condition="document.querySelector('#model .try')", kind="models"):
    page.open("about:blank")
    page.open(address(server) + "#" + kind + "/" + name)
    page.wait(condition)


def programs(page):
    page.wait("document.querySelector('.programs')")
    return page.js("[...document.querySelectorAll('.programs pre')].map((e) => e.textContent)")
