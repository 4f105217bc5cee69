#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that includes in src point down only, that what is below devices has no word of the CPU's and what devices share none of one of
them, that variables of threads are only where they are listed, that nothing waits for an atomic variable, and what differs by system in base/system (docs/architecture.md). Exit status 1 with a line for each that is not so."""
import pathlib
import re
import sys

# What each folder may include besides itself.
ALLOWED = {
    "base": set(),
    "graph": {"base"},
    "ops": {"base", "graph"},
    "plan": {"base", "graph", "ops"},
    "run": {"base", "graph", "ops", "plan"},
    "saved": {"base", "graph"},
    "archive": {"base"},
    "model": {"base", "graph", "ops", "saved", "archive"},
    "passes": {"base", "graph", "ops"},
    "blocks": {"base", "graph", "ops", "plan", "run"},
    "loading": {"base", "graph", "ops", "plan", "run", "saved", "archive", "model", "passes", "blocks"},
    "api": {"base", "graph", "ops", "plan", "run", "saved", "archive", "model", "passes", "blocks", "loading"},
    "light": {"base", "graph", "ops", "plan", "run", "saved", "api"},
    "vision": set(),   # the public interface only
    "quantize": {"base", "graph", "model"},
    "client": {"archive"},    # and the public interface
    "pictures": set(),  # the public interface
    "command_line": set(),
    "cli": {"client", "command_line", "pictures"},  # likewise
    "serve": {"client", "command_line"},  # likewise
    "paddle_c": set(), # likewise
    "triton": set(),   # likewise
    "devices": {"base", "graph", "ops"},
    "engines": {"base", "graph", "ops"},
}
# Paddle's interface, header-only over coracle.h.
PADDLE_USERS = ("paddle_c", "cli")
# Need nothing of the library, and nothing in them is compiled: everybody may include them.
FOR_ALL = {"quantize/options.h", "base/json.h", "base/half.h", "base/float8.h", "base/dtype_table.h", "base/checksum.h", "base/cancellation.h", "base/nearest_name.h"}
PLAN_INTERFACES = {"plan/kernel.h", "plan/written_kernel.h", "plan/device.h", "plan/queue.h", "plan/kernel_turns.h", "plan/shared_device.h", "plan/step_ranges.h", "plan/speed.h", "plan/call_failure.h", "plan/engine.h"}
# Their stages of planning change what was planned.
STAGE_INTERFACES = {"plan/plan_stage.h", "plan/steps.h"}
STAGES = re.compile(r"^devices/[^/]+/stages/")
ENGINE_INTERFACES = {"plan/engine.h"}
# Libraries of their own over coracle/engine.h.
PLUGINS = ("engines/xnnpack/",)
# Devices see what an operator is, not graphs.
DEVICE_GRAPH = {"graph/op.h", "graph/attributes.h"}
ISA_ALLOWED = re.compile(r"^devices/cpu/isa/")
# Words of one device: what is below devices knows none.
CPU_WORDS = re.compile(r"\b(isa|ISA|Isa|ComputeMode|sse\d?|avx\w*|amx\w*|vnni|neon)\b", re.I)
# What of api goes into the light library: it includes the runtime, and these headers, alone.
LIGHT_API = {"api/" + file for file in (
    "enumerations.h", "given_type.h", "guard.cc", "guard.h", "handles.h", "json_field.h", "logger.cc", "model_info.cc", "model_options.cc",
    "model_options.h", "options.h", "run.cc", "session.cc", "session_profile.cc", "tensor_view.cc", "thread_text.cc", "thread_text.h")}
RUNTIME = {"base", "graph", "ops", "plan", "run", "saved"}
# Made by CMake.
GENERATED = {"light/references.h", "light/kernels.h"}
# Devices know nothing of each other; gpu is what these share, and knows none of them.
SHARE_GPU = {"cuda", "opencl"}
GPU_WORDS = re.compile(r"opencl|cuda|\b(cl|CL|cu|CU)_\w+", re.I)
BELOW_DEVICES = ("base", "graph", "ops", "plan", "run", "saved", "archive", "model", "passes", "blocks", "loading")
# Variables of threads: what belongs to a thread (its last error, message, signal mask, stack, that it is of a queue).
THREAD_LOCAL = re.compile(r"\b(thread_local|__thread)\b")
THREAD_LOCAL_FILES = {"api/guard.cc", "base/system/held_signals_posix.cc", "base/log.cc", "base/stack.cc", "run/run_queue.cc"}
# What waits for an atomic variable: libstdc++ 12 may sleep through the change where a system has no futex.
ATOMIC_WAIT = re.compile(r"\.wait\((?!lock).*\bmemory_order|<(latch|barrier|semaphore)>")
# What differs by system stands here. It needs nothing else of the library, and programs may use it, too.
SYSTEM = "base/system/"
# Of it, headers alone: for what does not link the library's inside.
SYSTEM_HEADERS = {SYSTEM + file for file in ("library.h", "native_path.h", "path.h")}
SYSTEM_MACRO = re.compile(r"^\s*#\s*(if|ifdef|ifndef|elif)\b.*\b(_WIN32|_WIN64|__MINGW32__|__linux__|__unix__|__APPLE__|__GLIBC__|__ANDROID__)\b")
SYSTEM_INCLUDE = re.compile(r"^\s*#\s*include <((sys|linux|arpa|netinet|net)/.*|(unistd|dlfcn|pthread|sched|fcntl|poll|signal|spawn|dirent|malloc|elf|link|termios|"
                            r"netdb|pwd|glob|direct|io|process|windows|psapi|winsock2)\.h)>")
# These are as a whole for systems with POSIX: they are not built elsewhere.
POSIX_ONLY = ("serve/", "triton/", "devices/cuda/", "devices/gpu/", "devices/opencl/", "engines/openvino/", "engines/xnnpack/")
# Plain data and declarations: nothing in them is compiled.
ISA_BASE = {"devices/cpu/isa.h", "base/copy_bytes.h", "base/element_steps.h"}


def problems(root):
    for path in sorted(root.rglob("*")):
        if path.suffix not in (".h", ".cc"):
            continue
        name = path.relative_to(root).as_posix()
        folder = name.split("/")[0]
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            word = CPU_WORDS.search(line.split("//")[0])
            if word and folder in BELOW_DEVICES:
                yield "src/%s:%d: '%s' is a word of the CPU's, which belongs to devices/cpu" % (name, number, word[0])
            word = GPU_WORDS.search(line.split("//")[0])
            if word and name.startswith("devices/gpu/"):
                yield "src/%s:%d: '%s' is a word of one device, which belongs to its own folder" % (name, number, word[0])
            variable = THREAD_LOCAL.search(line.split("//")[0])
            if variable and name not in THREAD_LOCAL_FILES:
                yield "src/%s:%d: '%s' is not for what works for a run: hand it down, in a RunContext" % (name, number, variable[0])
            if ATOMIC_WAIT.search(line) and not name.startswith(POSIX_ONLY):
                yield "src/%s:%d: '%s' may sleep for ever on some systems: take a std::condition_variable" % (name, number, line.strip())
            if not name.startswith((SYSTEM,) + POSIX_ONLY) and (SYSTEM_MACRO.search(line) or SYSTEM_INCLUDE.search(line)):
                yield "src/%s:%d: '%s' is of some systems alone: that stands in src/%s, in a file for each" % (name, number, line.strip(), SYSTEM)
            found = re.match(r'\s*#include "([^"]+)"', line)
            if not found or found.group(1).startswith("coracle/") or "/" not in found.group(1):
                continue
            target = found.group(1)
            if target.startswith("paddle/") and folder not in PADDLE_USERS:
                yield "src/%s:%d: only paddle_c and the program may include %s" % (name, number, target)
            to = target.split("/")[0]
            ok = to == folder or to in ALLOWED.get(folder, set())
            if folder == "devices" and to == "plan":
                ok = target in PLAN_INTERFACES or bool(STAGES.match(name)) and target in STAGE_INTERFACES
            if folder == "devices" and to == "devices" and target.count("/") > 1:
                own, other = name.split("/")[1], target.split("/")[1]
                ok = other == own or other == "gpu" and own in SHARE_GPU
            if folder == "engines" and to == "plan":
                ok = target in ENGINE_INTERFACES
            if folder == "devices" and to == "graph":
                ok = target in DEVICE_GRAPH
            if name.startswith("devices/cpu/isa/"):
                ok = bool(ISA_ALLOWED.match(target)) or target.startswith("hwy/") or target in ISA_BASE
            if to == "hwy":
                ok = name.startswith("devices/cpu/isa/")
            if name in LIGHT_API or folder == "light" and to == "api":
                ok = to in RUNTIME or target in LIGHT_API
            if target in GENERATED:
                ok = True
            if name.startswith(PLUGINS):
                ok = False
            if name.startswith(SYSTEM):
                ok = target.startswith(SYSTEM)
            elif target.startswith(SYSTEM) and (folder in ("cli", "pictures") or target in SYSTEM_HEADERS):
                ok = True
            if not ok and to in ALLOWED and target not in FOR_ALL:
                yield "src/%s:%d: %s may not include %s" % (name, number, folder, target)


def main():
    root = pathlib.Path(__file__).resolve().parent.parent / "src"
    found = list(problems(root))
    for line in found:
        print(line)
    print("layers: %s" % ("%d found" % len(found) if found else "all includes point down, no word of the CPU below devices, no other variables of threads, nothing of a system outside of base/system"))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
