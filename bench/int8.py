# SPDX-License-Identifier: Apache-2.0
"""Times models of int8 against the float32 models that they were made of, in turns: int8.py --help.

A turn is one `coracle bench` of each model. What is printed is the least and the median time of all turns, and their ratios.
"""
import argparse
import json
import pathlib
import statistics
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent


def bench(arguments, model, options):
    command = [*arguments.prefix.split(), str(arguments.program), "bench", str(model), "--json", "--threads", str(arguments.threads),
               "--repeat", str(arguments.repeat), *options]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", nargs="+", metavar="FLOAT=INT8[=SHAPE]", help="models, and the shapes of their inputs, as x=1,3,224,224;y=1,8")
    parser.add_argument("--program", default=ROOT / "build/release/coracle", help="coracle")
    parser.add_argument("--prefix", default="", help="in front of each command, as 'chrt -f 50'")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--repeat", type=int, default=20, help="runs in a turn")
    parser.add_argument("--isa", help="widest instruction set to use")
    arguments = parser.parse_args()
    print("| model | float32, min / median ms | int8, min / median ms | ratio of minima / medians |\n|---|---|---|---|")
    for pair in arguments.pairs:
        before, after, *shape = pair.split("=", 2)
        options = [o for one in shape for s in one.split(";") for o in ("--shape", s)] + (["--allow-other-shapes"] if shape else []) + (["--isa", arguments.isa] if arguments.isa else [])
        times = ([], [])
        for _ in range(arguments.turns):
            for to, model in zip(times, (before, after)):
                to.append(bench(arguments, model, options))
        least = [min(t["min_ms"] for t in to) for to in times]
        middle = [statistics.median(t["median_ms"] for t in to) for to in times]
        print("| %s | %.2f / %.2f | %.2f / %.2f | %.2f / %.2f |" % (pathlib.Path(after).name, least[0], middle[0], least[1], middle[1],
                                                                   least[0] / least[1], middle[0] / middle[1]), flush=True)


if __name__ == "__main__":
    main()
