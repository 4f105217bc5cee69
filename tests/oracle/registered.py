# SPDX-License-Identifier: Apache-2.0
"""Compares the operators that this Paddle registers with those that Coracle has and those that it names as missing.

  registered.py           with Paddle 2.6 or 3.3; ends with 1 where Paddle has one that Coracle knows nothing of
  registered.py table     the missing ones of Paddle, by reason, as docs/operators.md has them (no Paddle needed)
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
RULES = re.compile(r"grad|^sparse_|_xpu$")  # gradients, sparse tensors, other devices
READ = ("feed", "fetch", "fetch_v2", "while", "conditional_block", "conditional_block_infer", "recurrent", "py_func")


def missing():
    """[(reason, names)] of src/model/missing_operator.cc."""
    text = (ROOT / "src" / "model" / "missing_operator.cc").read_text("utf-8")
    training = re.search(r'kTraining = "([^"]+)"', text).group(1)
    table = re.search(r"kMissing\[\] = \{(.*?)\n\};", text, re.S).group(1)
    found = []
    for reason, names in re.findall(r'\{(kTraining|"[^"]+"),((?:\s*"[^"]*")+)\}', table):
        names = "".join(re.findall(r'"([^"]*)"', names)).split()
        found.append((training if reason == "kTraining" else reason.strip('"'), names))
    return found


def here():
    """Names of the operators in src/ops, of both formats."""
    names = set(READ)
    for path in (ROOT / "src" / "ops").glob("*/*.h"):
        text = path.read_text("utf-8")
        for types in re.findall(r"kLegacy\[\]\s*=?\s*\{([^}]*)\}", text):
            names.update(re.findall(r'"([^"]+)"', types))
        names.update(re.findall(r'kName = "([^"]+)"', text))
    return names


def table():
    lines = ["| why | operators |", "|---|---|"]
    for reason, names in missing():
        lines.append("| %s | %s |" % (reason, " ".join("`%s`" % name for name in names)))
    return "\n".join(lines)


def registered():
    from paddle.base import core
    from paddle.base.proto import framework_pb2

    return {framework_pb2.OpProto.FromString(bytes(proto)).type for proto in core.get_all_op_protos()}


def main():
    if sys.argv[1:] == ["table"]:
        print(table())
        return 0
    listed = {name for _, names in missing() for name in names}
    unknown = sorted(n for n in registered() - listed - here() if not RULES.search(n))
    for name in unknown:
        print("Paddle registers %s, which src/model/missing_operator.cc does not have" % name)
    return 1 if unknown else 0


if __name__ == "__main__":
    sys.exit(main())
