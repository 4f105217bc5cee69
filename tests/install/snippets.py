#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a project of README.md's C, C++ and CMake code, to be built against an installed Coracle.

    snippets.py README.md FOLDER
"""
import pathlib
import re
import sys

# Run only if asked to, and silent: the test takes what is printed as an error.
MAIN = """
int main(int argc, char** argv) {
  (void)argv;
  return argc > 1 && (freopen("/dev/null", "w", stdout) == NULL || example() != 0);
}
"""


def block(text, language):
    """The code of the one block of a language."""
    found = re.findall(r"^```" + language + r"\n(.*?)^```$", text, re.M | re.S)
    if len(found) != 1:
        sys.exit(f"snippets: README.md has {len(found)} blocks of {language}, expected 1")
    return found[0]


def wrapped(code, signature):
    """The program as it is, but that its main has another name and is called by one that wants an argument."""
    if code.count(f"int main({signature})") != 1:
        sys.exit(f"snippets: a program of README.md has no int main({signature})")
    return "#include <stdio.h>\n" + code.replace(f"int main({signature})", f"static int example({signature})") + MAIN


def inline(text, start):
    """The one piece of inline code that begins so."""
    found = re.findall("`(" + re.escape(start) + "[^`]*)`", text)
    if len(found) != 1:
        sys.exit(f"snippets: README.md has {len(found)} times `{start}...`, expected 1")
    return found[0]


def main():
    text = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
    folder = pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "app.cc").write_text(wrapped(block(text, "cpp"), ""))
    (folder / "app.c").write_text(wrapped(block(text, "c"), "void"))
    link = inline(text, "target_link_libraries(")
    (folder / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(readme LANGUAGES C CXX)\nset(CMAKE_CXX_STANDARD 20)\n"
        f"{inline(text, 'find_package(')}\nadd_executable(app app.cc)\n{link}\n"
        f"add_executable(app_c app.c)\n{link.replace('app ', 'app_c ')}\n")


main()
