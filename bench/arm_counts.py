# SPDX-License-Identifier: Apache-2.0
"""Instructions of models on 64-bit ARM, counted in qemu-user, and cycles of the hottest loops by llvm-mca: `make bench-arm`.

These are counts, not times: qemu knows neither caches nor pipelines, and llvm-mca knows pipelines, but no caches. Runs of a model are counted
by what a second one adds to a first. --docs writes rows into the tables of docs/arm.md.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import tomllib

import arm_loops
import arm_ncnn
import models
import report
from arm_loops import kind

ROOT = models.ROOT
BUILD = ROOT / "build" / "aarch64"
SYSROOT = ROOT / "build" / "sysroot" / "arm64"
WORK = ROOT / "build" / "bench" / "arm"
# Of qemu, what its processors have beside NEON, and the products of integers in an instruction. Instructions for float32 are the same.
PROCESSORS = {"cortex-a53": ("", 8), "neoverse-n1": (", SDOT", 16), "max": (", SMMLA", 32)}
OF_XNNPACK = ("", ", SDOT")  # it has nothing for SMMLA
PIPELINES = ["cortex-a53", "cortex-a76", "neoverse-n1", "neoverse-n2"]
# What the first of these pipelines cannot run.
WITHOUT = {"SDOT": 1, "SMMLA": 3, "BFMMLA": 3}
# Models, and sizes that are smaller than those of models.toml, as qemu takes long.
MODELS = {"mobilenet_v1": None, "mobilenet_v2": None, "det": [1, 3, 320, 320], "rec": None}
FORMS = ["float32", "float32, engine xnnpack", "float32, ncnn", "bf16, BFMMLA"]
FORMS += [kernels + has for has, _ in PROCESSORS.values() for kernels in ("int8, neon", "int8, engine xnnpack", "int8, ncnn", "int8 and float16, ncnn")]
COUNTS = ["model", "kernels", "instructions, M", "products, M", "loads, M", "stores and PRFM, M", "products of all", "least products, M",
          "instructions / least products"]
LOOPS = ["loop in", "most of", "instructions", "products", *PIPELINES]
HOT = 0.03  # of all instructions that a loop in the table has at least


def plugin():
    library = WORK / "instruction_counter.so"
    subprocess.run(["c++", "-std=c++20", "-O1", "-shared", "-fPIC", models.BENCH / "arm" / "instruction_counter.cc", "-o", library], check=True)
    return library


def read(path):
    """{(file, offset, instructions): runs} of what the plug-in wrote."""
    blocks = {}
    for line in path.read_text().splitlines():
        runs, file, offset, *words = line.split()
        block = (file, int(offset, 16), tuple(int(word, 16) for word in words))
        blocks[block] = blocks.get(block, 0) + int(runs)
    return blocks


def coracle_command(files, shape, options):
    """What qemu runs, by the number of runs; there is one more in front of these."""
    return lambda runs: [BUILD / "coracle", "bench", files["program"], "--params", files["params"], "--shape", "x=" + ",".join(map(str, shape)),
                         "--threads", "1", "--warmup", "1", "--repeat", str(runs), *options]


def counted(counter, processor, command, environment):
    """The blocks of one run."""
    results = {WORK / ("counts-%d" % runs): runs for runs in (1, 2)}
    running = [subprocess.Popen(["qemu-aarch64", "-plugin", "%s,out=%s" % (counter, result), *command(runs)],
                                env={**os.environ, "QEMU_CPU": processor, **environment}, stdout=subprocess.DEVNULL)
               for result, runs in results.items()]
    if any([process.wait() != 0 for process in running]):
        raise SystemExit("arm_counts: this failed on %s: %s" % (processor, " ".join(map(str, command(1)))))
    first, both = map(read, results)
    return {block: runs - first.get(block, 0) for block, runs in both.items() if runs > first.get(block, 0)}


def ncnn_counted(ncnn, counter, processor, model, files, shape):
    """The same of ncnn, whose results have to be Coracle's."""
    files_of_ncnn = ncnn.files(model, shape)
    blocks = counted(counter, processor, lambda runs: ncnn.command(files_of_ncnn, 1 + runs), ncnn.environment())
    ncnn.check(model, arm_ncnn.coracle_answer(BUILD / "coracle", files, files_of_ncnn[-1], processor, SYSROOT), runs=3)
    return blocks


def ncnn_int8_counted(ncnn, counter, processor, model, shape, options):
    """The same of ncnn with int8, whose results have to be near those of float32."""
    files, answer, float32 = ncnn.quantized(model, shape)
    blocks = counted(counter, processor, lambda runs: ncnn.command(files, 1 + runs, answer, options), ncnn.environment())
    ncnn.check_int8(model, float32, runs=3)
    return blocks


def rows_of(model, shape, counter, ncnn, wide):
    """(kernels, products of a model's definition in an instruction, what counts a run) of each row of a model."""
    native, int8 = model.native(), model.files("coracle", "int8")

    def of_coracle(processor, files, *options):
        return lambda: counted(counter, processor, coracle_command(files, shape, options), {"QEMU_LD_PREFIX": str(SYSROOT)})

    def of_ncnn_int8(processor, options):
        return lambda: ncnn_int8_counted(ncnn, counter, processor, model, shape, options)

    yield "float32", 4, of_coracle("neoverse-n1", native)
    if wide:
        yield "float32, engine xnnpack", 4, of_coracle("neoverse-n1", native, "--engines", "xnnpack")
    if ncnn:
        yield "float32, ncnn", 4, lambda: ncnn_counted(ncnn, counter, "neoverse-n1", model, native, shape)
    yield "bf16, BFMMLA", 16, of_coracle("max", native, "--precision", "bf16")
    for processor, (has, lanes) in PROCESSORS.items():
        yield "int8, neon" + has, lanes, of_coracle(processor, int8)
        if wide and has in OF_XNNPACK:
            yield "int8, engine xnnpack" + has, lanes, of_coracle(processor, int8, "--engines", "xnnpack", "--precision", "int8")
        if ncnn:
            yield "int8, ncnn" + has, lanes, of_ncnn_int8(processor, arm_ncnn.FLOAT32)
        if ncnn and has:  # such processors compute with float16, and ncnn does what is not int8 with it unless it is told not to
            yield "int8 and float16, ncnn" + has, lanes, of_ncnn_int8(processor, [])


def multiply_adds(files, shape):
    """Those of the model's definition, whatever algorithm a kernel has."""
    command = [ROOT / "build" / "release" / "coracle", "explain", files["program"], "--params", files["params"], "--json", "--shape",
               "x=" + ",".join(map(str, shape))]
    nodes = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return sum(node.get("multiply_adds", 0) for node in (nodes if isinstance(nodes, list) else nodes["nodes"]))


def sums(blocks):
    total = dict.fromkeys(("fma", "dot", "load", "store", "other"), 0)
    for (_, _, words), runs in blocks.items():
        for word in words:
            total[kind(word)] += runs
    return total


def products_share(blocks, library):
    of_all, of_library = 0, 0
    for (file, _, words), runs in blocks.items():
        products = runs * sum(kind(word) in ("fma", "dot") for word in words)
        of_all += products
        of_library += products if library in file else 0
    return of_library / max(of_all, 1)


class Symbols:
    def __init__(self):
        lines = subprocess.run(["aarch64-linux-gnu-nm", "-C", "--defined-only", BUILD / "libcoracle.so"], check=True, capture_output=True,
                               text=True).stdout.splitlines()
        self.all = sorted((int(line.split()[0], 16), line.split(None, 2)[2]) for line in lines if line.split()[1] in "tTwW")

    def name(self, offset):  # the first segment lies at 0, so that offsets are addresses
        return arm_loops.short_name(max((row for row in self.all if row[0] <= offset), default=(0, "?"))[1])


def loops_of(blocks, symbols):
    """Blocks of the library that end with a branch back to their beginning and have many of all instructions."""
    total = sum(runs * len(block[2]) for block, runs in blocks.items())
    for block, runs in sorted(blocks.items(), key=lambda row: -row[1] * len(row[0][2])):
        share = runs * len(block[2]) / total
        if share < HOT:
            return
        file, offset, words = block
        if "libcoracle.so" in file and any(kind(word) in ("fma", "dot") for word in words):
            yield symbols.name(offset), words, share


def title_of(row):
    shape = MODELS.get(row["name"]) or row["inputs"]["x"]["shape"]
    return re.sub(r" \d+(x\d+)?$", "", row["title"]) + " " + "x".join(map(str, shape[2:])), shape


def write_docs(titles, asked, table, loops):
    """What was not asked for, (title, form), stays."""
    path, order = ROOT / "docs" / "arm.md", {form: i for i, form in enumerate(FORMS)}
    table = table + [row for row in report.block_rows(path, "counts") if (row[0], row[1]) not in asked]
    table.sort(key=lambda row: (titles.index(row[0]), order[row[1]]))
    of_asked = tuple("%s, %s:" % pair for pair in asked)
    loops = loops + [row for row in report.block_rows(path, "loops") if not row[1].startswith(of_asked)]
    loops.sort(key=lambda row: -int(re.search(r"(\d+) %", row[1])[1]))
    report.replace_blocks(path, {"counts": report.markdown(COUNTS, table), "loops": report.markdown(LOOPS, loops),
                                 "matrix loops": arm_loops.matrix_table([BUILD / "libcoracle.so"])})


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", default=",".join(MODELS), help="of models.toml")
    parser.add_argument("--kernels", default="float32|int8", help="a regular expression: only rows whose column of kernels it is found in; qemu takes "
                        "minutes for a run with bf16 (default: %(default)s)")
    parser.add_argument("--docs", action="store_true", help="write these rows into the tables of docs/arm.md")
    options = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    counter, symbols = plugin(), Symbols()
    disassembler, simulator = arm_loops.tool("llvm-mc"), arm_loops.tool("llvm-mca")
    rows = {row["name"]: row for row in tomllib.loads((models.BENCH / "models.toml").read_text())["model"]}
    try:
        ncnn = arm_ncnn.Ncnn()
    except models.Absent as reason:
        print("ncnn: left out: %s" % reason, flush=True)
        ncnn = None
    wide = (BUILD / "lib" / "libcoracle_engine_xnnpack.so").exists() or (BUILD / "libcoracle_engine_xnnpack.so").exists()
    titles, asked = [title_of(rows[name])[0] for name in MODELS], set()
    table, loops = [], {}
    for name in options.models.split(","):
        model, (title, shape) = models.Model(rows[name]), title_of(rows[name])
        try:
            macs, all_rows = multiply_adds(model.native(), shape), list(rows_of(model, shape, counter, ncnn, wide))
        except models.Absent as reason:
            print("%s: left out: %s" % (title, reason), flush=True)
            continue
        for form, lanes, count in all_rows:
            if not re.search(options.kernels, form):
                continue
            asked.add((title, form))
            try:
                blocks = count()
                total = sums(blocks)
                if "int8" in form and total["dot"] < total["fma"]:
                    raise models.Absent("most products are float32's")
                share = products_share(blocks, "XNNPACK")
                if "engine" in form and share < 0.9:
                    raise models.Absent("XNNPACK makes %.0f %% of the products, as it takes no more of this model" % (100 * share))
            except models.Absent as reason:
                print("%s, %s: left out: %s" % (title, form, reason), flush=True)
                continue
            everything, products = sum(total.values()), total["fma"] + total["dot"]
            table.append([title, form, *("%.1f" % (n / 1e6) for n in (everything, products, total["load"], total["store"])),
                          "%.0f %%" % (100 * products / everything), "%.1f" % (macs / lanes / 1e6), "%.2f" % (everything * lanes / macs)])
            print(*table[-1], sep=" | ", flush=True)
            for symbol, words, share in loops_of(blocks, symbols) if "engine" not in form else ():
                known = loops.setdefault(words, [symbol, form, 0, title])
                if share > known[2]:
                    known[1:] = [form, share, title]
    rows = []
    for words, (symbol, form, share, title) in sorted(loops.items(), key=lambda row: -row[1][2]):
        kinds = [kind(word) for word in words]
        row = ["`%s`" % symbol, "%s, %s: %.0f %%" % (title, form, 100 * share), str(len(words)), str(kinds.count("fma") + kinds.count("dot"))]
        without = max((count for name, count in WITHOUT.items() if name in form), default=0)
        row += ["-"] * without
        for processor in PIPELINES[without:]:
            row.append(arm_loops.share(words, processor, disassembler, simulator))
        rows.append(row)
    print(report.markdown(COUNTS, table), report.markdown(LOOPS, rows), sep="\n\n")
    if options.docs:
        write_docs(titles, asked, table, rows)


if __name__ == "__main__":
    main()
