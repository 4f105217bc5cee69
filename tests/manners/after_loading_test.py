#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The system calls of `coracle run` after it read the model's last file: none that opens a file, a socket or a process.

    after_loading_test.py PROGRAM FOLDER...     all models below the folders

Allowed are threads, and once the files that tell how many processors the process may use. A run may end in an error (of a
model that takes other inputs than made-up ones); what is asked is what it did until then.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
CALLS = ("open,openat,openat2,creat,socket,socketpair,connect,bind,listen,accept,accept4,sendto,sendmsg,sendmmsg,fork,vfork,clone,"
         "clone3,execve,execveat,kill,ptrace,pipe,pipe2,memfd_create,io_uring_setup,unlink,unlinkat,rename,renameat,renameat2,mkdir,"
         "mkdirat,link,linkat,symlink,symlinkat,truncate,chmod,fchmodat,mknod,mknodat")
# How many processors the process may use (src/base/cpus.cc).
PROCESSORS = re.compile(r'"(/proc/self/(mountinfo|cgroup)|/sys/fs/cgroup/[^"]*|/sys/devices/system/cpu[^"]*)"')
TIME_LIMIT_MS = 3000
FREE_SIZE = 32
NOT_LOADED = (3, 4, 5)  # exit codes


def models(folder):
    """Program files below a folder."""
    for path, folders, files in os.walk(folder):
        folders.sort()
        yield from (os.path.join(path, f) for f in sorted(files)
                    if f.endswith((".pdmodel", "__model__")) or f in ("inference.json", "__model__.json"))


def shapes(program, model):
    """Options for the inputs' sizes, small where they are free; None where it is no model."""
    inspected = subprocess.run([program, "inspect", "--json", model], capture_output=True, check=False)
    if inspected.returncode != 0:
        return None
    described = json.loads(inspected.stdout)
    if described["unsupported"]:
        return None
    options = []
    for entry in described["inputs"]:
        if not isinstance(entry["shape"], list):
            return None
        sizes = [1 if i == 0 and size < 0 else FREE_SIZE if size < 0 else size for i, size in enumerate(entry["shape"])]
        options += ["--shape", entry["name"] + "=" + ",".join(str(size) for size in sizes)]
    return options


def calls_after_loading(program, model, options, trace):
    """The lines of the trace behind the last look into the model's folder, whether there was such a file, and whether the run
    came to its end. None for a model without its parameters."""
    result = subprocess.run(["strace", "-f", "-s", "4096", "-e", "trace=" + CALLS, "-o", trace, program, "run", model, "--threads", "2",
                             "--memory-limit", str(1 << 30), "--time-limit", str(TIME_LIMIT_MS), *options], capture_output=True, check=False)
    if result.returncode < 0:
        raise RuntimeError(f"{model}: signal {-result.returncode}")
    if result.returncode in NOT_LOADED:
        return None
    folder = os.path.dirname(os.path.abspath(model)) + "/"
    with open(trace, encoding="utf-8", errors="replace") as file:
        lines = file.read().splitlines()
    of_model = [i for i, line in enumerate(lines) if '"' + folder in line]
    return (lines[of_model[-1] + 1:] if of_model else lines), bool(of_model), result.returncode == 0


def is_allowed(line):
    call = line.split(None, 1)[1]
    if call.startswith(("+++", "---", "<... clone")):
        return True
    if call.startswith(("clone(", "clone3(")):
        return "CLONE_THREAD" in call
    return call.startswith("openat(") and "O_RDONLY" in call and PROCESSORS.search(call) is not None


def main():
    program, folders = sys.argv[1], sys.argv[2:]
    if shutil.which("strace") is None:
        print("skipped: no strace here")
        return SKIPPED
    with tempfile.TemporaryDirectory() as work:
        trace = os.path.join(work, "trace")
        if subprocess.run(["strace", "-o", trace, "true"], capture_output=True, check=False).returncode != 0:
            print("skipped: tracing is not allowed here")
            return SKIPPED
        tried = ran = wrong = 0
        for model in (m for folder in folders for m in models(folder)):
            options = shapes(program, model)
            if options is None:
                continue
            traced = calls_after_loading(program, os.path.abspath(model), options, trace)
            if traced is None:
                continue
            lines, loaded, succeeded = traced
            tried += 1
            ran += succeeded
            refused = [line for line in lines if not is_allowed(line)]
            if refused or not loaded:
                wrong += 1
                print(f"{model}: " + ("\n  ".join(["after loading"] + refused[:5]) if loaded else "no file of the model was opened"))
        print(f"{tried} models, {ran} of them to the end of a run; {wrong} did what they may not")
        return 1 if wrong or ran == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
