# SPDX-License-Identifier: Apache-2.0
"""Ray Serve with batches before an engine: ray_server.py PORT MODEL ENGINE"""
import os
import sys
import threading

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
import numpy as np
import ray
from ray import serve
from starlette.requests import Request
from starlette.responses import Response

FOLDER = os.path.dirname(os.path.abspath(__file__))


@serve.deployment(max_ongoing_requests=64)
class Model:
    def __init__(self, path, engine):
        import engines
        self.engine = engines.ENGINES[engine](path)

    @serve.batch(max_batch_size=8, batch_wait_timeout_s=0.001)
    async def run(self, requests):
        names = list(requests[0])
        results = self.engine({name: np.concatenate([request[name] for request in requests]) for name in names})
        return [{name: array[i:i + 1] for name, array in results.items()} for i in range(len(requests))]

    async def __call__(self, request: Request):
        import binary
        if request.url.path.endswith("ready"):
            return Response("{}")
        inputs = binary.unpacked(request.headers[binary.LENGTH], await request.body())
        length, body = binary.packed({}, await self.run(inputs))
        return Response(body, media_type="application/octet-stream", headers={binary.LENGTH: length})


ray.init(num_cpus=os.cpu_count(), include_dashboard=False, log_to_driver=False,
         runtime_env={"env_vars": {"PYTHONPATH": FOLDER}})
serve.start(http_options={"host": "127.0.0.1", "port": int(sys.argv[1])})
serve.run(Model.bind(sys.argv[2], sys.argv[3]), route_prefix="/")
threading.Event().wait()
