# SPDX-License-Identifier: Apache-2.0
"""What machine this is, and how fast it is at this moment (probe.cc)."""
import ctypes
import os
import pathlib
import platform

from models import ROOT

PROBE_MILLISECONDS = 1.0
READ_BYTES = 1 << 28


class Probe:
    def __init__(self, library=ROOT / "build" / "bench" / "libprobe.so"):
        self.library = ctypes.CDLL(str(library))
        self.library.probe_fma.restype = self.library.probe_read.restype = ctypes.c_double
        self.library.probe_fma.argtypes = [ctypes.c_int, ctypes.c_double]
        self.library.probe_read.argtypes = [ctypes.c_int, ctypes.c_long, ctypes.c_int]

    def fma(self, threads):
        """GFLOP/s of `threads` threads now."""
        return self.library.probe_fma(threads, PROBE_MILLISECONDS)

    def read(self, threads):
        """GB/s read from memory by `threads` threads."""
        return self.library.probe_read(threads, READ_BYTES, 5)


def field(path, name):
    for line in pathlib.Path(path).read_text().splitlines():
        key, _, value = line.partition(":")
        if key.strip() == name:
            return value.strip()
    return ""


def caches():
    found = []
    for index in sorted(pathlib.Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        kind = (index / "type").read_text().strip()
        if kind != "Instruction":
            found.append("L%s %s" % ((index / "level").read_text().strip(), (index / "size").read_text().strip()))
    return ", ".join(found)


def instruction_sets():
    flags = field("/proc/cpuinfo", "flags").split()
    return [name for name in ("sse2", "avx2", "fma", "avx512f", "avx512_vnni", "avx512_bf16", "amx_tile") if name in flags]


def describe(probe, thread_counts):
    return {
        "cpu": field("/proc/cpuinfo", "model name") or platform.machine(),
        "family_model": "family %s, model %s" % (field("/proc/cpuinfo", "cpu family"), field("/proc/cpuinfo", "model")),
        "cores": os.cpu_count(),
        "caches": caches(),
        "instruction_sets": instruction_sets(),
        "memory_gib": round(int(field("/proc/meminfo", "MemTotal").split()[0]) / 2**20, 1),
        "system": "%s, Linux %s" % (platform.freedesktop_os_release().get("PRETTY_NAME", "?"), platform.release()),
        "load_average": os.getloadavg()[0],
        "read_gb_per_s": {str(threads): round(probe.read(threads), 1) for threads in thread_counts},
    }
