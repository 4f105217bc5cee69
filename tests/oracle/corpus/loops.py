# SPDX-License-Identifier: Apache-2.0
"""Loops over ranges and tensors, nested and with conditions inside."""

import paddle

from corpus import B, F, I, P, R, S, V, runs


def for_range_sum(x, n):
    total = paddle.zeros_like(x)
    for i in range(n):
        total = total + x * i
    return total


runs(for_range_sum, [F(3), I(4)], [F(3), I(0)])


def for_range_scalar(x, n):
    for i in range(n):
        x = x * 0.5 + 1
    return x


runs(for_range_scalar, [F(2, 3), S(3)], [F(2, 3), S(1)])


def for_range_start_stop(x, a, b):
    for i in range(a, b):
        x = x + i
    return x


runs(for_range_start_stop, [F(2), I(2), I(9)], [F(2), I(5), I(5)])


def for_range_step(x, n, step):
    for i in range(0, n, step):
        x = x - i
    return x


runs(for_range_step, [F(2), I(10), I(3)], [F(2), I(1), I(2)])


def for_rows(x):
    total = paddle.zeros([3])
    for row in x:
        total = total * 0.5 + row
    return total


runs(for_rows, [F(4, 3)], [F(1, 3)], [F(7, 3)])


def for_enumerate_rows(x):
    total = paddle.zeros([3])
    for i, row in enumerate(x):
        total = total + row * i
    return total


runs(for_enumerate_rows, [F(4, 3)], [F(2, 3)])


def for_shape(x):
    total = paddle.zeros([3])
    for i in range(x.shape[0]):
        total = total + x[i] * (i + 1)
    return total


runs(for_shape, [F(4, 3)], [F(6, 3)])


def while_norm(x):
    while x.sum() < 50:
        x = x * 2
    return x


runs(while_norm, [V(1.0, 2.0)], [V(100.0, 2.0)])


def while_condition_and_if(x):
    i = paddle.zeros([1], "int64")
    while i < 5:
        if x > 0:
            x = x - 1
        else:
            x = x + 2
        i = i + 1
    return x, i


runs(while_condition_and_if, [V(3.0)], [V(-3.0)])


def nested_ranges(x, n, m):
    for i in range(n):
        for j in range(m):
            x = x + i * j
        x = x * 0.5
    return x


runs(nested_ranges, [F(2), I(3), I(2)], [F(2), I(1), I(4)], [F(2), I(0), I(4)])


def nested_triangle(x, n):
    for i in range(n):
        for j in range(i):
            x = x + j - i
    return x


runs(nested_triangle, [F(3), I(3)], [F(3), I(5)])


def nested_three(x, n):
    for i in range(n):
        for j in range(n):
            for k in range(n):
                x = x + i - j * k
    return x


runs(nested_three, [F(2), I(2)], [F(2), I(3)])


def for_if_even(x, n):
    for i in range(n):
        if i % 2 == 0:
            x = x + i
    return x


runs(for_if_even, [F(2), I(4)], [F(2), I(7)])


def for_if_else_chain(x, n):
    for i in range(n):
        if i % 3 == 0:
            x = x + i
        elif i % 3 == 1:
            x = x * 1.5
        else:
            x = x - 1
    return x


runs(for_if_else_chain, [F(2), I(4)], [F(2), I(7)])


def collatz(n):
    steps = paddle.zeros([1], "int64")
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = n * 3 + 1
        steps += 1
    return steps


runs(collatz, [I(27)], [I(1)], [I(6)])


def fibonacci(n):
    a = paddle.zeros([1], "int64")
    b = paddle.ones([1], "int64")
    for i in range(n):
        a, b = b, a + b
    return a


runs(fibonacci, [I(10)], [I(1)])


def gcd(a, b):
    while b != 0:
        a, b = b, a % b
    return a


runs(gcd, [I(48), I(36)], [I(7), I(5)])


def newton_sqrt(x):
    y = x
    while paddle.abs(y * y - x) > 1e-4:
        y = 0.5 * (y + x / y)
    return y


runs(newton_sqrt, [V(2.0)], [V(9.0)])


def matrix_power(x, n):
    y = paddle.eye(3)
    for i in range(n):
        y = paddle.matmul(y, x)
    return y


runs(matrix_power, [F(3, 3), I(3)], [F(3, 3), I(0)])


def growing_concat(x, n):
    out = x
    for i in range(n):
        out = paddle.concat([out, x + i], axis=0)
    return out


runs(growing_concat, [F(2, 4), I(2)], [F(2, 4), I(4)])


def growing_rank_kept(x, n):
    out = paddle.zeros([0, 4])
    for i in range(n):
        out = paddle.concat([out, x[0:1] * i], axis=0)
    return out


runs(growing_rank_kept, [F(2, 4), I(2)], [F(2, 4), I(5)])


def shrinking(x):
    while x.shape[0] > 2:
        x = x[1:] + x[:-1]
    return x


runs(shrinking, [F(8, 2)], [F(3, 2)])


def bubble_max(x):
    best = x[0]
    for i in range(1, x.shape[0]):
        if x[i] > best:
            best = x[i]
    return best


runs(bubble_max, [F(5)], [F(9)])


def count_above(x, limit):
    count = paddle.zeros([1], "int32")
    for v in x:
        if v > limit:
            count += 1
    return count


runs(count_above, [F(6), V(0.2)], [F(3), V(-2.0)])


def while_two_conditions(a, b):
    steps = paddle.zeros([1], "int64")
    while a > 0 and b > 0:
        a = a - 1
        b = b - 1
        steps = steps + 1
    return steps, a, b


runs(while_two_conditions, [I(5), I(3)], [I(3), I(5)])


def while_or_not(a, b):
    while a > 0 or not b < 0:
        a = a - 1
        b = b - 2
    return a, b


runs(while_or_not, [I(5), I(3)], [I(-3), I(-5)])


def loop_over_python_list(x):
    for scale in [1.0, 0.5, -1.0]:
        if x.sum() > 0:
            x = x * scale
        else:
            x = x - scale
    return x


runs(loop_over_python_list, [F(2, 5)], [F(4, 5)])


def loop_in_branch(x, flag):
    if flag:
        for i in range(paddle.full([1], 3, "int64")):
            x = x + i
    else:
        x = x * 2
    return x


runs(loop_in_branch, [F(3), B(True)], [F(3), B(False)])


def branch_in_loop_in_branch(x, n):
    if n > 2:
        i = 0
        while i < n:
            if x.max() > 1:
                x = x - 0.75
            else:
                x = x + 0.5
            i += 1
    return x


runs(branch_in_loop_in_branch, [F(3), I(4)], [F(3), I(1)])


def scan_cumulative(x):
    state = paddle.zeros([4])
    out = paddle.zeros_like(x)
    for i in range(x.shape[0]):
        state = paddle.tanh(state + x[i])
        out[i] = state
    return out


runs(scan_cumulative, [F(3, 4)], [F(5, 4)])


def while_counter_python(x, n):
    i = 0
    total = x
    while i < n:
        total = total + x * i
        i = i + 1
    return total


runs(while_counter_python, [F(4, 2), I(2)], [F(4, 2), I(3)])


def zip_rows(x):
    y = x * 2
    total = paddle.zeros([1])
    for a, b in zip(x, y):
        total = total + a * b
    return total


runs(zip_rows, [P(5)], [P(3)])


def pairwise(x, y):
    out = paddle.zeros([1])
    for i in range(x.shape[0]):
        for j in range(y.shape[0]):
            d = paddle.sum((x[i] - y[j]) ** 2)
            if d > 0.5:
                out = out + d
    return out


runs(pairwise, [F(3, 2), F(4, 2)], [F(1, 2), F(2, 2)])


def prefix_until(x, n):
    i = paddle.zeros([1], "int64")
    total = paddle.zeros([1], "int64")
    while i < n:
        total = total + paddle.gather(x, i)
        i = i + 1
    return total


runs(prefix_until, [R(0, 9, 6), I(3)], [R(0, 9, 4), I(1)])


def static_loop_with_tensor_if(x):
    for i in range(4):
        if paddle.mean(x) > 0.1 * i:
            x = x - 0.3
        else:
            x = x + 0.4
    return x


runs(static_loop_with_tensor_if, [F(2, 3)], [F(2, 3)])


def loop_else_value(x, n):
    y = x
    for i in range(n):
        y = paddle.where(y > 1, y - 1, y + x * i)
    return y


runs(loop_else_value, [V(0.5), I(3)], [V(-0.5), I(6)])


def ternary_in_loop(x, n):
    for i in range(n):
        x = x + 1 if x.sum() < 2 else x - 1
    return x


runs(ternary_in_loop, [F(4), I(3)], [F(4), I(2)])


def primes_below(n):
    count = paddle.zeros([1], "int64")
    for i in range(2, n):
        prime = paddle.ones([1], "bool")
        j = paddle.full([1], 2, "int64")
        while j * j <= i:
            if i % j == 0:
                prime = paddle.zeros([1], "bool")
            j = j + 1
        if prime:
            count = count + 1
    return count


runs(primes_below, [I(12)], [I(30)])
