# SPDX-License-Identifier: Apache-2.0
"""The real Triton with the model "m", y = x + x, in its back end for Python, which lies in FOLDER/model-store with
others that clients may load: triton_model.py PORT FOLDER"""
import sys

import numpy as np
from pytriton.decorators import batch
from pytriton.model_config import DynamicBatcher, ModelConfig, Tensor
from pytriton.triton import Triton, TritonConfig, TritonLifecyclePolicy, TritonSecurityConfig


@batch
def infer(x):
    return {"y": x + x}


config = TritonConfig(http_port=int(sys.argv[1]), http_address="127.0.0.1", allow_grpc=False, allow_metrics=False)
with Triton(config=config, workspace=sys.argv[2], triton_lifecycle_policy=TritonLifecyclePolicy(local_model_store=True),
            security_config=TritonSecurityConfig(restricted_endpoints=[])) as triton:
    triton.bind("m", infer, [Tensor(name="x", dtype=np.float32, shape=(-1,))], [Tensor(name="y", dtype=np.float32, shape=(-1,))],
                config=ModelConfig(max_batch_size=8, batcher=DynamicBatcher()))
    triton.serve()
