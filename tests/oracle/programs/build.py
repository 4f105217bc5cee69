# SPDX-License-Identifier: Apache-2.0
"""Builds a random program with Paddle: a ProgramDesc, its translation to PIR, or PIR directly."""

import os

from modelio import compact_json, write_params
from programs import describe

MODEL = {"program": "model.pdmodel", "translated": "model.json", "native": "model.json"}
PARAMS = "model.pdiparams"


class Builder:
    """Runs statements against Paddle's Python API while a program is recorded."""

    def __init__(self, paddle):
        self.p, self.f = paddle, paddle.nn.functional

    def run(self, body, names):
        """names: {name: variable}, which the statements add to."""
        kinds = {"call": self.call, "op": self.operator, "if": self.branch, "while": self.loop}
        for s in body:
            kind = next(key for key in kinds if key in s)
            made = kinds[kind](s, names)
            if kind != "op":
                names.update(zip(s["out"], made if len(s["out"]) > 1 else [made]))

    def call(self, s, names):
        operands = {letter: names[name] for letter, name in s["in"].items()}
        return eval(s["call"], {"p": self.p, "f": self.f, **operands})

    def operator(self, s, names):
        block = self.p.static.default_main_program().current_block()
        for slot in s["out"].values():
            for name in slot:
                if name not in names:
                    names[name] = block.create_var(name=name, dtype=s["dtype"].get(name, "float32"))
        slots = [{slot: [names[n] for n in given] for slot, given in s[side].items()} for side in ("in", "out")]
        block.append_op(type=s["op"], inputs=slots[0], outputs=slots[1], attrs=dict(s["at"]))

    def block(self, body, results, names):
        def function():
            inner = dict(names)
            self.run(body, inner)
            found = [inner[name] for name in results]
            return found if len(found) > 1 else found[0]

        return function

    def branch(self, s, names):
        blocks = [self.block(s[key], results, names) for key, results in zip(("then", "else"), s["results"])]
        return self.p.static.nn.cond(names[s["if"]], *blocks)

    def loop(self, s, names):
        counter = self.p.full([1], 0, "int64")
        limit = names[s["limit"]]

        def body(*carried):
            inner = dict(names, **dict(zip(s["names"], carried)))
            self.run(s["body"], inner)
            return [carried[0] + 1] + [inner[name] for name in s["next"]]

        made = self.p.static.nn.while_loop(
            lambda i, *rest: i < limit, body, [counter] + [names[name] for name in s["while"]]
        )
        return list(made)[1:] if len(s["out"]) > 1 else made[1]


def build(program, form, folder):
    """Writes the files of a program of that form ("program", "translated", "native") into a folder."""
    import paddle

    with paddle.utils.unique_name.guard():
        if form == "program":
            _write(os.path.join(folder, MODEL[form]), described(program))
        elif form == "translated":
            import pir_format

            pir_format.translate(describe.described(program), os.path.join(folder, MODEL[form]))
        else:
            _native(paddle, program, os.path.join(folder, MODEL[form]))
    if program["params"]:
        write_params(os.path.join(folder, PARAMS), program["params"])


def _write(path, data):
    with open(path, "wb") as f:
        f.write(data)


def described(program):
    """The bytes of a ProgramDesc (Paddle 2.6)."""
    import paddle
    import program_format

    main, startup = paddle.static.Program(), paddle.static.Program()
    with paddle.static.program_guard(main, startup):
        block = main.global_block()
        names = {}
        for i in program["inputs"]:
            names[i["name"]] = block.create_var(
                name=i["name"],
                shape=i["dims"],
                dtype=i["dtype"],
                lod_level=i["lod_level"],
                stop_gradient=True,
                need_check_feed=True,
            )
        for name, array in program["params"].items():
            names[name] = block.create_var(
                name=name, shape=array.shape, dtype=str(array.dtype), persistable=True, stop_gradient=True
            )
        Builder(paddle).run(program["body"], names)
    feeds = [i["name"] for i in program["inputs"]]
    return program_format.finish(main, feeds, program["params"], [names[name] for name in program["fetch"]]).bytes()


def _native(paddle, program, path):
    from paddle.base import core

    main, startup = paddle.static.Program(), paddle.static.Program()
    with paddle.static.program_guard(main, startup):
        names, fed = {}, []
        for i in program["inputs"]:
            names[i["name"]] = paddle.static.data(i["name"], i["dims"], i["dtype"], lod_level=i["lod_level"])
            fed.append(names[i["name"]])
        for name, array in program["params"].items():
            zero = paddle.nn.initializer.Constant(0)
            names[name] = paddle.static.create_parameter(
                list(array.shape), str(array.dtype), name=name, default_initializer=zero
            )
        Builder(paddle).run(program["body"], names)
        main = paddle.static.io.normalize_program(main, fed, [names[name] for name in program["fetch"]])
    core.serialize_pir_program(main, path, True, False, True)
    compact_json(path)
