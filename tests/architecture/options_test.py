#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What scripts/check_options.py finds: options_test.py ROOT"""
import pathlib
import shutil
import sys
import tempfile

ROOT = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(ROOT / "scripts"))
import check_options  # noqa: E402

FILES = ["include/coracle/coracle.h", "include/coracle/coracle.hpp", "python/coracle/_library.py", "python/coracle/model.py",
         "python/coracle/session.py", "src/cli/model_options.cc"]
# File, what is there, what is put in its place, and a part of the line that is found then; the first one is a new option of the C interface.
CHANGES = [
    ("include/coracle/coracle.h", "  int32_t allow_outside_links;\n", "  int32_t allow_outside_links;\n  size_t arena_limit;\n",
     ["ModelOptions has the options", "nothing sets c.arena_limit", "ModelOptions is ", "load has no argument arena_limit",
      "no option of the program sets m.options.arena_limit"]),
    ("include/coracle/coracle.hpp", "    c.marks = or_null(options.marks);\n", "", ["nothing sets c.marks from ModelOptions"]),
    ("python/coracle/_library.py", '("min_ops", c_int64)', '("min_ops", c_int32)', ["_library.py: ModelOptions is "]),
    ("python/coracle/model.py", "        precision: Of products", "        Of products", ["the text of load does not describe precision"]),
    ("src/cli/model_options.cc", "s.options.parallel_engines", "s.options.threads", ["no option of the program sets s.options.parallel_engines"]),
]

failures = []
for changed, there, instead, expected in CHANGES:
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder)
        for name in FILES:
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, copy / name)
        text = (copy / changed).read_text(encoding="utf-8")
        if there not in text:
            failures.append("%s has no %r" % (changed, there))
        (copy / changed).write_text(text.replace(there, instead, 1), encoding="utf-8")
        found = list(check_options.problems(copy))
    if len(found) != len(expected) or any(part not in line for part, line in zip(expected, found)):
        failures.append("%s without %r: found %s" % (changed, there, found))
print("\n".join(failures))
sys.exit(1 if failures else 0)
