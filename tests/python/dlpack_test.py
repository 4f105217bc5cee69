# SPDX-License-Identifier: Apache-2.0
"""Tensors of other libraries on a device: a library made here gives and takes them on the stand-in for NVIDIA's driver."""
import os
import subprocess
import sys

import numpy as np
import program_file
import pytest

import coracle
from coracle import dlpack

STAND_IN = os.environ.get("CORACLE_FAKE_CUDA", "")

# In a process of its own: the loader reads its path once, and drivers do not survive forks.
ON_THE_STAND_IN = '''
import ctypes, gc, os, sys, weakref
sys.path[:0] = %r
import coracle, numpy as np, program_file
from ctypes import PYFUNCTYPE, CFUNCTYPE, POINTER, byref, c_char_p, c_int, c_int32, c_int64, c_size_t, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p

driver = ctypes.CDLL("libcuda.so.1")
driver.fake_cuda_live.restype = c_int64
try:
    missing = coracle.model.missing_device("cuda")
except coracle.UnsupportedError as error:
    missing = str(error)
if missing is not None:
    print("no device:", missing)
    raise SystemExit

def check(name, *arguments):
    code = getattr(driver, name)(*arguments)
    assert code == 0, (name, code)

class DLTensor(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("device_type", c_int32), ("device_id", c_int32), ("ndim", c_int32), ("code", c_uint8), ("bits", c_uint8),
                ("lanes", c_uint16), ("shape", POINTER(c_int64)), ("strides", POINTER(c_int64)), ("byte_offset", c_uint64)]

class Managed(ctypes.Structure):
    _fields_ = [("tensor", DLTensor), ("context", c_void_p), ("deleter", c_void_p)]

class Versioned(ctypes.Structure):
    _fields_ = [("major", c_uint32), ("minor", c_uint32), ("context", c_void_p), ("deleter", c_void_p), ("flags", c_uint64),
                ("tensor", DLTensor)]

capsule_new = PYFUNCTYPE(ctypes.py_object, c_void_p, c_char_p, c_void_p)(("PyCapsule_New", ctypes.pythonapi))
capsule_pointer = PYFUNCTYPE(c_void_p, ctypes.py_object, c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))
capsule_valid = PYFUNCTYPE(c_int, ctypes.py_object, c_char_p)(("PyCapsule_IsValid", ctypes.pythonapi))
capsule_rename = PYFUNCTYPE(c_int, ctypes.py_object, c_char_p)(("PyCapsule_SetName", ctypes.pythonapi))

exported = {}   # What others have, by the address of what they were given.

@CFUNCTYPE(None, c_void_p)
def delete(managed):
    del exported[managed]

class Array:
    """float32 on the device, as another library has it."""

    def __init__(self, values, versioned=True, stream=None):
        values = np.ascontiguousarray(values, np.float32)
        self.shape, self.bytes, self.versioned, self.asked = values.shape, values.nbytes, versioned, []
        self.stream = stream
        address = c_uint64()
        check("cuMemAlloc_v2", byref(address), c_size_t(values.nbytes))
        self.address = address.value
        self.write(values)

    def write(self, values):
        """On the stream, without waiting."""
        pinned = c_void_p()
        check("cuMemHostAlloc", byref(pinned), c_size_t(self.bytes), 0)
        kept.append(pinned)
        ctypes.memmove(pinned, values.ctypes.data, self.bytes)
        check("cuMemcpyHtoDAsync_v2", c_uint64(self.address), pinned, c_size_t(self.bytes), self.stream or default)

    def numpy(self):
        values = np.empty(self.shape, np.float32)
        check("cuMemcpyDtoHAsync_v2", c_void_p(values.ctypes.data), c_uint64(self.address), c_size_t(self.bytes), self.stream or default)
        return values

    def __del__(self):
        if check is not None:   # While the interpreter ends it may be gone.
            check("cuMemFree_v2", c_uint64(self.address))

    def __dlpack_device__(self):
        return 2, 0

    def __dlpack__(self, *, stream=None, **rest):
        if rest and not self.versioned:
            raise TypeError("an older library")
        self.asked.append(stream)
        new = self.versioned and rest.get("max_version", (0,))[0] >= 1
        managed = Versioned(major=1, minor=0) if new else Managed()
        shape = (c_int64 * len(self.shape))(*self.shape)
        managed.tensor = DLTensor(self.address, 2, 0, len(self.shape), 2, 32, 1, shape, None, 0)
        managed.deleter = ctypes.cast(delete, c_void_p)
        exported[ctypes.addressof(managed)] = managed, shape, self
        return capsule_new(ctypes.addressof(managed), b"dltensor_versioned" if new else b"dltensor", None)

def taken(tensor, stream, **rest):
    """The elements of a capsule, as a consumer reads them, which then gives it back."""
    capsule = tensor.__dlpack__(stream=stream, **rest)
    new = bool(capsule_valid(capsule, b"dltensor_versioned"))
    name = b"dltensor_versioned" if new else b"dltensor"
    managed = ctypes.cast(capsule_pointer(capsule, name), POINTER(Versioned if new else Managed)).contents
    capsule_rename(capsule, b"used_" + name)
    t = managed.tensor
    assert (t.device_type, t.device_id, t.code, t.bits, t.lanes) == (2, 0, 2, 32, 1)
    values = np.empty(t.shape[:t.ndim], np.float32)
    check("cuMemcpyDtoHAsync_v2", c_void_p(values.ctypes.data), c_uint64(t.data), c_size_t(values.nbytes), default)
    CFUNCTYPE(None, c_void_p)(managed.deleter)(ctypes.addressof(managed))
    return new, values

kept = []
default = c_void_p(1)
context, own = c_void_p(), c_void_p()
check("cuDevicePrimaryCtxRetain", byref(context), 0)
check("cuCtxPushCurrent_v2", context)
check("cuStreamCreate", byref(own), 1)
'''

HERE = '''
model = coracle.load_memory(*program_file.total(), device="cuda", disable_kernels="islands")
a, b = np.ones((2, 3), np.float32), np.arange(6, dtype=np.float32).reshape(2, 3)

# Inputs of both versions, on the default stream.
session = model.session(threads=1)
x, y = Array(a), Array(b, versioned=False)
gone = weakref.ref(y)
assert np.array_equal(session.run({"a": x, "b": y})["total"], a + b)
assert x.asked == [1] and y.asked == [1], "the default stream where the session has none"
del y
gc.collect()
assert gone() is not None, "the session has it"
session.set_input("b", b)
gc.collect()
assert gone() is None and len(exported) == 1

# A stream, and an output in memory of the library's.
class Stream:
    cuda_stream = own.value
out = Array(np.zeros((2, 3)), stream=own)
session.set_stream(Stream)
session.bind_output("total", out)
assert out.asked == [own.value]
ours = Array(a, stream=own)
session.set_input("a", ours)
for i in range(8):
    driver.fake_cuda_seed(c_uint64(i))
    ours.write(a * i)
    result = session.run()["total"]
    assert np.array_equal(out.numpy(), a * i + b), i
    assert result.address == out.address and result.device == "cuda:0"
    if i == 4:
        assert np.array_equal(session.run_async().result()["total"].numpy(), a * i + b)
for wrong in (-1, True, "x", Stream()):
    try:
        session.set_stream(wrong)
        assert wrong is not True and isinstance(wrong, Stream), wrong
    except coracle.InvalidArgumentError as error:
        assert "is not a stream" in str(error), error
try:
    session.bind_output("total", Array(np.zeros((1, 3))))
    session.run()
    raise AssertionError("too small")
except coracle.InvalidArgumentError as error:
    assert "output 0 ('total') is float32[2, 3], 24 bytes, its memory has room for 12" in str(error), error
session.set_stream(None)
session.set_stream(0)

# Results for others, which outlive session and model.
session.keep_output_on_device("total")
tensor = session.run({"a": a})["total"]
assert tensor.__dlpack_device__() == (2, 0)
session.close()
del session, model, result
live = driver.fake_cuda_live()
new, values = taken(tensor, 1)
assert not new and np.array_equal(values, a + b)
new, values = taken(tensor, own.value, max_version=(1, 1))
assert new and np.array_equal(values, a + b)
unused = tensor.__dlpack__(stream=-1)
held = tensor.__dlpack__()
address = tensor.address
del tensor, unused
gc.collect()
assert driver.fake_cuda_live() == live, "one has it still"
del held
gc.collect()
assert driver.fake_cuda_live() < live, "nobody has it"

# By way of the host, where the model does not run there.
host = coracle.load_memory(*program_file.total()).session(threads=1)
again = Array(b)
assert np.array_equal(host.run({"a": again, "b": b})["total"], 2 * b)
model = coracle.load_memory(*program_file.total(), device="cuda", disable_kernels="islands")
session = model.session()
session.keep_output_on_device(0)
tensor = session.run({"a": again, "b": again})[0]
for arguments, error in [({"stream": 0}, ValueError), ({"stream": "x"}, ValueError), ({"copy": True}, BufferError),
                         ({"dl_device": (2, 1)}, BufferError), ({"dl_device": (1, 0), "copy": False}, BufferError)]:
    try:
        tensor.__dlpack__(**arguments)
        raise AssertionError(arguments)
    except error:
        pass
class OnHost:   # As np.from_dlpack(tensor, device="cpu") asks.
    def __dlpack_device__(self):
        return 1, 0
    def __dlpack__(self, **rest):
        return tensor.__dlpack__(dl_device=(1, 0), **{k: v for k, v in rest.items() if k == "max_version"})
assert np.array_equal(np.from_dlpack(OnHost()), 2 * b)
class Strided(Array):
    def __dlpack__(self, **rest):
        capsule = super().__dlpack__()
        managed, shape, _ = list(exported.values())[-1]
        managed.tensor.strides = (c_int64 * 2)(1, 2)
        return capsule
try:
    session.run({"a": Strided(b)})
    raise AssertionError("strides")
except coracle.InvalidArgumentError as error:
    assert "input 'a': the tensor float32[2, 3] has stride 2 in dimension 1, expected 1" in str(error), error
print("done")
'''


@pytest.mark.skipif(not STAND_IN, reason="the stand-in for NVIDIA's driver was not built")
def test_on_the_stand_in():
    path = os.pathsep.join(filter(None, [STAND_IN, os.environ.get("LD_LIBRARY_PATH")]))
    out = subprocess.run([sys.executable, "-c", ON_THE_STAND_IN % (sys.path,) + HERE], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         text=True, timeout=300, env={**os.environ, "LD_LIBRARY_PATH": path, "CORACLE_CUDA_CACHE": ""}).stdout.strip()
    if out.startswith("no device:"):
        pytest.skip(out)
    assert out.splitlines()[-1:] == ["done"], out


def test_without_a_device():
    session = coracle.load_memory(*program_file.total()).session(threads=1)
    session.set_stream(None)
    with pytest.raises(coracle.InvalidArgumentError, match="the session takes no stream: the model uses no device"):
        session.set_stream(0)
    a = np.ones((2, 3), np.float32)

    class Elsewhere:
        def __dlpack_device__(self):
            return 2, 0

        def __dlpack__(self, **_):
            return None
    with pytest.raises(coracle.InvalidArgumentError, match="input 'a': __dlpack__ of a Elsewhere gave None, expected a new capsule"):
        session.run({"a": Elsewhere(), "b": a})
    # Results on the host are arrays, which have __dlpack__ themselves.
    total = session.run({"a": a, "b": a})["total"]
    assert np.shares_memory(np.from_dlpack(total), total)


def test_streams():
    class Cupy:
        ptr = 0

    class Protocol:
        def __cuda_stream__(self):
            return 0, 48
    assert [dlpack.stream_address(s) for s in (None, 0, 1, 2, 4096, Cupy(), Protocol())] == [None, 1, 1, 2, 4096, 1, 48]
