#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the units of a build took when they were last built, by folder, and the ten slowest.

  build_times.py BUILD_DIR    a folder that ninja builds in

Times are those between start and end of each command, as .ninja_log has them: others that ran beside it make them longer, and a compiler
cache shorter.
"""
import argparse
import collections
import pathlib
import re
import sys


def times(log):
    """Seconds of each output's last build."""
    seconds = {}
    for line in log.read_text().splitlines()[1:]:
        start, end, _, output, _ = line.split("\t")
        seconds[output] = (int(end) - int(start)) / 1000
    return seconds


def unit(output):
    """'coracle_ops', 'Unity/unity_batch_3_cxx.cxx.o' of '.../CMakeFiles/coracle_ops.dir/Unity/unity_batch_3_cxx.cxx.o'"""
    found = re.search(r"CMakeFiles/([^/]+)\.dir/(.+)$", output)
    return found.groups() if found else ("(linked)", output)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    log = parser.parse_args().build / ".ninja_log"
    if not log.exists():
        sys.exit(f"build_times: there is no {log}: build there first")
    seconds = times(log)
    folders = collections.Counter()
    for output, taken in seconds.items():
        folders[unit(output)[0]] += taken
    print(f"{sum(seconds.values()):8.1f} s in all, {len(seconds)} outputs")
    for folder, taken in folders.most_common(15):
        print(f"{taken:8.1f} s {folder}")
    print("the ten slowest:")
    for output, taken in sorted(seconds.items(), key=lambda item: -item[1])[:10]:
        print(f"{taken:8.1f} s {' '.join(unit(output))}")


if __name__ == "__main__":
    main()
