# SPDX-License-Identifier: Apache-2.0
"""Models in archives, as `tarfile` and `zipfile` write them, answer as their files do; damaged archives are errors."""
import io
import pickle
import tarfile
import zipfile

import coracle
import numpy as np
import program_file
import pytest
from coracle.paddle import inference

WIDTH = 64
X = np.linspace(-1, 1, 2 * WIDTH, dtype=np.float32).reshape(2, WIDTH)
FILES = dict(zip(("inference.pdmodel", "inference.pdiparams"), program_file.linear(WIDTH)), **{"inference.yml": b"Global:\n"})


def tar(path, mode, form=tarfile.PAX_FORMAT, folder="det_infer"):
    with tarfile.open(path, mode, format=form) as archive:
        entry = tarfile.TarInfo(folder)
        entry.type = tarfile.DIRTYPE
        archive.addfile(entry)
        for name, data in FILES.items():
            entry = tarfile.TarInfo("%s/%s" % (folder, name))
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))


class Pipe:
    """What can only be written to: sizes then stand behind the files."""

    def __init__(self, file):
        self.write, self.flush = file.write, file.flush


def zipped(path, method, streamed=False):
    buffer = io.BytesIO()
    with zipfile.ZipFile(Pipe(buffer) if streamed else buffer, "w", method) as archive:
        for name, data in FILES.items():
            archive.writestr("det_infer/" + name, data)
    path.write_bytes(buffer.getvalue())


WRITERS = {
    "m.tar": lambda path: tar(path, "w"),
    "gnu.tar": lambda path: tar(path, "w", tarfile.GNU_FORMAT, "d" * 150),
    "ustar.tar": lambda path: tar(path, "w", tarfile.USTAR_FORMAT, "d" * 90 + "/" + "e" * 60),
    "m.tar.gz": lambda path: tar(path, "w:gz"),
    "m.zip": lambda path: zipped(path, zipfile.ZIP_DEFLATED),
    "stored.zip": lambda path: zipped(path, zipfile.ZIP_STORED),
    "streamed.zip": lambda path: zipped(path, zipfile.ZIP_DEFLATED, streamed=True),
}


@pytest.fixture(params=WRITERS)
def archive(request, tmp_path):
    path = tmp_path / request.param
    WRITERS[request.param](path)
    return path


@pytest.fixture(scope="module")
def expected():
    return coracle.load_memory(FILES["inference.pdmodel"], FILES["inference.pdiparams"])(X)["y"].tobytes()


def test_archives_answer_as_their_files(archive, expected):
    before = archive.read_bytes()
    model = coracle.load(archive)
    assert model(X)["y"].tobytes() == expected
    assert pickle.loads(pickle.dumps(model))(X)["y"].tobytes() == expected
    assert coracle.load_memory(before)(X)["y"].tobytes() == expected
    assert coracle.inspect(archive)["file"].startswith(str(archive) + "/")
    assert [p.name for p in archive.parent.iterdir()] == [archive.name] and archive.read_bytes() == before


def test_predictors_of_paddle_take_them(archive, expected):
    predictor = inference.create_predictor(inference.Config(str(archive)))
    predictor.get_input_handle("x").copy_from_cpu(X)
    predictor.run()
    assert predictor.get_output_handle("y").copy_to_cpu().tobytes() == expected


def test_archives_are_checked_for_changes(archive):
    model = coracle.load(archive)
    model.check_files()
    archive.write_bytes(archive.read_bytes() + b"\0")
    with pytest.raises(coracle.FileError, match=archive.name):
        model.check_files()


def test_a_cut_archive_is_an_error(archive):
    whole = archive.read_bytes()
    for size in range(len(whole) // 20, len(whole) // 2, len(whole) // 20):
        archive.write_bytes(whole[:size])
        with pytest.raises(coracle.InvalidModelError, match="cut short|directory"):
            coracle.load(archive)


def test_what_is_not_there(archive):
    with pytest.raises(FileNotFoundError):
        coracle.load(archive / "rec_infer")


def test_an_encrypted_file_is_an_error(tmp_path):
    zipped(tmp_path / "m.zip", zipfile.ZIP_STORED)
    data = (tmp_path / "m.zip").read_bytes()
    (tmp_path / "m.zip").write_bytes(data.replace(b"PK\x01\x02\x14\x03\x14\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01"))
    with pytest.raises(coracle.UnsupportedError, match="encrypted"):
        coracle.load(tmp_path / "m.zip")
