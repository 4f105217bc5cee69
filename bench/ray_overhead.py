# SPDX-License-Identifier: Apache-2.0
"""What coracle.batch and Ray Data add to a model whose batch takes about 20 ms in one thread: make bench-ray

A plain loop over session.run and the same through coracle.ray.Predictor, in this process and thread; then as a stage of Ray Data in one worker, where
the time is that from the first to the last batch: not the start of processes, but all that is between batches."""
import argparse
import pathlib
import time

import coracle
import coracle.ray
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[1]
MODEL = ROOT / "build/demo-models/models/ch_PP-OCRv4_rec_infer"
GOAL_MS = 20


class Timed(coracle.ray.Predictor):
    """Says when it began and ended each batch."""

    def __call__(self, batch):
        begin = time.time()
        count = len(super().__call__(batch)["id"])
        return {"id": batch["id"], "begin": np.full(count, begin), "end": np.full(count, time.time())}


def picture(number):
    return np.random.default_rng(number).standard_normal((3, 48, 320)).astype(np.float32)


def measured(batches, *calls):
    """The median of each in milliseconds of this thread, which a busy machine changes little; for each batch one after the other."""
    times = []
    for batch in batches:
        times.append([])
        for call in calls:
            start = time.thread_time()
            call(batch)
            times[-1].append(1000 * (time.thread_time() - start))
    return np.median(times, axis=0)


def by_ray(rows, count, blocks, runs):
    import ray
    ray.init(num_cpus=2, include_dashboard=False, object_store_memory=1 << 30, log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    ray.cloudpickle.register_pickle_by_value(__import__("sys").modules[Timed.__module__])
    spans, inside = [], []
    for _ in range(runs):
        images = ray.data.range(rows * count, override_num_blocks=blocks).map_batches(
            lambda batch: {"id": batch["id"], "x": np.stack([picture(n) for n in batch["id"]])}, batch_size=rows).materialize()
        found = images.map_batches(Timed, fn_constructor_kwargs={"model": str(MODEL)}, batch_size=rows, concurrency=1).to_pandas()
        calls = sorted(set(zip(found["begin"], found["end"])))[2:]   # The first ones load and plan.
        assert sorted(found["id"]) == list(range(rows * count))
        spans.append(1000 * (calls[-1][1] - calls[0][0]) / len(calls))
        inside.append(1000 * float(np.median([end - begin for begin, end in calls])))
    ray.shutdown()
    return min(spans), min(inside)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--batches", type=int, default=200)
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args()
    session = coracle.load(MODEL).session(1)
    plain = lambda batch: session.run({"x": batch["x"]})  # noqa: E731
    one = {"x": picture(0)[None]}
    rows = max(1, round(GOAL_MS / measured([one] * 20, plain)[0]))
    batches = [{"x": np.stack([picture(rows * n + row) for row in range(rows)]), "id": np.arange(rows)} for n in range(given.batches)]
    predict = coracle.ray.Predictor(MODEL, threads=1)
    measured(batches[:2], plain, predict)
    base, adapter = np.min([measured(batches, plain, predict) for _ in range(given.runs)], axis=0)
    print("%d rows a batch, %d batches, the least median of %d runs, one thread" % (rows, given.batches, given.runs))
    print("plain loop                             %7.2f ms" % base)
    print("coracle.ray.Predictor                  %7.2f ms  %+5.1f %%" % (adapter, 100 * (adapter / base - 1)))
    for blocks in (given.batches, given.batches // 10):
        span, inside = by_ray(rows, given.batches, blocks, given.runs)
        print("Ray Data, %2d batches a block: in the predictor %7.2f ms, from batch to batch %7.2f ms  %+5.1f %%" % (
            given.batches // blocks, inside, span, 100 * (span / inside - 1)))


if __name__ == "__main__":
    main()
