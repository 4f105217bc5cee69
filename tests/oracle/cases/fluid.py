# SPDX-License-Identifier: Apache-2.0
"""Operators of Paddle 1 (fluid) that Paddle 2.6 still runs, and forms of others that only such programs have: trained
padding, polygons, true sizes of images, trees, sequences of images.

Left out is fused_embedding_fc_lstm with the cell activation "identity": Paddle then takes what the buffer of the forget
gate held for the activated cell.
"""

import numpy as np

from notation import api, op


def rows(r, width):
    lod = r.offsets(r.int(1, 4))
    return r.f(lod[-1], width, lod=[lod])


def sequence_conv(r):
    length = r.turn(1, 2, 3, 4)
    start = r.pick(-length - 1, -length, 1 - length, -(length // 2), 0, 1, length, length + 2)
    if length == 1 and start == 0:
        start = -1
    width = r.int(1, 5)
    x = rows(r, width)
    above, below = max(0, -start), max(0, start + length - 1)
    case = dict(
        X=x,
        Filter=r.w(length * width, r.int(1, 6)),
        contextLength=length,
        contextStart=start,
        contextStride=1,
        paddingTrainable=r.index % 5 != 4,
    )
    if case["paddingTrainable"] or r.maybe(0.3):
        case["PaddingData"] = r.w(above + below, width)
    return case


def fused_embedding_fc_lstm(r):
    names = ("sigmoid", "tanh", "relu", "identity")
    vocabulary, d = r.int(2, 9), r.pick(1, 2, 3, 8, 9)
    lod = r.offsets(r.int(1, 4))
    peepholes = r.turn(False, True)
    dtype = r.pick("float32", "float32", "float64")
    case = dict(
        Ids=r.i(lod[-1], 1, lo=0, hi=vocabulary - 1, lod=[lod]),
        Embeddings=r.w(vocabulary, 4 * d, dtype=dtype),
        WeightH=r.w(d, 4 * d, lo=-0.5, hi=0.5, dtype=dtype),
        Bias=r.w(1, (7 if peepholes else 4) * d, dtype=dtype),
        use_peepholes=peepholes,
        is_reverse=r.maybe(),
        use_seq=r.index % 3 != 0,
        gate_activation=r.pick("sigmoid", *names),
        cell_activation=r.pick("tanh", *names[:3]),
        candidate_activation=r.pick("tanh", *names),
    )
    if r.maybe():
        case.update(H0=r.f(len(lod) - 1, d, dtype=dtype), C0=r.f(len(lod) - 1, d, dtype=dtype))
    return case


def spp(r):
    height = r.turn(1, 2, 3, 4)
    x = r.f(r.int(1, 3), r.int(1, 4), r.int(1, 17), r.int(1, 17), dtype=r.pick("float32", "float32", "float64"))
    return dict(X=x, pyramid_height=height, pooling_type=r.pick("max", "avg"))


def polygons(r, images, count, points):
    """Convex polygons along a line of text: neighbours overlap."""
    angles = np.sort(r.random.uniform(0, 2 * np.pi, (images, count, points)), axis=2)
    across = 40.0 * np.cumsum(r.random.uniform(0, 0.6, (images, count)), axis=1)
    size = r.random.uniform(8, 25, (images, count, 1))
    x = 60 + across[..., None] + size * np.cos(angles)
    y = 60 + size * np.sin(angles)
    return np.stack([x, y], -1).reshape(images, count, 2 * points).astype("float32")


def locality_aware_nms(r):
    images, classes, count = r.turn(1, 2, 3), r.int(1, 3), r.pick(3, 8, 20)
    numbers = r.turn(8, 8, 4, 16, 24, 32)
    if numbers == 4:
        boxes = np.stack([r.boxes(count) for _ in range(images)])
    else:
        boxes = polygons(r, images, count, numbers // 2)
    return dict(
        BBoxes=r.t(boxes),
        Scores=r.f(images, classes, count, lo=0.01, hi=1.0),
        background_label=r.pick(-1, -1, 0),
        score_threshold=r.pick(0.0, 0.3, 0.6),
        nms_top_k=r.pick(-1, 5, 400),
        nms_threshold=r.pick(0.1, 0.3, 0.6),
        nms_eta=r.pick(1.0, 1.0, 0.8),
        keep_top_k=r.pick(-1, 4, 100),
        normalized=r.maybe(),
    )


def im2sequence(r):
    images = r.pick(2, 2, 3, 1)
    kernel = [r.int(1, 3), r.int(1, 3)]
    out_stride = [r.pick(1, 2, 4), r.pick(1, 2, 4)]
    h, w = kernel[0] + r.int(0, 5), kernel[1] + r.int(0, 5)
    sizes = [[r.int(kernel[0], h) * out_stride[0] - r.int(0, 1), r.int(kernel[1], w) * out_stride[1]] for _ in range(images)]
    return dict(
        X=r.f(images, r.int(1, 3), h, w),
        Y=r.v(sizes, "float32"),
        kernels=kernel,
        strides=[r.int(1, 2), r.int(1, 2)],
        paddings=[r.int(0, 1) for _ in range(4)],
        out_stride=out_stride,
    )


def hierarchical_sigmoid(r):
    n, d = r.int(1, 6), r.int(1, 8)
    dtype = r.pick("float32", "float32", "float64")
    classes = r.pick(2, 3, 6, 8, 13)
    case = dict(X=r.f(n, d, dtype=dtype), num_classes=classes, is_sparse=False)
    if r.index % 2:
        length, nodes = r.int(1, 4), r.int(3, 6)
        table = r.random.randint(0, nodes, (n, length))
        code = r.random.randint(0, 2, (n, length))
        for i in range(n):  # a path ends where its table does
            end = r.int(1, length)
            table[i, end:] = code[i, end:] = -1
        case.update(PathTable=r.t(table, "int64"), PathCode=r.t(code, "int64"), num_classes=nodes + 1)
        case.update(W=r.w(nodes, d, dtype=dtype), Label=r.i(n, 1, lo=0, hi=nodes))
        if r.maybe(0.7):
            case["Bias"] = r.w(nodes, 1, dtype=dtype)
        return case
    case.update(W=r.w(classes - 1, d, dtype=dtype), Label=r.i(n, 1, lo=0, hi=classes - 1))
    if r.maybe(0.7):
        case["Bias"] = r.w(classes - 1, 1, dtype=dtype)
    return case


def var_conv_2d(r):
    images, channels, results = r.int(1, 4), r.int(1, 3), r.int(1, 4)
    heights = [r.int(0 if r.maybe(0.2) else 1, 6) for _ in range(images)]
    widths = [r.int(0 if r.maybe(0.2) else 1, 6) for _ in range(images)]
    ends = lambda counts: [0] + [int(x) for x in np.cumsum(counts)]
    lod = ends([channels * h * w for h, w in zip(heights, widths)])
    if lod[-1] == 0:
        raise ValueError("no elements")
    kernel = [r.int(1, 4), r.int(1, 4)]
    return dict(
        X=r.f(lod[-1], 1, lod=[lod]),
        ROW=r.f(sum(heights), 2, lod=[ends(heights)]),
        COLUMN=r.f(sum(widths), 2, lod=[ends(widths)]),
        W=r.w(results, channels * kernel[0] * kernel[1]),
        InputChannel=channels,
        OutputChannel=results,
        KernelH=kernel[0],
        KernelW=kernel[1],
        StrideH=r.int(1, 3),
        StrideW=r.int(1, 3),
    )


def similarity_focus(r):
    shape = [r.int(1, 3)] + [r.int(1, 5) for _ in range(3)]
    axis = r.turn(1, 2, 3)
    indexes = r.perm(shape[axis])[: r.int(1, shape[axis])]
    return dict(X=r.distinct(shape, dtype=r.pick("float32", "float64")), axis=axis, indexes=indexes)


def fsp(r):
    n, h, w = r.int(1, 3), r.int(1, 9), r.int(1, 9)
    dtype = r.pick("float32", "float32", "float64")
    return dict(X=r.f(n, r.int(1, 9), h, w, dtype=dtype), Y=r.f(n, r.int(1, 17), h, w, dtype=dtype))


def tdm_child(r):
    """A tree of 2 or 3 children each: node 0 stands for none, node 1 is the root."""
    children, nodes = r.int(1, 3), r.int(2, 12)
    info = np.zeros((nodes, 3 + children))
    for node in range(1, nodes):
        first = (node - 1) * children + 2
        info[node, 3:] = [c if c < nodes else 0 for c in range(first, first + children)]
        info[node, 0] = node if info[node, 3] == 0 or r.maybe(0.3) else 0
        info[node, 1:3] = [r.int(0, 3), (node - 2) // children + 1]
    shape = r.pick([r.int(1, 6)], [r.int(1, 6), 1], [r.int(1, 4), r.int(1, 3)])
    x = r.i(shape, lo=0, hi=nodes - 1, dtype=r.pick("int32", "int64"))
    if r.index % 4 == 3:
        lod = r.offsets(r.int(1, 3))
        x = r.i(lod[-1], 1, lo=0, hi=nodes - 1, lod=[lod])
    info = r.t(info, r.pick("int32", "int64"), param=True)
    return dict(X=x, TreeInfo=info, child_nums=children, dtype=r.pick(2, 3))


def transfer_layout(r):
    shape = [r.int(1, 3), r.int(1, 4), r.int(1, 5), r.int(1, 6)]
    source, target = r.turn((1, 2), (2, 1))
    return dict(X=r.any(shape, "float32", "float64", "int32", "int64"), src_layout=source, dst_layout=target)


def there_and_back(r):
    """To NHWC, an operator, and back, as Paddle's own passes write it."""
    x = r.f(r.int(1, 3), r.int(1, 4), r.int(1, 5), r.int(1, 6))

    def function(paddle, x):
        block = x.block

        def transfer(x, source, target):
            out = block.create_var(dtype="float32")
            attributes = dict(src_layout=source, dst_layout=target)
            block.append_op(type="transfer_layout", inputs={"X": [x]}, outputs={"Out": [out]}, attrs=attributes)
            return out

        y = block.create_var(dtype="float32")
        block.append_op(type="relu", inputs={"X": [transfer(x, 2, 1)]}, outputs={"Out": [y]})
        return transfer(y, 1, 2), y

    return dict(x=x), function


def hsigmoid_loss(r):
    """The function of the Python API."""
    case = hierarchical_sigmoid(r)
    names = dict(x="X", label="Label", weight="W", bias="Bias", path_table="PathTable", path_code="PathCode")
    classes = case["num_classes"]

    def function(paddle, x, label, weight, **others):
        return paddle.nn.functional.hsigmoid_loss(x, label, classes, weight, **others)

    return {name: case[slot] for name, slot in names.items() if slot in case}, function


def transfer_dtype(r):
    numbers = {"bool": 0, "int16": 1, "int32": 2, "int64": 3, "float32": 5, "float64": 6, "uint8": 20, "int8": 21}
    source = r.turn("float32", "float64", "int32", "int64", "bool", "uint8", "int8")
    x = r.any(r.shape(elements=60), source)
    return dict(X=x, in_dtype=numbers[source], out_dtype=numbers[r.pick(*numbers)])


def coalesce_tensor(r):
    count, dtype = r.int(1, 4), r.turn("float32", "float64", "int32")
    copies = r.index % 2 == 0
    case = dict(
        Input=[r.any(r.shape(elements=60), dtype) for _ in range(count)],
        dtype={"float32": 5, "float64": 6, "int32": 2}[dtype],
        copy_data=copies,
        set_constant=not copies,
        constant=0.0 if copies else float(r.int(-3, 9)),
        use_align=r.index % 4 > 1,
        persist_output=False,
        _out=dict(Output=count),
        _hidden=dict(FusedOutput=1),
    )
    if not (copies and case["use_align"]):  # then there are no gaps with what was in memory
        case.update(_out=dict(Output=count, FusedOutput=1), _hidden={})
    return case


EXACT = dict(exact=True)
PROGRAM = dict(formats="program")  # gone from Paddle 3
LSTM_PARTS = "XX BatchedInput BatchedHidden BatchedCell ReorderedH0 ReorderedC0"
TABLE = [
    op("sequence_conv", sequence_conv, n=24),
    op("fused_embedding_fc_lstm", fused_embedding_fc_lstm, n=24, out="Hidden Cell", hidden=LSTM_PARTS),
    op("spp", spp, n=24, **PROGRAM),
    op("locality_aware_nms", locality_aware_nms, n=36, **PROGRAM),
    op("im2sequence", im2sequence, n=24, **EXACT),
    op("hierarchical_sigmoid", hierarchical_sigmoid, n=24, out="Out PreOut", hidden="W_Out"),
    op("var_conv_2d", var_conv_2d, n=24, hidden="Col", **PROGRAM),
    op("similarity_focus", similarity_focus, n=24, **EXACT, **PROGRAM),
    op("fsp", fsp, n=16, **PROGRAM),
    op("tdm_child", tdm_child, n=24, out="Child LeafMask", **EXACT),
    op("transfer_layout", transfer_layout, n=16, **EXACT, **PROGRAM),
    api("layout_there_and_back", there_and_back, n=8, exact=True, **PROGRAM),
    api("hsigmoid_loss", hsigmoid_loss, n=12, formats="program pir"),
    op("transfer_dtype", transfer_dtype, n=24, **EXACT, **PROGRAM),
    op("coalesce_tensor", coalesce_tensor, n=24, **EXACT),
]
