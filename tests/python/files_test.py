# SPDX-License-Identifier: Apache-2.0
"""Files that change while a model lives: `load(weights=...)` and `Model.check_files`."""
import os
import pickle

import coracle
import numpy as np
import program_file
import pytest

WIDTH = 1024   # Two bytes for each dimension in the file, which align the elements behind them.
X = np.linspace(-1, 1, 2 * WIDTH, dtype=np.float32).reshape(2, WIDTH)


@pytest.fixture
def files(tmp_path):
    paths = tmp_path / "m.pdmodel", tmp_path / "m.pdiparams"
    for path, data in zip(paths, program_file.linear(WIDTH)):
        path.write_bytes(data)
    return paths


def overwrite(path, data):
    """The bytes in the same file, not in another of its name."""
    with open(path, "r+b") as file:
        file.write(data)


def test_copied_and_mapped_weights_give_the_same_bits(files):
    models = {weights: coracle.load(files[0], weights=weights) for weights in (None, "automatic", "copied", "mapped")}
    expected = models[None](X)["y"].tobytes()
    assert all(model(X)["y"].tobytes() == expected for model in models.values())
    mapped = {weights: model.description["mapped_bytes"] for weights, model in models.items()}
    assert mapped == {None: 0, "automatic": 0, "copied": 0, "mapped": 4 * WIDTH * WIDTH}


@pytest.mark.parametrize("weights", [None, "automatic", "copied"])
def test_copied_weights_survive_their_file(files, weights):
    expected = coracle.load(files[0])(X)["y"]
    model = coracle.load(files[0], weights=weights)
    overwrite(files[1], b"\x55" * files[1].stat().st_size)
    os.truncate(files[0], 0)
    assert np.array_equal(model(X)["y"], expected)
    os.truncate(files[1], 0)
    assert np.array_equal(model.session(threads=1).run(X)["y"], expected)


@pytest.mark.parametrize("weights", ["copied", "mapped"])
def test_changes_are_noticed(files, weights):
    model = coracle.load(files[0], weights=weights)
    assert model.check_files() is None
    size = files[1].stat().st_size
    os.utime(files[1], (0, 1))
    with pytest.raises(coracle.FileError, match="m.pdiparams' was written to: expected %d bytes.*found %d bytes, modified 1970" % (size, size)):
        model.check_files()
    again = coracle.load(files[0], weights=weights)
    new = files[1].with_name("new")
    new.write_bytes(files[1].read_bytes())
    new.replace(files[1])
    with pytest.raises(coracle.FileError, match="was replaced by another file"):
        again.check_files()
    assert np.array_equal(again(X)["y"], model(X)["y"])   # Even mapped, it is the old file that is used.
    last = coracle.load(files[0], weights=weights)
    files[0].unlink()
    with pytest.raises(coracle.FileError, match="m.pdmodel' is gone"):
        last.check_files()


def test_the_option_is_pickled(files):
    model = pickle.loads(pickle.dumps(coracle.load(files[0], weights="mapped")))
    assert model.description["mapped_bytes"] > 0


@pytest.mark.parametrize("weights", ["", "Copied", "map"])
def test_other_ways_are_refused(files, weights):
    with pytest.raises(coracle.InvalidArgumentError, match="weights cannot be '%s', only one of: automatic, copied, mapped" % weights):
        coracle.load(files[0], weights=weights)


def test_parameters_that_are_links_out_of_the_folder(tmp_path):
    folder, store = tmp_path / "model", tmp_path / "store"
    for each in (folder, store):
        each.mkdir()
    (folder / "__model__").write_bytes(program_file.linear(WIDTH)[0])
    (store / "content").write_bytes(program_file.linear(WIDTH)[1])
    (folder / "w000").symlink_to(store / "content")
    with pytest.raises(coracle.InvalidModelError, match="is a link that leaves the model's folder, to .*content.*'allow_outside_links'"):
        coracle.load(folder)
    model = coracle.load(folder, allow_outside_links=True)
    again = pickle.loads(pickle.dumps(model))
    assert model(X)["y"].tobytes() == again(X)["y"].tobytes()
    with pytest.raises(TypeError, match="allow_outside_links"):
        coracle.load_memory(*program_file.linear(WIDTH), allow_outside_links=True)
