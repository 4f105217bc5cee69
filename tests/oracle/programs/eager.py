# SPDX-License-Identifier: Apache-2.0
"""A second opinion: the statements run one by one in Paddle's eager mode, without any program, loops and branches by
Python. Where it agrees with Coracle, Paddle's executor is what differs."""

import numpy as np

from programs.build import Builder


class Eager(Builder):
    def branch(self, s, names):
        side = 0 if bool(names[s["if"]].numpy().any()) else 1
        found = self.block(s[("then", "else")[side]], s["results"][side], names)()
        return found

    def loop(self, s, names):
        carried = [names[name] for name in s["while"]]
        for i in range(int(names[s["limit"]].numpy().ravel()[0])):
            inner = dict(names, **dict(zip(s["names"], [self.p.full([1], i, "int64")] + carried)))
            self.run(s["body"], inner)
            carried = [inner[name] for name in s["next"]]
        return carried if len(carried) > 1 else carried[0]


def has_operators(body):
    return any("op" in s or any(has_operators(s.get(key, [])) for key in ("then", "else", "body")) for s in body)


def results(program, feeds):
    """The arrays of the results for these inputs; only for programs of the Python API alone."""
    import paddle

    paddle.disable_static()
    try:
        names = {name: paddle.to_tensor(array) for name, (array, _) in feeds.items()}
        names.update({name: paddle.to_tensor(array) for name, array in program["params"].items()})
        Eager(paddle).run(program["body"], names)
        return [np.asarray(names[name].numpy()) for name in program["fetch"]]
    finally:
        paddle.enable_static()
