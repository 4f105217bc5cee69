# SPDX-License-Identifier: Apache-2.0
"""The C interface in Rust: the modules of the crate coracle-sys."""
import interface

TYPES = {"void": "c_void", "char": "c_char", "int": "c_int", "float": "f32", "double": "f64", "size_t": "usize", "int32_t": "i32",
         "int64_t": "i64", "uint8_t": "u8", "uint32_t": "u32",
         "coracle_operator": "c_void"}   # Of operator.h, which is not here.


def rust_type(text):
    if not text.endswith("*"):
        return TYPES.get(text, text)
    inside = text[:-1].strip()
    if inside.endswith("* const"):
        return "*const " + rust_type(inside[:-len(" const")])
    if inside.startswith("const ") and not inside.endswith("*"):
        return "*const " + rust_type(inside[len("const "):])
    return "*mut " + rust_type(inside)


def signature(each):
    result = "" if each.result == "void" else " -> " + rust_type(each.result)
    return "(%s)%s" % (", ".join("%s: %s" % (name, rust_type(of)) for of, name in each.members), result)


def module(library):
    lines = ["// SPDX-License-Identifier: Apache-2.0", "// " + interface.made_from(library), "use crate::c::*;"]
    lines += ["use crate::coracle_h::*;"] if library != "coracle" else []
    lines += ["", *("pub const %s: usize = %s;" % limit for limit in interface.limits(library))]
    found = interface.declarations(library)
    for each in found:
        if each.kind == "opaque":
            lines += ["opaque!(%s);" % each.name]
        elif each.kind == "enum":
            lines += ["", "pub type %s = c_uint;" % each.name, *("pub const %s: %s = %d;" % (name, each.name, value) for name, value in each.members)]
        elif each.kind == "struct":
            fields = (("[%s; %s]" % (rust_type(of), count) if count else rust_type(of), name) for of, name, count in each.members)
            lines += ["", "#[repr(C)]", "#[derive(Clone, Copy, Debug)]", "pub struct %s {" % each.name, *("    pub %s: %s," % (name, of) for of, name in fields), "}"]
        elif each.kind == "callback":
            lines += ["", "pub type %s = Option<unsafe extern \"C\" fn%s>;" % (each.name, signature(each))]
    lines += ["", 'extern "C" {', *("    pub fn %s%s;" % (each.name, signature(each)) for each in found if each.kind == "function"), "}"]
    lines += ["", "/// Appends a line for each struct and field: its size, and of a field its place before it.", "pub(crate) fn layout(lines: &mut Vec<String>) {"]
    lines += ["    layout!(lines, %s, %s);" % (each.name, ", ".join(name for _, name, _ in each.members)) for each in found if each.kind == "struct"]
    return "\n".join(lines + ["}"]) + "\n"


FILES = {"bindings/rust/coracle-sys/src/coracle_h.rs": lambda: module("coracle"), "bindings/rust/coracle-sys/src/vision_h.rs": lambda: module("coracle_vision")}
