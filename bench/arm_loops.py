# SPDX-License-Identifier: Apache-2.0
"""Loops of 64-bit ARM as llvm-mca simulates the pipelines (arm_counts.py), and those of SMMLA and BFMMLA as a library or objects have them:

    arm_loops.py [--docs] [FILE...]     by default libcoracle.so of the cross build; --docs writes the table into docs/arm.md
"""
import argparse
import re
import shutil
import subprocess

import models
import report

BUILD = models.ROOT / "build" / "aarch64"
SADALP = (0xBF3FFC00, 0x0E206800)  # which has one operand beside its sum
MATRIX = {"SMMLA": (0xFFE0FC00, 0x4E80A400), "BFMMLA": (0xFFE0FC00, 0x6E40EC00)}
# (mask, value): kinds of A64 instructions, the first that fits.
KINDS = [
    ("fma", 0xBFA0FC00, 0x0E20CC00), ("fma", 0xBF80F400, 0x0F801000), ("fma", 0xBFA0FC00, 0x0EA0CC00), ("fma", 0xBF80F400, 0x0F805000),
    ("dot", 0xBFE0FC00, 0x0E809400), ("dot", 0xBFC0F400, 0x0F80E000),  # SDOT
    ("dot", *MATRIX["SMMLA"]), ("fma", *MATRIX["BFMMLA"]),
    ("dot", 0xBF20FC00, 0x0E20C000), ("dot", 0xBF20FC00, 0x0E208000), ("dot", *SADALP),  # SMULL, SMLAL, SADALP
    ("dot", 0xBF00F400, 0x0F00A000), ("dot", 0xBF00F400, 0x0F002000),
    ("load", 0x0A400000, 0x08400000), ("store", 0x0A400000, 0x08000000),  # PRFM is among the stores
]
BRANCHES = [(0x7C000000, 0x14000000), (0xFF000010, 0x54000000), (0x7E000000, 0x34000000), (0x7E000000, 0x36000000), (0xFE000000, 0xD6000000)]
BACK = BRANCHES[1:3]  # B.cond, CBZ and CBNZ, with 19 bits of words
MATRIX_PIPELINES = ["neoverse-n2", "neoverse-v1", "neoverse-v2"]
FEWEST = 8  # products of a loop in the table


def fits(word, pairs):
    return any(word & mask == value for mask, value in pairs)


def kind(word):
    return next((name for name, mask, value in KINDS if word & mask == value), "other")


def tool(name):
    """The newest of Debian's versions: older ones take the pipeline of Cortex-A57 for that of Neoverse N1."""
    found = [name + "-%d" % version for version in range(19, 13, -1) if shutil.which(name + "-%d" % version)]
    if not found:
        raise SystemExit("arm_loops: there is no %s-14 to -19 (scripts/setup-debian.sh --arm-bench installs 19)" % name)
    return found[0]


def short_name(name):
    name = re.sub(r"\(anonymous namespace\)::|coracle::internal::|cpu::neon(_[a-z0-9]+)?::", "", name)
    name = re.sub(r"^(void|int|bool|long) ", "", name)
    return re.sub(r"[(<].*", "", name).split()[-1]


def cycles(words, processor, disassembler, simulator):
    """Cycles of one round of a loop where all of its data is in the first cache, as the pipeline's model has it."""
    text = " ".join("0x%02x" % byte for word in words for byte in word.to_bytes(4, "little"))
    attributes = "-mattr=+dotprod,+fullfp16,+i8mm,+bf16"
    assembly = subprocess.run([disassembler, "--disassemble", "-triple=aarch64", attributes], input=text, check=True,
                              capture_output=True, text=True).stdout
    result = subprocess.run([simulator, "-mtriple=aarch64", "-mcpu=" + processor, attributes, "-iterations=200"],
                            input=assembly, check=True, capture_output=True, text=True).stdout
    return int(re.search(r"Total Cycles:\s+(\d+)", result).group(1)) / 200


def products_alone(words):
    """The loop's products without anything else, each with a sum of its own: what no loop of them is faster than."""
    products = [word for word in words if kind(word) in ("fma", "dot")]
    first = [word & ~0x3FF | 28 << 5 | i % 24 for i, word in enumerate(products)]
    return [word if word & SADALP[0] == SADALP[1] else word & ~(0x1F << 16) | 29 << 16 for word in first]


def share(words, processor, disassembler, simulator):
    whole, least = (cycles(part, processor, disassembler, simulator) for part in (words, products_alone(words)))
    return "%.1f of %.1f (%.0f %%)" % (least, whole, 100 * least / whole)


def loops_in(path):
    """(function, words) of each block of a file that branches back to its beginning."""
    listing = subprocess.run(["aarch64-linux-gnu-objdump", "-d", "-C", path], check=True, capture_output=True, text=True).stdout
    name, start, words = "?", 0, []
    for line in listing.splitlines():
        found = re.match(r"([0-9a-f]+) <(.*)>:$", line)
        if found:
            name, start, words = found[2], int(found[1], 16), []
            continue
        found = re.match(r"\s+([0-9a-f]+):\s+([0-9a-f]{8})\s", line)
        if not found:
            continue
        address, word = int(found[1], 16), int(found[2], 16)
        words.append(word)
        if fits(word, BACK):
            back = (word >> 5 & 0x7FFFF) - (1 << 19 if word >> 23 & 1 else 0)
            body = words[back - 1:] if back < 0 and address + 4 * back >= start else []
            if body and not any(fits(other, BRANCHES) for other in body[:-1]):
                yield name, tuple(body)


def matrix_table(paths):
    disassembler, simulator = tool("llvm-mc"), tool("llvm-mca")
    rows = {}
    for path in paths:
        for name, words in loops_in(path):
            for instruction, pattern in MATRIX.items():
                products = sum(fits(word, [pattern]) for word in words)
                if products >= FEWEST:
                    rows[words] = [instruction, "`%s`" % short_name(name), str(len(words)), str(products),
                                   *(share(words, processor, disassembler, simulator) for processor in MATRIX_PIPELINES)]
    rows = sorted(rows.values(), key=lambda row: (row[0], -int(row[3]), int(row[2])))
    return report.markdown(["products by", "loop in", "instructions", "products", *MATRIX_PIPELINES], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", default=[BUILD / "libcoracle.so"])
    parser.add_argument("--docs", action="store_true", help="write the table into docs/arm.md")
    options = parser.parse_args()
    table = matrix_table(options.files)
    print(table)
    if options.docs:
        report.replace_blocks(models.ROOT / "docs" / "arm.md", {"matrix loops": table})


if __name__ == "__main__":
    main()
