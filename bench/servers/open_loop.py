# SPDX-License-Identifier: Apache-2.0
"""Requests at a fixed rate, whether or not earlier ones are answered; latencies count from the time at which a request was to be sent, so that a
server that stands still for a while is charged for all that should have come meanwhile."""
import asyncio
import collections
import math
import time


async def _answer(reader):
    """Reads an answer; its status."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
    length = next(int(line[15:]) for line in head.split("\r\n") if line.startswith("content-length:"))
    await reader.readexactly(length)
    return int(head.split(" ", 2)[1])


async def _run(port, message, rate, seconds, timeout):
    idle, latencies, failed = collections.deque(), [], 0

    async def one(due):
        nonlocal failed
        writer = None
        try:
            reader, writer = idle.pop() if idle else await asyncio.open_connection("127.0.0.1", port, limit=1 << 20)
            writer.write(message)
            status = await asyncio.wait_for(_answer(reader), timeout)
            latencies.append(time.perf_counter() - due)
            failed += status != 200
            idle.append((reader, writer))
        except (OSError, EOFError, asyncio.TimeoutError, StopIteration, RuntimeError):
            failed += 1
            if writer is not None:
                writer.close()

    start, tasks = time.perf_counter(), []
    for i in range(max(1, round(rate * seconds))):
        due = start + i / rate
        await asyncio.sleep(max(0, due - time.perf_counter()))
        tasks.append(asyncio.create_task(one(due)))
    await asyncio.gather(*tasks)
    took = time.perf_counter() - start
    for _, writer in idle:
        writer.close()
    latencies.sort()

    def percentile(share):
        return 1e3 * latencies[max(0, math.ceil(share * len(latencies)) - 1)] if latencies else float("inf")

    return {"requests": len(tasks), "seconds": took, "p50": percentile(0.5), "p99": percentile(0.99), "failed": failed}


def load(port, path, headers, body, rate, seconds, timeout=30):
    """`rate` requests per second, evenly spaced, each on a connection that is free then."""
    lines = ["POST %s HTTP/1.1" % path, "Host: 127.0.0.1", "Content-Length: %d" % len(body), *("%s: %s" % item for item in headers.items())]
    return asyncio.run(_run(port, "\r\n".join([*lines, "", ""]).encode() + body, rate, seconds, timeout))
