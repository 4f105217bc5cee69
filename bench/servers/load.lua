-- SPDX-License-Identifier: Apache-2.0
-- The load of serving.py for wrk: the same request again and again; a JSON of what came of it at the end.
local file = io.open(os.getenv("LOAD_BODY"), "rb")
wrk.method = "POST"
wrk.body = file:read("*a")
wrk.headers["Content-Type"] = os.getenv("LOAD_TYPE")
if os.getenv("LOAD_LENGTH") ~= "" then wrk.headers["Inference-Header-Content-Length"] = os.getenv("LOAD_LENGTH") end

function done(summary, latency, requests)
  local errors = summary.errors
  io.write(string.format('\nRESULT {"requests": %d, "seconds": %.6f, "p50": %.3f, "p99": %.3f, "failed": %d}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
