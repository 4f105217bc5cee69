# SPDX-License-Identifier: Apache-2.0
"""Checks the built site: every link within it, pictures and anchors included. Links to elsewhere are listed, not followed.

    links.py SITE
"""
import html.parser
import pathlib
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.ids, self.links = set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("id", "name") and value:
                self.ids.add(value)
            elif name in ("href", "src") and value and tag not in ("base",):
                self.links.append(value)


def main():
    site = pathlib.Path(sys.argv[1]).resolve()
    pages = {path: Page(path.read_text("utf-8")) for path in site.rglob("*.html") if path.name != "404.html"}
    broken, external, count = [], set(), 0
    for path, page in pages.items():
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme in ("http", "https") or parts.netloc:
                external.add(link)
            elif not parts.scheme:
                count += 1
                target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
                target = target / "index.html" if target.is_dir() else target
                anchor = urllib.parse.unquote(parts.fragment)
                if not target.exists() or anchor and target in pages and anchor not in pages[target].ids:
                    broken.append("%s: %s" % (path.relative_to(site), link))
    print("\n".join("elsewhere: " + link for link in sorted(external)))
    print("%d pages, %d links within the site, %d broken, %d elsewhere (not followed)" % (len(pages), count, len(broken), len(external)))
    if broken or len(pages) < 10:
        sys.exit("\n".join(["broken links:", *broken]))


main()
