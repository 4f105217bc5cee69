#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what the bindings for Rust, Go and C# declare of the C interface with its headers:

    check.py                   exit status 1 with a line for each difference
    check.py --update          writes the declarations anew
    check.py --layout FILE     compares sizes and places of fields as the C compiler has them with what a binding's test wrote to FILE

Go declares nothing: its compiler reads the headers."""
import re
import sys

import csharp
import interface
import rust

# Enumerations that bindings name by themselves, and where all of their enumerators stand.
NAMED = {"coracle_status": ("bindings/rust/coracle/src/error.rs", "bindings/go/internal/native/error.go"), "coracle_dtype": ("bindings/rust/coracle/src/element.rs", "bindings/go/tensor.go")}

# Structs of options, and where each binding sets their fields.
OPTIONS = {"coracle_model_options": ("bindings/rust/coracle/src/model.rs", "bindings/go/model.go", "bindings/csharp/src/Model.cs"),
           "coracle_session_options": ("bindings/rust/coracle/src/session.rs", "bindings/go/session.go", "bindings/csharp/src/Session.cs"),
           "coracle_run_options": ("bindings/rust/coracle/src/session.rs", "bindings/go/session.go", "bindings/csharp/src/Session.cs"),
           "coracle_predictor_options": ("bindings/rust/coracle/src/vision.rs", "bindings/go/vision/vision.go", "bindings/csharp/src/Vision.cs"),
           "coracle_text_reader_options": ("bindings/rust/coracle/src/vision.rs", "bindings/go/vision/vision.go", "bindings/csharp/src/Vision.cs")}
# Fields that bindings leave out: what is for work on Coracle itself, operators of one's own, which libraries of C++ bring along, and in Go and C# the cancelling of a load.
LEFT_OUT = {"struct_size", "max_rewrites", "emulate_tiles", "after_pass", "after_pass_user", "operators", "operator_count"}
LEFT_OUT_IN = {("bindings/go/model.go", "cancelled"), ("bindings/csharp/src/Model.cs", "cancelled")}


def differing():
    """A line for each file that is not what the headers make of it."""
    for path, content in (*rust.FILES.items(), *csharp.FILES.items()):
        file = interface.SOURCE / path
        found = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
        expected = content().splitlines()
        if found != expected:
            changed = [line for line in expected if line not in found] or [line for line in found if line not in expected] or ["the order"]
            yield "%s is not what the headers say, beginning with: %s; scripts/bindings/check.py --update writes it" % (path, changed[0].strip())


def left_out():
    """A line for each enumerator and option that a binding should name and does not."""
    for library in interface.LIBRARIES:
        for each in interface.declarations(library):
            for path in NAMED.get(each.name, ()) if each.kind == "enum" else ():
                text = (interface.SOURCE / path).read_text(encoding="utf-8")
                for name, _ in each.members:
                    if not re.search(r"\b%s\b" % name, text):
                        yield "%s: there is no %s" % (path, name)

            for path in OPTIONS.get(each.name, ()):
                text = (interface.SOURCE / path).read_text(encoding="utf-8")
                for _, name, _ in each.members:
                    if name not in LEFT_OUT and (path, name) not in LEFT_OUT_IN and not re.search(r"\bc\.@?%s\b" % name, text):
                        yield "%s: nothing sets the option %s of %s" % (path, name, each.name)


def misplaced(file):
    """A line for each size or place that differs between the C compiler and what a test wrote, and for what is in one only."""
    expected = {line for library in interface.LIBRARIES for line in interface.layout(library) if not line.startswith("enumerator ")}
    with open(file, encoding="utf-8") as lines:
        found = set(lines.read().splitlines())
    for line in sorted(expected ^ found, key=lambda line: (line.split()[1], line)):
        yield "%s %s" % ("C has" if line in expected else "the binding has", line)


def main():
    if sys.argv[1:] == ["--update"]:
        for path, content in (*rust.FILES.items(), *csharp.FILES.items()):
            (interface.SOURCE / path).parent.mkdir(parents=True, exist_ok=True)
            (interface.SOURCE / path).write_text(content(), encoding="utf-8")
        return 0
    complaints = list(misplaced(sys.argv[2])) if sys.argv[1:2] == ["--layout"] else [*differing(), *left_out()]
    for complaint in complaints:
        print("bindings: " + complaint, file=sys.stderr)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
