# SPDX-License-Identifier: Apache-2.0
"""Builds the documentation site, strictly and with its links checked; the reference has all names of the interfaces."""
import ast
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SITE = ROOT / "build" / "docs-site"


def exported(path):
    """What a module's __all__ has."""
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            return [name for name in ast.literal_eval(node.value) if not name.startswith("_")]
    raise SystemExit("%s has no __all__" % path)


def main():
    built = subprocess.run([str(ROOT / "scripts" / "docs-site.sh")])
    if built.returncode:
        sys.exit(built.returncode)
    # The search of pages that are read from disk: its index is a script, and what stands in for a worker is the site's own.
    home = (SITE / "index.html").read_text("utf-8")
    if not (SITE / "search/search_index.js").exists() or 'src="assets/iframe-worker.js"' not in home:
        sys.exit("search does not work in pages read from disk")
    fetched = re.findall(r"""<(?:script|link|img|iframe)[^>]*\s(?:src|href)=["']?(https?:[^"'\s>]+)""", home)
    if fetched:
        sys.exit("the site fetches from elsewhere: " + ", ".join(fetched))
    c = "".join((ROOT / "include/coracle" / name).read_text("utf-8") for name in ("coracle.h", "device.h"))
    cpp = (ROOT / "include/coracle/coracle.hpp").read_text("utf-8")
    python = ROOT / "python" / "coracle"
    wanted = {"c": re.findall(r"^CORACLE_API [^(]*?(coracle_\w+)\(", c, re.M) + re.findall(r"^} (coracle_\w+);", c, re.M),
              "cpp": [name.lower() for name in re.findall(r"^(?:class|struct) (\w+)", cpp, re.M)],
              "python": ["coracle." + name for name in exported(python / "__init__.py")],
              "python-paddle": ["coracle.paddle.inference." + name for name in exported(python / "paddle/inference/__init__.py")]}
    missing, count = [], 0
    for page, names in wanted.items():
        text = (SITE / "reference" / (page + ".html")).read_text("utf-8")
        missing += [name for name in names if 'id="%s"' % name not in text]
        count += len(names)
    print("the reference has %d of %d names" % (count - len(missing), count))
    if missing:
        sys.exit("not in the reference: " + ", ".join(missing))


main()
