# SPDX-License-Identifier: Apache-2.0
"""What Paddle gives for each run of a program, and how far others may be from it."""

import os
from collections import namedtuple

import numpy as np

from modelio import Runner, write_params
from programs import build
from programs.writer import labels
from tolerance import NUDGE, nudged, tolerance

Expected = namedtuple("Expected", "array lod absolute relative")

# Operators whose own arithmetic in Paddle is less exact (a variance as a difference of means, a mean of nearly equal
# numbers), and how much.
LOOSE = {"group_norm": 2e-3, "instance_norm": 1e-3}

LEAST = 5e-7  # a smaller difference is none: values of about 1 may cancel each other
MOVED = "moved.pdiparams"


def runner(program, form, folder, params=build.PARAMS):
    params = os.path.join(folder, params) if program["params"] else None
    return Runner(os.path.join(folder, build.MODEL[form]), params, form != "program")


def runner_of_moved_weights(program, form, folder, random, far):
    weights = nudged({name: (array, None) for name, array in program["params"].items()}, random, far)
    if weights:
        write_params(os.path.join(folder, MOVED), {name: array for name, (array, _) in weights.items()})
    made = runner(program, form, folder, MOVED)
    if weights:
        os.remove(os.path.join(folder, MOVED))
    return made


def ask(program, form, folder, nudges=(NUDGE,), fresh=False):
    """Builds the program in `folder`; returns the outputs expected of each run, as lists of Expected.

    Raises what Paddle raises, and tolerance.Unstable where an answer jumps when inputs move by one of `nudges`.
    fresh: each run has a predictor of its own, so that nothing stays from one run to the next; the weights move too.
    """
    build.build(program, form, folder)
    expected = []
    least = max([LOOSE[name] for name in LOOSE if any(name in label for label in labels(program["body"]))], default=0.0)
    predictor = None
    for feeds in program["runs"]:
        if fresh or predictor is None:
            predictor = runner(program, form, folder)
        outputs = predictor.run(feeds)
        if len(outputs) != len(program["fetch"]):
            raise ValueError("Paddle gives %d results of %d" % (len(outputs), len(program["fetch"])))
        best = [Expected(array, lod, *tolerance(array, lod)) for _, array, lod in outputs]
        best = [b._replace(absolute=max(b.absolute, LEAST)) if b.array.dtype.kind == "f" else b for b in best]
        if least:
            best = [b._replace(relative=least, absolute=max(b.absolute, least * _most(b.array))) for b in best]
        random = np.random.RandomState(7)
        if fresh or any(array.dtype.kind == "f" for array, _ in feeds.values()):
            for far in nudges:
                source = runner_of_moved_weights(program, form, folder, random, far) if fresh else predictor
                moved = source.run(nudged(feeds, random, far))
                for i, (_, array, lod) in enumerate(outputs):
                    absolute, relative = tolerance(array, lod, moved[i][1:])
                    if far > NUDGE:  # only asks whether it jumps
                        continue
                    best[i] = best[i]._replace(absolute=max(best[i].absolute, absolute))
        expected.append(best)
    return expected


def _most(array):
    return float(np.abs(array).max()) if array.size and array.dtype.kind == "f" else 0.0
