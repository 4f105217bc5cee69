# SPDX-License-Identifier: Apache-2.0
"""Lists and dictionaries of tensors: appended, popped, indexed, joined."""

import paddle

from corpus import F, I, V, runs


def append_and_stack(x, n):
    out = []
    for i in range(n):
        out.append(x * i)
    return paddle.stack(out)


runs(append_and_stack, [F(3), I(4)], [F(3), I(1)])


def append_and_concat(x, n):
    out = []
    for i in range(n):
        out.append(x + i)
    return paddle.concat(out, axis=0)


runs(append_and_concat, [F(2, 3), I(4)], [F(2, 3), I(2)])


def append_before_and_in_loop(x, n):
    out = [x]
    for i in range(n):
        out.append(out[-1] * 0.5 + i)
    return paddle.concat(out, axis=1)


runs(append_before_and_in_loop, [F(2, 3), I(4)], [F(2, 3), I(2)])


def append_rows(x):
    out = []
    for row in x:
        out.append(paddle.tanh(row))
    return paddle.stack(out, axis=1)


runs(append_rows, [F(4, 3)], [F(6, 3)])


def append_if(x):
    out = [paddle.zeros([3])]
    for i in range(x.shape[0]):
        if x[i].sum() > 0:
            out.append(x[i])
    return paddle.stack(out)


runs(append_if, [F(5, 3)], [F(2, 3)])


def append_if_else(x):
    out = []
    for i in range(x.shape[0]):
        if x[i].sum() > 0:
            out.append(x[i])
        else:
            out.append(-x[i])
    return paddle.stack(out)


runs(append_if_else, [F(5, 3)], [F(2, 3)])


def list_length(x, n):
    out = []
    for i in range(n):
        out.append(x)
    return paddle.full([1], 1, "int64") * len(out)


runs(list_length, [F(3), I(4)], [F(3), I(6)])


def indexed_by_tensor(x, n):
    out = []
    for i in range(n):
        out.append(x * i)
    return out[n - 2]


runs(indexed_by_tensor, [F(3), I(5)], [F(3), I(3)])


def list_item_assigned(x, n):
    out = [x, x, x]
    for i in range(n):
        out[0] = out[0] + out[1] * i
        out[2] = out[0] - 1
    return out[0], out[2]


runs(list_item_assigned, [F(3), I(3)], [F(3), I(5)])


def pop_last(x, n):
    out = [x, x + 1, x + 2]
    y = out.pop()
    for i in range(n):
        y = y + i
    return y, out[-1]


runs(pop_last, [F(3), I(2)], [F(3), I(3)])


def pop_after_loop(x, n):
    out = []
    for i in range(n):
        out.append(x * i)
    last = out.pop()
    return last, paddle.stack(out)


runs(pop_after_loop, [F(3), I(5)], [F(3), I(3)])


def pop_in_loop(x, n):
    stack = []
    for i in range(n):
        stack.append(x + i)
    total = paddle.zeros([3])
    for i in range(n):
        total = total * 0.5 + stack.pop()
    return total


runs(pop_in_loop, [F(3), I(4)], [F(3), I(6)])


def queue_in_loop(x, n):
    queue = [x, x + 1]
    for i in range(n):
        first = queue.pop(0)
        queue.append(first * 2 + i)
    return queue[0], queue[1]


runs(queue_in_loop, [F(3), I(4)], [F(3), I(6)])


def dictionary_state(x, n):
    state = {"h": x, "c": paddle.zeros([3])}
    for i in range(n):
        state["c"] = state["c"] * 0.5 + state["h"]
        state["h"] = paddle.tanh(state["c"])
    return state["h"], state["c"]


runs(dictionary_state, [F(3), I(2)], [F(3), I(4)])


def dictionary_of_lists(x, n):
    d = {"a": [], "b": []}
    for i in range(3):
        d["a"].append(x * i)
        d["b"].append(x + i)
    y = x
    for i in range(n):
        y = y + d["a"][1] - d["b"][2]
    return y


runs(dictionary_of_lists, [F(3), I(2)], [F(3), I(4)])


def tuple_state(x, n):
    state = (x, paddle.zeros([3]))
    for i in range(n):
        state = (state[1] + i, state[0] * 0.5)
    return state[0], state[1]


runs(tuple_state, [F(3), I(2)], [F(3), I(4)])


def list_made_in_branch(x, y):
    if y > 0:
        out = [x, x + 1]
    else:
        out = [x * 2, x]
    return paddle.stack(out)


runs(list_made_in_branch, [F(3), V(1.0)], [F(3), V(-1.0)])


def append_in_branch_loops(x, n, y):
    out = []
    if y > 0:
        for i in range(n):
            out.append(x + i)
    else:
        for i in range(n):
            out.append(x - i)
    return paddle.concat(out)


runs(append_in_branch_loops, [F(3), I(3), V(1.0)], [F(3), I(2), V(-1.0)])


def two_lists(x, n):
    a = []
    b = []
    for i in range(n):
        a.append(x + i)
        b.append(paddle.full([1], 1, "int64") * i)
    return paddle.stack(a), paddle.concat(b)


runs(two_lists, [F(3), I(3)], [F(3), I(2)])


def nested_append(x, n):
    out = []
    for i in range(n):
        for j in range(2):
            out.append(x * i + j)
    return paddle.stack(out)


runs(nested_append, [F(3), I(3)], [F(3), I(2)])


def different_sizes_in_list(x, n):
    out = []
    for i in range(n):
        out.append(paddle.concat([x[:, :1]] * 2, axis=0)[: i + 1])
    return paddle.concat(out)


runs(different_sizes_in_list, [F(2, 4), I(3)], [F(2, 4), I(2)])


def list_comprehension(x, n):
    parts = [x * k for k in range(4)]
    y = paddle.zeros([3])
    for i in range(n):
        y = y + parts[1] + parts[3]
    return y


runs(list_comprehension, [F(3), I(3)], [F(3), I(5)])


def array_api(x, n):
    array = paddle.tensor.create_array(dtype="float32")
    i = paddle.zeros([1], "int64")
    while i < n:
        paddle.tensor.array_write(x * paddle.cast(i, "float32"), i, array=array)
        i = i + 1
    return paddle.tensor.array_read(array, n - 1), paddle.tensor.array_length(array)


runs(array_api, [F(3), I(3)], [F(3), I(5)])


def array_overwrite(x, n):
    array = paddle.tensor.create_array(dtype="float32")
    zero = paddle.zeros([1], "int64")
    array = paddle.tensor.array_write(x, zero, array=array)
    i = paddle.zeros([1], "int64")
    while i < n:
        y = paddle.tensor.array_read(array, zero)
        array = paddle.tensor.array_write(y * 0.5 + 1, zero, array=array)
        i = i + 1
    return paddle.tensor.array_read(array, zero)


runs(array_overwrite, [F(3), I(4)], [F(3), I(6)])


def append_in_branch_then_read(x, y, n):
    out = []
    for i in range(n):
        out.append(x)
    if y > 0:
        out.append(x + 10)
    return out[-1]


runs(append_in_branch_then_read, [F(3), V(1.0), I(2)], [F(3), V(-1.0), I(3)])


def reversed_rows(x, n):
    out = []
    i = x.shape[0] - 1
    while i >= 0:
        out.append(x[i])
        i = i - 1
    return paddle.stack(out) * n


runs(reversed_rows, [F(4, 2), I(1)], [F(4, 2), I(3)])


def sum_of_list(x, n):
    out = []
    for i in range(n):
        out.append(x + i)
    total = paddle.zeros([3])
    for i in range(n):
        total = total + out[i]
    return total


runs(sum_of_list, [F(3), I(3)], [F(3), I(4)])


def list_of_lists(x, n):
    layers = [[x, x + 1], [x + 2, x + 3]]
    for i in range(n):
        layers[0][1] = layers[0][1] + layers[1][0] * i
    return layers[0][1]


runs(list_of_lists, [F(3), I(3)], [F(3), I(4)])


def extend_list(x, n):
    out = [x]
    out.extend([x + 1, x + 2])
    y = x
    for i in range(n):
        y = y + out[1]
    return y


runs(extend_list, [F(3), I(3)], [F(3), I(1)])


def pop_in_while(x, n):
    stack = []
    i = paddle.zeros([1], "int64")
    while i < n:
        stack.append(x + paddle.cast(i, "float32"))
        i = i + 1
    y = paddle.zeros([3])
    while i > 1:
        y = y * 0.5 + paddle.reshape(stack.pop(), [3])
        i = i - 1
    return y, stack[-1]


runs(pop_in_while, [F(3), I(4)], [F(3), I(2)])


def swap_items(x, n):
    pair = [x, x * 2]
    for i in range(n):
        if i % 2 == 0:
            pair = [pair[1], pair[0]]
        else:
            pair[0] = pair[0] + 1
    return pair[0], pair[1]


runs(swap_items, [F(3), I(1)], [F(3), I(4)])


def append_both_loops(x, n):
    out = []
    for i in range(n):
        out.append(x + i)
    for i in range(n):
        out.append(x - i)
    return paddle.stack(out)


runs(append_both_loops, [F(3), I(1)], [F(3), I(3)])


def pop_unused(x, n):
    stack = []
    for i in range(n):
        stack.append(x + i)
    while n > 2:
        stack.pop()
        n = n - 1
    return paddle.stack(stack)


runs(pop_unused, [F(3), I(4)], [F(3), I(2)], [F(3), I(7)])


def pop_front_in_while(x, n):
    queue = []
    for i in range(n):
        queue.append(x + i)
    last = x
    while n > 2:
        last = queue.pop(0)
        n = n - 1
    return paddle.stack(queue), last


runs(pop_front_in_while, [F(3), I(4)], [F(3), I(2)], [F(3), I(7)])


def pop_in_branch_of_while(x, n):
    """Of the pop nothing reads the element: Paddle 3.3 removes it, 2.6 does not."""
    first = []
    second = [x]
    i = paddle.zeros([1], "int64")
    while i < n:
        first.append(x + paddle.cast(i, "float32"))
        second.append(x - paddle.cast(i, "float32"))
        i = i + 1
        if i % 2 == 1:
            first.pop()
    return first[0], second[2]


runs(pop_in_branch_of_while, [F(3), I(5)], [F(3), I(2)])


def pop_unread_in_while(x, n):
    stack = []
    i = paddle.zeros([1], "int64")
    while i < n:
        stack.append(x + paddle.cast(i, "float32"))
        stack.append(x * 2)
        stack.pop()
        i = i + 1
    return stack[0], stack[1]


runs(pop_unread_in_while, [F(3), I(5)], [F(3), I(2)])
