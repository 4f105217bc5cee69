# SPDX-License-Identifier: Apache-2.0
"""Packs generated cases into one compressed tar file per family, as oracle_test and oracle_test read them.

  pack.py --out DIR [--sample] PROGRAM_DIR PIR_DIR

With --sample, a few small cases of each operator and format are taken, spread over all: tests/oracle/sample
is made so. Entries are named <format>/<case>/<file>; case.json becomes lines of words in case.txt:

  op NAME | model FILE | params FILE
  input NAME FILE [LOD]            LOD: the offsets of a level joined by commas, levels joined by semicolons
  output FILE ATOL RTOL [LOD]
"""

import argparse
import gzip
import io
import json
import os
import tarfile

import cases

SAMPLE = {"activation": 4, "native": 3, "edges": 48}  # cases of one operator and format in the sample
SAMPLE_OTHERS = 8
SAMPLE_BYTES = 12000  # no larger case is in the sample


def lod_text(spec):
    return " " + ";".join(",".join(map(str, level)) for level in spec["lod"]) if "lod" in spec else ""


def case_text(spec):
    """case.json as case.txt."""
    lines = ["op " + spec["op"], "model " + spec["model"]]
    if "params" in spec:
        lines.append("params " + spec["params"])
    lines += ["input %s %s%s" % (i["name"], i["file"], lod_text(i)) for i in spec["inputs"]]
    lines += ["output %s %r %r%s" % (o["file"], o["atol"], o["rtol"], lod_text(o)) for o in spec["outputs"]]
    return "\n".join(lines) + "\n"


def chosen(folder, most, largest):
    """The case folders of a family that go into the package."""
    groups = {}
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if not os.path.exists(os.path.join(path, "case.json")):
            continue
        size = sum(os.path.getsize(os.path.join(path, f)) for f in os.listdir(path))
        if not largest or size <= largest:
            groups.setdefault(name.rsplit("-", 1)[0], []).append(path)
    for paths in groups.values():
        if not most or len(paths) <= most:
            yield from paths
        else:
            yield from (paths[i * len(paths) // most] for i in range(most))


def pack(family, folders, out, most, largest):
    count = 0
    path = os.path.join(out, family + ".tar.gz")
    with open(path, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as zipped, tarfile.open(
        fileobj=zipped, mode="w", format=tarfile.USTAR_FORMAT
    ) as tar:
        for form, root in folders:
            folder = os.path.join(root, family)
            if not os.path.isdir(folder):
                continue
            for case in chosen(folder, most, largest):
                for name in sorted(os.listdir(case)):
                    with open(os.path.join(case, name), "rb") as f:
                        data = f.read()
                    if name == "case.json":
                        name, data = "case.txt", case_text(json.loads(data)).encode()
                    entry = tarfile.TarInfo("%s/%s/%s" % (form, os.path.basename(case), name))
                    entry.size = len(data)
                    tar.addfile(entry, io.BytesIO(data))
                count += 1
    return count, os.path.getsize(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("pir")
    parser.add_argument("--out", required=True)
    parser.add_argument("--sample", action="store_true")
    arguments = parser.parse_args()
    os.makedirs(arguments.out, exist_ok=True)
    total = count = 0
    for family in cases.FAMILIES:
        most, largest = (SAMPLE.get(family, SAMPLE_OTHERS), SAMPLE_BYTES) if arguments.sample else (0, 0)
        n, size = pack(family, [("program", arguments.program), ("pir", arguments.pir)], arguments.out, most, largest)
        print("%-12s %5d cases %8d bytes" % (family, n, size))
        total, count = total + size, count + n
    print("%-12s %5d cases %8d bytes" % ("all", count, total))


if __name__ == "__main__":
    main()
