# SPDX-License-Identifier: Apache-2.0
"""Runs the parts of the proof on a GPU, each within its time, and writes report.json and report.md: run-gpu.sh --help."""
import argparse
import datetime
import json
import os
import pathlib
import platform
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import parameters
import report

BUNDLE = pathlib.Path(__file__).resolve().parent.parent
BIN = BUNDLE / "bin"
WHOLE_SECONDS = 590
SHARDS = 8              # processes that share a program's tests at most
AMX_TESTS = "Tiles/GemmTest.*:TileGemm.*:QuantizedGemm.*:LinearKernels.OnMatrixTiles"
# Of the tests of kernels, those that a quick run and the sanitizer take: gathering, sorting, broadcasting.
SAMPLE = "--gtest_filter=IndexedKernels.RowsAndElements:SortKernels.FewOfManyAndAll:BinaryKernels.RowsAndColumns"
QUICK_NETWORK = "bilstm_ctc"
QUICK_GOLDENS = ("zoo-bilstm_ctc", "zoo-medley_index", "zoo-yolo_head")
HALF_GOLDENS = ("zoo-bilstm_ctc", "zoo-medley_image")


class Run:
    """The state of the whole run: options, what was found of the machine, and when the part at hand has to end."""

    def __init__(self, options, scratch):
        self.out, self.quick, self.scratch = options.out, options.quick, scratch
        (self.out / "logs").mkdir(parents=True, exist_ok=True)
        self.end = 0.0
        self.has_device = False
        self.environment = {**os.environ, "CORACLE_CUDA_CACHE": str(scratch / "cuda-cache")}

    def is_over(self):
        return time.monotonic() >= self.end

    def start(self, name, command, **environment):
        log = self.out / "logs" / (name + ".log")
        with open(log, "wb") as file:
            process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT,
                                       env={**self.environment, **environment}, start_new_session=True)
        process.log = log
        return process

    def finish(self, process):
        """The exit code, None where the time of the part was over, and what the process wrote."""
        try:
            code = process.wait(max(0.1, self.end - time.monotonic()))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            code = None
        return code, process.log.read_text(errors="replace")

    def call(self, name, command, **environment):
        return self.finish(self.start(name, command, **environment))


def how_it_ended(code):
    if code is None:
        return "the time of this part was over"
    return "signal %d" % -code if code < 0 else "exit code %d" % code


def last_line(output):
    return next((line for line in reversed(output.splitlines()) if line.strip()), "it wrote nothing")


def take_gtest(part, program, code, output):
    """Adds each test of a GoogleTest program's output to the part, and one more for a program that did not end by itself."""
    failed = False
    for kind, test in re.findall(r"^\[ +(OK|FAILED|SKIPPED) +\] (\S+?)(?:, where .*)? \(\d+ ms\)", output, re.MULTILINE):
        if kind == "SKIPPED":
            part.leave_out(test, "the test says so, see the log")
            continue
        body = output.partition("[ RUN      ] %s\n" % test)[2].partition("[  FAILED  ] %s" % test)[0] if kind == "FAILED" else ""
        part.check(test, kind == "OK", body[:500])
        failed |= kind == "FAILED"
    if output.startswith("skipped:") or "\nskipped:" in output:
        part.check(program, False, last_line(output))
    elif code not in (0, 1) or (code == 1 and not failed):
        running = re.findall(r"^\[ RUN +\] (\S+)", output, re.MULTILINE)
        part.check(program, False, "%s, after %s began: %s" % (how_it_ended(code), (running or ["no test"])[-1], last_line(output)))


def take_goldens(part, code, output):
    """The same for golden_test: model, case, largest error, "ok" or a complaint, [kernels]."""
    failed = False
    for model, case, verdict in re.findall(r"^(\S+) +(\S+) +\S+  (.+?)  \[.*\]", output, re.MULTILINE):
        part.check("%s/%s" % (model, case), verdict == "ok", verdict)
        failed |= verdict != "ok"
    if code not in (0, 1) or (code == 1 and not failed):
        part.check("golden_test", False, "%s: %s" % (how_it_ended(code), last_line(output)))


def smoke(run, part):
    code, output = run.call("devices", [BIN / "coracle", "devices"])
    run.has_device = re.search(r"^cuda:0 ", output, re.MULTILINE) is not None
    part.notes += [" ".join(output.split())]
    part.check("coracle devices", code == 0 and run.has_device, "no device cuda:0: " + output)
    if not run.has_device:
        return
    take_gtest(part, "cuda_tests", *run.call("cuda_tests", [BIN / "cuda_tests"]))
    shards = 1 if run.quick else max(1, min(SHARDS, (os.cpu_count() or 1) // 2))
    program = [BIN / "devices_tests"] + ([SAMPLE] if run.quick else [])
    tests = [run.start("devices_tests.%d" % i, program, CORACLE_TEST_DEVICE="cuda", GTEST_SHARD_INDEX=str(i), GTEST_TOTAL_SHARDS=str(shards))
             for i in range(shards)]
    for i, process in enumerate(tests):
        take_gtest(part, "devices_tests, part %d of %d" % (i + 1, shards), *run.finish(process))


def goldens(run, part):
    if not any((BUNDLE / "goldens-data").glob("goldens/*")):
        part.skipped = "the archive was made without the reference folder"
        return
    chosen = ["--first", *QUICK_GOLDENS] if run.quick else []
    words = [BIN / "golden_test", "--data", BUNDLE / "goldens-data", "--device", "cuda"]
    take_goldens(part, *run.call("goldens", [*words, *chosen]))
    take_goldens(part, *run.call("goldens_fp16", [*words, "--precision", "fp16", "--first", *HALF_GOLDENS]))


# On a T4, as measured elsewhere, by batch: of elements of four bytes, since 2 MB in 0.186 ms are what its bus carries.
T4 = {10: (0.0855, 0.0947, 0.0175, 0.0182), 1000: (0.869, 0.273, 0.621, 0.186)}
COPY_WAYS = ("12 pageable", "12 pinned", "1 pageable", "1 pinned", "library")


def take_copies(part, code, output):
    """Each line of coracle-bench-copies --json is a batch."""
    rows = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    part.check("coracle-bench-copies", code == 0 and bool(rows), "%s: %s" % (how_it_ended(code), last_line(output)))
    cells = [[row["batch"], row["elements"], row["bytes"], *["%(min_ms).4f / %(median_ms).4f" % row[way] for way in COPY_WAYS]] for row in rows]
    cells += [[batch, "float32 on a T4", "", *["%.4f" % ms for ms in times], "-"] for batch, times in T4.items()]
    part.table("The 12 inputs of an ERNIE to the device, least / median in ms", ["batch", "elements", "bytes", *COPY_WAYS], cells)


def copies(run, part):
    take_copies(part, *run.call("copies", [BIN / "coracle-bench-copies", "--json", *(["--rounds", "1"] if run.quick else [])]))


def networks(run):
    """(name, arguments of coracle bench for a batch) of each; the parameters are written when first wanted."""
    for row in json.loads((BUNDLE / "networks" / "networks.json").read_text()):
        program = BUNDLE / "networks" / (row["name"] + ".pdmodel")
        whole = run.scratch / (row["name"] + ".pdiparams")

        def arguments(batch, program=program, whole=whole, shapes=row["shapes"]):
            if not whole.exists():
                whole.write_bytes(parameters.expand(program.with_suffix(".short").read_bytes()))
            words = [program, "--params", whole]
            for name, shape in shapes.items():
                words += ["--shape", "%s=%s" % (name, shape.replace("B", str(batch)))]
            return words
        yield row["name"], arguments


def bench(run, part, name, words):
    """The median in ms, or None. Each is a check."""
    if run.is_over():
        part.leave_out(name, "no time was left")
        return None
    length = ["--repeat", "1", "--warmup", "1"] if run.quick else ["--duration", "0.7", "--warmup", "3"]
    code, output = run.call(name.replace(" ", "_"), [BIN / "coracle", "bench", *words, *length, "--json"])
    lines = [line for line in output.splitlines() if line.startswith("{")]
    part.check(name, code == 0 and bool(lines), "%s: %s" % (how_it_ended(code), last_line(output)))
    return json.loads(lines[-1])["median_ms"] if code == 0 and lines else None


def number(value):
    return "-" if value is None else "%.2f" % value


def ratio(above, below):
    return "-" if not above or not below else "%.2f" % (above / below)


def torch_times(run, part):
    """By network and batch: {"float32 eager": ms, ...}; empty where there is no PyTorch."""
    if run.call("torch_import", [sys.executable, "-c", "import torch; print(torch.__version__)"])[0] != 0:
        part.leave_out("PyTorch", "it is missing: pip install torch")
        return {}
    code, output = run.call("torch", [sys.executable, BUNDLE / "gpu" / "torch_networks.py", "0.1" if run.quick else "0.5"])
    part.check("PyTorch", code == 0, "%s: %s" % (how_it_ended(code), last_line(output)))
    found = {}
    for row in [json.loads(line) for line in output.splitlines() if line.startswith("{")]:
        if "error" in row:
            part.leave_out("PyTorch, %(network)s, batch %(batch)s, %(numbers)s" % row, row["error"])
            continue
        times = found.setdefault((row["network"], row["batch"]), {})
        for way in ("eager", "graph"):
            if way + "_ms" in row:
                times["%s %s" % (row["numbers"], way)] = row[way + "_ms"]
    return found


def compare(run, part, name, words):
    """On weights of its own a network gives the same on both, whatever that is."""
    if run.is_over():
        part.leave_out(name, "no time was left")
        return
    code, output = run.call(name.replace(" ", "_"), [BIN / "coracle", "compare", *words, "--a", "device=cuda", "--b", "device=cpu", "--no-locate"])
    part.check(name, code == 0, "%s: %s" % (how_it_ended(code), output[-500:]))


# Of coracle, and what PyTorch's rows call the same.
PRECISIONS = {"strict": "float32", "tf32": "tf32", "fp16": "float16"}


def speed(run, part):
    torch, ours = torch_times(run, part), []
    for name, arguments in networks(run):
        if run.quick and name != QUICK_NETWORK:
            continue
        for batch in (1,) if run.quick else (1, 16):
            gpu = [bench(run, part, "%s batch %d cuda %s" % (name, batch, precision),
                         [*arguments(batch), "--device", "cuda", "--precision", precision]) for precision in PRECISIONS]
            cpu = bench(run, part, "%s batch %d cpu" % (name, batch), arguments(batch))
            ours.append((name, batch, gpu, cpu))
        compare(run, part, name + " compare", arguments(1))
    if not ours:
        part.skipped = "the archive was made without the reference folder"
        return
    ways = sorted({way for times in torch.values() for way in times})
    rows = []
    for name, batch, gpu, cpu in ours:
        others = torch.get((name, batch), {})
        best = [min((ms for way, ms in others.items() if way.startswith(numbers)), default=None) for numbers in PRECISIONS.values()]
        rows.append([name, batch, *map(number, gpu), number(cpu), ratio(cpu, gpu[0]), *[number(others.get(way)) for way in ways],
                     *map(ratio, best, gpu)])
    part.table("Medians in ms, strict float32 where nothing else is said", ["network", "batch", *["cuda " + p for p in PRECISIONS], "cpu",
               "cpu / cuda", *["torch " + way for way in ways], *["best %s of torch / cuda" % n for n in PRECISIONS.values()]], rows)


def sanitizer(run, part):
    program = shutil.which("compute-sanitizer") or shutil.which("compute-sanitizer", path="/usr/local/cuda/bin")
    if not program:
        part.skipped = "compute-sanitizer was not found in PATH and /usr/local/cuda/bin"
        return
    for tool in ("memcheck", "racecheck"):
        started = run.call(tool, [program, "--tool", tool, "--error-exitcode", "99", BIN / "devices_tests", SAMPLE], CORACLE_TEST_DEVICE="cuda")
        summary = [line for line in started[1].splitlines() if "SUMMARY" in line]
        part.check(tool, started[0] == 0, "%s: %s" % (how_it_ended(started[0]), summary[-1] if summary else last_line(started[1])))
        part.notes += ["%s: %s" % (tool, line) for line in summary]


def amx(run, part):
    if not re.search(r"^flags.* amx_tile\b", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE):
        part.skipped = "the processor has no AMX"
        return
    sample = {"GTEST_SHARD_INDEX": "0", "GTEST_TOTAL_SHARDS": "8"} if run.quick else {}
    take_gtest(part, "devices_tests", *run.call("amx_tests", [BIN / "devices_tests", "--gtest_filter=" + AMX_TESTS], **sample))
    if any((BUNDLE / "goldens-data").glob("goldens/*")):
        words = [BIN / "golden_test", "--data", BUNDLE / "goldens-data", "--precision", "default", "--first"]
        take_goldens(part, *run.call("amx_goldens", words + list(QUICK_GOLDENS if run.quick else ())))
    precisions, rows = ("strict", "default", "high", "bf16"), []
    for name, arguments in networks(run):
        if name in ((QUICK_NETWORK,) if run.quick else ("resnet50", "bert_base", "ppocrv4_det")):
            times = [bench(run, part, "%s %s amx" % (name, p), [*arguments(1), "--precision", p]) for p in precisions]
            rows.append([name, *map(number, times), ratio(times[0], times[1])])
    part.table("Medians in ms on the CPU, batch 1", ["network", *precisions, "strict / default"], rows)


# In this order. The times together are those of the whole.
PARTS = {"smoke": (smoke, 180), "goldens": (goldens, 80), "copies": (copies, 20), "speed": (speed, 190), "sanitizer": (sanitizer, 60),
         "amx": (amx, 60)}
NEED_DEVICE = ("goldens", "copies", "speed", "sanitizer")


def machine(run):
    """What was run, and where, by name."""
    about = {"date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
             "commit": (BUNDLE / "commit").read_text().strip(), "kind of run": "a quick sample" if run.quick else "whole"}
    run.end = time.monotonic() + 20
    if shutil.which("nvidia-smi"):
        asked = ["name", "driver_version", "compute_cap", "memory.total"]
        code, output = run.call("nvidia-smi", ["nvidia-smi", "--query-gpu=" + ",".join(asked), "--format=csv,noheader"])
        about["device, driver, capability, memory"] = output.strip() if code == 0 else how_it_ended(code)
    found = re.search(r"^model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    about["processor"] = "%s, %d processors" % (found[1] if found else platform.machine(), os.cpu_count() or 1)
    about["system"] = platform.platform()
    code, output = run.call("cuda", [BIN / "coracle", "devices"])
    lines = re.search(r"^cuda.*(\n .*)*", output, re.MULTILINE)
    about["coracle devices"] = " ".join(lines[0].split()) if lines else "%s: %s" % (how_it_ended(code), last_line(output))
    return about


def options():
    parser = argparse.ArgumentParser(prog="run-gpu.sh", description="Proves Coracle on this machine's GPU, within ten minutes.")
    parser.add_argument("--quick", action="store_true", help="a sample of each part, within minutes even where no GPU is")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("gpu-report"), help="folder of the results (default: gpu-report)")
    parser.add_argument("parts", nargs="*", metavar="PART", help="parts to run, of %s (default: all)" % ", ".join(PARTS))
    chosen = parser.parse_args()
    unknown = set(chosen.parts) - set(PARTS)
    if unknown:
        parser.error("no part %s; there are %s" % (", ".join(sorted(unknown)), ", ".join(PARTS)))
    chosen.out = chosen.out.resolve()
    return chosen


def main():
    chosen = options()
    with tempfile.TemporaryDirectory(prefix="coracle-gpu-") as scratch:
        return run_parts(Run(chosen, pathlib.Path(scratch)), chosen.parts or PARTS)


def run_parts(run, names):
    began = time.monotonic()
    about, parts = machine(run), []
    run.has_device = about["coracle devices"].startswith("cuda:")
    for name, (function, limit) in PARTS.items():
        if name not in names:
            continue
        part = report.Part(name, limit)
        parts.append(part)
        started = time.monotonic()
        run.end = min(started + limit, began + WHOLE_SECONDS)
        if name in NEED_DEVICE and not run.has_device:
            part.skipped = "there is no device cuda:0"
        else:
            try:
                function(run, part)
            except (OSError, ValueError, KeyError) as error:
                part.check(name, False, repr(error))
        part.seconds = time.monotonic() - started
        report.write(run.out, about, parts, time.monotonic() - began)
        print(part.line(), flush=True)
        for failure in part.failures:
            print("  failed: %(name)s: %(detail)s" % failure)
        for left_out in [] if part.skipped else part.left_out[:10]:
            print("  skipped: %(name)s: %(reason)s" % left_out)
    print("%s (%s)" % (run.out / "report.md", run.out / "report.json"))
    print(report.totals(parts))
    return 1 if any(part.failures for part in parts) else 0


if __name__ == "__main__":
    sys.exit(main())
