# SPDX-License-Identifier: Apache-2.0
"""docs/model-way.svg is what scripts/docs/model_way.py draws from the code, and it is on the page of the architecture."""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "docs"))

import model_way  # noqa: E402

code = model_way.Code(model_way.SRC)
picture = model_way.draw(code)
if model_way.PICTURE.read_text("utf-8") != picture:
    sys.exit("docs/model-way.svg is not what the code says: run scripts/docs/model_way.py and look at it")
if "](%s)" % model_way.PICTURE.name not in (ROOT / "docs" / "architecture.md").read_text("utf-8"):
    sys.exit("docs/architecture.md does not show %s" % model_way.PICTURE.name)
names = model_way.passes(code) + model_way.stages(code) + [header for _, _, header, _ in model_way.stations(code) if header]
for name in names:
    if name not in picture.replace("\n", " ") or len(names) < 20:
        sys.exit("the picture does not name %s, or shows %d names, expected at least 20" % (name, len(names)))
try:
    code.declared("^class NobodyHasThisName ")
    sys.exit("a declaration that is nowhere is found")
except model_way.Missing:
    print("the picture shows %d names of the code" % len(names))
