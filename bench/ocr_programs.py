# SPDX-License-Identifier: Apache-2.0
"""What whole pictures take in programs of PyPI with Coracle and with other engines, and their memory: `make bench-ocr`, or --help.

Every engine has a process of its own that stays alive. In each round they take turns and read the same pictures: the demo's and generated
ones (tests/python/ocr_pictures.py). A first round, in which engines prepare themselves, does not count. The time of an engine is the sum over
the pictures of the least time, or the median, over the rounds; that of processors hardly depends on what else the machine does. Memory is of
a process that reads pictures of as many different sizes, too.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import machine

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUILD = ROOT / "build"
TESTS = ROOT / "tests" / "python"
sys.path.insert(0, str(TESTS))
import ocr_pictures  # noqa: E402

NEW, OLD = BUILD / "paddleocr-venv", BUILD / "paddleocr-2-venv"
# Engines by the names of the table: what the program is told, and whether oneDNN is on in the real Paddle (None: another engine).
PADDLE = {"Paddle, oneDNN": ("paddle", "on"), "Paddle": ("paddle", "off")}
OTHERS = {"onnxruntime": ("onnxruntime", None), "OpenVINO": ("openvino", None)}
# Program: its environment and its engines; the first one is Coracle, as its engine or in place of Paddle.
PROGRAMS = {
    "rapidocr": (NEW, {"Coracle": ("paddle", None), **PADDLE, **OTHERS}),
    "paddleocr3": (NEW, {"Coracle": ("coracle", None), **PADDLE, "onnxruntime": OTHERS["onnxruntime"]}),
    "paddlex": (NEW, {"Coracle": ("coracle", None), **PADDLE, "onnxruntime": OTHERS["onnxruntime"]}),
    "rapidocr_paddle": (OLD, {"Coracle": ("paddle", None), **PADDLE}),
    "paddleocr2": (OLD, {"Coracle": ("paddle", None), **PADDLE}),
}


class Program:
    """A program that runs its models with one engine, in a process that reads one picture at a time."""

    def __init__(self, program, name, folder, threads):
        venv, engines = PROGRAMS[program]
        engine, onednn = engines[name]
        environment = {**os.environ, "PADDLE_PDX_DISABLE_MODEL_SOURCE_CHECK": "True", "XDG_CACHE_HOME": str(folder / "cache")}
        arguments = [str(TESTS / "ocr_programs_script.py"), program, engine, str(BUILD / "demo-models"), "-",
                     "--work", str(folder / ("models-" + engine)), "--threads", str(threads)]
        if name == "Coracle":
            environment.setdefault("PYTHONPATH", str(ROOT / "python"))
            environment.setdefault("CORACLE_LIBRARY", str(BUILD / "release" / "libcoracle.so"))
            if engine == "paddle":
                arguments = ["-m", "coracle.as_paddle", *arguments]
        else:
            environment.pop("PYTHONPATH", None)
        if onednn:
            (site,) = (BUILD / "oracle-venv-3.3" / "lib").glob("python3*/site-packages")
            arguments += ["--paddle", str(site), "--onednn", onednn]
        self.log = folder / ("%s-%s.log" % (program, name))
        with open(self.log, "w") as log:
            self.process = subprocess.Popen([str(venv / "bin" / "python"), *arguments], env=environment, stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE, stderr=log, text=True)

    def read(self, path):
        """The answer of `ocr_programs_script.py -`; RuntimeError with what the program said last if it ended."""
        try:
            print(path, file=self.process.stdin, flush=True)
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            status = self.process.wait()
            said = self.log.read_text("utf-8", "replace").strip().splitlines()[-1:]
            raise RuntimeError("ended with %d: %s" % (status, "".join(said)))
        return json.loads(line)

    def close(self):
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        self.process.wait()
        self.process.stdout.close()


def texts(answer):
    return [line[0] for line in answer["lines"]]


def times(program, names, pictures, rounds, folder, threads):
    """By engine, the answers of each round but the first for each picture, and of how many pictures the texts are not Coracle's; or why there are none."""
    running = {name: Program(program, name, folder, threads) for name in names}
    kept = {name: [[] for _ in pictures] for name in names}
    others, failures = dict.fromkeys(names, 0), {}
    try:
        for round_ in range(rounds + 1):
            expected = None
            for name in names:
                if name in failures:
                    continue
                time.sleep(0.3)   # Threads of the one before may spin for a while.
                try:
                    answers = [running[name].read(path) for path in pictures]
                except RuntimeError as error:
                    failures[name] = str(error)
                    continue
                found = [texts(answer) for answer in answers]
                expected = expected or found
                if round_ == 0:
                    others[name] = sum(a != b for a, b in zip(found, expected))
                else:
                    for index, answer in enumerate(answers):
                        kept[name][index].append(answer)
    finally:
        for each in running.values():
            each.close()
    return kept, others, failures


def memory(program, name, pictures, folder, threads):
    """MiB: at most, after a third of the pictures, after all of them."""
    reader = Program(program, name, folder, threads)
    try:
        answers = [reader.read(path) for path in pictures]
    finally:
        reader.close()
    return [value >> 20 for value in (answers[-1]["peak"], answers[len(answers) // 3 - 1]["memory"], answers[-1]["memory"])]


def row(program, name, cells):
    print("| %s |" % " | ".join([program, name, *cells]), flush=True)


def engines(program, chosen):
    return [name for name in PROGRAMS[program][1] if name in chosen]


def report_times(programs, chosen, pictures, rounds, folder, threads):
    print("| program | engine | least, s | median, s | CPU, s | least / Coracle's | median / Coracle's | CPU / Coracle's | other texts |\n"
          "|---|---|---:|---:|---:|---:|---:|---:|---:|")
    for program in programs:
        kept, others, failures = times(program, engines(program, chosen), pictures, rounds, folder, threads)
        first = None
        for name, answers in kept.items():
            if name in failures:
                row(program, name, [failures[name][:200], *[""] * 6])
                continue
            sums = [sum(way(answer[key] for answer in each) for each in answers)
                    for way, key in ((min, "seconds"), (statistics.median, "seconds"), (min, "cpu"))]
            first = first or sums
            row(program, name, [*("%.2f" % each for each in sums), *("%.2f x" % (a / b) for a, b in zip(sums, first)),
                                "%d of %d" % (others[name], len(pictures))])


def report_memory(programs, chosen, pictures, folder, threads):
    print("\n| program | engine | MiB at most | after %d pictures | after %d | growth |\n|---|---|---:|---:|---:|---:|" % (len(pictures) // 3, len(pictures)))
    for program in programs:
        for name in engines(program, chosen):
            try:
                peak, early, late = memory(program, name, pictures, folder, threads)
                row(program, name, ["%d" % peak, "%d" % early, "%d" % late, "%+d" % (late - early)])
            except RuntimeError as error:
                row(program, name, [str(error)[:200], "", "", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", nargs="*", choices=PROGRAMS, default=list(PROGRAMS), help="whose times are measured")
    names = ["Coracle", *PADDLE, *OTHERS]
    parser.add_argument("--engines", nargs="+", choices=names, default=names, help="of these, those that the program runs; ratios are to the first one")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2, help="that every engine runs models with")
    parser.add_argument("--pictures", type=int, default=5, help="generated pictures beside the demo's")
    parser.add_argument("--memory", nargs="*", choices=PROGRAMS, default=["rapidocr"], help="programs whose memory is measured")
    parser.add_argument("--sizes", type=int, default=300, help="pictures of different sizes that memory is measured with")
    parser.add_argument("--real-time", action="store_true", help="with real-time priority, so that other programs do not disturb times")
    options = parser.parse_args()
    if options.real_time:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    print("processor: %s, %d cores, instruction sets %s" % (machine.field("/proc/cpuinfo", "model name"), os.cpu_count(),
                                                            ", ".join(machine.instruction_sets())))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        pictures = [str(ROOT / "examples" / "ocr" / "demo.jpg")]
        for number in range(max(options.pictures, options.sizes if options.memory else 0)):
            pictures.append(str(folder / ("%d.png" % number)))
            ocr_pictures.picture(number).save(pictures[-1])
        if options.programs:
            report_times(options.programs, options.engines, pictures[:options.pictures + 1], options.rounds, folder, options.threads)
        if options.memory:
            report_memory(options.memory, options.engines, pictures[1:options.sizes + 1], folder, options.threads)


if __name__ == "__main__":
    main()
