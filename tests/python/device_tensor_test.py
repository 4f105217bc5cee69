# SPDX-License-Identifier: Apache-2.0
"""Results that stay on a device."""
import subprocess
import sys

import pytest

# In a process of its own: drivers do not survive the forks of other tests.
ON_A_DEVICE = """
import sys
sys.path[:0] = %r
import coracle, numpy as np, program_file
if not coracle.devices()["devices"]:
    print("no device")
    raise SystemExit
files = program_file.total()
a, b = np.ones((2, 3), np.float32), np.arange(6, dtype=np.float32).reshape(2, 3)
host = coracle.load_memory(*files).session(threads=1)
model = coracle.load_memory(*files, device="opencl", disable_kernels="islands")
session = model.session(threads=1)
session.keep_output_on_device("total")
kept = session.run({"a": a, "b": b})["total"]
print(kept, kept.shape, kept.dtype, session.output_shape(), session.output_lod(), type(session.output()).__name__)
again = session.run({"a": kept})[0]
again = model.session().run({"a": again, "b": again})[0]
expected = 2 * (a + 2 * b)
print(np.array_equal(again, expected), np.array_equal(kept.numpy(), a + b), np.array_equal(np.asarray(kept), a + b))
print(np.array_equal(host.run({"a": kept, "b": b})[0], a + 2 * b))
session.close()
del session, model
print(np.array_equal(kept.numpy(), a + b))
try:
    host.keep_output_on_device(0)
except coracle.InvalidArgumentError as error:
    print(error)
"""


def test_outputs_stay_and_are_inputs():
    out = subprocess.run([sys.executable, "-c", ON_A_DEVICE % (sys.path,)], check=True, stdout=subprocess.PIPE, text=True,
                         timeout=300).stdout.splitlines()
    if out == ["no device"]:
        pytest.skip("this machine has no OpenCL device")
    assert out[0] == "<coracle.DeviceTensor float32[2, 3]> (2, 3) float32 (2, 3) [] DeviceTensor"
    assert out[1:4] == ["True True True", "True", "True"], out
    assert out[4].startswith("output 0 cannot stay on a device: the model uses none"), out
