# SPDX-License-Identifier: Apache-2.0
"""Conditions: variables assigned in branches, several results, static cond, case and switch_case."""

import paddle

from corpus import B, F, I, P, V, runs


def if_else(x, y):
    if y > 0:
        z = x + 1
    else:
        z = x - 1
    return z


runs(if_else, [F(2, 3), V(1.0)], [F(2, 3), V(-1.0)])


def if_only(x, y):
    if y > 0:
        x = paddle.exp(x)
    return x


runs(if_only, [F(2, 3), V(1.0)], [F(2, 3), V(-1.0)])


def first_in_branch(x, y):
    if y > 0:
        a = x + 1
        b = a * 2
    else:
        b = x
        a = b - 3
    return a, b


runs(first_in_branch, [F(2, 3), V(1.0)], [F(2, 3), V(-1.0)])


def defined_in_one_branch(x, y):
    z = x
    if y > 0:
        w = x * 3
        z = w + 1
    return z


runs(defined_in_one_branch, [F(2, 3), V(1.0)], [F(2, 3), V(-1.0)])


def nested_if(x, y):
    if x > 0:
        if y > 0:
            z = x + y
        else:
            z = x - y
    else:
        if y > 0:
            z = x * y
        else:
            z = x / y
    return z


runs(nested_if, [V(2.0), V(1.0)], [V(2.0), V(-1.0)], [V(-2.0), V(1.0)], [V(-2.0), V(-1.0)])


def elif_chain(x):
    if x > 4:
        y = x * 2
    elif x > 1:
        y = x + 100
    elif x > -1:
        y = paddle.exp(x)
    else:
        y = -x
    return y


runs(elif_chain, [V(5.0)], [V(2.0)], [V(0.0)], [V(-4.0)])


def switch_case(x, index):
    return paddle.static.nn.switch_case(
        index, {1: lambda: x + 1, 2: lambda: x * 2, 3: lambda: paddle.tanh(x)}, lambda: x - 5
    )


runs(switch_case, [F(4), I(1)], [F(4), I(2)], [F(4), I(3)], [F(4), I(9)])


def switch_case_list(x, index):
    return paddle.static.nn.switch_case(
        index, [lambda: x + 1, lambda: x * 2, lambda: paddle.tanh(x), lambda: -x, lambda: x * x]
    )


runs(switch_case_list, [F(4), I(0)], [F(4), I(4)], [F(4), I(2)])


def switch_case_two_results(x, index):
    return paddle.static.nn.switch_case(
        index, {0: lambda: (x + 1, x.sum()), 1: lambda: (x * 2, x.max())}, lambda: (x, x.min())
    )


runs(switch_case_two_results, [F(4), I(0)], [F(4), I(1)], [F(4), I(7)])


def static_case(x, y):
    return paddle.static.nn.case([(y < 0.2, lambda: x + 1), (y > 0.5, lambda: x * 2)], lambda: paddle.tanh(x))


runs(static_case, [F(4), V(0.3)], [F(4), V(0.1)], [F(4), V(0.7)])


def static_cond(x, y):
    return paddle.static.nn.cond(y > 0, lambda: x + 1, lambda: x - 1)


runs(static_cond, [F(4), V(0.3)], [F(4), V(-0.1)])


def static_cond_results(x, y):
    a, b, c = paddle.static.nn.cond(
        y > 0, lambda: (x + 1, x.sum(), paddle.ones([2], "int64")), lambda: (x - 1, x.max(), paddle.zeros([2], "int64"))
    )
    return a, b, c


runs(static_cond_results, [F(4), V(0.3)], [F(4), V(-0.1)])


def static_cond_nested(x, y):
    def inner():
        return paddle.static.nn.cond(x.sum() > 0, lambda: x * 3, lambda: x * 5)

    return paddle.static.nn.cond(y > 0, inner, lambda: x - 1)


runs(static_cond_nested, [F(4), V(0.3)], [F(4), V(-0.1)])


def and_or_not(x, a, b):
    if a > 0 and b > 0:
        x = x + 1
    if a > 0 or b > 0:
        x = x * 2
    if not a > 0:
        x = x - 7
    return x


runs(and_or_not, [F(4), V(0.3), V(0.1)], [F(4), V(-0.1), V(0.1)], [F(4), V(0.3), V(-0.1)])


def chained_comparison(x):
    if 2 < x < 5:
        y = x * 10
    else:
        y = x
    return y


runs(chained_comparison, [V(1.0)], [V(3.0)], [V(7.0)])


def different_sizes(x, y):
    if y > 0:
        z = paddle.concat([x, x], axis=0)
    else:
        z = x
    return z, z.sum()


runs(different_sizes, [F(2, 3), V(1.0)], [F(2, 3), V(-1.0)])


def different_ranks(x, y):
    if y > 0:
        z = x.reshape([6])
    else:
        z = x
    return paddle.sum(z * 2)


runs(different_ranks, [F(2, 3), V(1.0)], [F(2, 3), V(-1.0)])


def different_types(x, y):
    if y > 0:
        z = paddle.cast(x * 10, "int64")
    else:
        z = x
    return paddle.cast(z, "float32") + 1


runs(different_types, [F(2, 3), V(1.0)], [F(2, 3), V(-1.0)])


def on_shape(x):
    if x.shape[0] > 3:
        y = x[:3]
    else:
        y = paddle.concat([x, x], axis=0)
    return y


runs(on_shape, [F(2, 3)], [F(4, 3)])


def on_numel(x):
    if paddle.numel(x) > 8:
        y = x.mean(axis=0)
    else:
        y = x.max(axis=0)
    return y


runs(on_numel, [F(2, 3)], [F(4, 3)])


def any_all(flags, x):
    if flags.all():
        x = x + 10
    elif flags.any():
        x = x + 1
    else:
        x = x - 1
    return x


runs(any_all, [B(True, False), F(2)], [B(False, False), F(2)], [B(True, True), F(2)])


def ternary(x, y):
    z = x + 1 if y > 0 else x * 2
    return z


runs(ternary, [F(3), V(1.0)], [F(3), V(-1.0)])


def dictionary_in_branch(x, y):
    d = {"a": x, "b": x * 2}
    if y > 0:
        d["a"] = d["a"] + 1
    else:
        d["b"] = d["b"] - 1
    return d["a"], d["b"]


runs(dictionary_in_branch, [F(3), V(1.0)], [F(3), V(-1.0)])


def none_before(x, y):
    z = None
    if y > 0:
        z = x + 1
    else:
        z = x - 1
    return z


runs(none_before, [F(3), V(1.0)], [F(3), V(-1.0)])


def tuple_swap(x, y):
    a, b = x, x + 1
    if y > 0:
        a, b = b, a
    return a, b


runs(tuple_swap, [F(3), V(1.0)], [F(3), V(-1.0)])


def helper_function(x, y):
    def helper(v):
        if v > 0:
            return v * 2
        return v - 1

    return x + helper(y)


runs(helper_function, [F(3), V(1.0)], [F(3), V(-1.0)])


def recursion_unrolled(x, y):
    def power(v, n):
        if n == 0:
            return paddle.ones_like(v)
        half = power(v, n // 2)
        if y > 1:
            half = half * 0.5
        return half * half * (v if n % 2 else 1)

    return power(x, 5)


runs(recursion_unrolled, [F(3), V(2.0)], [F(3), V(0.4)])


def attention_mask(x, causal):
    scores = paddle.matmul(x, x, transpose_y=True)
    if causal > 0:
        scores = scores + paddle.triu(paddle.full([4, 4], -1e4), 1)
    return paddle.nn.functional.softmax(scores)


runs(attention_mask, [F(4, 4), I(0)], [F(4, 4), I(1)])


def constant_or_tensor(x, y):
    if y > 0:
        s = 2.0
    else:
        s = 3.0
    return x * s


runs(constant_or_tensor, [F(2, 3), V(1.0)], [F(2, 3), V(-1.0)])


def bool_variable(x, y):
    flag = y > 0
    if flag:
        x = x + 1
    if not flag:
        x = x - 1
    return x


runs(bool_variable, [F(2, 3), V(1.0)], [F(2, 3), V(-1.0)])


def conditions_in_sequence(x, n):
    if n > 3:
        x = x + 1
    if n > 5:
        x = x * 2
    if n % 2 == 0:
        x = x - 0.5
    return x


runs(conditions_in_sequence, [F(2), I(3)], [F(2), I(4)], [F(2), I(10)])


def same_value_both(x, y):
    if y > 0:
        a = x
        b = x + 1
    else:
        a = x
        b = x
    return a + b


runs(same_value_both, [F(2, 2), V(1.0)], [F(2, 2), V(-1.0)])


def empty_or_not(x):
    if x.shape[0] == 0:
        y = paddle.zeros([1, 3])
    else:
        y = x.sum(axis=0, keepdim=True)
    return y


runs(empty_or_not, [F(0, 3)], [F(2, 3)])


def selected_or_default(x, limit):
    picked = paddle.masked_select(x, x > limit)
    if paddle.numel(picked) > 0:
        y = picked.max()
    else:
        y = paddle.full([], -1.0)
    return y


runs(selected_or_default, [P(6), V(0.5)], [P(6), V(2.0)])
