# SPDX-License-Identifier: Apache-2.0
"""The packed operator cases (tests/oracle/sample), answered by the real Paddle, through the Python interfaces."""
import coracle
import coracle.paddle.inference as paddle_infer
import numpy as np
import pytest
from oracle_cases import FAMILIES, cases


def difference(got, lod, want):
    """What differs from Paddle's answer, or nothing."""
    array, atol, rtol, want_lod = want
    if got.dtype != array.dtype or got.shape != array.shape:
        return "%s %s, Paddle has %s %s" % (got.dtype, got.shape, array.dtype, array.shape)
    if want_lod and lod != want_lod:
        return "offsets %s, Paddle has %s" % (lod, want_lod)
    if not np.issubdtype(array.dtype, np.floating):
        return None if np.array_equal(got, array) else "other integers"
    finite = np.isfinite(array)
    same = np.isclose(got.astype(np.float64), array.astype(np.float64), rtol, atol, equal_nan=True)
    return None if (same | ~finite).all() and np.array_equal(got[~finite], array[~finite], equal_nan=True) else "other values"


@pytest.mark.parametrize("family", FAMILIES)
def test_sessions_agree_with_paddle(family):
    failures, count = [], 0
    for name, _, program, params, inputs, outputs in cases(family):
        model = coracle.load_memory(program, params)
        names = {info.name for info in model.inputs}
        given = {n: array for n, array, _ in inputs if n in names}
        results = model.session(threads=1).run(given, {n: lod for n, _, lod in inputs if lod and n in names})
        for index, want in enumerate(outputs):
            got = results[index]
            what = difference(got.view(np.uint16) if got.dtype.name == "bfloat16" else got, results.lod(index), want)
            if what:
                failures.append("%s, output %d: %s" % (name, index, what))
        count += 1
    assert not failures, "\n".join(failures[:5])
    assert count > 20


@pytest.mark.parametrize("family", FAMILIES)
def test_predictors_agree_with_paddle(family):
    failures = []
    for number, (name, _, program, params, inputs, outputs) in enumerate(cases(family)):
        # A predictor takes fewer element types than a session; every fourth case shows the same as all of them.
        if number % 4 or any(array.dtype.name not in ("float32", "int32", "int64", "bool") for _, array, _ in inputs):
            continue
        config = paddle_infer.Config()
        config.set_model_buffer(program, len(program), params, len(params))
        predictor = paddle_infer.create_predictor(config)
        for n, array, lod in inputs:
            if n in predictor.get_input_names():
                handle = predictor.get_input_handle(n)
                handle.copy_from_cpu(array)
                handle.set_lod(lod)
        predictor.run()
        for index, want in enumerate(outputs):
            handle = predictor.get_output_handle(predictor.get_output_names()[index])
            what = difference(handle.copy_to_cpu(), handle.lod(), want)
            if what:
                failures.append("%s, output %d: %s" % (name, index, what))
    assert not failures, "\n".join(failures[:5])
