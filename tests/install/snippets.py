#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a project of README.md's C, C++ and CMake code, to be built against an installed Coracle.

    snippets.py README.md FOLDER
"""
import pathlib
import re
import sys

CPP = """int main(int argc, char**) {
  if (argc > 1) snippet(std::vector<float>(3 * 640 * 640, 0.5F));
  return 0;
}
"""
C = """static float pixels[3 * 640 * 640];
int main(int argc, char** argv) {
  (void)argv;
  if (argc > 1) snippet(pixels);
  return 0;
}
"""


def block(text, language):
    """The code of the one block of a language."""
    found = re.findall(r"^```" + language + r"\n(.*?)^```$", text, re.M | re.S)
    if len(found) != 1:
        sys.exit(f"snippets: README.md has {len(found)} blocks of {language}, expected 1")
    return found[0]


def wrapped(code, signature, main):
    """Includes as they are, the rest as a function's body, and a main that calls it if given an argument."""
    lines = code.splitlines()
    includes = [line for line in lines if line.startswith("#include")]
    body = [line for line in lines if not line.startswith("#include")]
    return "\n".join(includes + [signature + " {"] + body + ["}", main])


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
    signature = "static void snippet(const std::vector<float>& pixels)"
    (folder / "app.cc").write_text(wrapped(block(text, "cpp"), signature, CPP))
    (folder / "app.c").write_text(wrapped(block(text, "c"), "static void snippet(const float* pixels)", C))
    link = inline(text, "target_link_libraries(")
    (folder / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(readme LANGUAGES C CXX)\nset(CMAKE_CXX_STANDARD 20)\n"
        f"{inline(text, 'find_package(')}\nadd_executable(app app.cc)\n{link}\n"
        f"add_executable(app_c app.c)\n{link.replace('app ', 'app_c ')}\n")


main()
