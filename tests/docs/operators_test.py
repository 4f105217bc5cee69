# SPDX-License-Identifier: Apache-2.0
"""docs/operators.md lists the operators of Paddle that are missing as src/model/missing_operator.cc does."""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "oracle"))

import registered  # noqa: E402


def main():
    names = [name for _, group in registered.missing() for name in group]
    print("%d operators are missing" % len(names))
    here = sorted(set(names) & registered.here())
    if here:
        print("these are here: %s" % " ".join(here))
    if registered.table() not in (ROOT / "docs" / "operators.md").read_text("utf-8"):
        print("docs/operators.md has another table than tests/oracle/registered.py prints (registered.py table)")
        sys.exit(1)
    if here or len(names) < 200:
        sys.exit(1)


main()
