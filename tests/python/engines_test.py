# SPDX-License-Identifier: Apache-2.0
"""Models with engines: what is told where one is missing, and what is wrong with the options."""
import logging
import pickle

import numpy as np
import pytest

import coracle

X = np.arange(8, dtype=np.float32).reshape(2, 4) - 3


def test_a_missing_engine_is_told_and_the_model_runs_without(linear_files, caplog):
    plain = coracle.load(linear_files[0])
    assert plain.engines == {"engines": [], "blocks": [], "nodes": [], "cutting_us": 0}
    with caplog.at_level(logging.WARNING, "coracle"):
        model = coracle.load(linear_files[0], engines=["nobody", "nobody_else:GPU"], min_ops=1, marks="nobody=matmul")
    assert [record.levelno for record in caplog.records] == [logging.WARNING] * 2
    assert "the engine 'nobody' cannot be used" in caplog.text
    assert np.array_equal(model(X)["y"], plain(X)["y"])
    told = model.engines
    assert [engine["name"] for engine in told["engines"]] == ["nobody", "nobody_else:GPU"]
    assert "there is no engine 'nobody'; this build has " in told["engines"][0]["missing"]
    assert told["blocks"] == [] and len(told["nodes"]) > 0
    assert not any("block" in node for node in told["nodes"])
    again = pickle.loads(pickle.dumps(model)).engines
    assert again.pop("cutting_us") >= 0 and told.pop("cutting_us") >= 0
    assert again == told


def test_wrong_options(linear_files):
    def load(**options):
        coracle.load(linear_files[0], **options)

    with pytest.raises(coracle.InvalidArgumentError, match="min_ops is 0, expected at least 1"):
        load(min_ops=0)
    with pytest.raises(coracle.InvalidArgumentError, match="min_ops"):
        load(min_ops="many")
    with pytest.raises(coracle.InvalidArgumentError, match="has none of the forms ENGINE:NODE, ENGINE=OPERATOR"):
        load(marks=["matmul"])
    with pytest.raises(coracle.InvalidArgumentError, match="'nobody:x..' names only one of two variables"):
        load(marks="nobody:x..")
    with pytest.raises(coracle.InvalidArgumentError, match="there is no pass 'engine_costs' to disable; there are: .*engine_cost"):
        load(engines="nobody", disable_passes="engine_costs")
    load(engines="nobody", disable_passes="engine_cost")
