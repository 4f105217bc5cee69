#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What scripts/check_abi.py takes for a break, and what for an addition: check_abi_test.py SOURCE_DIR"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(sys.argv[1]) / "scripts"))
import check_abi

RECORDED = {
    "symbol f": "int(void)",
    "enumerator A": "0",
    "size options": "16",
    "field options.struct_size": "0 8",
    "field options.threads": "8 4",
    "size view": "8",
    "field view.data": "0 8",
}


def answers(**changes):
    """(breaks, additions) after changes; None takes an entry away."""
    found = dict(RECORDED)
    for key, value in changes.items():
        key = key.replace("__", " ").replace("_of_", ".")
        if value is None:
            del found[key]
        else:
            found[key] = value
    return tuple(len(lines) for lines in check_abi.compare("x", RECORDED, found))


def main():
    header = check_abi.declarations(pathlib.Path(__file__).parent, ["sample.h"])
    assert dict(check_abi.functions(header)) == {
        "sample_call": "int(*)(void*, const char*)",
        "sample_name": "const char*(size_t)",
        "sample_run": "void(const sample_view*, sample_call)",
    }, dict(check_abi.functions(header))
    assert answers() == (0, 0)
    assert answers(symbol__g="int(void)") == (0, 1)
    assert answers(symbol__f=None) == (1, 0)
    assert answers(symbol__f="int(int)") == (1, 0)
    assert answers(enumerator__B="1") == (0, 1)
    assert answers(enumerator__A="1") == (1, 0)
    # Options grow at their end; other structs stay.
    assert answers(field__options_of_more="16 8", size__options="24") == (0, 2)
    assert answers(size__options="8") == (1, 0)
    assert answers(field__options_of_more="8 8", field__options_of_threads="16 4", size__options="24")[0] == 1
    assert answers(field__options_of_threads=None) == (1, 0)
    assert answers(field__view_of_more="8 8", size__view="16")[0] == 2
    assert answers(size__new="4", field__new_of_a="0 4") == (0, 2)
    print("check_abi tells breaks from additions")


main()
