# SPDX-License-Identifier: Apache-2.0
"""Triton of the wheel nvidia-pytriton, with its dynamic batcher before an engine in Python: triton_server.py PORT MODEL ENGINE INPUTS, a JSON
with the shapes and types of the inputs without their rows, and the names of outputs."""
import json
import sys

import numpy as np
from pytriton.decorators import batch
from pytriton.model_config import DynamicBatcher, ModelConfig, Tensor
from pytriton.triton import Triton, TritonConfig

import engines

port, path, name, about = int(sys.argv[1]), sys.argv[2], sys.argv[3], json.loads(sys.argv[4])
engine = engines.ENGINES[name](path)


@batch
def infer(**inputs):
    return engine(inputs)


inputs = [Tensor(name=key, dtype=np.dtype(dtype).type, shape=tuple(shape)) for key, (dtype, shape) in about["inputs"].items()]
outputs = [Tensor(name=key, dtype=np.dtype(dtype).type, shape=(-1,) * rank) for key, (dtype, rank) in about["outputs"].items()]
with Triton(config=TritonConfig(http_port=port, grpc_port=port + 1, metrics_port=port + 2, http_address="127.0.0.1")) as triton:
    triton.bind(model_name="m", infer_func=infer, inputs=inputs, outputs=outputs,
                config=ModelConfig(max_batch_size=8, batcher=DynamicBatcher(max_queue_delay_microseconds=0)))
    triton.serve()
