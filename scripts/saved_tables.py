#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes src/saved/tables.h, by which saved models are read, from src/saved/schema.fbs.

    scripts/saved_tables.py          writes it
    scripts/saved_tables.py --check  compares: exit status 1 where it is not what would be written
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCHEMA = ROOT / "src/saved/schema.fbs"
HEADER = ROOT / "src/saved/tables.h"
NUMBERS = {"int": "int32_t", "uint": "uint32_t", "long": "int64_t", "ulong": "uint64_t", "double": "double"}
RESERVED = {"operator": "operator_"}

TOP = """// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "saved/flat_table.h"

/// The tables of schema.fbs, which says what their fields mean; scripts/saved_tables.py writes this file.
namespace coracle::internal::saved::tables {

"""


def accessor(field, kind, number, default, enums):
    name = RESERVED.get(field, field)
    place = f"{number}, {default}" if default else str(number)
    if kind == "string":
        return f"std::string_view {name}() const {{ return string({place}); }}"
    if kind == "bool":
        return f"bool {name}() const {{ return truth({place}); }}"
    if kind == "[string]":
        return f"FlatList<std::string_view> {name}() const {{ return list<std::string_view>({place}); }}"
    element = kind.strip("[]")
    if kind.startswith("["):
        if element in NUMBERS or element in enums:
            element = NUMBERS.get(element, element)
            return f"FlatNumbers<{element}> {name}() const {{ return numbers<{element}>({place}); }}"
        return f"FlatList<{element}> {name}() const {{ return list<{element}>({place}); }}"
    element = NUMBERS.get(element, element)
    return f"{element} {name}() const {{ return number<{element}>({place}); }}"


def header(schema):
    schema = re.sub(r"//[^\n]*", "", schema)
    text = TOP
    enums = set(re.findall(r"enum (\w+) :", schema))
    for name, values in re.findall(r"enum (\w+) : ubyte \{([^}]*)\}", schema):
        text += f"enum class {name} : uint8_t {{\n" + "".join(f"  k{v.strip()},\n" for v in values.split(",")) + "};\n\n"
    tables = {}
    for name, body in re.findall(r"table (\w+) \{(.*?)\}", schema, re.S):
        fields = re.findall(r"(\w+)\s*:\s*([\[\]\w]+)\s*(?:=\s*(-?\d+))?\s*(\(deprecated\))?\s*;", body)
        tables[name] = [(f, k, i, d) for i, (f, k, d, gone) in enumerate(fields) if not gone]
    root = re.search(r"root_type (\w+);", schema)[1]
    written = []

    def write(name):
        nonlocal text
        if name in written:
            return
        for _, kind, _, _ in tables[name]:
            if kind.strip("[]") in tables:
                write(kind.strip("[]"))
        written.append(name)
        text += f"struct {name} : FlatTable {{\n  using FlatTable::FlatTable;\n"
        if name == root:
            text += f"  /// The one that bytes begin with.\n  explicit {name}(const FlatBytes& bytes) : FlatTable(bytes, bytes.target(0)) {{}}\n"
        text += "".join(f"  {accessor(*field, enums)}\n" for field in tables[name]) + "};\n\n"

    for name in tables:
        write(name)
    return text + "}  // namespace coracle::internal::saved::tables\n"


def main():
    wanted = header(SCHEMA.read_text(encoding="utf-8"))
    if sys.argv[1:] == ["--check"]:
        same = HEADER.read_text(encoding="utf-8") == wanted
        print("saved tables: " + ("as the schema says" if same else "src/saved/tables.h is not what src/saved/schema.fbs says: run scripts/saved_tables.py"))
        return 0 if same else 1
    HEADER.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
