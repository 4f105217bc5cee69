# SPDX-License-Identifier: Apache-2.0
"""Saved models that coracle.paddlex keeps in the user's cache folder."""
import fcntl
import multiprocessing
import os
import threading
import time

import numpy as np
import program_file
import pytest

from coracle import _saved_cache

X = np.ones((2, 4), np.float32)


def saved(folder):
    return sorted(folder.glob("*.coracle"))


def test_it_is_made_once_and_gives_the_same(linear_files, tmp_path):
    folder = tmp_path / "cache"
    first = _saved_cache.load(*linear_files, folder)
    (file,) = saved(folder)
    made = file.stat().st_ino   # Another file would replace it.
    again = _saved_cache.load(*linear_files, folder)
    assert saved(folder) == [file] and file.stat().st_ino == made
    assert np.array_equal(first(X)[0], again(X)[0])


def test_a_model_that_changes_is_another(linear_files, tmp_path):
    folder = tmp_path / "cache"
    before = _saved_cache.load(*linear_files, folder)(X)[0]
    stat = os.stat(linear_files[1])
    data = np.fromfile(linear_files[1], np.uint8)
    data[-1] ^= 1 << 6   # The exponent of the last number; same size, same times.
    linear_files[1].write_bytes(data.tobytes())
    os.utime(linear_files[1], ns=(stat.st_atime_ns, stat.st_mtime_ns))
    after = _saved_cache.load(*linear_files, folder)(X)[0]
    assert len(saved(folder)) == 2 and not np.array_equal(before, after)
    _saved_cache.load(*linear_files, folder, precision="strict")
    assert len(saved(folder)) == 3


def test_a_damaged_file_is_made_anew(linear_files, tmp_path):
    folder = tmp_path / "cache"
    expected = _saved_cache.load(*linear_files, folder)(X)[0]
    (file,) = saved(folder)
    whole = file.read_bytes()
    for damaged in (b"", whole[:100], b"other" * 50):
        file.unlink()
        file.write_bytes(damaged)
        assert np.array_equal(_saved_cache.load(*linear_files, folder)(X)[0], expected)
        assert file.read_bytes() == whole


def test_a_folder_that_cannot_be_written_is_told_and_does_no_harm(linear_files, tmp_path, caplog):
    place = tmp_path / "file"
    place.write_text("", "utf-8")
    assert _saved_cache.load(*linear_files, place)(X)[0].shape[0] == 2
    assert "the model is not kept in" in caplog.text
    with pytest.raises(OSError):
        _saved_cache.load(linear_files[0], tmp_path / "absent", tmp_path / "cache")


def _load(paths, folder):
    return _saved_cache.load(*paths, folder)(X)[0].tobytes()


def test_processes_that_start_together(tmp_path):
    paths = tmp_path / "linear.pdmodel", tmp_path / "linear.pdiparams"
    for path, data in zip(paths, program_file.linear()):
        path.write_bytes(data)
    folder = tmp_path / "cache"
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        answers = pool.starmap(_load, [(paths, folder)] * 8)
    assert len(set(answers)) == 1 and len(saved(folder)) == 1


def age(file, days):
    os.utime(file, (time.time() - days * 24 * 3600,) * 2)


def test_files_that_were_not_used_for_long_are_deleted_when_one_is_written(linear_files, tmp_path):
    folder = tmp_path / "cache"
    old, recent, locked = (folder / (digit * 40 + ".coracle") for digit in "012")
    foreign = [folder / "model.coracle", folder / ("0" * 40 + ".txt"), folder / ("0" * 41 + ".lock")]
    folder.mkdir()
    for file in (old, old.with_suffix(".lock"), recent, locked, *foreign):
        file.write_bytes(b"x")
        age(file, 29 if file == recent else 31)
    with open(locked.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _saved_cache.load(*linear_files, folder)
    (written,) = set(saved(folder)) - {old, recent, locked, *foreign}
    kept = {recent, locked, locked.with_suffix(".lock"), written, written.with_suffix(".lock"), *foreign}
    assert set(folder.iterdir()) == kept
    # One that is loaded was used now.
    age(written, 31)
    _saved_cache.load(*linear_files, folder)
    assert time.time() - written.stat().st_mtime < 3600
    _saved_cache.load(*linear_files, folder, precision="strict")
    assert written.exists() and not locked.exists()


def test_beyond_a_size_the_least_recently_used_are_deleted(linear_files, tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    first = _saved_cache.load(*linear_files, folder)
    (file,) = saved(folder)
    size = file.stat().st_size
    older, newer = (folder / (digit * 40 + ".coracle") for digit in "01")
    for path, days in ((older, 2), (newer, 1)):
        path.write_bytes(bytes(size))
        age(path, days)
    monkeypatch.setattr(_saved_cache, "MAX_BYTES", 3 * size + size // 2)
    _saved_cache.load(*linear_files, folder, precision="strict")
    assert file.exists() and newer.exists() and not older.exists()
    # What was just written stays, whatever its size; a model that runs is not disturbed.
    monkeypatch.setattr(_saved_cache, "MAX_BYTES", 0)
    _saved_cache.load(*linear_files, folder, precision="high")
    assert len(saved(folder)) == 1 and not file.exists()
    assert np.array_equal(first(X)[0], _saved_cache.load(*linear_files, folder)(X)[0])


def test_a_lock_whose_file_was_deleted_is_taken_anew(tmp_path):
    path = tmp_path / "0.lock"
    order = []

    def enter(name):
        with _saved_cache._locked(tmp_path / "0.coracle"):
            order.append(name)
            assert path.exists()
            with open(path, "w") as other, pytest.raises(BlockingIOError):
                fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)

    with _saved_cache._locked(tmp_path / "0.coracle"):
        waiting = threading.Thread(target=enter, args=("second",))
        waiting.start()
        time.sleep(0.2)
        order.append("first")
        path.unlink()
    waiting.join()
    assert order == ["first", "second"]
