# SPDX-License-Identifier: Apache-2.0
"""Finds a small program that fails as a given one does: fewer results, statements, blocks and runs."""

import re
import time

from programs import answers, engine
from programs.writer import labels, names_made, names_read, prune

SECONDS = 25  # the longest one reduction may take


def normalized(message):
    """A message without what differs from program to program."""
    message = re.sub(r"'[^']*'|\"[^\"]*\"", "'", message)
    message = re.sub(r"\b[vhw]\d+\b|\b\w+_\d+(\.tmp_\d+)?\b", "N", message)
    return re.sub(r"[-\d.]+", "0", message)[:160]


def manner(failure):
    """What has to stay the same while a program gets smaller."""
    if failure.kind == "error":
        return normalized(failure.message)
    return failure.kind if failure.kind in ("bits", "lod") else "values"


def first_wrong(program, form, folder, failure):
    """The first statement of the program whose value is wrong when all of them are results: (label, kind), or nothing."""
    names = [(name, s) for s in program["body"] for name in names_made(s) if name[0] == "v"]
    try:
        everything = {**program, "fetch": [name for name, _ in names]}
        found = engine.check(
            everything, form, folder, answers.ask(everything, form, folder), [failure.variant], first=True
        )
    except Exception:
        return None
    wrong = min((f.output for f in found if f.output >= 0), default=None)
    if wrong is None:
        return None
    kind = next(f.kind for f in found if f.output == wrong)
    return " | ".join(labels([names[wrong][1]]))[:80], kind


class Reducer:
    def __init__(self, program, form, folder, failure):
        self.form, self.folder, self.failure = form, folder, failure
        self.program, self.end = program, time.time() + SECONDS
        self.variants = ["plain", failure.variant] if failure.variant == "three threads" else [failure.variant]

    def failing(self, program):
        """(failure, expected) if the program fails in the same manner; else None."""
        if not program["fetch"] or time.time() > self.end:
            return None
        try:
            expected = answers.ask(program, self.form, self.folder)
        except Exception:
            return None
        for failure in engine.check(program, self.form, self.folder, expected, self.variants):
            if failure.variant == self.failure.variant and manner(failure) == manner(self.failure):
                return failure, expected
        return None

    def take(self, candidate):
        body, fetch = _block(candidate["body"], candidate["fetch"], {})
        candidate = prune({**candidate, "body": body, "fetch": list(dict.fromkeys(fetch))})
        if not self.failing(candidate):
            return False
        self.program = candidate
        return True

    def reduce(self):
        steps = [
            self.fewer_results,
            self.earlier_result,
            self.cut_halves,
            self.cut_each,
            self.unfold,
            self.bypass,
            self.fewer_runs,
        ]
        for _ in range(3):
            before = len(str(self.program["body"]))
            for step in steps:
                step()
            if len(str(self.program["body"])) == before:
                break
        return self.program

    def with_(self, **changes):
        return {**self.program, **changes}

    def fewer_results(self):
        if len(self.program["fetch"]) == 1:
            return
        for name in self.program["fetch"]:
            if self.take(self.with_(fetch=[name])):
                return
        for name in list(self.program["fetch"]):
            if len(self.program["fetch"]) > 1:
                self.take(self.with_(fetch=[n for n in self.program["fetch"] if n != name]))

    def earlier_result(self):
        """The first value that is wrong, as the only result."""
        for s in self.program["body"]:
            for name in names_made(s):
                if [name] != self.program["fetch"] and name[0] == "v" and self.take(self.with_(fetch=[name])):
                    return

    def values(self, names):
        """What Paddle computes for these names in each run: [{name: (array, lod)}]."""
        program = prune(self.with_(fetch=list(names)))
        from programs import build

        build.build(program, self.form, self.folder)
        found = []
        for feeds in program["runs"]:
            outputs = answers.runner(program, self.form, self.folder).run(feeds)
            found.append({name: (array, lod) for name, (_, array, lod) in zip(names, outputs)})
        return found

    def cut(self, removed):
        """Feeds what the first statements (or one of them) made; removed: their indices."""
        body = self.program["body"]
        kept = [s for i, s in enumerate(body) if i not in removed]
        made = {n for i in removed for n in names_made(body[i])}
        needed = [n for n in made if any(n in names_read(s) for s in kept)]
        if not kept or set(self.program["fetch"]) & made or any(n in names_made(s) for s in kept for n in made):
            return False
        try:
            values = self.values(sorted(needed))
        except Exception:
            return False
        inputs = list(self.program["inputs"])
        for name in sorted(needed):
            arrays = [run[name] for run in values]
            if len({a.ndim for a, _ in arrays}) > 1 or arrays[0][0].dtype.kind == "c":
                return False
            dims = [d if all(a.shape[i] == d for a, _ in arrays) else -1 for i, d in enumerate(arrays[0][0].shape)]
            inputs.append(
                {"name": name, "dtype": str(arrays[0][0].dtype), "dims": dims, "lod_level": int(bool(arrays[0][1]))}
            )
        runs = [{**old, **new} for old, new in zip(self.program["runs"], values)]
        return self.take(self.with_(inputs=inputs, body=kept, runs=runs))

    def cut_halves(self):
        for share in (0.9, 0.75, 0.5, 0.25):
            if self.cut(set(range(int(len(self.program["body"]) * share)))):
                return

    def cut_each(self):
        i = 0
        while i < len(self.program["body"]):
            i += 0 if self.cut({i}) else 1

    def unfold(self):
        """A branch for both, one round for a loop."""
        i = 0
        while i < len(self.program["body"]):
            s, body = self.program["body"][i], self.program["body"]
            plans = []
            if "if" in s:
                plans = [s[key] + renamed(s["out"], results) for key, results in zip(("then", "else"), s["results"])]
            elif "while" in s:
                first = [{"call": "p.full([1], 0, 'int64')", "in": {}, "out": s["names"][:1]}] + renamed(
                    s["names"][1:], s["while"]
                )
                plans = [first + s["body"] + renamed(s["out"], s["next"]), renamed(s["out"], s["while"])]
            if not any(self.take(self.with_(body=body[:i] + plan + body[i + 1 :])) for plan in plans):
                i += 1

    def bypass(self):
        """Statements of inner blocks and of the whole, each left out for one of its operands."""

        def shorter(body):
            for i, s in enumerate(body):
                for operand in sorted(names_read(s)) if "call" in s or "op" in s else []:
                    yield body[:i] + renamed(names_made(s)[:1], [operand]) + body[i + 1 :]
                for key in ("then", "else", "body"):
                    for inner in shorter(s[key]) if key in s else []:
                        yield body[:i] + [{**s, key: inner}] + body[i + 1 :]

        progress = True
        while progress and time.time() < self.end:
            progress = any(self.take(self.with_(body=body)) for body in shorter(self.program["body"]))

    def fewer_runs(self):
        for run in self.program["runs"]:
            if len(self.program["runs"]) > 1 and self.take(self.with_(runs=[run])):
                return


def renamed(names, values):
    return [{"same": value, "out": [name]} for name, value in zip(names, values)]


def substituted(body, names=None):
    """The statements with each {same: value} gone and its name replaced; results of blocks are renamed too."""
    names = dict(names or {})

    def of(name):
        return names.get(name, name)

    made = []
    for s in body:
        if "same" in s:
            names[s["out"][0]] = of(s["same"])
        elif "call" in s:
            made.append({**s, "in": {k: of(n) for k, n in s["in"].items()}})
        elif "op" in s:
            made.append({**s, "in": {k: [of(n) for n in given] for k, given in s["in"].items()}})
        elif "if" in s:
            inner = [_block(s[key], results, names) for key, results in zip(("then", "else"), s["results"])]
            made.append(
                {**s, "if": of(s["if"]), "then": inner[0][0], "else": inner[1][0], "results": [i[1] for i in inner]}
            )
        else:
            inside, results = _block(s["body"], s["next"], names)
            made.append(
                {**s, "while": [of(n) for n in s["while"]], "limit": of(s["limit"]), "body": inside, "next": results}
            )
    return made


def _block(body, results, names):
    """An inner block, with the names that its results have then."""
    inner = dict(names)
    for s in body:
        if "same" in s:
            inner[s["out"][0]] = inner.get(s["same"], s["same"])
    return substituted(body, names), [inner.get(n, n) for n in results]
