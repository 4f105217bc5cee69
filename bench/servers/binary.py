# SPDX-License-Identifier: Apache-2.0
"""The binary form of requests and answers of the Open Inference Protocol, for servers that have no protocol of their own."""
import json

import numpy as np

DTYPES = {"FP32": np.float32, "INT64": np.int64, "INT32": np.int32}
NAMES = {np.dtype(dtype): name for name, dtype in DTYPES.items()}
LENGTH = "Inference-Header-Content-Length"


def packed(head, arrays):
    """The header's value and the body: a JSON with `arrays` by name under the key "inputs" or "outputs", and their elements."""
    parts, tensors = [], []
    for name, array in arrays.items():
        parts.append(np.ascontiguousarray(array).tobytes())
        tensors.append({"name": name, "datatype": NAMES[array.dtype], "shape": list(array.shape),
                        "parameters": {"binary_data_size": len(parts[-1])}})
    text = json.dumps({**head, ("inputs" if "parameters" in head else "outputs"): tensors}).encode()
    return str(len(text)), b"".join([text, *parts])


def request(arrays):
    return packed({"parameters": {"binary_data_output": True}}, arrays)


def unpacked(length, body):
    """Arrays by name."""
    length = int(length)
    head = json.loads(body[:length])
    arrays, offset = {}, length
    for tensor in head.get("inputs") or head["outputs"]:
        dtype = np.dtype(DTYPES[tensor["datatype"]])
        count = tensor["parameters"]["binary_data_size"] // dtype.itemsize
        arrays[tensor["name"]] = np.frombuffer(body, dtype, count, offset).reshape(tensor["shape"])
        offset += tensor["parameters"]["binary_data_size"]
    return arrays
