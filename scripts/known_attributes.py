#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lists the attributes that Paddle registers for each operator, with their defaults.

Run with each Paddle, then put together (make known-attributes):

    build/oracle-venv/bin/python scripts/known_attributes.py > a         Paddle 2.6.2: ProgramDesc
    build/oracle-venv-3.3/bin/python scripts/known_attributes.py > b     Paddle 3.3.1: ProgramDesc and PIR
    python3 scripts/known_attributes.py --merge a b > src/model/known_attributes.txt

A line is a format ("program" or "pir"), an operator, and its attributes as name=default, sorted. An attribute without
a default has nothing after "=", the default of one that differs between the two Paddles is the first one's.
"""
import json
import os
import re
import struct
import sys

# Attributes of older Paddles that change results and that neither Paddle registers any more: they stand under "*".
RETIRED = {
    "fuse_brelu": False,
    "fuse_brelu_threshold": 6.0,
    "fuse_relu": False,
    "fuse_eltwise": False,
    "fuse_residual_connection": False,
    "fused_reshape_X": [],
    "fused_reshape_Y": [],
    "fused_transpose_X": [],
    "fused_transpose_Y": [],
    "fused_reshape_Out": [],
    "fused_transpose_Out": [],
}
# Operators of training; they are refused whatever their attributes.
TRAINING = re.compile(r"_grad\d*$|_grad_grad$|_double_grad$|_triple_grad$")


def number_text(value):
    """A number as src/model/attribute_check.cc writes it: nine digits of a float32, integers without a point."""
    try:
        narrow = struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        narrow = float("inf") if value > 0 else float("-inf")
    return "%.9g" % narrow


def value_text(value):
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return number_text(value)
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(value_text(v) for v in value) + "]"
    if isinstance(value, str):
        return json.dumps(value)
    return ""


def program_attributes(core):
    """{operator: {attribute: default}} of ProgramDesc."""
    from paddle.base.proto import framework_pb2

    operators = {}
    for blob in core.get_all_op_protos():
        proto = framework_pb2.OpProto.FromString(bytes(blob))
        if TRAINING.search(proto.type):
            continue
        attributes = {a.name: None for a in proto.attrs}
        attributes.update(core.get_op_attrs_default_value(proto.type.encode()) or {})
        attributes.update(core.get_op_extra_attrs(proto.type) or {})
        operators[proto.type] = {name: value_text(value) for name, value in attributes.items()}
    return operators


def cpp_default(text):
    """A default argument of pd_op.h as value_text would write it."""
    text = text.strip()
    if text in ("true", "false"):
        return value_text(text == "true")
    if text.startswith('"'):
        return text
    if text.startswith("{") and text.endswith("}"):
        inner = text[1:-1].strip()
        return "[" + ",".join(cpp_default(t) for t in inner.split(",")) + "]" if inner else "[]"
    match = re.fullmatch(r"phi::DataType::(\w+)", text)
    if match:
        return json.dumps(match[1].lower())
    if re.fullmatch(r"[-+]?\d+(L|LL)?", text):
        return str(int(text.rstrip("L")))
    try:
        return number_text(float(text.rstrip("fF")))
    except ValueError:
        return ""  # a place, or an expression


def split_arguments(text):
    parts, depth, quoted, part = [], 0, False, ""
    for c in text:
        if c == '"':
            quoted = not quoted
        if not quoted:
            depth += (c in "<{(") - (c in ">})")
            if c == "," and depth == 0:
                parts.append(part)
                part = ""
                continue
        part += c
    return parts + [part]


def pir_attributes(headers):
    """{operator: {attribute: default}} of PIR's dialect pd_op, from the declarations that Paddle's package has."""
    operators = {}
    for header in headers:
        text = open(header).read()
        for match in re.finditer(r'return "pd_op\.(\w+)"; \}(.*?)(?=return "pd_op\.|\Z)', text, re.S):
            name = match[1].rstrip("_")
            if TRAINING.search(name):
                continue
            build = re.search(r"static void Build\(pir::Builder &\s*builder,\s*pir::OperationArgument &\s*argument,?(.*?)\);",
                              match[2], re.S)
            if build is None:
                continue
            attributes = operators.setdefault(name, {})
            for argument in split_arguments(build[1]):
                declaration, _, default = argument.strip().partition("=")
                words = declaration.split()
                if len(words) < 2 or "pir::Value" in declaration or "AttributeMap" in declaration or "pir::" in declaration:
                    continue
                attributes[words[-1].lstrip("&")] = cpp_default(default) if default else ""
    return operators


def collect():
    import paddle
    from paddle.base import core

    lines = []
    for operator, attributes in program_attributes(core).items():
        lines.append(("program", operator, attributes))
    folder = os.path.join(os.path.dirname(paddle.__file__), "include/paddle/fluid/pir/dialect/operator/ir")
    headers = [os.path.join(folder, name) for name in ("pd_op.h", "manual_op.h")]
    if all(os.path.exists(h) for h in headers):
        for operator, attributes in pir_attributes(headers).items():
            lines.append(("pir", operator, attributes))
    json.dump(lines, sys.stdout)


def merge(files):
    merged = {}
    for file in files:
        for form, operator, attributes in json.load(open(file)):
            known = merged.setdefault((form, operator), {})
            for name, default in attributes.items():
                known.setdefault(name, default)
    merged[("program", "*")] = {name: value_text(value) for name, value in RETIRED.items()}
    everywhere = set.intersection(*[set(a) for (form, _), a in merged.items() if form == "program" and _ != "*"])
    for (form, operator), attributes in sorted(merged.items()):
        rest = sorted((n, d) for n, d in attributes.items() if n not in everywhere)
        if rest:
            print(form, operator, *["%s=%s" % pair for pair in rest])


if __name__ == "__main__":
    merge(sys.argv[2:]) if sys.argv[1:2] == ["--merge"] else collect()
