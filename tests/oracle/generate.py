# SPDX-License-Identifier: Apache-2.0
"""Generates operator cases with the real Paddle: model files, inputs, expected outputs, case.json.

  generate.py program --out DIR [--family NAME ...]           ProgramDesc cases (Paddle 2.6, requirements-2.6.txt)
  generate.py pir --out DIR --programs PROGRAM_DIR [...]      PIR cases (Paddle 3.3, requirements-3.3.txt): translations
                                                              of the ProgramDesc cases, and programs of the Python API
  generate.py list                                            entries of the tables (no Paddle needed)

A case that Paddle refuses is dropped and written to DIR/<family>/dropped.txt with the reason; so is one whose answer
jumps when its inputs move by a few rounding steps (a tie). A family runs in a child process, so that a crash of Paddle
costs one case.
"""

import argparse
import json
import os
import select
import shutil
import sys
import time

import numpy as np

import cases
from notation import Draw, NotHere
from tolerance import NUDGE, nudged, tolerance

ATTEMPTS = 3  # an entry that asks for n cases draws at most this many times n
FEWEST = 10  # an entry with fewer accepted cases gets a warning
SECONDS = 60  # the longest one case may take


def case_name(entry):
    """What the folders of an entry's cases begin with."""
    return entry.case or entry.name


def describe_outputs(entry, folder, outputs, moved):
    """Writes the outputs; returns their part of case.json. `moved`: the outputs for nudged inputs, or None."""
    specs = []
    for i, (name, array, lod) in enumerate(outputs):
        absolute, relative = tolerance(array, lod, moved and moved[i][1:], entry.exact, entry.rtol, entry.precise)
        spec = {
            "name": name,
            "file": "out%d.npy" % i,
            "dtype": str(array.dtype),
            "shape": list(array.shape),
            "atol": absolute,
            "rtol": relative,
        }
        if lod:
            spec["lod"] = lod
        np.save(os.path.join(folder, spec["file"]), np.asarray(array, order="C"))
        specs.append(spec)
    return specs


def same_values(outputs, others):
    return all(np.array_equal(a, b, equal_nan=a.dtype.kind in "fc") for (_, a, _), (_, b, _) in zip(outputs, others))


def run_case(entry, family, folder, runner_parts, feeds, pir, key, runner=None):
    """Runs a written model (by `runner`, if not by the predictor), writes inputs, outputs and case.json; returns the outputs."""
    from modelio import Runner, input_files

    model, params = runner_parts
    if runner is None:
        runner = Runner(os.path.join(folder, model), params and os.path.join(folder, params), pir)
    outputs = runner.run(feeds)
    if not same_values(outputs, runner.run(feeds)):
        raise ValueError("Paddle contradicts itself")
    moved = None
    if not entry.exact and any(a.dtype.kind == "f" and a.dtype != np.float16 for a, _ in feeds.values()):
        moved = runner.run(nudged(feeds, np.random.RandomState(7), NUDGE * 1e-7 if entry.precise else NUDGE))
    spec = {"op": entry.name, "family": family, "format": "pir" if pir else "program", "key": key, "model": model}
    if params:
        spec["params"] = params
    spec["inputs"] = input_files(folder, feeds)
    spec["outputs"] = describe_outputs(entry, folder, outputs, moved)
    write_json(os.path.join(folder, "case.json"), spec)
    return [array for _, array, _ in outputs]


def put_away(folder, out, name):
    """Takes a case that Paddle refused out of the family, and keeps its program where it can be built."""
    if os.path.exists(os.path.join(folder, "case.json")):
        os.makedirs(refused_folder(out), exist_ok=True)
        shutil.rmtree(os.path.join(refused_folder(out), name), ignore_errors=True)
        os.rename(folder, os.path.join(refused_folder(out), name))
    else:
        shutil.rmtree(folder, ignore_errors=True)


def write_json(path, value):
    with open(path, "w", encoding="utf-8") as f:
        json.dump(value, f, separators=(",", ":"))


def refused_folder(out):
    """Where the programs of a family stay that only this Paddle refuses to run: another one may take them."""
    return out.rstrip("/") + "-refused"


def write_question(entry, family, folder, built, params, key):
    """case.json without answers: enough for the other Paddle to run it."""
    from modelio import input_files

    spec = {"op": entry.name, "family": family, "format": "program", "key": key, "model": "model.pdmodel"}
    if params:
        spec["params"] = params
    spec["inputs"] = input_files(folder, built.feeds)
    write_json(os.path.join(folder, "case.json"), spec)


def program_case(entry, family, folder, key):
    import program_format
    from modelio import write_params

    if entry.kind == "api":
        built = program_format.build_api(entry.make(Draw(key)))
    else:
        case = entry.make(Draw(key))
        try:
            built = program_format.build_op(entry, case, Draw(key + "/unknown/0").maybe(0.4))
        except Exception:  # an operator that must know the size when it is built
            built = program_format.build_op(entry, case, False)
    params = "model.pdiparams" if built.params else None
    if params:
        write_params(os.path.join(folder, params), built.params)

    def write():
        with open(os.path.join(folder, "model.pdmodel"), "wb") as f:
            f.write(built.bytes())

    write()
    if entry.case:
        write_question(entry, family, folder, built, params, key)
    arrays = run_case(entry, family, folder, ("model.pdmodel", params), built.feeds, False, key)
    if built.set_output_types(arrays):
        write()


def pir_api_case(entry, family, folder, key):
    import pir_format

    made = entry.make(Draw(key))
    feeds, params = pir_format.export_api(made, folder)
    runner = pir_format.Eager(made, params) if entry.eager else None
    run_case(entry, family, folder, ("model.json", "model.pdiparams" if params else None), feeds, True, key, runner)


def pir_translated_case(entry, family, folder, source, key):
    import pir_format

    with open(os.path.join(source, "case.json"), encoding="utf-8") as f:
        spec = json.load(f)
    with open(os.path.join(source, spec["model"]), "rb") as f:
        pir_format.translate(f.read(), os.path.join(folder, "model.json"))
    feeds = {i["name"]: (np.load(os.path.join(source, i["file"])), i.get("lod")) for i in spec["inputs"]}
    if "params" in spec:
        shutil.copy(os.path.join(source, spec["params"]), folder)
    run_case(entry, family, folder, ("model.json", spec.get("params")), feeds, True, key)


def jobs(arguments, family, table):
    """(entry, case name, key, source folder or None) of a family, in order; the child stops an entry at its count."""
    programs = {}  # names of the ProgramDesc cases, by what they begin with
    if arguments.format == "pir":
        answered = os.path.join(arguments.programs, family)
        for folder in (answered, refused_folder(answered)):
            for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
                programs.setdefault(name.rsplit("-", 1)[0], []).append((name, os.path.join(folder, name)))
    for entry in table:
        if arguments.format not in entry.formats:
            continue
        if arguments.format == "pir" and entry.kind == "op":
            for name, folder in programs.get(case_name(entry), []):
                number = int(name.rsplit("-", 1)[1])
                yield entry, name, "%s/%s/%d" % (family, case_name(entry), number), folder
        else:
            for number in range(entry.count * ATTEMPTS):
                name = case_name(entry)
                yield entry, "%s-%02d" % (name, number), "%s/%s/%d" % (family, name, number), None


def child(arguments, family, todo, out, accepted, pipe):
    """Runs the jobs; reports each as a line "index ok" or "index <reason>" on the pipe."""
    import paddle

    paddle.enable_static()
    log = os.open(os.path.join(out, "paddle.log"), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(log, 1)
    os.dup2(log, 2)
    for index, (entry, name, key, source) in todo:
        if accepted.get(case_name(entry), 0) >= entry.count:
            continue
        folder = os.path.join(out, name)
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        os.write(pipe, b"%d start\n" % index)
        try:
            if arguments.format == "program":
                program_case(entry, family, folder, key)
            elif source:
                pir_translated_case(entry, family, folder, source, key)
            else:
                pir_api_case(entry, family, folder, key)
            verdict = "ok"
            accepted[case_name(entry)] = accepted.get(case_name(entry), 0) + 1
        except NotHere:
            shutil.rmtree(folder)
            verdict = "none"
        except Exception as error:
            put_away(folder, out, name)
            lines = [line.strip() for line in str(error).strip().splitlines() if line.strip()]
            reasons = [line for line in lines if line.startswith("(") or "Error:" in line]
            text = (reasons or lines[-1:] or ["?"])[0]
            verdict = type(error).__name__ + ": " + text[:300]
        os.write(pipe, ("%d %s\n" % (index, verdict)).encode())


def run_family(arguments, family, table):
    out = os.path.join(arguments.out, family)
    shutil.rmtree(out, ignore_errors=True)
    shutil.rmtree(refused_folder(out), ignore_errors=True)
    os.makedirs(out)
    todo = list(enumerate(jobs(arguments, family, table)))
    accepted, dropped, at, buffer = {}, [], 0, b""
    while at < len(todo):
        read, write = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(read)
            try:
                child(arguments, family, todo[at:], out, accepted, write)
            finally:
                os._exit(0)
        os.close(write)
        running = None
        while True:
            ready, _, _ = select.select([read], [], [], SECONDS)
            if not ready:
                os.kill(pid, 9)
                break
            data = os.read(read, 65536)
            if not data:
                break
            buffer += data
            *lines, buffer = buffer.split(b"\n")
            for line in lines:
                index, verdict = line.decode("utf-8", "replace").split(" ", 1)
                running = int(index) if verdict == "start" else None
                entry, name = todo[int(index)][1][:2]
                if verdict == "ok":
                    accepted[case_name(entry)] = accepted.get(case_name(entry), 0) + 1
                elif verdict not in ("start", "none"):
                    dropped.append((name, verdict))
        os.close(read)
        os.waitpid(pid, 0)
        if running is None:
            break
        entry, name = todo[running][1][:2]
        put_away(os.path.join(out, name), out, name)
        dropped.append((name, "Paddle crashed or hung"))
        at, buffer = running + 1, b""
    with open(os.path.join(out, "dropped.txt"), "w", encoding="utf-8") as f:
        f.writelines("%s\t%s\n" % line for line in dropped)
    wanted = {}
    for entry in table:
        if arguments.format in entry.formats and not entry.case:  # of the others Paddle refuses most by right
            wanted[entry.name] = max(wanted.get(entry.name, 0), min(FEWEST, entry.count))
    few = sorted("%s: %d" % (n, accepted.get(n, 0)) for n, count in wanted.items() if accepted.get(n, 0) < count)
    return sum(accepted.values()), len(dropped), few


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("format", choices=["program", "pir", "list"])
    parser.add_argument("--out")
    parser.add_argument("--programs", help="folder of the ProgramDesc cases (pir)")
    parser.add_argument("--family", action="append", choices=cases.FAMILIES)
    parser.add_argument("--most", type=int, help="cases of each entry, at most")
    parser.add_argument("--op", action="append", help="only these operators (the family's folder is made anew)")
    arguments = parser.parse_args()
    if arguments.format != "list":
        os.environ["FLAGS_enable_pir_api"] = "1" if arguments.format == "pir" else "0"
        arguments.out = os.path.abspath(arguments.out)
        import paddle  # once, before the children

        print("paddle %s" % paddle.__version__, flush=True)
    total = 0
    for family in arguments.family or cases.FAMILIES:
        table = [e for e in cases.table(family) if not arguments.op or e.name in arguments.op]
        if arguments.most:
            table = [e._replace(count=min(e.count, arguments.most)) for e in table]
        if arguments.format == "list":
            print("%s: %s" % (family, " ".join(sorted({e.name for e in table}))))
            continue
        start = time.time()
        count, dropped, few = run_family(arguments, family, table)
        total += count
        print("%-12s %4d cases, %3d dropped, %5.1f s" % (family, count, dropped, time.time() - start), flush=True)
        for line in few:
            print("  warning: few cases of %s" % line, flush=True)
    if arguments.format != "list":
        print("%d cases in %s" % (total, arguments.out))
    return 0


if __name__ == "__main__":
    sys.exit(main())
