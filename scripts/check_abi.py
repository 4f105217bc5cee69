#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the binary interface of a build with the recorded one (docs/abi.md says what may change):

    check_abi.py BUILD_DIR               exit status 1 with a line for each difference
    check_abi.py BUILD_DIR --update      records what was added
    check_abi.py BUILD_DIR --break       records everything: for a new SOVERSION
    check_abi.py BUILD_DIR --windows     of a build for Windows: each DLL, its import library and its .def have the functions of the record
                                         and of the headers, and no others

Recorded are, in tests/abi/<library>.txt: exported symbols with their prototypes, structs with the places of their fields (as
the C compiler lays them out), enumerators, and the newest symbol versions of the system's libraries that are needed."""
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent
LIBRARIES = {"coracle": (SOURCE / "include", ["coracle/coracle.h", "coracle/device.h", "coracle/operator.h"], "coracle_"),
             "coracle_quantize": (SOURCE / "include", ["coracle/quantize.h"], "coracle_"),
             "coracle_vision": (SOURCE / "include", ["coracle/vision/vision.h"], "coracle_"),
             "paddle_inference_c": (SOURCE / "include/paddle",
                                    ["pd_common.h", "pd_types.h", "pd_config.h", "pd_tensor.h", "pd_predictor.h", "pd_utils.h"], "PD_")}


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, universal_newlines=True).stdout


def declarations(folder, headers):
    """The text of headers without comments, directives and words that are no part of the interface."""
    text = "\n".join((folder / header).read_text(encoding="utf-8") for header in headers)
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    text = re.sub(r"//[^\n]*", " ", text)
    text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", " ", text, flags=re.M)
    text = re.sub(r'extern "C" \{|\b(?:CORACLE_API|CORACLE_QUANTIZE_API|CORACLE_VISION_API|PADDLE_CAPI_EXPORT|extern|__pd_give|__pd_keep|__pd_take)\b', " ", text)
    text = re.sub(r"PD_ENUM\((\w+)\)\s*\{(.*?)\};", r"typedef enum \1 {\2} \1;", text, flags=re.S)
    return re.sub(r"\s+", " ", text)


def split_parameters(text):
    """Types of parameters, without their names."""
    for parameter in text.split(","):
        yield re.sub(r"(?<=[*\s])\w+$", "", parameter.strip()).replace(" *", "*").strip()


def functions(text):
    for result, name, parameters in re.findall(r"(?:^|[;}])\s*((?:\w+[\s*]+)+)(\w+)\(([^(){}]*)\)(?=\s*;)", text):
        if not result.startswith("typedef"):
            yield name, "%s(%s)" % (result.replace(" *", "*").strip(), ", ".join(split_parameters(parameters)))
    for result, name, parameters in re.findall(r"typedef ([\w\s*]+?)\(\*(\w+)\)\(([^(){}]*)\);", text):
        yield name, "%s(*)(%s)" % (result.replace(" *", "*").strip(), ", ".join(split_parameters(parameters)))


def layout(folder, headers, text):
    """Sizes, offsets and values, by a program that prints them."""
    lines = []
    for body, struct in re.findall(r"typedef struct \w+ \{([^{}]*)\} (\w+);", text):
        lines.append('printf("size %s %%zu\\n", sizeof(%s));' % (struct, struct))
        for field in re.findall(r"(\w+)(?:\[\w+\])?\s*;", body):
            lines.append('printf("field %s.%s %%zu %%zu\\n", offsetof(%s, %s), sizeof(((%s*)0)->%s));' % ((struct, field) * 3))
    for body in re.findall(r"typedef enum \w+ \{([^{}]*)\}", text):
        for name in re.findall(r"(\w+)\s*=", body):
            lines.append('printf("enumerator %s %%d\\n", (int)%s);' % (name, name))
    with tempfile.TemporaryDirectory() as work:
        program = pathlib.Path(work) / "layout"
        source = program.with_suffix(".c")
        source.write_text("#include <stddef.h>\n#include <stdio.h>\n" + "".join("#include <%s>\n" % h for h in headers)
                          + "int main(void) {\n" + "\n".join(lines) + "\nreturn 0;\n}\n", encoding="utf-8")
        output(os.environ.get("CC", "cc"), "-I%s" % folder, "-o", str(program), str(source))
        return output(str(program)).splitlines()


def needed_versions(library):
    """The newest version of each of the system's families of symbols, as numbers."""
    newest = {}
    for family, version in re.findall(r"\((GLIBC|GLIBCXX|CXXABI|GCC)_([0-9.]+)\)", output("objdump", "-T", str(library))):
        newest[family] = max(newest.get(family, (0,)), tuple(int(part) for part in version.split(".")))
    return newest


def current(build, name):
    """What there is now: kind and name -> the rest."""
    folder, headers, prefix = LIBRARIES[name]
    library = build / ("lib%s.so" % name)
    exported = {line.split()[-1] for line in output("nm", "-D", "--defined-only", str(library)).splitlines()
                if not line.split()[-1].startswith("_Z")}  # C++ is no binary interface
    text = declarations(folder, headers)
    declared = {key: value for key, value in functions(text)}
    found = {"symbol " + key: declared.get(key, "not declared") for key in exported}
    found.update(("function type " + key, value) for key, value in declared.items() if "(*)" in value)
    for line in layout(folder, headers, text):
        kind, key, value = line.split(" ", 2)
        found["%s %s" % (kind, key)] = value
    for family, version in needed_versions(library).items():
        found["needs " + family] = ".".join(map(str, version))
    missing = [key for key in declared if key.startswith(prefix) and key not in exported and "(*)" not in declared[key]]
    return found, missing


def recorded_of(name):
    path = SOURCE / "tests/abi" / (name + ".txt")
    return dict(line.split(": ", 1) for line in path.read_text(encoding="utf-8").splitlines()) if path.exists() else {}


def windows_exports(build, name):
    """What a library for Windows says in each place that it exports."""
    table = output("x86_64-w64-mingw32-objdump", "-p", str(build / (name + ".dll"))).partition("[Ordinal/Name Pointer] Table")[2]
    linked = output("x86_64-w64-mingw32-nm", str(build / "lib" / (name + ".lib")))
    listed = (build / "lib" / (name + ".def")).read_text(encoding="utf-8").partition("EXPORTS\n")[2]
    return {name + ".dll": set(re.findall(r"^\s*\[ *\d+\].*?(\w+)$", table.partition("\n\n")[0], flags=re.M)),
            "lib/%s.lib" % name: set(re.findall(r" __imp_(\w+)$", linked, flags=re.M)),
            "lib/%s.def" % name: set(listed.split())}


def check_windows(build):
    """Of symbols alone: layouts are those of the headers."""
    failed = False
    for name, (folder, headers, prefix) in LIBRARIES.items():
        declared = {key for key, value in functions(declarations(folder, headers)) if key.startswith(prefix) and "(*)" not in value}
        recorded = {key[7:] for key in recorded_of(name) if key.startswith("symbol ")}
        for place, exported in windows_exports(build, name).items():
            for what, symbols in (("recorded and not there", recorded - exported), ("declared and not there", declared - recorded - exported),
                                  ("there and not recorded", exported - recorded)):
                for symbol in sorted(symbols):
                    print("%s: %s: %s" % (place, what, symbol))
                    failed = True
        print("%s: %d functions compared" % (name, len(recorded | declared)))
    return 1 if failed else 0


def host_of_the_record():
    """Which versions a library needs depends on where it is built; they are recorded for Debian 12 and x86-64."""
    try:
        text = pathlib.Path("/etc/os-release").read_text(encoding="utf-8")
    except OSError:
        return False
    return "bookworm" in text and platform.machine() == "x86_64"


def may_grow(key, found):
    """Structs that start with their size: programs say how much of them they know."""
    return key.startswith("size ") and found.get("field %s.struct_size" % key[5:], "").startswith("0 ")


def compare(name, recorded, found):
    """What breaks programs, and what is new."""
    broken, added = [], []
    for key in sorted(recorded.keys() | found.keys()):
        before, now = recorded.get(key), found.get(key)
        if before == now or (key.startswith("needs ") and not host_of_the_record()):
            continue
        if key.startswith("needs ") and before and now:
            older = [tuple(map(int, version.split("."))) for version in (before, now)]
            if older[1] > older[0]:
                broken.append("%s: %s %s, recorded %s" % (name, key, now, before))
        elif before is None:
            struct = key.split(" ")[1].split(".")[0]
            inside = key.startswith("field ") and "size " + struct in recorded and not may_grow("size " + struct, found)
            (broken if inside else added).append("%s: new: %s %s" % (name, key, now))
        elif now is None:
            broken.append("%s: gone: %s %s" % (name, key, before))
        elif may_grow(key, found) and int(now) > int(before):
            added.append("%s: %s grows from %s to %s" % (name, key, before, now))
        else:
            broken.append("%s: %s was %s and is %s" % (name, key, before, now))
    return broken, added


def main():
    build, mode = pathlib.Path(sys.argv[1]), (sys.argv[2:] or [""])[0]
    if mode == "--windows":
        return check_windows(build)
    failed = False
    for name in LIBRARIES:
        path = SOURCE / "tests/abi" / (name + ".txt")
        found, missing = current(build, name)
        recorded = recorded_of(name)
        broken, added = compare(name, recorded, found)
        for function in missing:
            print("%s: declared and not exported: %s" % (name, function))
        for line in broken + added:
            print(line)
        failed = failed or bool(missing)
        if mode == "--break" or (mode == "--update" and not broken):
            path.write_text("".join("%s: %s\n" % item for item in sorted(found.items())), encoding="utf-8")
        elif broken:
            print("programs that were built before would break; only a new SOVERSION may (docs/abi.md)")
            failed = True
        elif added:
            print("to record what is new: scripts/check_abi.py %s --update" % build)
            failed = True
        print("%s: %d entries compared" % (name, len(found)))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
