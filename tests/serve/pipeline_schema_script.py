# SPDX-License-Identifier: Apache-2.0
"""Prints the fields of PaddleX's own requests, and checks answers by its own schemas. Run by a Python that has pydantic:

    pipeline_schema_script.py PADDLEX ANSWERS

PADDLEX: its folder; ANSWERS: a JSON file, lists of answers by schema. Only its schemas are read: the package itself needs all of its extras."""
import importlib
import json
import pathlib
import sys
import types


def main():
    root = pathlib.Path(sys.argv[1])
    for name in ("", ".utils", ".inference", ".inference.serving", ".inference.serving.infra", ".inference.serving.schemas",
                 ".inference.serving.schemas.shared"):
        module = types.ModuleType("paddlex" + name)
        module.__path__ = [str(root.joinpath(*name.split(".")[1:]))]
        sys.modules[module.__name__] = module
    dependencies = types.ModuleType("paddlex.utils.deps")
    dependencies.is_dep_available = lambda *_: False
    sys.modules[dependencies.__name__] = dependencies
    models = importlib.import_module("paddlex.inference.serving.infra.models")
    schemas = {}
    for name, answers in json.loads(pathlib.Path(sys.argv[2]).read_text("utf-8")).items():
        schema = importlib.import_module("paddlex.inference.serving.schemas." + name)
        for answer in answers:
            models.AIStudioResultResponse[schema.InferResult].model_validate(answer)
        schemas[name] = {"path": schema.INFER_ENDPOINT, "fields": list(schema.InferRequest.model_fields),
                         "result": list(schema.InferResult.model_fields)}
    print(json.dumps(schemas))


main()
