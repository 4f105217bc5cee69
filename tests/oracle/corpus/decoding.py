# SPDX-License-Identifier: Apache-2.0
"""Greedy decoding, sequences, padding to computed sizes, slices assigned in loops: what models do with control flow."""

import paddle
import paddle.nn.functional as functional

from corpus import F, I, P, R, runs


def greedy_tokens(table, token):
    tokens = []
    i = paddle.zeros([1], "int64")
    while i < 6:
        scores = paddle.gather(table, token)
        token = paddle.argmax(scores, axis=-1)
        tokens.append(token)
        i = i + 1
    return paddle.concat(tokens)


runs(greedy_tokens, [F(5, 5), I(0)], [F(5, 5), I(3)])


def greedy_until_end(table, token):
    out = token
    for step in range(paddle.full([1], 8, "int64")):
        scores = paddle.gather(table, token)
        token = paddle.argmax(scores, axis=-1)
        out = paddle.concat([out, token])
        if token == 2:
            break
    return out


runs(greedy_until_end, [F(5, 5), I(0)], [F(5, 5), I(3)])


def greedy_batch_finished(scores):
    finished = paddle.zeros([2], "bool")
    ids = paddle.zeros([2, 0], "int64")
    t = 0
    while t < scores.shape[1]:
        token = paddle.argmax(scores[:, t], axis=-1)
        token = paddle.where(finished, paddle.zeros_like(token), token)
        ids = paddle.concat([ids, token.unsqueeze(1)], axis=1)
        finished = paddle.logical_or(finished, token == 1)
        if finished.all():
            break
        t += 1
    return ids


runs(greedy_batch_finished, [F(2, 6, 5)], [F(2, 3, 5)])


def ctc_collapse(ids):
    out = []
    last = paddle.zeros([1], "int64")
    for i in range(ids.shape[0]):
        token = ids[i : i + 1]
        if token != 0:
            if token != last:
                out.append(token)
        last = token
    out.append(paddle.full([1], 99, "int64"))
    return paddle.concat(out)


runs(ctc_collapse, [R(1, 5, 7)], [R(0, 2, 7)])


def pad_to(x, n):
    missing = n - x.shape[0]
    if missing > 0:
        x = paddle.concat([x, paddle.zeros([missing, 4])], axis=0)
    return x


runs(pad_to, [F(3, 4), I(6)], [F(5, 4), I(6)])


def pad_to_multiple(x):
    length = x.shape[2]
    extra = (4 - length % 4) % 4
    if extra > 0:
        x = functional.pad(x, [0, extra], data_format="NCL")
    return x


runs(pad_to_multiple, [F(1, 2, 5)], [F(1, 2, 8)])


def slice_assigned(x):
    out = paddle.zeros_like(x)
    for i in range(x.shape[0]):
        out[i, :] = x[i] * i
    return out


runs(slice_assigned, [F(4, 3)], [F(6, 3)])


def column_assigned(x):
    for j in range(4):
        if x[:, j].sum() > 0:
            x[:, j] = x[:, j] * 2
        else:
            x[:, j] = 0
    return x


runs(column_assigned, [F(4, 4)], [F(6, 4)])


def range_assigned(x, n):
    i = paddle.zeros([1], "int64")
    while i < n:
        x[i : i + 1] = x[i : i + 1] + 1
        i = i + 1
    return x


runs(range_assigned, [F(4, 3), I(2)], [F(4, 3), I(3)])


def mask_by_lengths(x, lengths):
    out = []
    for i in range(3):
        n = lengths[i]
        row = x[i]
        position = paddle.arange(5).unsqueeze(1)
        out.append(paddle.where(position < n, row, paddle.zeros_like(row)))
    return paddle.stack(out)


runs(mask_by_lengths, [F(3, 5, 4), I(5, 2, 3)], [F(3, 5, 4), I(1, 1, 4)])


def mean_by_lengths(x, lengths):
    out = paddle.zeros([3, 4])
    for i in range(x.shape[0]):
        n = lengths[i : i + 1]
        out[i] = paddle.slice(x[i], [0], [0], [n]).mean(axis=0)
    return out


runs(mean_by_lengths, [F(3, 5, 4), I(5, 2, 3)], [F(3, 5, 4), I(1, 1, 4)])


def recurrent_cell(x, w):
    h = paddle.zeros([3])
    outputs = []
    for t in range(x.shape[0]):
        h = paddle.tanh(x[t] + paddle.matmul(h, w))
        outputs.append(h)
    return paddle.stack(outputs), h


runs(recurrent_cell, [F(4, 3), F(3, 3)], [F(2, 3), F(3, 3)])


def bidirectional_cell(x, w):
    forward = []
    backward = []
    h = paddle.zeros([3])
    for t in range(x.shape[0]):
        h = paddle.tanh(x[t] + paddle.matmul(h, w))
        forward.append(h)
    h = paddle.zeros([3])
    for t in range(x.shape[0]):
        h = paddle.tanh(x[x.shape[0] - 1 - t] + paddle.matmul(h, w))
        backward.append(h)
    return paddle.concat([paddle.stack(forward), paddle.stack(backward)], axis=-1)


runs(bidirectional_cell, [F(4, 3), F(3, 3)], [F(6, 3), F(3, 3)])


def keep_best_boxes(boxes, scores):
    order = paddle.argsort(scores, descending=True)
    kept = []
    for i in range(boxes.shape[0]):
        box = paddle.gather(boxes, order[i : i + 1])
        if scores[i] > 0.4:
            kept.append(box)
    kept.append(boxes[:1])
    return paddle.concat(kept)


runs(keep_best_boxes, [F(6, 4), P(6)], [F(3, 4), P(3)])


def resized_until_small(x):
    while x.shape[2] > 3:
        x = functional.avg_pool2d(x, 2)
    return x


runs(resized_until_small, [F(1, 3, 8, 8)], [F(1, 3, 6, 6)])


def orientation(x):
    if x.shape[2] > x.shape[3]:
        x = paddle.transpose(x, [0, 1, 3, 2])
    return x


runs(orientation, [F(1, 2, 5, 7)], [F(1, 2, 7, 5)])


def beam_like(x, n):
    beams = x
    scores = paddle.zeros([2])
    for i in range(n):
        scores = scores + beams.max(axis=-1)
        best = paddle.argmax(scores)
        beams = paddle.roll(beams, 1, axis=-1) + beams[best]
    return beams, scores


runs(beam_like, [F(2, 3), I(3)], [F(2, 3), I(1)])


def power_iteration(v, a):
    last = paddle.zeros([])
    for i in range(paddle.full([1], 10, "int64")):
        v = paddle.matmul(v, a)
        norm = paddle.sqrt((v * v).sum()) + 1e-6
        v = v / norm
        if paddle.abs(norm - last).sum() < 0.05:
            break
        last = norm
    return v


runs(power_iteration, [F(1, 4), F(4, 4)], [F(1, 4, scale=3.0), F(4, 4)])


def histogram_loop(x):
    counts = paddle.zeros([3], "int64")
    for i in range(x.shape[0]):
        counts[x[i]] = counts[x[i]] + 1
    return counts


runs(histogram_loop, [R(0, 3, 9)], [R(0, 2, 4)])


def chunks(x):
    out = []
    start = 0
    while start < x.shape[1]:
        part = x[:, start : start + 3]
        out.append(part.sum(axis=1))
        start = start + 3
    return paddle.stack(out, axis=1)


runs(chunks, [F(2, 7, 3)], [F(2, 4, 3)])


def cache_grows(x, n):
    keys = paddle.zeros([0, 4])
    out = []
    for t in range(n):
        keys = paddle.concat([keys, x[t : t + 1]], axis=0)
        scores = functional.softmax(paddle.matmul(x[t : t + 1], keys, transpose_y=True))
        out.append(paddle.matmul(scores, keys))
    return paddle.concat(out)


runs(cache_grows, [F(4, 4), I(2)], [F(4, 4), I(4)])
