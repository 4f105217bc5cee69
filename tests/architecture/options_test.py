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
         "python/coracle/session.py", "python/coracle/quantization.py", "include/coracle/quantize.h", "src/quantize/options.def", "src/cli/commands.def",
         *(str(path.relative_to(ROOT)) for folder in ("src/quantize", "src/cli") for path in (ROOT / folder).rglob("*.cc")),
         *(str(path.relative_to(ROOT)) for path in (ROOT / "docs").glob("*.md"))]
# File, what is there, what is put in its place, and a part of the line that is found then; the first one is a new option of the C interface.
CHANGES = [
    ("include/coracle/coracle.h", "  int32_t allow_outside_links;\n", "  int32_t allow_outside_links;\n  size_t arena_limit;\n",
     ["ModelOptions has the options", "nothing sets c.arena_limit", "ModelOptions is ", "load has no argument arena_limit",
      "load_memory has no argument arena_limit",
      "no option of the program sets m.options.arena_limit"]),
    ("include/coracle/coracle.hpp", "  c.marks = or_null(options.marks);\n", "", ["nothing sets c.marks from ModelOptions"]),
    ("python/coracle/_library.py", '("min_ops", c_int64)', '("min_ops", c_int32)', ["_library.py: ModelOptions is "]),
    ("python/coracle/model.py", "        precision: Of products", "        Of products", ["the text of load does not describe precision"]),
    ("python/coracle/model.py", "emulate_tiles: bool = False, time_limit_ms: int = 0,\n                check_declared",
     "time_limit_ms: int = 0,\n                check_declared", ["load_memory has no argument emulate_tiles"]),
    ("src/quantize/options.def", "CORACLE_QUANTIZE_OPTION(bool, half,", "CORACLE_QUANTIZE_OPTION(bool, thirds,",
     ["nothing reads options.thirds", "docs/quantization.md: --thirds is not described", "quantize has no argument thirds",
      "quantize.h: the text about settings does not name thirds"]),
    ("python/coracle/quantization.py", "        min_snr: Signal", "        Signal", ["the text of quantize does not describe min_snr"]),
    ("docs/quantization.md", "`--no-bias-correction`", "`--bias-correction`", ["docs/quantization.md: --no-bias-correction is not described"]),
    ("src/cli/commands.def", "CORACLE_COMMAND(doctor)\n", "", ["it lacks the command doctor of doctor.cc"]),
    ("src/cli/commands.def", "CORACLE_COMMAND(doctor)\n", "CORACLE_COMMAND(doctor)\nCORACLE_COMMAND(nurse)\n",
     ["nurse.cc does not define add_nurse", "no page has the command 'coracle nurse'"]),
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
# What --write makes of other fields is what there is.
with tempfile.TemporaryDirectory() as folder:
    copy = pathlib.Path(folder)
    library = copy / "python/coracle/_library.py"
    library.parent.mkdir(parents=True)
    (copy / "include/coracle").mkdir(parents=True)
    shutil.copy(ROOT / FILES[0], copy / FILES[0])
    there = (ROOT / "python/coracle/_library.py").read_text(encoding="utf-8")
    library.write_text(there.replace('("min_ops", c_int64), ', ""), encoding="utf-8")
    check_options.write_python_structs(copy, check_options.c_structs(copy))
    if library.read_text(encoding="utf-8") != there:
        failures.append("--write gives other structs than _library.py has")
print("\n".join(failures))
sys.exit(1 if failures else 0)
