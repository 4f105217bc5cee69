# SPDX-License-Identifier: Apache-2.0
"""Variables that are undefined before a loop, and values whose element type or rank differs between iterations."""

import paddle

from corpus import B, F, I, V, runs


def first_in_loop(x, n):
    for i in range(n):
        y = x * i
    return y


runs(first_in_loop, [F(2, 3), I(3)], [F(2, 3), I(1)])


def first_in_loop_int(x, n):
    for i in range(n):
        k = paddle.full([2, 2], 1, "int64") * i
    return x.sum() + paddle.cast(k.sum(), "float32")


runs(first_in_loop_int, [F(2, 3), I(3)], [F(2, 3), I(1)])


def first_in_inner_loop(x, n):
    for i in range(n):
        for j in range(i + 1):
            y = x + j
        z = y * 2
    return z


runs(first_in_inner_loop, [F(2, 3), I(3)], [F(2, 3), I(2)])


def first_in_branch_of_loop(x, n):
    for i in range(n):
        if i == 0:
            y = x
        else:
            y = y + x
    return y


runs(first_in_branch_of_loop, [F(2, 3), I(3)], [F(2, 3), I(2)])


def first_in_branch_of_loop_bool(x, n):
    for i in range(n):
        if i == 0:
            m = x > 0
        else:
            m = paddle.logical_not(m)
    return paddle.cast(m, "int32")


runs(first_in_branch_of_loop_bool, [F(2, 3), I(3)], [F(2, 3), I(2)])


def rank_grows_once(x, n):
    y = x
    for i in range(n):
        if i == 0:
            y = x.reshape([1, 2, 3])
        else:
            y = y + 1
    return y


runs(rank_grows_once, [F(2, 3), I(3)], [F(2, 3), I(1)])


def type_changes_in_branch(x, n):
    y = x
    if n > 0:
        y = paddle.cast(x * 5, "int32")
    return paddle.cast(y, "float32")


runs(type_changes_in_branch, [F(2, 3), I(1)], [F(2, 3), I(0)])


def int_becomes_float(x, n):
    y = 0
    for i in range(n):
        y = y + x
    return y


runs(int_becomes_float, [F(2, 3), I(3)], [F(2, 3), I(2)])


def scalar_becomes_matrix(x, n):
    y = paddle.zeros([1])
    for i in range(n):
        y = y + x
    return y


runs(scalar_becomes_matrix, [F(2, 3), I(3)], [F(2, 3), I(2)])


def temporary_in_loop(x, n):
    total = paddle.zeros([3])
    for i in range(n):
        row = x[i]
        scaled = row * 2
        if scaled.sum() > 0:
            part = scaled
        else:
            part = -scaled
        total = total + part
    return total


runs(temporary_in_loop, [F(4, 3), I(2)], [F(4, 3), I(4)])


def several_undefined(x, n):
    i = paddle.zeros([1], "int64")
    while i < n:
        a = x[:2]
        b = paddle.argmax(x, axis=-1)
        c = a.sum() > 0
        i = i + 1
    return a, b, paddle.cast(c, "int64")


runs(several_undefined, [F(4, 3), I(2)], [F(4, 3), I(4)])


def undefined_after_branch(x, y):
    if y > 0:
        k = paddle.full([1], 3, "int64")
        z = x * paddle.cast(k, "float32")
    else:
        z = x
    return z


runs(undefined_after_branch, [F(3), V(1.0)], [F(3), V(-1.0)])


def undefined_in_nested_branches(x, n):
    for i in range(n):
        if i > 0:
            if i > 1:
                t = x * i
            else:
                t = x - i
            x = x + t
    return x


runs(undefined_in_nested_branches, [F(3), I(4)], [F(3), I(2)])


def best_so_far(x, n):
    best = None
    for i in range(3):
        score = x[i].sum()
        if best is None:
            best = score
        elif score > best:
            best = score
    return best * n


runs(best_so_far, [F(3, 3), I(3)], [F(3, 3), I(1)])


def shape_from_data(x, n):
    for i in range(n):
        keep = paddle.nonzero(x > 0)
        x = x * 0.5 - 0.1
    return keep


runs(shape_from_data, [F(3, 4), I(3)], [F(3, 4), I(1)])


def reshaped_each_time(x, n):
    for i in range(n):
        x = x.reshape([x.shape[1], x.shape[0]])
    return x


runs(reshaped_each_time, [F(3, 4), I(2)], [F(3, 4), I(3)])


def transposed_each_time(x, n):
    i = 0
    while i < n:
        x = paddle.transpose(x, [1, 0]) + 1
        i += 1
    return x


runs(transposed_each_time, [F(3, 4), I(2)], [F(3, 4), I(3)])


def unsqueezed_each_time(x, n):
    for i in range(n):
        x = x.unsqueeze(0)
    return x.sum()


runs(unsqueezed_each_time, [F(3, 4), I(1)], [F(3, 4), I(3)])


def loop_variable_after(x, n):
    for i in range(n):
        x = x + 1
    return x * i


runs(loop_variable_after, [F(3), I(4)], [F(3), I(2)])


def loop_only_in_branch(x, flag):
    if flag:
        i = paddle.zeros([1], "int64")
        while i < 3:
            y = x + paddle.cast(i, "float32")
            i = i + 1
        x = y
    return x


runs(loop_only_in_branch, [F(3), B(True)], [F(3), B(False)])
