# SPDX-License-Identifier: Apache-2.0
"""Each message that docs/troubleshooting.md explains is one that Coracle can give."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
OTHERS = ("GLIBC", "Could not find a package")   # What the loader and CMake say.


def sources():
    """All source text, with strings that stand in pieces put together."""
    files = [path for folder in ("src", "include", "python") for kind in ("*.cc", "*.h", "*.py") for path in (ROOT / folder).rglob(kind)]
    return re.sub(r'"\s*,?\s*"', "", "\n".join(path.read_text("utf-8") for path in files))


def main():
    text = sources()
    page = (ROOT / "docs" / "troubleshooting.md").read_text("utf-8")
    messages = re.findall(r"^\| `+([^`]+)`", page, re.M)
    messages = [message for message in messages if not any(other in message for other in OTHERS)]
    missing = ["%s: %r" % (message, piece) for message in messages
               for piece in (each.strip(" ,:'") for each in message.split("…")) if piece and piece not in text]
    print("%d messages" % len(messages))
    if missing or len(messages) < 20:
        sys.exit("\n".join(["no source has these:", *missing]))


main()
