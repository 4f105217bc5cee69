# SPDX-License-Identifier: Apache-2.0
"""Models of `Model.save` answer as those that they were made of."""
import os
import pickle

import coracle
import numpy as np
import program_file
import pytest

WIDTH = 64
X = np.linspace(-1, 1, 2 * WIDTH, dtype=np.float32).reshape(2, WIDTH)


@pytest.fixture
def model():
    return coracle.load_memory(*program_file.linear(WIDTH))


@pytest.fixture
def saved(model, tmp_path):
    path = tmp_path / "linear.coracle"
    model.save(path)
    return path


def test_the_same_bits(model, saved):
    expected = model(X)[0]
    for loaded in (coracle.load(saved), coracle.load(saved, weights="copied", check_weights=True),
                   coracle.load_memory(saved.read_bytes()), pickle.loads(pickle.dumps(coracle.load(saved)))):
        assert np.array_equal(loaded(X)[0], expected)
        assert loaded.graph_text() == model.graph_text()


def test_it_is_mapped_and_described(model, saved):
    assert not os.stat(saved).st_mode & 0o222
    description = coracle.load(saved).description
    assert description["mapped_bytes"] > 0 and description["format"] == "Coracle"
    assert description["saved"]["source_format"] == model.description["format"]
    assert description["rewrites"] == model.description["rewrites"]
    inspected = coracle.inspect(saved)
    assert inspected["saved"] == description["saved"] and inspected["inputs"] == description["inputs"]


def test_damaged_weights_are_found_where_asked(saved, tmp_path):
    data = bytearray(saved.read_bytes())
    data[-1] ^= 1
    damaged = tmp_path / "damaged"
    damaged.write_bytes(data)
    coracle.load(damaged)
    with pytest.raises(coracle.InvalidModelError, match="the weights of its constant .* are damaged"):
        coracle.load(damaged, check_weights=True)


def test_packed_weights_are_found_in_the_file(model, saved, tmp_path):
    expected = model(X)[0]
    assert model.packed_bytes > 0
    path = tmp_path / "packed.coracle"
    model.save(path, packed=True)
    assert os.stat(path).st_size > os.stat(saved).st_size
    for loaded in (coracle.load(path, check_weights=True), coracle.load(path, weights="copied", weights_cache_bytes=0)):
        assert np.array_equal(loaded(X)[0], expected)
        assert loaded.packed_bytes == 0


def test_packed_weights_have_a_bound(model, saved):
    bounded = coracle.load(saved, weights_cache_bytes=0)
    session = bounded.session()
    assert np.array_equal(session.run(X)[0], model(X)[0])
    assert bounded.packed_bytes == 0 and coracle.load(saved).packed_bytes == 0
    with pytest.raises(coracle.InvalidArgumentError, match="weights_cache_bytes"):
        coracle.load(saved, weights_cache_bytes=-1)


def test_what_cannot_be_written_or_undone(model, saved, tmp_path):
    with pytest.raises(coracle.FileError, match=r"cannot write .*no[/\\]+where"):
        model.save(tmp_path / "no" / "where")
    if model.description["rewrites"]:
        with pytest.raises(coracle.InvalidArgumentError, match="cannot be undone"):
            coracle.load(saved, disable_passes="all")
