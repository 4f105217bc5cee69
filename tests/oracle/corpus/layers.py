# SPDX-License-Identifier: Apache-2.0
"""Layers with weights and control flow, and the functional while_loop."""

import paddle

from corpus import F, I, runs


class Weighted(paddle.nn.Layer):
    """Base: weights that do not change from one making to the next."""

    def __init__(self, *shapes):
        super().__init__()
        for k, shape in enumerate(shapes):
            count = 1
            for d in shape:
                count *= d
            values = paddle.reshape(paddle.sin(paddle.arange(count, dtype="float32") * 1.7 + k), shape) * 0.5
            initializer = paddle.nn.initializer.Assign(values.numpy())
            self.add_parameter("w%d" % k, self.create_parameter(shape, default_initializer=initializer))


class Adaptive(Weighted):
    def __init__(self):
        super().__init__([4, 4], [4, 4])

    def forward(self, x):
        y = paddle.matmul(x, self.w0)
        if y.mean() > 0:
            y = paddle.matmul(y, self.w1)
        else:
            y = paddle.nn.functional.relu(y)
        return y


class Repeated(Weighted):
    def __init__(self):
        super().__init__([4, 4])

    def forward(self, x, n):
        for i in range(n):
            x = paddle.tanh(paddle.matmul(x, self.w0))
        return x


class Decoder(Weighted):
    def __init__(self):
        super().__init__([6, 4], [4, 4], [4, 6])

    def forward(self, token, n):
        h = paddle.zeros([1, 4])
        out = []
        for t in range(n):
            e = paddle.gather(self.w0, token)
            h = paddle.tanh(e + paddle.matmul(h, self.w1))
            logits = paddle.matmul(h, self.w2)
            token = paddle.argmax(logits, axis=-1)
            out.append(logits)
        return paddle.concat(out), token


class Experts(Weighted):
    def __init__(self):
        super().__init__([4, 4], [4, 4], [4, 4])

    def forward(self, x, k):
        if k == 0:
            y = paddle.matmul(x, self.w0)
        elif k == 1:
            y = paddle.matmul(x, self.w1)
        else:
            y = paddle.matmul(x, self.w2)
        return y + x


class Halting(Weighted):
    def __init__(self):
        super().__init__([4, 4])

    def forward(self, x):
        steps = paddle.zeros([1], "int64")
        while paddle.abs(x).max() > 0.3:
            x = paddle.matmul(x, self.w0) * 0.5
            steps = steps + 1
            if steps >= 6:
                break
        return x, steps


runs(Adaptive, [F(2, 4)], [F(3, 4)], [F(2, 4)])
runs(Repeated, [F(2, 4), I(3)], [F(2, 4), I(0)])
runs(Decoder, [I(1), I(4)], [I(3), I(2)])
runs(Experts, [F(2, 4), I(0)], [F(2, 4), I(1)], [F(2, 4), I(2)])
runs(Halting, [F(2, 4)], [F(2, 4, scale=0.2)], [F(3, 4, scale=9.0)])


def functional_while(x, n):
    i = paddle.zeros([1], "int64")
    i, x = paddle.static.nn.while_loop(lambda i, x: i < n, lambda i, x: [i + 1, x * 0.5 + 1], [i, x])
    return i, x


runs(functional_while, [F(3), I(4)], [F(3), I(0)])


def functional_while_nested(x, n):
    def body(i, x):
        j = paddle.zeros([1], "int64")
        j, x = paddle.static.nn.while_loop(lambda j, x: j < 2, lambda j, x: [j + 1, x + 1], [j, x])
        x = paddle.static.nn.cond(x.sum() > 3, lambda: x - 2, lambda: x * 2)
        return [i + 1, x]

    i = paddle.zeros([1], "int64")
    i, x = paddle.static.nn.while_loop(lambda i, x: i < n, body, [i, x])
    return x


runs(functional_while_nested, [F(3), I(3)], [F(3), I(1)])


def functional_while_grows(x, n):
    i = paddle.zeros([1], "int64")
    out = x
    i, out = paddle.static.nn.while_loop(
        lambda i, out: i < n, lambda i, out: [i + 1, paddle.concat([out, x + 1], axis=0)], [i, out]
    )
    return out


runs(functional_while_grows, [F(1, 3), I(3)], [F(1, 3), I(2)])
