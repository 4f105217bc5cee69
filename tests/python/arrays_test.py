# SPDX-License-Identifier: Apache-2.0
"""What may be given as an input, and what results are."""
import array

import coracle
import ml_dtypes
import numpy as np
import program_file
import pytest
from coracle import _arrays

DTYPES = ("int32", "int64", "float16", "float32", "float64")
VALUES = np.arange(12, dtype=np.float64).reshape(3, 4)


def session_of(dtype):
    return coracle.load_memory(*program_file.doubled(dtype)).session(threads=1)


class Exporter:
    """An object that has its elements by DLPack only, as tensors of other frameworks."""

    def __init__(self, values):
        self.values = values

    def __dlpack__(self, **options):
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


class Tensor:
    """One whose DLPack is refused, but which numpy can read."""

    def __init__(self, values):
        self.values = values

    def __dlpack__(self, **_):
        raise BufferError("not by DLPack")

    def __dlpack_device__(self):
        return (1, 0)

    def __array__(self, dtype=None, copy=None):
        return self.values


@pytest.mark.parametrize("dtype", DTYPES)
def test_element_types(dtype):
    x = VALUES.astype(dtype)
    y = session_of(dtype).run(x)["y"]
    assert y.dtype == dtype and np.array_equal(y, x + x)


@pytest.mark.parametrize("layout", ["fortran", "transposed", "strided", "reversed", "broadcast", "read-only", "big-endian", "unaligned",
                                    "subclass"])
def test_layouts(layout):
    x = VALUES.astype(np.float32)
    given = {"fortran": lambda: np.asfortranarray(x), "transposed": lambda: x.T, "strided": lambda: np.repeat(x, 2, 1)[:, ::2],
             "reversed": lambda: x[::-1, ::-1], "broadcast": lambda: np.broadcast_to(x[0], (5, 4)),
             "read-only": lambda: np.frombuffer(x.tobytes(), np.float32).reshape(3, 4), "big-endian": lambda: x.astype(">f4"),
             "unaligned": lambda: np.frombuffer(b"-" + x.tobytes(), np.float32, offset=1).reshape(3, 4),
             "subclass": lambda: x.view(np.matrix)}[layout]()
    y = session_of("float32").run(given)["y"]
    assert type(y) is np.ndarray and np.array_equal(y, np.asarray(given) * 2)


def test_contiguous_arrays_are_not_copied():
    for x in (np.zeros((3, 4), np.float32), np.frombuffer(bytes(48), np.float32).reshape(3, 4), np.zeros((), np.float32)):
        assert _arrays.readable(x, "x", _arrays.NAMES.index("float32")) is x
    exported = np.zeros((3, 4), np.float32)
    assert np.shares_memory(_arrays.readable(Exporter(exported), "x", _arrays.NAMES.index("float32")), exported)
    read_only = np.asfortranarray(exported)
    assert _arrays.readable(read_only, "x", _arrays.NAMES.index("float32")).flags.c_contiguous


@pytest.mark.parametrize("given", [
    Exporter(VALUES.astype(np.float32)), Tensor(VALUES.astype(np.float32)), memoryview(VALUES.astype(np.float32)), VALUES.tolist(),
    VALUES.astype(int).tolist(), tuple(map(tuple, VALUES.tolist()))])
def test_other_objects(given):
    assert np.array_equal(session_of("float32").run({"x": given})["y"], VALUES * 2)


def test_lists_become_the_inputs_type_if_their_values_stay():
    assert session_of("int32").run([[1, 2], [3, 4]])["y"].tolist() == [[2, 4], [6, 8]]
    assert session_of("float16").run([[1.5]])["y"].tolist() == [[3]]
    for wrong in ([[1.5]], [[2**40]], [["a"]], [[None]], [[1], [2, 3]]):
        with pytest.raises(coracle.InvalidArgumentError, match="input 'x'"):
            session_of("int32").run(wrong)


@pytest.mark.parametrize("given", [VALUES, VALUES.astype(np.int32), VALUES.astype(np.complex64), array.array("d", [1.0]), "text", b"bytes",
                                   object(), np.array([["a"]]), np.array([[object()]]), np.datetime64("2020-01-01")])
def test_arrays_of_another_type_are_refused(given):
    with pytest.raises(coracle.InvalidArgumentError, match="input 'x'"):
        session_of("float32").run({"x": given})


def test_bfloat16():
    bits = VALUES.astype(ml_dtypes.bfloat16)
    session = session_of("bfloat16")
    for given in (bits, bits.view(np.uint16)):
        y = session.run(given)["y"]
        assert y.dtype == ml_dtypes.bfloat16 and np.array_equal(y.astype(np.float64), VALUES * 2)
    with pytest.raises(coracle.InvalidArgumentError, match="bfloat16"):
        session.run(VALUES.astype(np.float32))


def test_bfloat16_without_ml_dtypes(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "ml_dtypes", None)
    y = session_of("bfloat16").run(VALUES.astype(ml_dtypes.bfloat16).view(np.uint16))["y"]
    assert y.dtype == np.uint16 and np.array_equal(y.view(ml_dtypes.bfloat16).astype(np.float64), VALUES * 2)


FLOAT8 = (("float8_e4m3fn", 0x39, 1.125), ("float8_e5m2", 0x3E, 1.5))


@pytest.mark.parametrize("dtype,code,value", FLOAT8)
def test_float8(dtype, code, value):
    codes = np.array([[code, code | 0x80]], np.uint8)
    model = coracle.load_memory(*program_file.casts(dtype))
    assert model.inputs[0].dtype == dtype and model.inputs[0].numpy_dtype == np.dtype(getattr(ml_dtypes, dtype))
    with model.session(threads=1) as session:
        for given in (codes, codes.view(getattr(ml_dtypes, dtype)), np.asfortranarray(codes)):
            results = session.run({"x": given})
            assert results["wide"].tolist() == [[value, -value]]
            assert results["y"].dtype == getattr(ml_dtypes, dtype) and np.array_equal(results["y"].view(np.uint8), codes)
        assert session.run()["wide"].tolist() == [[value, -value]], "the input that was set before"
        for wrong in (np.zeros((1, 2), np.float32), np.zeros((1, 2), np.int8), np.zeros((1, 2), np.uint16)):
            with pytest.raises(coracle.InvalidArgumentError, match="ml_dtypes." + dtype):
                session.run({"x": wrong})


@pytest.mark.parametrize("dtype,code,value", FLOAT8)
def test_float8_without_ml_dtypes(dtype, code, value, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "ml_dtypes", None)
    model = coracle.load_memory(*program_file.casts(dtype))
    assert model.inputs[0].numpy_dtype == np.uint8
    results = model.session(threads=1).run({"x": np.array([[code, code]], np.uint8)})
    assert results["wide"].tolist() == [[value, value]] and results["y"].dtype == np.uint8 and results["y"].tolist() == [[code, code]]


def test_names_of_element_types_are_the_librarys():
    assert _arrays.NAMES[:3] == ("bool", "int8", "uint8") and _arrays.NAMES[12:] == ("float8_e4m3fn", "float8_e5m2")
    assert [_arrays.NAMES[n] for n in range(len(_arrays.NAMES)) if _arrays.bits_of(n) is not None] == [
        "bfloat16", "float8_e4m3fn", "float8_e5m2"]


def test_results_go_out_by_dlpack_and_as_buffers():
    y = session_of("float32").run(VALUES.astype(np.float32))["y"]
    assert np.shares_memory(np.from_dlpack(y), y)
    assert memoryview(y).shape == (3, 4)
