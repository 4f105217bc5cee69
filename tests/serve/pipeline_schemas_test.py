# SPDX-License-Identifier: Apache-2.0
"""PaddleX's interface against its own schemas."""
import base64
import json
import pathlib
import subprocess

import pytest

from pipeline_client import MODELS, ROOT, STAGES, png, short, with_description

PADDLEX = sorted(ROOT.glob("build/paddleocr-venv/lib/python3*/site-packages/paddlex"))


def test_the_schemas_of_paddlex(serve, tmp_path):
    """All of the fields of PaddleX's requests are known here, and its own checks take the answers."""
    if not PADDLEX:
        pytest.skip("build/paddleocr-venv is not there (scripts/paddleocr-venv.sh)")
    objects = with_description(tmp_path / "objects", "objects", "objects.yml")
    instances = with_description(tmp_path / "instances", "instances", "instances.yml")
    pipelines = {"doc_preprocessor": ("doc_preprocessor", {"orientation": MODELS / "orientation"}, "file"),
                 "image_classification": ("image_classification", {"model": MODELS / "orientation"}, "image"),
                 "object_detection": ("object_detection", {"model": objects}, "image"),
                 "instance_segmentation": ("instance_segmentation", {"model": instances}, "image"),
                 "anomaly_detection": ("anomaly_detection", {"model": MODELS / "anomaly"}, "image")}
    if STAGES["det"].exists():
        layout = with_description(tmp_path / "layout", "objects", "layout.yml")
        pipelines["ocr"] = ("OCR", STAGES, "file")
        pipelines["table_recognition"] = ("table_recognition", {"table": MODELS / "table", **STAGES}, "file")
        pipelines["pp_structurev3"] = ("PP-StructureV3", {"table": MODELS / "table", "layout": layout, **STAGES}, "file")
    server = serve(*(short(name, **stages) for name, stages, _ in pipelines.values()))
    paths = {"doc_preprocessor": "document-preprocessing", "anomaly_detection": "image-anomaly-detection", "pp_structurev3": "layout-parsing"}
    answers = {}
    for schema, (_, _, field) in pipelines.items():
        payload = {field: base64.b64encode(png()).decode(), **({"fileType": 1} if field == "file" else {})}
        answer = server.post("/" + paths.get(schema, schema.replace("_", "-")), payload)
        assert answer.status == 200, answer.body[:500]
        answers[schema] = [answer.json]
    (tmp_path / "answers.json").write_text(json.dumps(answers), "utf-8")
    python = PADDLEX[0].parents[3] / "bin/python"
    script = pathlib.Path(__file__).with_name("pipeline_schema_script.py")
    done = subprocess.run([str(python), str(script), str(PADDLEX[0]), str(tmp_path / "answers.json")], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for schema, theirs in json.loads(done.stdout).items():
        assert list(answers[schema][0]["result"]) == theirs["result"]
        for name in theirs["fields"]:
            if name.startswith("seal"):
                continue  # of seals, which are not read
            answer = server.post(theirs["path"], {name: {"a": 1}})
            assert answer.status == 422 and '"body.%s"' % name in answer.json["errorMsg"], (schema, name, answer.body)
