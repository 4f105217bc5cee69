# SPDX-License-Identifier: Apache-2.0
"""The declarations of the C interface, read from its headers."""
import pathlib
import re
import sys
import typing

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(SOURCE / "scripts"))
import check_abi  # noqa: E402

LIBRARIES = ("coracle", "coracle_vision")
# What defines operators: they are written in C++ or C, and loaded (coracle_load_operators).
LEFT_OUT = {"coracle/operator.h"}
FORMS = (("enum", r"typedef enum \w+ \{([^{}]*)\} (\w+);"), ("struct", r"typedef struct \w+ \{([^{}]*)\} (\w+);"),
         ("callback", r"typedef ([\w\s*]+?)\(\*(\w+)\)\(([^(){}]*)\);"), ("opaque", r"typedef struct \w+ (\w+);"),
         ("forward", r"struct \w+;"), ("function", r"([\w\s*]+?[\s*])(\w+)\(([^(){}]*)\);"), ("end", r"\}"))


class Declaration(typing.NamedTuple):
    """`kind`: opaque, enum, struct, callback or function. Members of an enum are (name, value), those of a struct (type, name,
    how many or None), those of the others (type, name) of parameters; `result` is what these return."""
    kind: str
    name: str
    members: list
    result: str = ""


def typed(text):
    """Type and name of a field or parameter, and the number in brackets behind it."""
    found = re.fullmatch(r"(.*?[\s*])(\w+)(?:\[(\w+)\])?", re.sub(r"\bstruct ", "", text.strip()))
    return found[1].strip().replace(" *", "*"), found[2], found[3]


def parameters(text):
    return [] if text.strip() in ("", "void") else [typed(each)[:2] for each in text.split(",")]


def headers_of(library):
    """The folder of a library's headers, and their names in it."""
    folder, headers, _ = check_abi.LIBRARIES[library]
    return folder, [each for each in headers if each not in LEFT_OUT]


def declarations(library):
    """The declarations of a library's headers, in their order. Ends the program at what it does not understand."""
    folder, headers = headers_of(library)
    text = check_abi.declarations(folder, headers).strip()
    found = []
    while text:
        kind, match = next(((kind, match) for kind, form in FORMS for match in [re.match(form, text)] if match), (None, None))
        if kind is None:
            raise SystemExit("bindings: %s: this is not understood: %s" % (headers[0], text[:80]))
        text = text[match.end():].lstrip()
        if kind == "enum":
            found.append(Declaration(kind, match[2], [(name, int(value)) for name, value in re.findall(r"(\w+) = (\d+)", match[1])]))
            if match[1].count(",") + 1 != len(found[-1].members):
                raise SystemExit("bindings: %s: an enumerator of %s has no number" % (headers[0], match[2]))
        elif kind == "struct":
            found.append(Declaration(kind, match[2], [typed(each) for each in match[1].split(";") if each.strip()]))
        elif kind in ("callback", "function"):
            found.append(Declaration(kind, match[2], parameters(match[3]), match[1].strip().replace(" *", "*")))
        elif kind == "opaque":
            found.append(Declaration(kind, match[1], []))
    return found


def limits(library):
    """Names and numbers of the macros that are a part of the interface."""
    folder, headers = headers_of(library)
    return re.findall(r"^#define (CORACLE_MAX_\w+) (\d+)$", (folder / headers[0]).read_text(encoding="utf-8"), re.M)


def made_from(library):
    """What a file that is made of the headers says of itself."""
    return "Made by scripts/bindings/check.py from %s." % " and ".join("include/" + each for each in headers_of(library)[1])


def layout(library):
    """Sizes of structs, places and sizes of their fields, and numbers of enumerators as the C compiler has them."""
    folder, headers = headers_of(library)
    return check_abi.layout(folder, headers, check_abi.declarations(folder, headers))
