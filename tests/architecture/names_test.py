#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What scripts/check_names.py finds, and what it leaves alone: names_test.py ROOT"""
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(sys.argv[1]) / "scripts"))
import check_names  # noqa: E402

FILES = {
    "src/run/a.h": "namespace coracle {\nstd::string quoted(std::string_view s);\nstruct Part {};\n}\n",
    "src/run/a.cc": "using Clock = std::chrono::steady_clock;\nint rounded(double v) { return 1; }\nusing test::run;\n"
                    "constexpr int kOnce = 1;\n  int inner = kTwice;\n",
    "src/run/b.cc": "using Clock = std::chrono::steady_clock;\nint64_t rounded(float v) { return 1; }\nusing test::run;\n",
    "src/run/c.cc": "std::string quoted(std::string_view s) { return {}; }\n",
    "src/run/deeper/d.cc": "class Part {\n};\n",
    "src/api/e.cc": "int rounded(int v) { return 1; }\n",
    "src/devices/cpu/kernels/f.cc": "int run(int v) { return 1; }\n",
    "src/devices/cpu/kernels/g.cc": "int run(int v) { return 1; }\n",
}
EXPECTED = [
    "src/run/c.cc: quoted is in src/run/a.h too: it needs another name",
    "src/run/deeper/d.cc: Part is in src/run/a.h too: it needs another name",
    "src/run: rounded is in a.cc, b.cc: one of them needs another name",
]

with tempfile.TemporaryDirectory() as folder:
    root = pathlib.Path(folder)
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        named = "coracle::kernels::" + pathlib.Path(name).stem if "kernels" in name else "coracle"
        inside = text if name.endswith(".h") else f"namespace {named} {{\nnamespace {{\n{text}}}  // namespace\n}}\n"
        (root / name).write_text(inside)
    found = list(check_names.complaints(root))
for line in found:
    print(line)
sys.exit(0 if found == EXPECTED else f"expected {EXPECTED}")
