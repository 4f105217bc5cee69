#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks what a build for macOS made, from its files alone: check_macos.py BUILD_DIR ARCHITECTURE

- each libNAME.dylib exports the functions that tests/abi/NAME.txt records, and nothing else (libcoracle_vision those of C alone);
- its install name is @rpath/libNAME.0.dylib, and it needs libSystem and libraries of this build alone; each name that it does not define
  is bound to one library (two-level namespace), which has that name;
- nothing that came after the oldest macOS it says it is for, of what is known here;
- it says that it is for macOS 13, and it is signed (as Apple's processors demand), with the digests of its pages;
- the program needs the same, and finds its libraries beside itself;
- each object with inner loops defines one function for others and no weak one, as scripts/check_symbols.py has it.
Prints sizes. Exit status 1 with a line for each problem."""
import hashlib
import pathlib
import re
import struct
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent
LIBRARIES = ("coracle", "coracle_quantize", "coracle_vision", "paddle_inference_c")
OLDEST = (13, 0)
SYSTEM = "/usr/lib/libSystem.B.dylib"
# Of libSystem, after macOS 13: what a compiler for 13 should not have used.
LATER = {"_strchrnul", "_mempcpy", "_secure_getenv", "_memset_explicit", "_timespec_getres", "_pthread_jit_write_with_callback_np_v2"}
LATER_PREFIXES = ("_os_sync_w", "_os_clockid_")
PROCESSORS = {"aarch64": (0x0100000C, "arm64"), "x86_64": (0x01000007, "x86_64")}


class File:
    """What the load commands of a Mach-O file say. Members are named as in Apple's <mach-o/loader.h> where they have a name there."""

    def __init__(self, path):
        self.path, self.data = path, path.read_bytes()
        magic, self.cputype, _, self.filetype, count, _, self.flags, _ = struct.unpack_from("<8I", self.data)
        if magic != 0xFEEDFACF:
            raise ValueError("%s is no Mach-O file of 64 bits" % path)
        self.needs, self.rpaths, self.symbols = [], [], []
        self.install_name = self.minos = self.signature = self.trie = None
        self.initializers = 0
        at = 32
        for _ in range(count):
            command, size = struct.unpack_from("<2I", self.data, at)
            self.load(command, at)
            at += size

    def load(self, command, at):
        if command in (0xC, 0x80000018, 0x8000001F):  # LC_LOAD_DYLIB, weak, re-exported
            self.needs.append(self.text(at))
        elif command == 0xD:
            self.install_name = self.text(at)
        elif command == 0x8000001C:
            self.rpaths.append(self.text(at))
        elif command == 0x19:
            self.segment(at)
        elif command == 0x32:  # LC_BUILD_VERSION
            platform, minos = struct.unpack_from("<2I", self.data, at + 8)
            self.minos = (platform, minos >> 16, minos >> 8 & 255)
        elif command == 0x2:
            self.symbols = list(self.table(*struct.unpack_from("<4I", self.data, at + 8)))
        elif command in (0x22, 0x80000022):  # LC_DYLD_INFO
            self.trie = struct.unpack_from("<2I", self.data, at + 40)
        elif command == 0x80000033:
            self.trie = struct.unpack_from("<2I", self.data, at + 8)
        elif command == 0x1D:
            self.signature = struct.unpack_from("<2I", self.data, at + 8)

    def segment(self, at):
        sections, = struct.unpack_from("<I", self.data, at + 64)
        for section in range(at + 72, at + 72 + 80 * sections, 80):
            size, = struct.unpack_from("<Q", self.data, section + 40)
            kind = self.data[section + 64]
            if kind == 0x9:  # addresses of functions that run when the file is loaded
                self.initializers += size // 8
            elif kind == 0x16:  # offsets of such
                self.initializers += size // 4

    def text(self, at):
        offset, = struct.unpack_from("<I", self.data, at + 8)
        return self.string(at + offset)

    def string(self, at):
        return self.data[at:self.data.index(b"\0", at)].decode()

    def table(self, symbols, count, strings, _):
        """(name, n_type, n_desc), without those of debuggers."""
        for number in range(count):
            name, kind, _, description, _ = struct.unpack_from("<IBBHQ", self.data, symbols + 16 * number)
            if not kind & 0xE0:
                yield self.string(strings + name), kind, description

    def number(self, at):
        """ULEB128: the number and where it ends."""
        value = shift = 0
        while True:
            byte = self.data[at]
            value, shift, at = value | (byte & 127) << shift, shift + 7, at + 1
            if byte < 128:
                return value, at

    def exported(self):
        """Names in the trie of what a file exports."""
        start, size = self.trie or (0, 0)
        nodes = [("", 0)] if size else []
        while nodes:
            prefix, offset = nodes.pop()
            length, at = self.number(start + offset)
            if length:
                yield prefix
            at += length
            children, at = self.data[at], at + 1
            for _ in range(children):
                label = self.string(at)
                child, at = self.number(at + len(label) + 1)
                nodes.append((prefix + label, child))

    def undefined(self):
        """(name, what it is bound to: an index into needs, from 1 on)."""
        return [(name, description >> 8) for name, kind, description in self.symbols if kind & 0xE == 0 and kind & 1]

    def signed(self):
        """Whether the digests of the file's pages are those that its signature lists."""
        if self.signature is None:
            return False
        start, _ = self.signature
        magic, _, count = struct.unpack_from(">3I", self.data, start)
        if magic != 0xFADE0CC0:
            return False
        for number in range(count):
            kind, offset = struct.unpack_from(">2I", self.data, start + 12 + 8 * number)
            if kind != 0:  # the directory of code
                continue
            directory = start + offset
            hashes, _, _, slots, limit = struct.unpack_from(">5I", self.data, directory + 16)
            width, algorithm, _, page = struct.unpack_from(">4B", self.data, directory + 36)
            if algorithm != 2 or width != 32 or limit != start:
                return False
            pages = [self.data[at:min(at + (1 << page), limit)] for at in range(0, limit, 1 << page)]
            listed = self.data[directory + hashes:directory + hashes + 32 * slots]
            return b"".join(hashlib.sha256(text).digest() for text in pages) == listed
        return False


def system_names(tbd, target):
    """All names that libSystem and what it re-exports offer for a target."""
    names = set()
    for part in re.finditer(r"- targets:\s*\[([^\]]*)\]((?:\s*(?:symbols|weak-symbols|objc-\w+|thread-local-symbols):\s*\[[^\]]*\])+)", tbd):
        if target in re.split(r"[\s,]+", part[1]):
            names.update(word.strip("'\"") for listed in re.findall(r"symbols:\s*\[([^\]]*)\]", part[2]) for word in re.split(r"[\s,]+", listed))
    return names


def library_problems(file, name, libraries):
    recorded = {line.split()[1].rstrip(":") for line in (SOURCE / "tests/abi" / (name + ".txt")).read_text(encoding="utf-8").splitlines()
                if line.startswith("symbol ")}
    exported = {symbol[1:] for symbol in file.exported()}
    for symbol in sorted(recorded - exported):
        yield "does not export %s" % symbol
    for symbol in sorted(exported - recorded):
        yield "exports %s" % symbol
    if file.filetype != 6:
        yield "is no dynamic library"
    if file.install_name != "@rpath/lib%s.0.dylib" % name:
        yield "has the install name %s" % file.install_name


def problems_of(file, cputype, libraries, system):
    """What holds for libraries and programs."""
    if file.cputype != cputype:
        yield "is for another processor (%#x)" % file.cputype
    if file.minos != (1,) + OLDEST:
        yield "is for %s, not for macOS %d.%d" % ((file.minos,) + OLDEST)
    if not file.flags & 0x80:
        yield "has a flat namespace"
    if not file.flags & 0x1:
        yield "has undefined symbols"
    if not file.signed():
        yield "is not signed, or its signature is of other pages"
    offered = {"@rpath/lib%s.0.dylib" % name: set(library.exported()) for name, library in libraries.items()}
    offered[SYSTEM] = system
    for needed in file.needs:
        if needed not in offered:
            yield "needs %s" % needed
    for name, ordinal in file.undefined():
        if not 0 < ordinal <= len(file.needs):
            yield "binds %s to no library (%d)" % (name, ordinal)
        elif name not in offered.get(file.needs[ordinal - 1], {name}) and name != "dyld_stub_binder":
            yield "binds %s to %s, which has no such name" % (name, file.needs[ordinal - 1])
        if name in LATER or name.startswith(LATER_PREFIXES):
            yield "needs %s, which came after macOS %d.%d" % ((name,) + OLDEST)


def object_problems(build):
    objects = sorted(build.rglob("coracle_cpu_*.dir/isa/*.cc.o"))
    for path in objects:
        rows = [(name, description) for name, kind, description in File(path).symbols if kind & 1 and kind & 0xE]
        weak = [name for name, description in rows if description & 0x80]
        strong = [name for name, description in rows if not description & 0x80]
        if weak or len(strong) != 1:
            yield "%s defines %s and weak %s" % (path.relative_to(build), strong, weak)
    print("%d objects with inner loops" % len(objects))
    if not objects:
        yield "there are no objects with inner loops"


def main():
    build = pathlib.Path(sys.argv[1])
    cputype, architecture = PROCESSORS[sys.argv[2]]
    tbd = SOURCE / "build/zig" / ("%s-macos.%d.%d" % ((sys.argv[2],) + OLDEST)) / "libSystem.tbd"
    system = system_names(tbd.read_text(encoding="utf-8"), architecture + "-macos")
    found = [] if "_malloc" in system else ["%s offers no malloc" % tbd]
    libraries = {name: File((build / ("lib%s.dylib" % name)).resolve()) for name in LIBRARIES}
    for name, file in libraries.items():
        found += ["%s %s" % (file.path.name, problem) for problem in library_problems(file, name, libraries)]
    program = File(build / "coracle")
    if "@loader_path" not in [path.rstrip("/") for path in program.rpaths]:
        found.append("coracle looks for its libraries in %s" % program.rpaths)
    for file in list(libraries.values()) + [program]:
        found += ["%s %s" % (file.path.name, problem) for problem in problems_of(file, cputype, libraries, system)]
        print("%s: %d bytes, %d names of libSystem, %d functions run when it is loaded"
              % (file.path.name, len(file.data), sum(file.needs[o - 1:o] == [SYSTEM] for _, o in file.undefined()), file.initializers))
    found += object_problems(build)
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
