# SPDX-License-Identifier: Apache-2.0
"""All messages have the form that docs/messages.md describes, and each one that docs/troubleshooting.md explains is one that Coracle can give."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "docs"))

import messages  # noqa: E402

OTHERS = ("GLIBC", "Could not find a package")   # What the loader and CMake say.
# What a message does not have, and why; texts that begin with a name (OpenCL, XNNPACK, a task of a description) are exempt from the first.
FORMS = {
    "a capital at the beginning": re.compile(r"^(?!OpenCL|OpenVINO|XNNPACK|FreeType|PIR|UTF|PostProcess|PreProcess|NormalizeImage|RecResize|Preprocess|Config)[A-Z][a-z]+ [a-z]"),
    "a full stop at the end": re.compile(r"[a-z]\.$"),
    "two spaces": re.compile(r"[^ \n]  [^ ]"),
    "'is no', for 'is not a'": re.compile(r"(?<!here )\bis no (?!longer\b|such\b|…)[a-z]"),
    "'the system has not'": re.compile(r"\bhas not (the|an?)\b"),
    "'1 things'": re.compile(r"(?<!operand )(?<!-)\b1 (?!or |to |is )[a-z]+s\b(?! of)"),
}


def sources():
    """All source text, with strings that stand in pieces put together."""
    files = [path for folder in ("src", "include", "python") for kind in ("*.cc", "*.h", "*.py") for path in (ROOT / folder).rglob(kind)]
    return re.sub(r'"\s*,?\s*"', "", "\n".join(path.read_text("utf-8") for path in files))


def main():
    listed = messages.messages(ROOT)
    text = "\n".join([sources(), *(message for _, message in listed)])
    wrong = ["%s: %r has %s" % (file, message, form) for file, message in listed for form, pattern in FORMS.items() if pattern.search(message)]
    page = (ROOT / "docs" / "troubleshooting.md").read_text("utf-8")
    explained = re.findall(r"^\| `+([^`]+)`", page, re.M)
    explained = [message for message in explained if not any(other in message for other in OTHERS)]
    missing = ["%s: %r" % (message, piece) for message in explained
               for piece in (each.strip(" ,:'") for each in message.split("…")) if piece and piece not in text]
    print("%d messages, %d of them explained" % (len(listed), len(explained)))
    if wrong:
        print("\n".join(["messages of another form (docs/messages.md):", *wrong]))
    if missing:
        print("\n".join(["no source has these:", *missing]))
    if wrong or missing or len(listed) < 1000 or len(explained) < 20:
        sys.exit(1)


main()
