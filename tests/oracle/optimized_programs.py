# SPDX-License-Identifier: Apache-2.0
"""Random programs that Paddle 2.6 has optimised before they are run, with oneDNN and without.

  optimized_programs.py --out DIR [--count N] [--first SEED]

Paddle saves what its passes have made of a program (enable_save_optim_model): fused operators, and operators of old
names with attributes for what was appended to them. Each such program becomes a case in DIR/optimized (generate.py says
what is in one); the answers are those of Paddle's own optimised program. Where they are not those of the program as it
was exported, Paddle's passes are wrong, and DIR/optimized/contradictions.txt lists the case. dropped.txt has what
Paddle refuses.
"""

import argparse
import json
import os
import random
import shutil
import tempfile

import numpy as np
import paddle
import paddle.nn.functional as F
from paddle.inference import Config, create_predictor

import tolerance
from export_corpus import strip_call_stacks

paddle.enable_static()
nn = paddle.static.nn

ACTIVATIONS = {
    "relu": F.relu,
    "tanh": paddle.tanh,
    "sigmoid": F.sigmoid,
    "gelu": F.gelu,
    "gelu_tanh": lambda x: F.gelu(x, True),
    "leaky_relu": lambda x: F.leaky_relu(x, 0.2),
    "relu6": F.relu6,
    "hardswish": F.hardswish,
    "hardsigmoid": F.hardsigmoid,
    "swish": F.swish,
    "mish": F.mish,
    "elu": lambda x: F.elu(x, 0.7),
    "abs": paddle.abs,
    "clip": lambda x: paddle.clip(x, -0.3, 0.4),
    "scale": lambda x: paddle.scale(x, 0.7),
    "negative": lambda x: paddle.scale(x, -1.5),
    "sqrt": lambda x: paddle.sqrt(paddle.abs(x)),
    "softplus": F.softplus,
    "none": lambda x: x,
}
BINARY = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / (paddle.abs(y) + 1.5),
}


class Writer:
    """Writes one program: statements on values of two, three and four dimensions."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.picture = self.random.random() < 0.5

    def activation(self, x):
        for _ in range(self.random.choice([0, 1, 1, 1, 2])):
            x = ACTIVATIONS[self.random.choice(list(ACTIVATIONS))](x)
        return x

    def image_statement(self, x):
        kind = self.random.choice(["conv", "conv", "bn", "conv_bn", "binary", "depthwise", "transposed", "shuffle", "residual"])
        channels = x.shape[1]
        if kind in ("conv", "conv_bn", "residual"):
            y = nn.conv2d(x, channels if kind == "residual" else self.random.randint(2, 5), 3, padding=1)
            if kind == "residual":
                y = y + x
            return nn.batch_norm(y, is_test=True) if kind == "conv_bn" else y
        if kind == "bn":
            return nn.batch_norm(x, is_test=True)
        if kind == "depthwise":
            return nn.conv2d(x, channels, 3, padding=1, groups=channels)
        if kind == "transposed":
            return nn.conv2d_transpose(x, self.random.randint(2, 4), filter_size=3, padding=1)
        if kind == "shuffle":
            return paddle.transpose(x, [0, 2, 3, 1])  # rows of channels from here on
        return BINARY[self.random.choice(list(BINARY))](x, nn.conv2d(x, channels, 1))

    def row_statement(self, x):
        kind = self.random.choice(["fc", "fc", "fc", "mlp", "binary", "matmul", "norm", "residual", "padded", "reshape"])
        last = len(x.shape) - 1
        width = x.shape[-1]
        if kind == "fc":
            return nn.fc(x, self.random.randint(3, 9), last)
        if kind == "mlp":
            return nn.fc(F.relu(nn.fc(F.relu(nn.fc(x, 7, last)), 5, last)), 6, last)
        if kind == "padded":
            return nn.fc(F.relu(nn.fc(nn.fc(x, 128, last), 128, last)), 5, last)
        if kind == "norm":
            return F.layer_norm(nn.fc(x, width, last) + x, [width])
        if kind == "residual":
            return nn.fc(x, width, last) + x
        if kind == "matmul":
            y = nn.fc(x, width, last)
            axes = list(range(last - 1)) + [last, last - 1]
            return paddle.matmul(x, paddle.transpose(y, axes)) if self.random.random() < 0.5 else paddle.matmul(x, y, transpose_y=True)
        if kind == "reshape" and len(x.shape) == 3:
            return paddle.unsqueeze(paddle.transpose(x, [0, 2, 1]), [1])
        return BINARY[self.random.choice(list(BINARY))](x, nn.fc(x, width, last))

    def write(self, x):
        x = nn.conv2d(x, 3, 1) if self.picture else nn.fc(x, 6, len(x.shape) - 1)
        image = self.picture
        for _ in range(self.random.randint(2, 6)):
            before = x
            x = self.image_statement(x) if image else self.row_statement(x)
            x = self.activation(x)
            if image and len(before.shape) == 4 and x.shape[1] != before.shape[1] and x.shape[-1] == before.shape[1]:
                image = False
        return x


def build(seed, path):
    """Saves program `seed`, gives its input."""
    writer = Writer(seed)
    numbers = np.random.RandomState(seed)
    shape = [2, 3, 5, 6] if writer.picture else writer.random.choice([[3, 6], [2, 4, 6]])
    main, startup = paddle.static.Program(), paddle.static.Program()
    with paddle.static.program_guard(main, startup), paddle.utils.unique_name.guard():
        x = paddle.static.data("x", shape, "float32")
        y = writer.write(x)
    executor = paddle.static.Executor(paddle.CPUPlace())
    scope = paddle.static.Scope()
    with paddle.static.scope_guard(scope):
        executor.run(startup)
        for parameter in main.all_parameters():
            low, high = (0.5, 1.5) if "batch_norm" in parameter.name and parameter.name.endswith("w_0") else (-0.5, 0.5)
            values = numbers.uniform(low, high, parameter.shape).astype(np.float32)
            if values.size > 1000:  # so that they pack well
                values = np.round(values * 8) / 8
            scope.find_var(parameter.name).get_tensor().set(values, paddle.CPUPlace())
        for name, variable in main.global_block().vars.items():
            if variable.persistable and name.endswith(("w_1", "w_2")):  # statistics of batch_norm
                values = numbers.uniform(0.3, 1.5, variable.shape).astype(np.float32)
                scope.find_var(name).get_tensor().set(values, paddle.CPUPlace())
        paddle.static.save_inference_model(path, [x], [y], executor, program=main)
    return numbers.uniform(-1, 1, shape).astype(np.float32)


def predictor(path, passes, onednn=False, save_to=None):
    config = Config(path + ".pdmodel", path + ".pdiparams")
    config.disable_gpu()
    config.disable_glog_info()
    config.set_cpu_math_library_num_threads(1)
    config.switch_ir_optim(passes)
    if onednn:
        config.enable_mkldnn()
    else:
        config.disable_mkldnn()
    if save_to:
        config.enable_save_optim_model(True)
        config.set_optim_cache_dir(save_to)
    return create_predictor(config)


def answer(made, x):
    made.get_input_handle(made.get_input_names()[0]).copy_from_cpu(x)
    made.run()
    return made.get_output_handle(made.get_output_names()[0]).copy_to_cpu()


def write_case(folder, saved, x, expected, moved):
    os.makedirs(folder)
    for name in ("pdmodel", "pdiparams"):
        shutil.copy(os.path.join(saved, "_optimized." + name), os.path.join(folder, "model." + name))
    strip_call_stacks(os.path.join(folder, "model.pdmodel"))
    np.save(os.path.join(folder, "0.npy"), x)
    np.save(os.path.join(folder, "out0.npy"), expected)
    atol, rtol = tolerance.tolerance(expected, [], (moved, []))
    spec = {
        "op": "optimized",
        "format": "program",
        "model": "model.pdmodel",
        "params": "model.pdiparams",
        "inputs": [{"name": "x", "file": "0.npy"}],
        "outputs": [{"file": "out0.npy", "atol": atol, "rtol": rtol}],
    }
    with open(os.path.join(folder, "case.json"), "w", encoding="utf-8") as f:
        json.dump(spec, f, indent=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--first", type=int, default=0)
    arguments = parser.parse_args()
    out = os.path.join(arguments.out, "optimized")
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    dropped, contradictions, made = [], [], 0
    for seed in range(arguments.first, arguments.first + arguments.count):
        with tempfile.TemporaryDirectory() as work:
            path = os.path.join(work, "model")
            try:
                x = build(seed, path)
                expected = answer(predictor(path, False), x)
                moved = answer(predictor(path, False), tolerance.nudged({"x": (x, [])}, np.random.RandomState(seed))["x"][0])
            except Exception as e:  # an unlucky program
                dropped.append("%d: %s" % (seed, str(e).strip().splitlines()[-1]))
                continue
            for onednn in (True, False):
                name = "%s-%03d" % ("onednn" if onednn else "plain", seed)
                saved = os.path.join(work, name)
                os.makedirs(saved)
                try:
                    optimised = answer(predictor(path, True, onednn, saved), x)
                    if not np.allclose(optimised, expected, 1e-3, 1e-4 * float(np.abs(expected).max())):
                        contradictions.append("%s: %g off" % (name, np.abs(optimised - expected).max()))
                    write_case(os.path.join(out, name), saved, x, optimised, optimised + (moved - expected))
                    made += 1
                except Exception as e:
                    dropped.append("%s: %s" % (name, str(e).strip().splitlines()[-1]))
    for file, lines in (("dropped.txt", dropped), ("contradictions.txt", contradictions)):
        with open(os.path.join(out, file), "w", encoding="utf-8") as f:
            f.writelines(line + "\n" for line in lines)
    print("%d cases, %d dropped, %d contradictions of Paddle" % (made, len(dropped), len(contradictions)))


if __name__ == "__main__":
    main()
