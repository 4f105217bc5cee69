#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What scripts/check_layers.py finds, and what it leaves alone: layers_test.py ROOT"""
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(sys.argv[1]) / "scripts"))
import check_layers  # noqa: E402

FILES = {
    "base/log.cc": "thread_local Message* current = nullptr;\n",
    "base/counter.cc": "// no thread_local here\nthread_local int counter = 0;\nint thread_local_stream = 0;\n",
    "vision/cancellation.cc": '#include "base/cancellation.h"\n#include "base/deadline.h"\nstatic __thread int depth;\n',
    "run/session.cc": '#include "plan/steps.h"\n#include "api/guard.h"\n',
    "run/turn.cc": "#include <latch>\nvoid f(std::atomic<int>& a) { a.wait(0, std::memory_order_acquire); }\nvoid g(Queue& q) { q.wait(lock); }\n",
    "plan/steps.cc": "int avx2 = 0;  // as avx2 has it\n",
    "devices/opencl/device.cc": '#include "devices/gpu/open_gpu.h"\n#include "devices/element_walks.h"\n#include "devices/cpu/isa.h"\n',
    "devices/gpu/map.cc": '#include "devices/opencl/api.h"  // OpenCL\ncl_mem memory;\n',
    "devices/cpu/kernels/map.cc": '#include "devices/gpu/map.h"\n',
    "base/system/files_posix.cc": '#include <unistd.h>\n#if defined(__linux__)\n#endif\n#include "base/system/files.h"\n#include "base/error.h"\n',
    "cli/progress.cc": '#include <unistd.h>\n#include "base/system/program.h"\n#if defined(_WIN32)\n#endif\n',
    "vision/file.cc": '#include "base/system/native_path.h"\n#include "base/system/files.h"\n',
    "serve/server.cc": '#include <sys/socket.h>\n',
    "devices/cpu/device.cc": '#include "plan/device.h"\n#include "plan/planner.h"\nint avx2 = 0;\n',
}
EXPECTED = [
    "src/base/counter.cc:2: 'thread_local' is not for what works for a run: hand it down, in a RunContext",
    "src/base/system/files_posix.cc:5: base may not include base/error.h",
    "src/cli/progress.cc:1: '#include <unistd.h>' is of some systems alone: that stands in src/base/system/, in a file for each",
    "src/cli/progress.cc:3: '#if defined(_WIN32)' is of some systems alone: that stands in src/base/system/, in a file for each",
    "src/devices/cpu/device.cc:2: devices may not include plan/planner.h",
    "src/devices/cpu/kernels/map.cc:1: devices may not include devices/gpu/map.h",
    "src/devices/gpu/map.cc:1: 'opencl' is a word of one device, which belongs to its own folder",
    "src/devices/gpu/map.cc:1: devices may not include devices/opencl/api.h",
    "src/devices/gpu/map.cc:2: 'cl_mem' is a word of one device, which belongs to its own folder",
    "src/devices/opencl/device.cc:3: devices may not include devices/cpu/isa.h",
    "src/plan/steps.cc:1: 'avx2' is a word of the CPU's, which belongs to devices/cpu",
    "src/run/session.cc:2: run may not include api/guard.h",
    "src/run/turn.cc:1: '#include <latch>' may sleep for ever on some systems: take a std::condition_variable",
    "src/run/turn.cc:2: 'void f(std::atomic<int>& a) { a.wait(0, std::memory_order_acquire); }' may sleep for ever on some systems: take a "
    "std::condition_variable",
    "src/vision/cancellation.cc:2: vision may not include base/deadline.h",
    "src/vision/cancellation.cc:3: '__thread' is not for what works for a run: hand it down, in a RunContext",
    "src/vision/file.cc:2: vision may not include base/system/files.h",
]

with tempfile.TemporaryDirectory() as folder:
    root = pathlib.Path(folder)
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    found = list(check_layers.problems(root))
for line in found:
    print(line)
sys.exit(0 if found == EXPECTED else f"expected {EXPECTED}")
