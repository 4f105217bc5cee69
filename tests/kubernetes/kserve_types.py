# SPDX-License-Identifier: Apache-2.0
"""KServe's types, read from the Python files of its SDK as data: fields of each class, by the name in JSON."""
import ast
import os
import pathlib
import re


def _classes():
    for path in sorted(pathlib.Path(os.environ["KSERVE_MODELS"]).glob("v1*.py")):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef):
                tables = {target.id: ast.literal_eval(each.value) for each in node.body if isinstance(each, ast.Assign) for target in each.targets
                          if target.id in ("openapi_types", "attribute_map")}
                yield node.name, {tables["attribute_map"][name]: kind for name, kind in tables["openapi_types"].items()}


CLASSES = dict(_classes())
PLAIN = {"str": str, "int": int, "bool": bool}


def faults(value, kind, where=""):
    """What contradicts the type; types of Kubernetes itself are left out."""
    if found := re.fullmatch(r"list\[(.*)\]", kind):
        if not isinstance(value, list):
            return ["%s is %r, expected a list" % (where, value)]
        return [fault for at, each in enumerate(value) for fault in faults(each, found[1], "%s[%d]" % (where, at))]
    if found := re.fullmatch(r"dict\(str, (.*)\)", kind):
        return [fault for key, each in value.items() for fault in faults(each, found[1], "%s.%s" % (where, key))]
    if kind in PLAIN:
        return [] if type(value) is PLAIN[kind] else ["%s is %r, expected %s" % (where, value, kind)]
    if kind not in CLASSES:
        return []
    unknown = ["%s has no field %s" % (kind, key) for key in value if key not in CLASSES[kind]]
    return unknown + [fault for key, each in value.items() if key in CLASSES[kind] for fault in faults(each, CLASSES[kind][key], "%s.%s" % (where, key))]
