#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An encoder like ERNIE's with 12 inputs, as the real Paddle exports it, gives Paddle's answers whichever way it runs.

ernie_inputs_test.py VENV: VENV is that of `scripts/oracle-venv.sh 3.3`, CORACLE_LIBRARY the library. Exit code 77 where VENV or the device
is missing. With `export FOLDER` it is what runs in VENV with Paddle, with `compare FOLDER` what runs there with Coracle.
"""
import ctypes
import gc
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
LENGTH, WIDTH, HEADS, LAYERS = 16, 64, 4, 2
TOKENS = ("words", "positions", "sentences", "mask")
NUMBERS = tuple("number%d" % i for i in range(8))   # half of them choose a row of a table
BATCHES = (1, 10)


def inputs_of(batch):
    """Sequences of several lengths, padded; the first rows are the same whatever the batch."""
    import numpy as np
    draw = [np.random.default_rng(row) for row in range(batch)]
    lengths = [LENGTH - row % 8 for row in range(batch)]
    def rows(make, dtype):
        return np.stack([np.asarray(make(row), dtype).reshape(-1, 1) for row in range(batch)])
    given = {"words": rows(lambda row: draw[row].integers(1, 100, LENGTH), np.int64),
             "positions": rows(lambda row: range(LENGTH), np.int64),
             "sentences": rows(lambda row: [i >= lengths[row] // 2 for i in range(LENGTH)], np.int64),
             "mask": rows(lambda row: [i < lengths[row] for i in range(LENGTH)], np.float32)}
    for i, name in enumerate(NUMBERS):
        given[name] = rows(lambda row, i=i: draw[row].integers(0, 20) if i < 4 else draw[row].uniform(-1, 1), np.int64 if i < 4 else np.float32)
    return given


def export(folder):
    """Writes model.* and for each batch Paddle's answer."""
    import numpy as np
    import paddle
    paddle.seed(1)

    class Ernie(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.tables = paddle.nn.LayerList([paddle.nn.Embedding(rows, WIDTH) for rows in (100, LENGTH, 2)])
            self.norm = paddle.nn.LayerNorm(WIDTH)
            self.layers = paddle.nn.LayerList([paddle.nn.TransformerEncoderLayer(WIDTH, HEADS, 2 * WIDTH, activation="gelu")
                                               for _ in range(LAYERS)])
            self.pool = paddle.nn.Linear(WIDTH, WIDTH)
            self.choices = paddle.nn.LayerList([paddle.nn.Embedding(20, 8) for _ in range(4)])
            self.score = paddle.nn.Linear(WIDTH + 4 * 8 + 4, 1)

        def forward(self, tokens, mask, numbers):
            x = self.norm(sum(table(paddle.squeeze(ids, -1)) for table, ids in zip(self.tables, tokens)))
            bias = paddle.unsqueeze((paddle.matmul(mask, mask, transpose_y=True) - 1) * 10000, 1)
            for layer in self.layers:
                x = layer(x, bias)
            parts = [paddle.tanh(self.pool(x[:, 0]))]
            parts += [table(paddle.squeeze(ids, [1, 2])) for table, ids in zip(self.choices, numbers)]
            parts += [paddle.squeeze(number, -1) for number in numbers[4:]]
            return paddle.nn.functional.sigmoid(self.score(paddle.concat(parts, -1)))

    model = Ernie()
    model.eval()
    for batch in BATCHES:
        given = [paddle.to_tensor(array) for array in inputs_of(batch).values()]
        np.save(folder / ("answer%d.npy" % batch), model(given[:3], given[3], given[4:]).numpy())
    spec = [paddle.static.InputSpec([-1, -1 if name in TOKENS else 1, 1], str(array.dtype), name) for name, array in inputs_of(1).items()]
    paddle.jit.save(model, str(folder / "model"), input_spec=[spec[:3], spec[3], spec[4:]])


def calls(name):
    """How often the stand-in's function was called; 0 without the stand-in."""
    count = getattr(ctypes.CDLL("libcuda.so.1"), "fake_cuda_calls", None)
    if count is None:
        return 0
    count.restype = ctypes.c_int64
    return count(name)


def answers_of(model, given, threads):
    """By way, the answer of one model: again in the same session, in others, without waiting, and in two sessions under way."""
    import numpy as np
    with model.session(threads=threads) as first, model.session(threads=threads) as second:
        found = {"run %d" % run: first.run(given)[0] for run in range(3)}   # the second is recorded, the third replayed
        found["second session"] = second.run(given)[0]
        under_way = [session.run_async(given) for session in (first, second, first.clone())]
        found.update({"async %d" % i: run.result()[0] for i, run in enumerate(under_way)})
    return {way: np.array(answer) for way, answer in found.items()}


def check_same(name, found):
    """The one answer of all ways."""
    first = next(iter(found.values()))
    for way, answer in found.items():
        assert answer.tobytes() == first.tobytes(), "%s: '%s' differs by %g" % (name, way, abs(answer - first).max())
    return first


def check_copies(model, given):
    """All inputs go up in one copy, the result comes down in one."""
    with model.session() as session:
        session.run(given)
        copies = [step for step in session.profile() if step.op == "copy"]
        planned = [step for step in session.explain() if step["op"] == "copy"]
        places = {step["place"] for step in session.explain()}
    assert [step["direction"] for step in planned] == ["to", "from"], planned
    assert len(copies) == 2 and places == {"cuda"}, (copies, places)


def compare(folder):
    sys.path.insert(0, str(ROOT / "python"))
    import coracle
    import numpy as np
    given = {batch: inputs_of(batch) for batch in BATCHES}
    expected = {batch: np.load(folder / ("answer%d.npy" % batch)) for batch in BATCHES}
    original = coracle.load(folder)
    assert [info.name for info in original.inputs] == [*TOKENS, *NUMBERS] and len(original.outputs) == 1
    original.save(folder / "saved.coracle")
    missing = missing_device(coracle)
    for device in ("cpu", "cuda"):
        if device == "cuda" and missing:
            print("skipped: %s" % missing)
            sys.exit(77)
        ways = {batch: {} for batch in BATCHES}
        for graphs in ("1", "0") if device == "cuda" else ("",):
            os.environ["CORACLE_CUDA_GRAPHS"] = graphs
            launched = calls(b"cuGraphLaunch") if graphs else 0
            for file in (folder, folder / "saved.coracle")[:1 if graphs == "0" else 2]:
                # Islands: the smaller batch would be left to the processor, where it takes less time.
                model = coracle.load(file, device=device, disable_kernels=["islands"])
                for batch in BATCHES:
                    for threads in (1, 2) if device == "cpu" else (1,):
                        for way, answer in answers_of(model, given[batch], threads).items():
                            ways[batch]["%s, graphs %s, %d threads, %s" % (file.name, graphs, threads, way)] = answer
                    if device == "cuda":
                        check_copies(model, given[batch])
                del model
                gc.collect()   # the device is closed with its last model, and opened anew
            assert not graphs or not missing_stand_in() or (calls(b"cuGraphLaunch") > launched) == (graphs == "1")
        found = {batch: check_same("%s, batch %d" % (device, batch), ways[batch]) for batch in BATCHES}
        for batch in BATCHES:
            error = abs(found[batch] - expected[batch]).max()
            assert found[batch].shape == expected[batch].shape == (batch, 1) and error < 1e-5, (device, batch, error)
            print("%s, batch %d: %d ways, the same bits, %.1e from Paddle's" % (device, batch, len(ways[batch]), error))
        assert found[1].tobytes() == found[10][:1].tobytes(), "%s: a row depends on the others" % device


def missing_device(coracle):
    try:
        return coracle.model.missing_device("cuda")
    except coracle.UnsupportedError as error:
        return str(error)


def missing_stand_in():
    return getattr(ctypes.CDLL("libcuda.so.1"), "fake_cuda_calls", None) is None


def main():
    venv = pathlib.Path(sys.argv[1])
    if not (venv / "complete").exists():
        print("skipped: Paddle 3.3.1 is absent (there is no %s): make migration installs it" % venv)
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        for part in ("export", "compare"):
            environment = {**os.environ, "GLOG_minloglevel": "3"}
            if part == "export":
                environment["LD_LIBRARY_PATH"] = ""   # Paddle needs none of the stand-ins
            code = subprocess.run([str(venv / "bin/python"), __file__, part, folder], env=environment).returncode
            if code != 0:
                sys.exit(code)


if sys.argv[1] == "export":
    export(pathlib.Path(sys.argv[2]))
elif sys.argv[1] == "compare":
    compare(pathlib.Path(sys.argv[2]))
else:
    main()
