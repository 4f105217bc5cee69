# SPDX-License-Identifier: Apache-2.0
"""Documents read stage by stage: the answers of PaddleX's pipelines and of coracle-ocr, and what is said to stages that make no sense."""
import json
import os
import pathlib
import pickle

import coracle
import numpy as np
import pytest
from coracle import _library
from other_tests import module

ROOT = pathlib.Path(__file__).resolve().parents[2]
VISION = ROOT / "tests/vision"
PICTURE = ROOT / "examples/ocr/demo.jpg"
DEMO_MODELS = ROOT / "build/demo-models"
ARGUMENTS = {"det": "detector", "rec": "recognizer", "cls": "classifier", "unwarp": "unwarper"}   # of the program's options

if not _library.PATH.with_name("libcoracle_vision.so").exists():
    pytest.skip("this build has no libcoracle_vision", allow_module_level=True)

EXPECTED = module(VISION / "documents_test.py")


@pytest.mark.parametrize("case", json.loads((VISION / "documents.json").read_text("utf-8")), ids=lambda c: c["name"])
def test_answers_are_those_of_paddlex(case, tmp_path):
    path = EXPECTED.places(pathlib.Path(os.environ.get("CORACLE_SHARED", ROOT.parent / "shared")), DEMO_MODELS, tmp_path / "absent")
    answers = [a for a in case["answers"] if path(a["picture"]).is_file()]
    if not answers or not all(path(model).is_dir() for model, _ in case["stages"].values()):
        pytest.skip("a model or the pictures are absent")
    stages = {ARGUMENTS.get(stage, stage): EXPECTED.with_description(path, DEMO_MODELS, tmp_path, model, description)
              for stage, (model, description) in case["stages"].items()}
    reader = coracle.document(**stages, min_score=0)
    scores = EXPECTED.FLAT_SCORES if "unwarper" in stages else EXPECTED.SCORES
    for want, document in zip(answers, reader([path(a["picture"]) for a in answers])):
        assert list(EXPECTED.differences(want, document.to_dict(), scores)) == []
        assert document.page.shape == document.draw().shape == (want["height"], want["width"], 3)


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """Regions and tables of made models, without text."""
    layout = EXPECTED.with_description(lambda name: VISION / name, DEMO_MODELS, tmp_path_factory.mktemp("described"), "objects", "page_layout.yml")
    return coracle.document(layout=layout, table=VISION / "table", orientation=VISION / "orientation")(PICTURE)


def test_results_are_typed_and_say_what_they_are(page, tmp_path):
    assert isinstance(page, coracle.Document) and page.regions and page.lines == [] and page.text == ""
    assert all(isinstance(region, coracle.DetectedObject) for region in page.regions)
    assert all(isinstance(table, coracle.Table) and len(table.box) == 4 for table in page.tables)
    assert page.turned in (0, 90, 180, 270) and page.page.shape == (page.height, page.width, 3)
    assert repr(page).startswith("<coracle.Document of %d x %d pixels" % (page.width, page.height)) and "%d region" % len(page.regions) in repr(page)
    assert "<title>a &amp; b</title>" in page.html("a & b") and page.html() != page.html("a")
    assert json.loads(json.dumps(page.to_dict())) == page.to_dict()
    structure = page.structure("a.png")
    assert structure["input_path"] == "a.png" and [b["block_id"] for b in structure["parsing_res_list"]] == list(range(len(structure["parsing_res_list"])))
    assert len(structure["layout_det_res"]["boxes"]) == len(page.regions) and structure["width"] == page.width
    for name, picture in page.pictures.items():
        assert "folder/" + name in page.markdown("folder/") and picture.dtype == np.uint8 and picture.shape[2] == 3
    assert coracle.markdown([page, page]).startswith(page.markdown("imgs/page_1_")) and coracle.markdown([]) == ""
    page.save(tmp_path / "page.png")
    assert (coracle.document(unwarper=VISION / "unwarp")(tmp_path / "page.png").page.dtype, page.draw().dtype) == (np.uint8, np.uint8)
    assert (page.draw() != page.page).any()


def test_tables_of_one_kind_need_no_classifier():
    document = coracle.document(wireless_structure=VISION / "table", table_orientation=VISION / "orientation")(PICTURE)
    assert len(document.tables) == 1 and document.tables[0].cells
    assert document.seals == [] and document.to_dict()["seals"] == []


MISUSES = {
    "nothing": (lambda: coracle.document(), ValueError, "all stages are left out"),
    "lines": (lambda: coracle.document(classifier=VISION / "orientation"), ValueError, "a classifier of lines needs a detector"),
    "file": (lambda: coracle.document(table="/nonexistent/table"), FileNotFoundError, "no such model: '/nonexistent/table'"),
    "stage": (lambda: coracle.document(unwarper=VISION / "orientation"), ValueError, "describes a model for classification, not for unwarping"),
    "kinds": (lambda: coracle.document(wired_structure=VISION / "table", wireless_structure=VISION / "table"), ValueError, "need a classifier"),
    "seals": (lambda: coracle.document(seal_recognizer=VISION / "table", table=VISION / "table"), ValueError, "a recogniser of seals needs a detector"),
    "score": (lambda: coracle.document(table=VISION / "table", min_score=2), ValueError, "min_score is 2.0*, expected 0 to 1"),
    "threads": (lambda: coracle.document(table=VISION / "table", threads=-1), ValueError, "threads is -1, expected an integer"),
}


@pytest.mark.parametrize("name", MISUSES)
def test_misuse_is_told(name):
    use, kind, message = MISUSES[name]
    with pytest.raises(kind, match=message):
        use()


def test_misuse_of_a_document_is_told(page):
    with pytest.raises(ValueError, match="zero byte"):
        page.html("a\0b")
    with pytest.raises(ValueError, match="zero byte"):
        page.markdown("a\0b")
    with pytest.raises(TypeError, match="to_dict"):
        pickle.dumps(page)
