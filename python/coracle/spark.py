# SPDX-License-Identifier: Apache-2.0
"""Models in Spark: `pyspark.ml.functions.predict_batch_udf` calls what `predict_fn` gives. Spark is not imported here.

    score = predict_batch_udf(coracle.spark.predict_fn("/models/PP-LCNet_x1_0_infer"), return_type=ArrayType(FloatType()), batch_size=32,
                              input_tensor_shapes=[[3, 224, 224]])
    df.select(score("pixels"))
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from .batch import Path, Predictor

__all__ = ["predict_fn"]


class _PredictFunction:
    """`make_predict_fn` of predict_batch_udf: called once in each Python worker, it gives the function for batches."""

    def __init__(self, predictor: Predictor):
        self._predictor = predictor

    def __call__(self) -> Callable[..., Any]:
        predictor = self._predictor
        names = [info.name for info in predictor.inputs]

        def predict(*columns: np.ndarray) -> Any:
            results = predictor(dict(zip(names, columns)))
            flat = {name: array.reshape(len(array), -1) if np.ndim(array) > 2 else array for name, array in results.items()}
            return flat if len(flat) > 1 else next(iter(flat.values()))

        # Spark counts the parameters: one for each column of the call.
        parameters = [inspect.Parameter("column_%d" % number, inspect.Parameter.POSITIONAL_ONLY) for number in range(len(names))]
        predict.__signature__ = inspect.Signature(parameters)   # type: ignore[attr-defined]
        return predict


def predict_fn(model: Path, params: Path | None = None, *, outputs: str | Iterable[str] | Mapping[str, str] | None = None,
               threads: int | None = None, **options: Any) -> Callable[[], Callable[..., Any]]:
    """What `predict_batch_udf` takes as `make_predict_fn`: `predict_batch_udf(coracle.spark.predict_fn("/models/m"), ...)`.

    Arguments as of `coracle.batch.Predictor`. The columns of a call are the inputs in the model's order; `input_tensor_shapes` says how their
    rows are shaped. The results of one output are an array, of several a dict for a `return_type` with fields of their names (`outputs={output: field}`
    gives them others); what has more than two dimensions is made a list for each row.
    """
    return _PredictFunction(Predictor(model, params, outputs=outputs, threads=threads, **options))
