# SPDX-License-Identifier: Apache-2.0
"""How far a result may be from Paddle's, and which cases are left out because their answers jump."""

import numpy as np

FEW = 3  # inputs of so few elements (sizes, scales, bounds) do not move
NUDGE = 5e-7  # how far the second run moves real inputs, relatively


class Unstable(ValueError):
    """The answer jumps when the inputs move by a few rounding steps."""


def nudged(feeds, random, far=NUDGE):
    moved = {}
    for name, (array, lod) in feeds.items():
        if array.dtype in (np.float32, np.float64) and array.size > FEW:
            array = np.asarray(array * (1 + far * random.uniform(-1, 1, array.shape)), array.dtype)
        moved[name] = (array, lod)
    return moved


def tolerance(array, lod, moved=None, exact=False, rtol=None, double=False):
    """(absolute, relative) of one output; `moved`: (array, lod) for nudged inputs. double: float64 must be as near as
    float64 is to the exact result; else as near as float32."""
    if array.dtype == np.uint16:
        raise ValueError("bfloat16 output")
    real, half = array.dtype.kind in "fc", array.dtype == np.float16
    relative = absolute = most = 0.0
    if real and not exact:
        finite = np.abs(array[np.isfinite(array)]).astype(np.float64)
        most = float(finite.max()) if finite.size else 0.0
        relative = rtol if rtol is not None else 2e-3 if half else 1e-4
        absolute = most * (1e-3 if half else 2e-5)
        if double and array.dtype == np.float64:
            relative, absolute = 1e-10, most * 2e-11
    if moved is None:
        return absolute, relative
    other, other_lod = moved
    if other.shape != array.shape or other_lod != lod:
        raise Unstable("unstable: sizes change with rounding")
    if not real and not np.array_equal(other, array):
        raise Unstable("unstable: integers change with rounding")
    if real and not exact and array.size:
        with np.errstate(all="ignore"):
            if not np.array_equal(np.isfinite(array), np.isfinite(other)):
                raise Unstable("unstable: infinities change with rounding")
            gap = np.abs(other.astype(np.complex128) - array)[np.isfinite(array)]
        worst = float(gap.max()) if gap.size else 0.0
        if worst > 50 * (absolute + relative * most) and not half:
            raise Unstable("unstable: values jump with rounding")
        absolute = max(absolute, 4 * worst)
    return absolute, relative
