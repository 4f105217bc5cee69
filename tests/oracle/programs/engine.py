# SPDX-License-Identifier: Apache-2.0
"""Runs programs with Coracle's Python package and compares with what Paddle gave."""

import os
from collections import namedtuple

import numpy as np

import coracle
from programs import build

Failure = namedtuple("Failure", "variant kind message run output")

# Dead code goes, as in Paddle, whose translation to PIR writes operators that could not run.
WITHOUT_PASSES = {"disable_passes": sorted(set(coracle.pass_names()) - {"dead_code"})}

# name: (options of the model, threads, order of runs; a run that comes again has a plan already)
VARIANTS = {
    "plain": ({}, 1, (0, 1, 0)),
    "without passes": (WITHOUT_PASSES, 1, (0, 1)),
    "sse2": ({"cpu_isa": "sse2"}, 1, (1, 0)),
    "avx2": ({"cpu_isa": "avx2"}, 1, (1, 0, 1)),
    "three threads": ({}, 3, (1, 0)),
}


def load(program, form, folder, **options):
    params = os.path.join(folder, build.PARAMS) if program["params"] else None
    return coracle.load(os.path.join(folder, build.MODEL[form]), params, **options)


def results(session, model, feeds):
    """[(array, lod)] of the outputs for these inputs."""
    known = {info.name for info in model.inputs}
    given = {name: array for name, (array, _) in feeds.items() if name in known}
    session.run(given, {name: lod or [] for name, (_, lod) in feeds.items() if name in known})
    return [(session.output(i), session.output_lod(i)) for i in range(len(model.outputs))]


def difference(got, lod, want):
    """What is wrong with a result, or nothing."""
    if got.dtype != want.array.dtype:
        return "type", "the type is %s, Paddle has %s" % (got.dtype, want.array.dtype)
    if got.shape != want.array.shape:
        return "shape", "the shape is %s, Paddle has %s" % (list(got.shape), list(want.array.shape))
    if got.dtype.kind not in "fc":
        same = got == want.array
    else:
        with np.errstate(all="ignore"):
            allowed = np.where(
                np.isfinite(want.array), want.absolute + want.relative * np.abs(want.array.astype(np.float64)), 0
            )
            gap = np.abs(got.astype(np.float64) - want.array)
            same = (gap <= allowed) | (got == want.array) | (np.isnan(got) & np.isnan(want.array))
    if np.all(same):
        return wrong_offsets(got, lod, want)
    at = int(np.flatnonzero(~np.atleast_1d(same).ravel())[0])
    return "value", "element %d is %r, Paddle has %r; %d of %d differ" % (
        at,
        got.ravel()[at].item(),
        want.array.ravel()[at].item(),
        int(np.sum(~same)),
        got.size,
    )


def wrong_offsets(got, lod, want):
    """Paddle keeps some offsets that no longer fit the rows: those are not compared."""
    fits = want.lod and got.ndim and want.lod[-1][-1] == got.shape[0]
    return ("lod", "the offsets are %s, Paddle has %s" % (lod, want.lod)) if fits and lod != want.lod else None


def check(program, form, folder, expected, variants, first=False):
    """A failure of each variant: wrong values before wrong offsets, or the first output that is wrong in either way."""
    failures, plain = [], {}  # plain: results of the first variant
    for name in variants:
        options, threads, order = VARIANTS[name]
        try:
            model = load(program, form, folder, **options)
            session = model.session(threads)
            for run in order:
                if run >= len(expected):
                    continue
                outputs = results(session, model, program["runs"][run])
                failure = _compare(name, run, outputs, expected[run], first)
                if failure:
                    failures.append(failure)
                    if failure.kind != "lod":
                        break
                if name == "plain":
                    plain[run] = outputs
                if name == "three threads" and run in plain:
                    for i, ((a, _), (b, _)) in enumerate(zip(outputs, plain[run])):
                        if a.tobytes() != b.tobytes():
                            failures.append(Failure(name, "bits", "other bits with three threads", run, i))
        except coracle.Error as error:
            failures.append(Failure(name, "error", str(error), -1, -1))
    return sorted(failures, key=lambda failure: failure.kind == "lod")


def _compare(name, run, outputs, expected, first):
    if len(outputs) != len(expected):
        return Failure(name, "count", "%d outputs, Paddle has %d" % (len(outputs), len(expected)), run, -1)
    failures = []
    for i, ((array, lod), want) in enumerate(zip(outputs, expected)):
        found = difference(array, lod, want)
        if found:
            failures.append(Failure(name, found[0], found[1], run, i))
    return min(failures, key=lambda failure: failure.kind == "lod" and not first, default=None)


def passes_at_fault(program, form, folder, expected, failure):
    """The rewrites without any one of which the failure does not happen."""
    order = VARIANTS[failure.variant]
    found = []
    for name in dict.fromkeys(coracle.pass_names()):
        VARIANTS["one less"] = ({**order[0], "disable_passes": name}, *order[1:])
        if not check(program, form, folder, expected, ["one less"]):
            found.append(name)
    return found
