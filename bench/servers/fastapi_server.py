# SPDX-License-Identifier: Apache-2.0
"""FastAPI with uvicorn before an engine, runs in its pool of threads: fastapi_server.py PORT MODEL ENGINE"""
import sys

import uvicorn
from fastapi import FastAPI, Request, Response
from fastapi.concurrency import run_in_threadpool

import binary
import engines

engine = engines.ENGINES[sys.argv[3]](sys.argv[2])
app = FastAPI()


@app.get("/v2/health/ready")
async def ready():
    return {"ready": True}


@app.post("/v2/models/m/infer")
async def infer(request: Request):
    inputs = binary.unpacked(request.headers[binary.LENGTH], await request.body())
    length, body = binary.packed({}, await run_in_threadpool(engine, inputs))
    return Response(body, media_type="application/octet-stream", headers={binary.LENGTH: length})


uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning", access_log=False)
