# SPDX-License-Identifier: Apache-2.0
"""Whole models of the reference folder through Python, against what the real Paddle gave. Skipped where the folder is absent."""
import importlib.util
import sys

import coracle
import numpy as np

MODELS = ("mtcnn-ONet", "ppocr-v2.0-cls", "serving-text_classification_lstm", "pir-PP-LCNet_x0_25_textline_ori", "serving-uci_housing",
          "pphumanseg-v2-lite-portrait")


def golden_tools(shared):
    sys.path.insert(0, str(shared / "tools"))
    try:
        spec = importlib.util.spec_from_file_location("golden", shared / "tools" / "golden.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
    finally:
        sys.path.pop(0)


def test_models_agree_with_paddle(shared, capsys):
    golden = golden_tools(shared)
    count = 0
    for name in MODELS:
        for folder in sorted((shared / "goldens" / name).iterdir()):
            case = golden.load_case(str(folder))
            source = case["model"]
            model = coracle.load(shared / source.get("params_dir", source.get("program")),
                                 shared / source["params"] if "params" in source else None)
            inputs = {spec["name"]: golden.load_input(str(folder), spec) for spec in case["inputs"]}
            results = model(inputs, lod={spec["name"]: spec["lod"] for spec in case["inputs"] if spec.get("lod")})
            for index, want in enumerate(case["outputs"]):
                expected, got = np.load(folder / want["file"]), results[index]
                assert list(got.shape) == want["shape"], (name, folder.name, index)
                if "sample" in want:
                    got = got.ravel()[want["sample"]["start"]::want["sample"]["step"]]
                share = golden.outside(expected, got, want["atol"], want["rtol"], want.get("rows", False))
                assert share <= want.get("max_outside", 0), (name, folder.name, index, share)
            count += 1
    assert count >= len(MODELS)
