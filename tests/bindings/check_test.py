#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/bindings/check.py finds what differs: check_test.py SOURCE_DIR"""
import pathlib
import shutil
import sys
import tempfile

source = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(source / "scripts/bindings"))
import check  # noqa: E402
import interface  # noqa: E402

CHANGES = (("int32_t allow_outside_links;", "int32_t allow_outside_links;\n  int64_t novel;",
            ("coracle_h.rs", "Native.cs", "model.rs: nothing sets the option novel", "model.go: nothing sets", "Model.cs: nothing sets")),
           ("CORACLE_CANCELLED = 7 ", "CORACLE_CANCELLED = 7, CORACLE_NOVEL = 8 ", ("coracle_h.rs", "Native.cs", "error.rs: there is no CORACLE_NOVEL", "error.go: there is no")),
           ("size_t coracle_memory_total(void)", "int64_t coracle_memory_total(void)", ("-> i64;", "long coracle_memory_total()")),
           ("int32_t coracle_image_width(const coracle_image* image)", "int32_t coracle_image_width(const coracle_prediction* image)", ("vision_h.rs", "NativeVision.cs")))

for before, after, expected in CHANGES:
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(source / "include", pathlib.Path(folder) / "include")
        for header in pathlib.Path(folder).rglob("*.h"):
            text = header.read_text(encoding="utf-8")
            header.write_text(text.replace(before, after), encoding="utf-8")
        libraries = dict(interface.check_abi.LIBRARIES)
        interface.check_abi.LIBRARIES = {name: (pathlib.Path(folder) / "include", *rest) for name, (_, *rest) in libraries.items()}
        complaints = "\n".join([*check.differing(), *check.left_out()])
        interface.check_abi.LIBRARIES = libraries
    for words in expected:
        if words not in complaints:
            sys.exit("after the change of '%s' nothing says '%s':\n%s" % (before, words, complaints))

with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
    lines = [line for library in interface.LIBRARIES for line in interface.layout(library) if not line.startswith("enumerator ")]
    file.write("\n".join(line.replace("coracle_memory.plans 8 8", "coracle_memory.plans 4 8") for line in lines))
    file.flush()
    found = list(check.misplaced(file.name))
    if [each.split(" field")[0] for each in found] != ["the binding has", "C has"]:
        sys.exit("a field at another place: %s" % found)
