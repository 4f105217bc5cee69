# SPDX-License-Identifier: Apache-2.0
"""Packs generated cases into one compressed tar file per family, as oracle_test and oracle_test read them.

  pack.py --out DIR [--sample] [--family NAME] PROGRAM_DIR PIR_DIR
  pack.py --out DIR --programs NAME [--largest N] [--bytes N] DIR...    folders that random_programs.py wrote, into one archive

With --sample, a few small cases of each operator and format are taken, spread over all: tests/oracle/sample
is made so; the family corpus (export_corpus.py) is taken whole. Entries are named <format>/<case>/<file>;
case.json becomes lines of words in case.txt:

  op NAME | model FILE | params FILE
  run                              what follows belongs to another run of the same session
  input NAME FILE [LOD]            LOD: the offsets of a level joined by commas, levels joined by semicolons
  output FILE ATOL RTOL [LOD]
"""

import argparse
import gzip
import io
import json
import os
import re
import tarfile
import zlib

import cases

SAMPLE = {"activation": 4, "native": 3, "edges": 48, "types": 1}  # cases of one operator and format in the sample
SAMPLE_OTHERS = 8
SAMPLE_BYTES = 12000  # no larger case is in the sample
SAMPLE_BYTES_OF = {"types": 3000, "float8": 100000}  # many cases; few
# Of the family `types` every fourth group of cases, and all of operators whose types were wrong once.
SAMPLE_SHARE = {"types": 4}
SAMPLE_ALWAYS = re.compile(
    r"(api_)?(exp|expm1|log\d*p?|log1p|logaddexp|copysign|deg2rad|topk|smallest|top_k\w*|kthvalue|increment|pow"
    r"|elementwise_pow|sequence_mask|gammainc\w*|digamma|erfinv|\w*linear\w*)\.(?!float|dtype)"
)


def lod_text(spec):
    return " " + ";".join(",".join(map(str, level)) for level in spec["lod"]) if "lod" in spec else ""


def case_text(spec):
    """case.json as case.txt."""
    lines = ["op " + spec["op"], "model " + spec["model"]]
    if "params" in spec:
        lines.append("params " + spec["params"])
    for run in spec.get("runs", [spec]):
        lines += ["run"] if "runs" in spec else []
        lines += ["input %s %s%s" % (i["name"], i["file"], lod_text(i)) for i in run["inputs"]]
        lines += ["output %s %r %r%s" % (o["file"], o["atol"], o["rtol"], lod_text(o)) for o in run["outputs"]]
    return "\n".join(lines) + "\n"


def left_out(group, share):
    """Whether a sample does without a group of cases, of which it takes one in `share`."""
    return not SAMPLE_ALWAYS.match(group) and zlib.crc32(group.encode()) % share != 0


def chosen(folder, most, largest, share=1):
    """The case folders of a family that go into the package."""
    groups = {}
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if not os.path.exists(os.path.join(path, "case.json")) or left_out(name.rsplit("-", 1)[0], share):
            continue
        size = sum(os.path.getsize(os.path.join(path, f)) for f in os.listdir(path))
        if not largest or size <= largest:
            groups.setdefault(name.rsplit("-", 1)[0], []).append(path)
    for paths in groups.values():
        if not most or len(paths) <= most:
            yield from paths
        else:
            yield from (paths[i * len(paths) // most] for i in range(most))


def pack(name, folders, out):
    """Writes an archive of (format, case folder); returns how many there are and its size."""
    path = os.path.join(out, name + ".tar.gz")
    with (
        open(path, "wb") as raw,
        gzip.GzipFile("", "wb", 9, raw, mtime=0) as zipped,
        tarfile.open(fileobj=zipped, mode="w", format=tarfile.USTAR_FORMAT) as tar,
    ):
        for form, case in folders:
            for file in sorted(f for f in os.listdir(case) if not f.endswith("about.txt")):
                with open(os.path.join(case, file), "rb") as f:
                    data = f.read()
                if file == "case.json":
                    file, data = "case.txt", case_text(json.loads(data)).encode()
                entry = tarfile.TarInfo("%s/%s/%s" % (form, os.path.basename(case), file))
                entry.size = len(data)
                tar.addfile(entry, io.BytesIO(data))
    return len(folders), os.path.getsize(path)


def pack_family(family, roots, out, most, largest, share=1):
    folders = [(form, os.path.join(root, family)) for form, root in roots]
    return pack(
        family,
        [(form, case) for form, f in folders if os.path.isdir(f) for case in chosen(f, most, largest, share)],
        out,
    )


def pack_programs(name, folders, out, largest, bytes_in_all):
    """Random programs that are not larger, the families and forms in turn, until they have that many bytes."""
    found = []
    for folder in folders:
        for case in os.listdir(folder):
            path = os.path.join(folder, case)
            size = sum(os.path.getsize(os.path.join(path, f)) for f in os.listdir(path))
            if size <= largest:
                seed = case.rsplit("-", 1)[-1]
                found.append((int(seed) if seed.isdigit() else 0, case, size, path))
    taken, total = [], 0
    for _, _, size, path in sorted(found):
        total += size
        if total > bytes_in_all:
            break
        with open(os.path.join(path, "case.json"), encoding="utf-8") as f:
            taken.append((json.load(f)["format"], path))
    return pack(name, sorted(taken), out)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", metavar="DIR")
    parser.add_argument("--out", required=True)
    parser.add_argument("--sample", action="store_true")
    parser.add_argument("--programs", metavar="NAME", help="the archive of random programs to write from these folders")
    parser.add_argument("--family", action="append", help="only these")
    parser.add_argument("--largest", type=int, default=1 << 40, help="bytes of a random program")
    parser.add_argument("--bytes", type=int, default=1 << 40, help="of all random programs")
    arguments = parser.parse_args()
    os.makedirs(arguments.out, exist_ok=True)
    if arguments.programs:
        print(
            "%d programs %d bytes"
            % pack_programs(arguments.programs, arguments.folders, arguments.out, arguments.largest, arguments.bytes)
        )
        return
    program, pir = arguments.folders
    total = count = 0
    for family in arguments.family or cases.FAMILIES:
        most, largest, share = 0, 0, 1
        if arguments.sample:
            most, largest = SAMPLE.get(family, SAMPLE_OTHERS), SAMPLE_BYTES_OF.get(family, SAMPLE_BYTES)
            share = SAMPLE_SHARE.get(family, 1)
        n, size = pack_family(family, [("program", program), ("pir", pir)], arguments.out, most, largest, share)
        print("%-12s %5d cases %8d bytes" % (family, n, size))
        total, count = total + size, count + n
    print("%-12s %5d cases %8d bytes" % ("all", count, total))


if __name__ == "__main__":
    main()
