# SPDX-License-Identifier: Apache-2.0
"""Reference pages in Markdown from the comments of coracle.h and coracle.hpp, and a table of operators from src/ops."""

from __future__ import annotations

import itertools
import pathlib
import re

NAME = re.compile(r"^#define (\w+)|\(\*(\w+)\)|\b(coracle_\w+)\(|^}\s*(\w+);|^typedef struct \w+ (\w+);", re.M)


def _prose(comment: str) -> str:
    """The text of a comment, names of the interface as code."""
    lines = [re.sub(r"^\s*(/\*\*+|\*/|\*(?= |$)|///<?) ?", "", line).rstrip() for line in comment.strip().splitlines()]
    text = re.sub(r"\s*\*/\s*$", "", "\n".join(lines)).strip()
    text = re.sub(r"(?m)^- ", "\n- ", text, count=1)   # Markdown's lists want a blank line before.
    pieces = text.split("`")
    pieces[::2] = [re.sub(r"(?<!\w)(\*\w+|__\w+__|(?:coracle_\w+|CORACLE_\w+)(?:\(\))?)", r"`\1`", piece) for piece in pieces[::2]]
    return "`".join(pieces)


def _statements(text: str):
    """("section", title), ("comment", text) and ("code", text) of a C header, and ("", "") for blank lines."""
    lines = iter(text.splitlines())
    for line in lines:
        section = re.match(r"/\* -+ (.*?) -+ \*/", line)
        if section:
            yield "section", section[1]
        elif line.startswith("/**"):
            block = [line]
            while "*/" not in block[-1]:
                block.append(next(lines))
            yield "comment", "\n".join(block)
        elif line.startswith("#"):
            if line.startswith("#define CORACLE_MAX"):
                yield "code", line
        elif not line.strip():
            yield "", ""
        else:
            block = [line]
            while not _ends(block):
                block.append(next(lines))
            yield "code", "\n".join(block)


def _ends(block: list[str]) -> bool:
    code = re.sub(r"/\*.*?\*/", "", "\n".join(block), flags=re.S)
    return code.count("{") == code.count("}") and code.rstrip().endswith(";") or code.startswith(('extern "C"', "}"))


def _entry(comment: str, codes: list[str]) -> str:
    names = [next(filter(None, found.groups())) for found in (NAME.search(code) for code in codes) if found]
    if not names:
        return ""
    anchors = "".join('<a id="%s"></a>' % name for name in names[1:])
    code = "\n".join(re.sub(r"^CORACLE_API ", "", each) for each in codes)
    title = "### %s {#%s}" % (", ".join("`%s`" % name for name in names), names[0])
    return _parts(title, anchors, "```c\n%s\n```" % code, _prose(comment))


def _parts(*parts: str) -> str:
    return "".join(part + "\n\n" for part in parts if part)


def c_reference(*headers: str) -> str:
    """A page for coracle.h and its parts: what is declared together and described once is one entry."""
    statements = itertools.chain.from_iterable(_statements(header[re.search(r"^/\*(\*| ----)", header, re.M).start():]) for header in headers)
    page = ["# C interface\n", "`#include <coracle/coracle.h>`; link with `libcoracle`.\n", _prose(next(statements)[1]), "\n## Types and versions\n"]
    comment, codes = "", []

    def finish():
        nonlocal comment, codes
        if codes:
            page.append(_entry(comment, codes))
        comment, codes = "", []

    for kind, text in statements:
        if kind == "code":
            codes.append(text)
            continue
        finish()
        if kind == "section":
            page.append("\n## %s\n" % text.capitalize())
        elif kind == "comment":
            comment = text
    finish()
    return "\n".join(page)


def _matching(text: str, at: int) -> int:
    """The index behind the brace that closes the one at `at`."""
    depth = 0
    for i in range(at, len(text)):
        depth += {"{": 1, "}": -1}.get(text[i], 0)
        if depth == 0:
            return i + 1
    raise ValueError("a brace is not closed: " + text[at:at + 60])


def declarations(text: str) -> list[str]:
    """C++ declarations one by one, comments with what follows them: bodies of functions and private members are left out."""
    found, start, depth, at, hidden = [], 0, 0, 0, False
    while at < len(text):
        here = text[at]
        if text.startswith("//", at):
            at = text.index("\n", at)
            continue
        depth += {"(": 1, ")": -1}.get(here, 0)
        head = text[start:at]
        plain = re.sub(r"//[^\n]*", "", head).strip()
        if here == ":" and plain in ("public", "private", "protected"):
            hidden, start = plain != "public", at + 1
        elif depth == 0 and here == "{":
            end = _matching(text, at)
            kind = re.match(r"(?:template <[^{]*?>\s*)?(class|struct)\b", plain)
            if kind or "(" in plain and "=" not in re.sub(r"\(.*\)", "", plain, flags=re.S):
                end += len(re.match(r";?", text[end:])[0])
                if not hidden:
                    found.append(head + _members(text[at:end], kind[1] == "class") if kind else
                                 re.sub(r"\) : .*", ")", head.rstrip(), flags=re.S) + ";")
                start = at = end
                continue
            at = end   # A value in braces: the statement goes on.
            continue
        elif depth == 0 and here == ";":
            end = at + len(re.match(r";([ ]*//[^\n]*)?", text[at:])[0])
            if not hidden:
                found.append(text[start:end])
            start = at = end
            continue
        at += 1
    return [each.strip("\n") for each in found]


def _members(body: str, private: bool) -> str:
    inner = body[1:body.rindex("}")]
    label = " public:\n" if private else ""
    return "{\n%s%s\n};" % (label, "\n".join(declarations(("private:" if private else "") + inner)))


def cpp_reference(*headers: str) -> str:
    """A page for coracle.hpp, the last, and headers that it includes: one entry for each class and free function of coracle."""
    intro = re.search(r"#pragma once\n\n((?:///.*\n)+)", headers[-1])[1]
    body = "".join(each[each.index("namespace coracle {") + len("namespace coracle {"):each.rindex("}  // namespace coracle")] for each in headers)
    body = re.sub(r"(?m)^#if !defined\(__cpp_exceptions\)\n}  // namespace without_exceptions\n#endif\n", "", body)
    # A namespace of its own without exceptions is no part of any name.
    body = re.sub(r"(?m)^#if !defined\(__cpp_exceptions\)\n[^\n]*\n#endif\n", "", body)
    body = re.sub(r"(?m)^(///.*\n)+namespace \w+ = [\w:]+;\n", "", body)   # other names of the same
    page = ["# C++ interface\n", "`#include <coracle/coracle.hpp>`; C++17 or later; link with `coracle::coracle`. All names are in `coracle`.\n",
            _prose(intro)]
    for text in declarations(body):
        lines = text.strip("\n").splitlines()
        split = next(i for i, line in enumerate(lines) if not line.startswith("///"))
        code = "\n".join(lines[split:])
        name = re.search(r"(?:class|struct|using) (\w+)|(\w+)\(", re.sub(r"^template <.*?>$", "", code, flags=re.M))
        page.append(_parts("## `%s`" % (name[1] or name[2]), _prose("\n".join(lines[:split])), "```cpp\n%s\n```" % code))
    return "\n".join(page)


def operator_table(folder: pathlib.Path) -> str:
    """A page of the operators that exist, by family, from the first lines of their headers."""
    count, page = 0, []
    for family in sorted(path for path in folder.iterdir() if path.is_dir()):
        rows = []
        for path in sorted(family.glob("*.h")):
            text = path.read_text("utf-8")
            name = re.search(r'kName = "([^"]+)"', text)
            if not name:
                continue
            legacy = re.search(r"kLegacy\[\] = \{(.*?)\}", text, re.S)
            types = re.findall(r'"([^"]+)"', legacy[1]) if legacy else []
            about = re.search(r"((?:^///.*\n)+)(?:template[^\n]*\n)?struct ", text, re.M)
            does = " ".join(_prose(about[1]).split()) if about else ""
            rows.append("| `%s` | %s | %s |" % (name[1], ", ".join("`%s`" % each for each in types),
                                                re.sub(r"([|<*_\[\]])", r"\\\1", does)))
        if rows:
            page += ["## %s\n" % family.name, "| name (Paddle 3) | types in `.pdmodel` files | what it does |",
                     "|---|---|---|", *rows, ""]
            count += len(rows)
    return "\n".join(["# Supported operators\n",
                      "%d operators, by family: one folder of `src/ops` each. `coracle inspect MODEL` lists those of a model, and what is not "
                      "supported. Operators that only rewriting makes are among them; they have no type in a file.\n" % count,
                      *page])
