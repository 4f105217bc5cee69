# SPDX-License-Identifier: Apache-2.0
"""Models on a cluster of Ray: stages of Ray Data, and a deployment of Ray Serve. `pip install "coracle[ray]"` brings Ray.

    scores = ds.map_batches(coracle.ray.Predictor, fn_constructor_kwargs={"model": "/models/PP-LCNet_x1_0_infer"}, batch_size=32,
                            compute=ray.data.ActorPoolStrategy(size=4))
    texts = ds.map_batches(coracle.ray.TextReader, fn_constructor_kwargs={"detector": "/models/det_infer", "recognizer": "/models/rec_infer"},
                           batch_size=8, compute=ray.data.ActorPoolStrategy(size=4))
    ray.serve.run(coracle.ray.deployment("/models/PP-LCNet_x1_0_infer", replicas=(1, 8)))

`Predictor`, `PicturePredictor` and `TextReader` are those of `coracle.batch`. Ray is imported by `deployment` only.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Union

from .batch import Path, PicturePredictor, Predictor, TextReader
from .errors import InvalidArgumentError

if TYPE_CHECKING:
    from ray.serve import Application

__all__ = ["PicturePredictor", "Predictor", "TextReader", "deployment"]


def deployment(model: Union[Path, Predictor, PicturePredictor], *, replicas: int | tuple[int, int] = 1, num_cpus: float = 1,
               max_batch_size: int = 8, batch_wait_timeout_s: float = 0.0, options: Mapping[str, Any] | None = None) -> Application:
    """A model as an application of Ray Serve: `ray.serve.run(coracle.ray.deployment("/models/PP-LCNet_x1_0_infer", replicas=(1, 8)))`.

    model: a path, or a Predictor, PicturePredictor or TextReader with its options. replicas: how many, or the least and the most, between which
    Serve chooses by the requests under way. num_cpus: of each replica, and its threads. max_batch_size, batch_wait_timeout_s: requests
    that run together (`@serve.batch`), and how long the first waits for others. options: further ones of `serve.deployment`, such as
    `{"name": ..., "max_ongoing_requests": ..., "autoscaling_config": {...}}`.

    Handles take and give a dict of columns: `handle.remote({"x": pixels}).result()`. Over HTTP a Predictor takes and gives the JSON of the Open
    Inference Protocol (`{"inputs": [{"name", "datatype", "shape", "data"}]}`), the others take the bytes of a picture file and give what
    they answer as JSON.

    Requests whose arrays differ in the number of rows only run together. The first batch of each shape is compared bit by bit with the
    requests run alone; a model whose rows depend on each other runs every request alone from then on. A wrong request fails alone.
    """
    from ._ray_serve import Replica

    stage = model if isinstance(model, (Predictor, PicturePredictor)) else Predictor(model)
    given: dict[str, Any] = {"name": "coracle", "ray_actor_options": {"num_cpus": num_cpus}}
    if isinstance(replicas, int):
        given["num_replicas"] = replicas
    else:
        least, most = replicas
        if not 0 <= least <= most:
            raise InvalidArgumentError("replicas is %r, expected a number, or the least and the most" % (replicas,))
        given["autoscaling_config"] = {"min_replicas": least, "max_replicas": most}
    return Replica.options(**{**given, **(options or {})}).bind(stage, max_batch_size, batch_wait_timeout_s)
