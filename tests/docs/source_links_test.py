# SPDX-License-Identifier: Apache-2.0
"""Links of the pages in the repository lead to files that are there; the site's own links are another test's."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)(?:#[^)\s]*)?\)")
# Pages that the site makes of headers and docstrings.
MADE = re.compile(r"reference/[\w-]+\.md$")


def broken():
    count, missing = 0, []
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "python").glob("*.md"), *(ROOT / "examples").rglob("*.md")]
    for page in sorted(pages):
        text = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.M | re.S)
        for target in LINK.findall(text):
            count += 1
            path = (page.parent / target).resolve()
            if not path.exists() and not MADE.search(str(path)):
                missing.append("%s: %s" % (page.relative_to(ROOT), target))
    return count, missing


count, missing = broken()
print("%d of %d links lead to files" % (count - len(missing), count))
sys.exit("broken links: " + ", ".join(missing) if missing or not count else 0)
