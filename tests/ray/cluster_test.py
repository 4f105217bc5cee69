# SPDX-License-Identifier: Apache-2.0
"""Clusters of several nodes, each with processes of its own, of which some are killed; and the same predictor on Dask."""
import os
import signal

import conftest
import coracle.ray
import numpy as np
import pytest
import ray
from conftest import ROWS, STORE, long
from ray.cluster_utils import Cluster

pytestmark = long


class Slow(coracle.ray.Predictor):
    """Takes long enough for a node to be killed meanwhile."""

    def __call__(self, batch):
        import time
        time.sleep(0.2)
        return super().__call__(batch)


@pytest.fixture
def cluster():
    if ray.is_initialized():
        ray.shutdown()
    ray.cloudpickle.register_pickle_by_value(__import__(__name__))
    node = {"object_store_memory": STORE, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 2, **node})
    cluster.workers = [cluster.add_node(num_cpus=1, resources={"worker": 1}, object_store_memory=STORE) for _ in range(2)]
    ray.init(address=cluster.address, log_to_driver=False)
    yield cluster
    ray.shutdown()
    cluster.shutdown()


def test_a_killed_node_loses_and_doubles_nothing(cluster, folder, expected):
    blocks = [{"id": ids, "x": conftest.inputs(ids)} for ids in np.split(np.arange(ROWS), 32)]
    stream = ray.data.from_items([{"block": number} for number in range(32)], override_num_blocks=32).map_batches(
        lambda batch: blocks[batch["block"][0]], batch_size=1).map_batches(
        Slow, fn_constructor_kwargs={"model": str(folder), "outputs": "y"}, batch_size=7, concurrency=2, num_cpus=1, resources={"worker": 1})
    rows, killed = [], 0
    for row in stream.iter_rows():
        rows.append(row)
        if len(rows) in (30, 100):   # In the middle, twice; another node comes in its place.
            raylet = cluster.workers[killed].all_processes["raylet"][0].process
            os.kill(raylet.pid, signal.SIGKILL)
            killed += 1
            cluster.add_node(num_cpus=1, resources={"worker": 1}, object_store_memory=STORE)
    assert killed == 2
    conftest.check(rows, expected)


def test_dask_gives_the_same(folder, expected):
    distributed = pytest.importorskip("distributed")
    predict = coracle.batch.Predictor(folder, outputs="y")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=2, processes=True, dashboard_address=None) as cluster, distributed.Client(cluster) as client:
        batches = [{"id": ids, "x": conftest.inputs(ids)} for ids in np.split(np.arange(ROWS), 32)]
        answers = client.gather(client.map(predict, batches))
        assert client.submit(coracle.batch.assigned_threads, pure=False).result() == 1
    conftest.check([{"id": i, "y": y} for answer in answers for i, y in zip(answer["id"], answer["y"])], expected)
