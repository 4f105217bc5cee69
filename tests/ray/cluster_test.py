# SPDX-License-Identifier: Apache-2.0
"""Clusters of several nodes on machines of their own (network namespaces), of which some are killed or lose their link; and the same predictor on Dask."""
import os
import pathlib
import signal
import subprocess
import sys
import time

import conftest
import coracle.ray
import numpy as np
import pytest
import ray
from conftest import ROWS, STORE, long
from namespaces import Network
from ray.cluster_utils import Cluster

pytestmark = long
# How soon a node that is silent is taken for dead: after some seconds, not half a minute.
IMPATIENT = {"health_check_initial_delay_ms": 1000, "health_check_period_ms": 1000, "health_check_timeout_ms": 2000, "health_check_failure_threshold": 3}


class Slow(coracle.ray.Predictor):
    """Takes long enough for a node to be killed meanwhile."""

    def __call__(self, batch):
        import time
        time.sleep(0.2)
        return super().__call__(batch)


class Nodes:
    """A cluster: its head here, with the program that uses it, and nodes of one CPU on so many machines."""

    def __init__(self, machines):
        self.network = Network(machines)
        try:
            self._cluster = Cluster(initialize_head=True, head_node_args={
                "node_ip_address": self.network.address, "num_cpus": 2, "object_store_memory": STORE, "include_dashboard": False, "_system_config": IMPATIENT})
        except BaseException:
            self.network.close()
            raise

    def start(self, number):
        """Ends when its raylet does. A machine has folders of its own for Ray."""
        own = ["sh", "-c", 'mount -t tmpfs ray /tmp/ray && exec "$@"', "sh"]
        subprocess.Popen([*self.network.on(number), *own, pathlib.Path(sys.executable).with_name("ray"), "start", "--block",
                          "--address", self._cluster.address, "--node-ip-address", self.network.addresses[number], "--num-cpus", "1",
                          "--resources", '{"worker": 1}', "--object-store-memory", str(STORE)], stdout=subprocess.DEVNULL)

    def connect(self):
        ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])
        ray.init(address=self._cluster.address, _node_ip_address=self.network.address, log_to_driver=False)
        self.wait_for(len(self.network.addresses))

    def wait_for(self, workers):
        end = time.monotonic() + 90
        while (found := sum("worker" in node["Resources"] for node in ray.nodes() if node["Alive"])) != workers:
            assert time.monotonic() < end, "%d nodes for workers, expected %d" % (found, workers)
            time.sleep(0.2)

    def close(self):
        ray.shutdown()
        self._cluster.shutdown()
        self.network.close()


def cluster(machines):
    if ray.is_initialized():
        ray.shutdown()
    nodes = Nodes(machines)
    try:
        for number in range(machines):
            nodes.start(number)
        nodes.connect()
        yield nodes
    finally:
        nodes.close()


four = pytest.fixture(scope="module")(lambda: (yield from cluster(4)))
two = pytest.fixture(lambda: (yield from cluster(2)))


def predicted(folder, blocks, stage, size, workers):
    """Of all rows in so many blocks, each worker on a machine of its own."""
    rows = [{"id": ids, "x": conftest.inputs(ids)} for ids in np.split(np.arange(ROWS), blocks)]
    return ray.data.from_items([{"block": number} for number in range(blocks)], override_num_blocks=blocks).map_batches(
        lambda batch: rows[batch["block"][0]], batch_size=1).map_batches(
        stage, fn_constructor_kwargs={"model": str(folder), "outputs": "y"}, batch_size=size, concurrency=workers, num_cpus=1, resources={"worker": 1})


class Located(coracle.ray.Predictor):
    """Says where it ran."""

    def __call__(self, batch):
        found = super().__call__(batch)
        return {**found, "node": np.full(len(found["id"]), ray.util.get_node_ip_address())}


@pytest.mark.parametrize("workers", (1, 2, 4))
@pytest.mark.parametrize("size", (1, 7, 32))
def test_machines_give_the_answers_of_a_plain_loop(four, folder, expected, workers, size):
    rows = predicted(folder, 8, Located, size, workers).take_all()
    conftest.check(rows, expected)
    nodes = {row["node"] for row in rows}
    assert nodes <= set(four.network.addresses) and 1 <= len(nodes) <= workers


def kill(nodes, number):
    pid, = nodes.network.processes(number, "raylet")
    os.kill(pid, signal.SIGKILL)


def cut(nodes, number):
    nodes.network.cut(number)


@pytest.mark.parametrize("lose", (kill, cut))
def test_a_lost_node_loses_and_doubles_nothing(two, folder, expected, lose):
    rows = []
    for row in predicted(folder, 32, Slow, 7, 2).iter_rows():
        rows.append(row)
        if len(rows) == 30:   # In the middle.
            lose(two, 0)
    conftest.check(rows, expected)
    two.wait_for(1)


def test_another_node_comes_in_the_place_of_a_killed_one(two, folder, expected):
    rows = []
    for row in predicted(folder, 32, Slow, 7, 2).iter_rows():
        rows.append(row)
        if len(rows) in (30, 100):
            number = int(len(rows) == 100)
            kill(two, number)
            two.start(number)
    conftest.check(rows, expected)
    two.wait_for(2)


def test_dask_gives_the_same(folder, expected):
    distributed = pytest.importorskip("distributed")
    predict = coracle.batch.Predictor(folder, outputs="y")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=2, processes=True, dashboard_address=None) as cluster, distributed.Client(cluster) as client:
        batches = [{"id": ids, "x": conftest.inputs(ids)} for ids in np.split(np.arange(ROWS), 32)]
        answers = client.gather(client.map(predict, batches))
        assert client.submit(coracle.batch.assigned_threads, pure=False).result() == 1
    conftest.check([{"id": i, "y": y} for answer in answers for i, y in zip(answer["id"], answer["y"])], expected)
