# SPDX-License-Identifier: Apache-2.0
# Runs a model on ones and prints the shapes of its results: python first_run.py MODEL
import sys
import coracle
import numpy as np
model = coracle.load(sys.argv[1])
inputs = {info.name: np.ones([1 if d is None else d for d in info.shape], info.numpy_dtype) for info in model.inputs}
print({name: array.shape for name, array in model(inputs).items()})
