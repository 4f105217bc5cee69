# SPDX-License-Identifier: Apache-2.0
"""break, continue and early return, alone and in chains."""

import paddle

from corpus import B, F, I, R, V, runs


def break_at(x, n):
    for i in range(paddle.full([1], 10, "int64")):
        if i >= n:
            break
        x = x + i
    return x


runs(break_at, [F(3), I(5)], [F(3), I(2)])


def while_true_break(x):
    while paddle.ones([1], "bool"):
        if x.sum() > 30:
            break
        x = x * 2
    return x


runs(while_true_break, [V(1.0, 2.0)], [V(40.0, 2.0)])


def continue_odd(x, n):
    for i in range(n):
        if i % 2 == 1:
            continue
        x = x + i
    return x


runs(continue_odd, [F(4), I(5)], [F(4), I(8)])


def continue_then_break(x, n):
    for i in range(n):
        if i % 2 == 1:
            continue
        if i > 5:
            break
        x = x + i
    return x


runs(continue_then_break, [F(4), I(9)], [F(4), I(3)])


def break_inner(x, n):
    for i in range(n):
        for j in range(n):
            if j > i:
                break
            x = x + j
        x = x - i
    return x


runs(break_inner, [F(4), I(4)], [F(4), I(7)])


def continue_outer_break_inner(x, n):
    for i in range(n):
        if i == 2:
            continue
        j = paddle.zeros([1], "int64")
        while j < 5:
            if i + j > 4:
                break
            x = x + paddle.cast(j, "float32")
            j = j + 1
    return x


runs(continue_outer_break_inner, [F(4), I(4)], [F(4), I(6)])


def early_return(x, flag):
    if flag:
        return x * 2
    y = x + 1
    return y * y


runs(early_return, [F(3), B(True)], [F(3), B(False)])


def return_chain(x):
    if x > 1:
        return x * 10
    if x < -1:
        return x * 100
    return x + 5


runs(return_chain, [V(3.0)], [V(-3.0)], [V(0.0)])


def return_elif(x):
    if x > 1:
        return x * 10
    elif x < -1:
        return -x
    else:
        y = x * x
    return y + 1


runs(return_elif, [V(3.0)], [V(-3.0)], [V(0.5)])


def return_in_loop(x, limit):
    for i in range(4):
        if x[i] * x[i] > limit:
            return x[i] + i
    return x.sum()


runs(return_in_loop, [F(4), V(0.6)], [F(4), V(7.0)])


def find_first(x, value):
    for i in range(x.shape[0]):
        if x[i] == value:
            return paddle.full([1], 1, "int64") * i
    return paddle.full([1], -1, "int64")


runs(find_first, [R(0, 5, 8), I(3)], [R(0, 5, 8), I(9)])


def return_in_while(n):
    i = paddle.zeros([1], "int64")
    while i < 100:
        if i * i > n * 3:
            return i
        i = i + 1
    return i - 1000


runs(return_in_while, [I(4)], [I(9)])


def return_nested_loops(n):
    total = paddle.zeros([1], "int64")
    for i in range(5):
        for j in range(5):
            total = total + i * j
            if total > n:
                return total
    return -total


runs(return_nested_loops, [I(3)], [I(50)])


def break_flag(x, limit):
    found = paddle.zeros([1], "bool")
    for v in x:
        if v > limit:
            found = paddle.ones([1], "bool")
            break
    return found


runs(break_flag, [F(5), V(0.0)], [F(4), V(5.0)])


def break_in_else(x, n):
    s = paddle.zeros([1])
    for i in range(x.shape[0]):
        if i < n:
            s = s + x[i]
        else:
            break
    return s


runs(break_in_else, [F(6), I(3)], [F(5), I(6)])


def continue_on_value(x, limit):
    s = paddle.zeros([1])
    for i in range(6):
        if x[i] > limit:
            continue
        s = s + x[i]
    return s


runs(continue_on_value, [F(6), V(0.3)], [F(6), V(-0.3)])


def break_nested_condition(a, b):
    n = paddle.zeros([1], "int64")
    while n < 20:
        n = n + 1
        if n > a:
            if n % b == 0:
                break
    return n


runs(break_nested_condition, [I(3), I(4)], [I(30), I(4)])


def rows_until_negative(x):
    total = paddle.zeros([3])
    for row in x:
        if row.sum() < -0.5:
            break
        total = total + row
    return total


runs(rows_until_negative, [F(4, 3)], [F(2, 3)])


def continue_in_while(x, n):
    i = paddle.zeros([1], "int64")
    while i < 6:
        i = i + 1
        if i == n:
            continue
        x = x + i
    return x


runs(continue_in_while, [F(3), I(2)], [F(3), I(0)])


def return_two(x, n):
    if n > 2:
        return x, x + 1
    return x * 2, x * 3


runs(return_two, [F(3), I(1)], [F(3), I(4)])


def return_after_loop_in_branch(x):
    if x < 1:
        for i in range(paddle.full([1], 3, "int64")):
            x = x + i
            if x > 2:
                break
        return x
    return x - 1


runs(return_after_loop_in_branch, [V(0.2)], [V(3.0)])


def three_exits(n, m):
    s = paddle.zeros([1], "int64")
    for i in range(n):
        if i == 1:
            continue
        if s > 12:
            return s * 100
        if i > m:
            break
        s = s + i
    return s


runs(three_exits, [I(7), I(2)], [I(7), I(20)])


def break_both_levels(n):
    done = paddle.zeros([1], "bool")
    s = paddle.zeros([1], "int64")
    i = paddle.zeros([1], "int64")
    while i < 6 and not done:
        j = paddle.zeros([1], "int64")
        while j < 6:
            s = s + j
            if s > n:
                done = paddle.ones([1], "bool")
                break
            j = j + 1
        i = i + 1
    return s, i


runs(break_both_levels, [I(5)], [I(12)])


def early_return_shape(x):
    y = paddle.abs(x).sum()
    if y > 3:
        return x.reshape([3, 1])
    return x.reshape([1, 3])


runs(early_return_shape, [F(3)], [F(3, scale=5.0)])


def early_return_rank(x):
    y = paddle.abs(x).sum()
    if y > 3:
        return x.reshape([3, 1])
    return x * 2


runs(early_return_rank, [F(3)], [F(3, scale=5.0)])


def return_int_or_float(x):
    if x > 0:
        return paddle.full([2], 3, "int64")
    return paddle.full([2], 1.5, "float32")


runs(return_int_or_float, [V(2.0)], [V(-2.0)])
