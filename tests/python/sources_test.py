# SPDX-License-Identifier: Apache-2.0
"""What pipelines read: folders, pages of PDFs, frames of videos, iterators; and how far they are."""
import json
import logging
import os
import pathlib
import shutil
import subprocess
import sys
import types

import coracle
import numpy as np
import pytest
from coracle import _library, _progress, sources

ROOT = pathlib.Path(__file__).resolve().parents[2]
PICTURE = ROOT / "examples/ocr/demo.jpg"
MODEL = ROOT / "tests/vision/objects"
DESCRIPTION = ROOT / "tests/vision/descriptions/objects.yml"
PROGRAM = _library.PATH.with_name("coracle")

if not _library.PATH.with_name("libcoracle_vision.so").exists():
    pytest.skip("this build has no libcoracle_vision", allow_module_level=True)

needs_poppler = pytest.mark.skipif(shutil.which("pdftoppm") is None, reason="pdftoppm is absent (Debian: apt install poppler-utils)")
needs_ffmpeg = pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="ffmpeg is absent (Debian: apt install ffmpeg)")


def pdf(texts, sizes=None):
    """A PDF with a line of Helvetica on each page."""
    kids = " ".join("%d 0 R" % (4 + 2 * i) for i in range(len(texts)))
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, len(texts)),
               "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    for i, text in enumerate(texts):
        objects.append("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %d %d] /Resources << /Font << /F1 3 0 R >> >> /Contents %d 0 R >>"
                       % (*(sizes[i] if sizes else (144, 72)), 5 + 2 * i))
        content = "BT /F1 24 Tf 10 20 Td (%s) Tj ET" % text
        objects.append("<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content))
    file, places = "%PDF-1.4\n", []
    for i, one in enumerate(objects):
        places.append(len(file))
        file += "%d 0 obj\n%s\nendobj\n" % (i + 1, one)
    table = "".join("%010d 00000 n \n" % place for place in places)
    return ("%sxref\n0 %d\n0000000000 65535 f \n%strailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n"
            % (file, len(objects) + 1, table, len(objects) + 1, len(file))).encode()


@pytest.fixture(scope="module")
def objects():
    return coracle.pipeline(MODEL, description=DESCRIPTION)


@pytest.fixture
def film(tmp_path):
    path = tmp_path / "film.mp4"
    subprocess.run(["ffmpeg", "-nostdin", "-loglevel", "error", "-f", "lavfi", "-i", "testsrc=size=64x48:rate=10", "-frames:v", "20", path],
                   check=True)
    return path


@pytest.fixture
def folder(tmp_path):
    for name in ("b.jpg", "a/c.jpg", ".hidden/d.jpg", "a/.e.jpg"):
        (tmp_path / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(PICTURE, tmp_path / "in" / name)
    (tmp_path / "in/notes.txt").write_text("no picture")
    (tmp_path / "in/a/loop").symlink_to(tmp_path / "in")
    return tmp_path / "in"


def test_folders_with_those_below_them(objects, folder):
    answers = objects(folder)
    assert iter(answers) is answers
    found = list(answers)
    assert [answer.source for answer in found] == [coracle.Source(str(folder / "a/c.jpg")), coracle.Source(str(folder / "b.jpg"))]
    assert found[0].objects == found[1].objects == objects(PICTURE).objects
    assert objects(PICTURE).source == coracle.Source(str(PICTURE))
    assert objects(np.zeros((8, 8, 3), np.uint8)).source is None
    assert len(objects([folder, PICTURE])) == 3


def test_iterators_of_pictures(objects):
    pixels = np.zeros((40, 60, 3), np.uint8)
    taken = []

    def pictures():
        for number in range(3):
            taken.append(number)
            yield pixels

    answers = objects(pictures())
    assert taken == []
    assert next(answers).width == 60 and taken == [0]
    assert len(list(answers)) == 2
    with pytest.raises(ValueError, match="a picture is an array"):
        list(objects(iter([None])))


def test_pictures_that_cannot_be_read(objects, folder, tmp_path, caplog):
    (folder / "a/b.png").write_bytes(b"broken")
    with pytest.raises(OSError, match="b.png"):
        list(objects(folder))
    with caplog.at_level(logging.WARNING, "coracle"):
        assert len(list(objects(folder, skip_errors=True))) == 2
    assert [record.levelname for record in caplog.records] == ["WARNING"] and "b.png" in caplog.text
    (tmp_path / "none").mkdir()
    with pytest.raises(OSError, match="there is no picture"):
        objects(tmp_path / "none")
    with pytest.raises(FileNotFoundError):
        objects(tmp_path / "absent.pdf").__next__()


@needs_poppler
def test_pages_of_a_pdf(objects, tmp_path):
    path = tmp_path / "-a.pdf"
    path.write_bytes(pdf(["one", "two", "three"], [(144, 72), (72, 144), (144, 72)]))
    answers = list(objects(path))
    assert [(a.source.page, a.width, a.height) for a in answers] == [(1, 288, 144), (2, 144, 288), (3, 288, 144)]
    assert str(answers[1].source) == "%s, page 2" % path
    assert [a.source.page for a in objects(path, pages="2-,1", dpi=72)] == [2, 3, 1]
    assert [a.width for a in objects(path, pages=[2], dpi=72)] == [72]
    with pytest.raises(OSError, match="has 3 pages; page 4 was asked for"):
        list(objects(path, pages="3-4"))
    for wrong in ("0", "3-1", "a", [0], "1,", ""):
        with pytest.raises(ValueError, match="pages is "):
            objects(path, pages=wrong)


@needs_poppler
@pytest.mark.skipif(not PROGRAM.exists(), reason="this build has no program")
def test_pages_are_those_of_the_program(objects, tmp_path):
    (tmp_path / "a.pdf").write_bytes(pdf(["one", "two"]))
    run = subprocess.run([PROGRAM, "predict", MODEL, "--description", DESCRIPTION, tmp_path / "a.pdf", "--draw", tmp_path / "out"],
                         stdout=subprocess.PIPE, check=True)
    assert run.stdout.count(b"page ") == 2
    for answer in objects(tmp_path / "a.pdf"):
        answer.save(tmp_path / "own.png")
        name = "a_page%d_answer.png" % answer.source.page
        assert (tmp_path / "own.png").read_bytes() == (tmp_path / "out" / name).read_bytes()


@needs_poppler
def test_pdfs_that_cannot_be_read(objects, tmp_path):
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.4\nand no more")
    with pytest.raises(OSError, match="broken.pdf: pdfinfo says: Syntax Error: "):
        list(objects(tmp_path / "broken.pdf"))
    (tmp_path / "huge.pdf").write_bytes(pdf(["a", "b"], [(14400, 14400), (144, 72)]))
    with pytest.raises(OSError, match="huge.pdf, page 1: has 28800 x 28800 pixels at 144 dpi"):
        list(objects(tmp_path / "huge.pdf"))
    assert [a.source.page for a in objects(tmp_path / "huge.pdf", skip_errors=True)] == [2]


@needs_poppler
def test_programs_end_with_the_iterator(tmp_path):
    (tmp_path / "a.pdf").write_bytes(pdf(["x"] * 50))
    pictures = iter(sources.Stream([tmp_path / "a.pdf"], sources.reading_of(144, None, 1, None), False))
    next(pictures)
    children = lambda: pathlib.Path("/proc/self/task/%d/children" % os.getpid()).read_text().split()  # noqa: E731
    pictures.close()
    assert children() == []


@needs_ffmpeg
def test_frames_of_a_video(objects, film):
    assert [(a.source.frame, a.source.time) for a in objects(film, every=8)] == [(0, 0.0), (8, 0.8), (16, 1.6)]
    assert [(a.source.frame, a.source.time) for a in objects(film, fps=2)] == [(0, 0.0), (5, 0.5), (10, 1.0), (15, 1.5)]
    assert len(list(objects(film))) == 20
    with pytest.raises(ValueError, match="every and fps are both given"):
        objects(film, every=2, fps=2)
    with pytest.raises(ValueError, match="every is 0"):
        objects(film, every=0)
    (film.parent / "junk.mp4").write_bytes(b"junk")
    with pytest.raises(OSError, match="junk.mp4: ffprobe says: "):
        list(objects(film.parent / "junk.mp4"))


def test_missing_programs_are_named(objects, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    for name, told in (("a.pdf", "pdfinfo.*apt install poppler-utils"), ("a.mp4", "ffprobe.*apt install ffmpeg")):
        (tmp_path / name).write_bytes(b"")
        with pytest.raises(OSError, match=told):
            list(objects(tmp_path / name))


def test_progress_calls_a_function(objects, folder):
    told = []
    answers = objects([folder, PICTURE], progress=lambda done, total: told.append((done, total)))
    assert len(answers) == 3 and told == [(0, 3), (1, 3), (2, 3), (3, 3)]
    told.clear()
    list(objects(iter([PICTURE]), progress=lambda *numbers: told.append(numbers)))
    assert told == [(0, None), (1, None)]
    with pytest.raises(ValueError, match="progress is 3"):
        objects(folder, progress=3)


class FakeDisplay:
    """What IPython.display has, and what it was given."""

    def __init__(self):
        self.shown = []

    def HTML(self, text):
        return text

    def display(self, page, display_id):
        assert display_id is True
        self.shown.append(page)
        return types.SimpleNamespace(update=self.shown.append)


def test_progress_in_a_notebook_is_a_bar(objects, folder, monkeypatch, capsys):
    fake = FakeDisplay()
    module = types.ModuleType("IPython.display")
    module.HTML, module.display = fake.HTML, fake.display
    notebook = types.ModuleType("IPython")
    notebook.get_ipython = lambda: types.SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", notebook)
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    monkeypatch.setattr(_progress, "INTERVAL", 0)
    list(objects(folder, progress=True))
    assert fake.shown[0] == '<progress value="0" max="2" style="width:20em"></progress> 0/2'
    assert fake.shown[-1] == '<progress value="2" max="2" style="width:20em"></progress> 2/2'
    assert capsys.readouterr() == ("", "")
    fake.shown.clear()
    notebook.get_ipython = lambda: types.SimpleNamespace()   # IPython in a terminal: no kernel.
    list(objects(folder, progress=True))
    assert fake.shown == []


def test_progress_in_a_terminal_is_a_line(objects, folder, monkeypatch, capsys):
    monkeypatch.setattr(_progress, "INTERVAL", 0)
    monkeypatch.setattr(_progress, "_is_terminal", lambda: True)
    list(objects(folder, progress=True))
    told = capsys.readouterr().err
    assert "\r[###############...............] 1/2" in told and told.endswith("2/2\r\x1b[K")
    monkeypatch.setattr(_progress, "_is_terminal", lambda: False)
    list(objects(folder, progress=True))
    assert capsys.readouterr() == ("", "")


OCR = _library.PATH.with_name("coracle-ocr")


@pytest.mark.skipif(not OCR.exists(), reason="this build has no coracle-ocr")
def test_coracle_ocr_reads_the_same(folder, tmp_path):
    layout = tmp_path / "layout"
    layout.mkdir()
    shutil.copy(MODEL / "inference.pdmodel", layout)
    shutil.copy(DESCRIPTION.with_name("page_layout.yml"), layout / "inference.yml")
    (folder / "a/b.png").write_bytes(b"broken")
    pages = shutil.which("pdftoppm") is not None
    if pages:
        (folder / "z.pdf").write_bytes(pdf(["one", "two"]))

    def told(*options):
        run = subprocess.run([OCR, "--det", "none", "--cls", "none", "--rec", "none", "--layout", layout, *options, folder],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
        assert run.returncode == 5 and run.stderr.count("coracle-ocr: ") == 1 and "b.png: " in run.stderr
        return run.stdout

    def without_times(text):
        return [{k: v for k, v in json.loads(line).items() if not k.endswith("_ms")} for line in text.splitlines()]

    lines = without_times(told("--json-lines", "--draw", tmp_path / "out"))
    assert [(line["image"], line.get("page")) for line in lines] == (
        [(str(folder / name), None) for name in ("a/b.png", "a/c.jpg", "b.jpg")] + ([(str(folder / "z.pdf"), 1), (str(folder / "z.pdf"), 2)] if pages else []))
    assert "error" in lines[0] and all(line["regions"] for line in lines[1:])
    assert (tmp_path / "out/a/c_boxes.png").exists() and (tmp_path / "out/b_boxes.png").exists()
    assert (tmp_path / "out/z_page2_boxes.png").exists() == pages
    assert without_times(told("--json-lines", "--jobs", "3")) == lines
    whole = json.loads(told("--json"))["results"]
    assert [{k: v for k, v in one.items() if not k.endswith("_ms")} for one in whole] == lines[1:]
    assert told("--csv") == "image,%sline,score,text,x1,y1,x2,y2,x3,y3,x4,y4\n" % ("page," if pages else "")
    for options, part in ((["--pages", "0"], "--pages: '0' are no pages"), (["--jobs", "0"], "it takes a whole number from 1 to 256"),
                          (["--fps", "x"], "it takes a number above 0")):
        run = subprocess.run([OCR, *options, folder], stderr=subprocess.PIPE, universal_newlines=True)
        assert run.returncode == 2 and part in run.stderr, run.stderr
