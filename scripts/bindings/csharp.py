# SPDX-License-Identifier: Apache-2.0
"""The C interface in C#: what bindings/csharp/src/ declares of it. Structs and functions have their names of C."""
import re

import interface

TYPES = {"void": "void", "int": "int", "float": "float", "double": "double", "size_t": "UIntPtr", "int32_t": "int", "int64_t": "long",
         "uint8_t": "byte", "uint32_t": "uint"}
# Names of the enumerations, what the names of their enumerators begin with, and whether programs see them.
ENUMS = {"coracle_status": ("Status", "CORACLE_", True), "coracle_dtype": ("ElementType", "CORACLE_", True),
         "coracle_pixel_order": ("PixelOrder", "CORACLE_", True), "coracle_log_level": ("LogLevel", "CORACLE_LOG_", False),
         "coracle_frame_format": ("FrameFormat", "CORACLE_FRAME_", False)}
WORDS = {"UINT": "UInt", "BFLOAT": "BFloat", "IO": "IO"}
RESERVED = {"params", "object", "string", "in", "out", "ref", "event", "operator", "lock", "fixed", "base", "checked"}


def camel(words, word=str.capitalize):
    return "".join(word(each) for each in words.split("_"))


def enumerator(name, prefix):
    """CORACLE_FLOAT8_E4M3 -> Float8E4M3."""
    def part(word):
        letters = re.match(r"[A-Z]+", word)[0]
        return word if re.fullmatch(r"E\dM\d", word) else WORDS.get(letters, letters.capitalize()) + word[len(letters):]
    return camel(name[len(prefix):], part)


class Kinds:
    """What the names of the interface are, in all of its headers."""

    def __init__(self):
        found = [each for library in interface.LIBRARIES for each in interface.declarations(library)]
        self.opaque = {each.name for each in found if each.kind == "opaque"}
        self.structs = {each.name for each in found if each.kind == "struct"}
        self.callbacks = {each.name for each in found if each.kind == "callback"}

    def plain(self, text):
        """The type of a field, of a callback's parameter or of a result: all pointers are addresses."""
        if text.endswith("*") or text in self.callbacks:
            return "IntPtr"
        return ENUMS[text][0] if text in ENUMS else TYPES.get(text, text)

    def parameter(self, text, freed):
        """The type of a function's parameter; `freed`: the function ends the life of its handle."""
        inside = re.sub(r"^const ", "", text)
        name = inside.rstrip("*")
        if inside == text and text.endswith("**") and name in self.opaque:
            return "out " + handle(name)
        if inside.endswith("*") and name in self.opaque:
            return "IntPtr" if freed else handle(name)
        if inside.endswith("*") and name in self.structs:
            return ("ref " if text != inside else "out ") + name
        if text in self.callbacks:
            return callback(text)
        if text == "const char*":
            return "byte[]"
        if text.endswith("* const*"):   # addresses, one after the other
            return "IntPtr" if name == "char* const" else "IntPtr[]"
        if text.endswith("**"):
            return "out IntPtr"
        if text.endswith("*") and name not in ("void", "char"):
            return self.plain(name) + "[]" if text != inside else "out " + self.plain(name)
        return self.plain(text)


def handle(name):
    return camel(name[len("coracle_"):]) + "Handle"


def callback(name):
    return camel(name[len("coracle_"):])


def named(name):
    return "@" + name if name in RESERVED else name


def field(kinds, of, name, count):
    if not count:
        return "public %s %s;" % (kinds.plain(of), named(name))
    count = dict(interface.limits("coracle")).get(count, count)
    return "[MarshalAs(UnmanagedType.ByValArray, SizeConst = %s)] public %s[] %s;" % (count, kinds.plain(of), named(name))


def source(library):
    kinds = Kinds()
    found = interface.declarations(library)
    functions = [each for each in found if each.kind == "function"]
    native = "Native" if library == "coracle" else "NativeVision"
    lines = ["// SPDX-License-Identifier: Apache-2.0", "// " + interface.made_from(library), "using System;", "using System.Runtime.InteropServices;", "", "namespace Coracle", "{"]
    for each in found:
        if each.kind == "enum":
            name, prefix, public = ENUMS[each.name]
            lines += ["    %s enum %s" % ("public" if public else "internal", name), "    {"]
            lines += ["        %s = %d," % (enumerator(member, prefix), value) for member, value in each.members] + ["    }", ""]
        elif each.kind == "struct":
            lines += ["    [StructLayout(LayoutKind.Sequential)]", "    internal struct %s" % each.name, "    {"]
            lines += ["        " + field(kinds, *member) for member in each.members] + ["    }", ""]
        elif each.kind == "callback":
            parameters = ", ".join("%s %s" % (kinds.plain(of), named(name)) for of, name in each.members)
            lines += ["    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]", "    internal delegate %s %s(%s);" % (kinds.plain(each.result), callback(each.name), parameters), ""]
        elif each.kind == "opaque" and any(function.name == each.name + "_free" for function in functions):
            lines += ["    internal sealed class %s : Handle" % handle(each.name), "    {", "        protected override void Free(IntPtr handle) { %s.%s_free(handle); }" % (native, each.name), "    }", ""]
    lines += ["    internal static class %s" % native, "    {", '        const string Library = "%s";' % library]
    lines += ["        public const int %s = %s;" % limit for limit in interface.limits(library)]
    for each in functions:
        freed = each.name.endswith("_free")
        parameters = ", ".join("%s %s" % (kinds.parameter(of, freed), named(name)) for of, name in each.members)
        lines += ["", "        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]",
                  "        public static extern %s %s(%s);" % ("IntPtr" if each.result.endswith("*") else kinds.plain(each.result), each.name, parameters)]
    return "\n".join(lines + ["    }", "}"]) + "\n"


FILES = {"bindings/csharp/src/Native.cs": lambda: source("coracle"), "bindings/csharp/src/NativeVision.cs": lambda: source("coracle_vision")}
