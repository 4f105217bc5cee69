# SPDX-License-Identifier: Apache-2.0
"""The texts of all errors, warnings and notes, read from the sources: `messages.py` prints them, the documentation site has a page of them.

A text is what the string literals of one call give, with … for each value between them."""
import pathlib
import re
import sys

FOLDERS = ("src", "python/coracle")
CPP_CALL = re.compile(r"\b(?:require|fail\w*|refuse\w*|check\w*|warn\w*|log|text|usage\w*|damaged|add_context|(?:[A-Za-z_]*Error|Failure)(?:\s+\w+)?)\s*[({]")
PYTHON_CALL = re.compile(r"\b(?:\w*Error|warn|fail)\(")
COUNTED = re.compile(r'\bcounted\(([^";]+), "(\w+)"\)')
# Not told to anybody: text that is written to files or handed to compilers.
OTHER_TEXT = re.compile(r"\\n|^[#{}<>/\\|*=]|^ {2}|\bcl[A-Z]\w+\(|::|;$|%\w+$|^[a-z_]+ [a-z_]+\(")


def _literal(source, at):
    """The content of the string literal that begins at `at`, and where it ends."""
    quote, at, content = source[at], at + 1, []
    while source[at] != quote:
        step = 2 if source[at] == "\\" else 1
        content.append(source[at:at + step])
        at += step
    return "".join(content), at + 1


def _call_text(source, at, is_python):
    """The literals of the call whose arguments begin at `at`, joined, with … where something else stands between."""
    text, depth, gap = "", 1, False
    while at < len(source) and depth:
        c = source[at]
        if c == '"' or (is_python and c == "'"):
            content, at = _literal(source, at)
            text += ("…" if gap and text and not text.endswith("…") else "") + content
            gap = False
            continue
        if c == "'" and not source[at - 1].isalnum():   # a character; in 1'000 it is a separator
            at = _literal(source, at)[1]
            gap = True
            continue
        if source.startswith("//", at) and not is_python:
            at = source.find("\n", at)
            continue
        depth += (c in "([{") - (c in ")]}")
        if c == ";" and not is_python:
            break
        gap = gap or not (c.isspace() or c in ",)")
        at += 1
    return text + ("…" if gap and text and not text.endswith("…") else "")


def _plural(match):
    """counted(n, "entry") as the literal after a value that it writes for most n (src/base/counted.h)."""
    noun = match.group(2)
    return '%s, " %s"' % (match.group(1), noun[:-1] + "ies" if noun[-1] == "y" else noun + ("es" if noun[-1] in "sx" else "s"))


def messages(root):
    """(file, text) of each message, in the order of the sources."""
    found = []
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in (".cc", ".h", ".py"):
                continue
            is_python, source, seen = path.suffix == ".py", path.read_text("utf-8"), set()
            source = source if is_python else COUNTED.sub(_plural, source)
            for call in (PYTHON_CALL if is_python else CPP_CALL).finditer(source):
                text = _call_text(source, call.end(), is_python)
                if is_python:
                    text = re.sub(r"%(?:\.\d+)?[sdrg]", "…", text)
                text = text.replace("'…'", "…").replace('\\"', '"').strip()
                if " " in text and len(text) > 8 and text not in seen and not OTHER_TEXT.search(text):
                    seen.add(text)
                    found.append((str(path.relative_to(root)), text))
    return found


def page(root):
    """The page of the documentation site."""
    lines = ["# All messages", "", "What the library, the program and the Python package say, by the files that say it; … stands for a value. "
             "[Troubleshooting](../troubleshooting.md) explains those that users meet.", ""]
    last = ""
    for file, text in messages(root):
        folder = file.rsplit("/", 1)[0]
        if folder != last:
            lines += ["", "## `%s`" % folder, "", "| message | file |", "|---|---|"]
            last = folder
        lines.append("| %s | `%s` |" % (re.sub(r"([\\`*_{}\[\]<>()#+!|])", r"\\\1", text), file.rsplit("/", 1)[1]))
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    for source_file, message in messages(pathlib.Path(__file__).resolve().parents[2]):
        sys.stdout.write("%s: %s\n" % (source_file, message))
