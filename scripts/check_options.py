#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the options of models, sessions and runs in all interfaces with the structs of include/coracle/coracle.h, which say what there is:

    check_options.py [ROOT]   exit status 1 with a line for each option that an interface lacks, has in another order or has of its own

An interface that leaves an option out says why in LEFT_OUT."""
import ast
import pathlib
import re
import sys

# By struct of the C interface: the struct of coracle.hpp and of python/coracle/_library.py, Python's function, the program's variable.
STRUCTS = {
    "coracle_model_options": ("ModelOptions", "ModelOptions", ("python/coracle/model.py", "load"), "m.options."),
    "coracle_session_options": ("SessionOptions", "SessionOptions", ("python/coracle/model.py", "session"), "s.options."),
    "coracle_run_options": ("RunOptions", "RunOptions", ("python/coracle/session.py", "run"), None),
}
C_TYPES = {"const char*": "c_char_p", "int32_t": "c_int32", "int64_t": "c_int64", "size_t": "c_size_t", "void*": "c_void_p",
           "const uint32_t*": "POINTER(c_uint32)", "const coracle_pool*": "c_void_p", "coracle_pass_function": "PassFunction"}
# (interface, struct, option): why it is not there.
LEFT_OUT = {
    ("C++", "coracle_model_options", "after_pass"): "for tools, which use the C interface",
    ("C++", "coracle_model_options", "after_pass_user"): "for tools, which use the C interface",
    ("Python", "coracle_model_options", "after_pass_user"): "a function object holds it",
    ("Python", "coracle_model_options", "cancelled"): "KeyboardInterrupt sets it",
    ("Python", "coracle_run_options", "cancelled"): "Session.cancel",
    ("program", "coracle_model_options", "after_pass"): "coracle graph --stage",
    ("program", "coracle_model_options", "after_pass_user"): "coracle graph --stage",
    ("program", "coracle_model_options", "cancelled"): "Ctrl-C sets it",
    ("program", "coracle_model_options", "keep_tensors"): "coracle compare shows inner values",
    ("program", "coracle_model_options", "time_limit_ms"): "Ctrl-C ends loading",
    ("program", "coracle_model_options", "check_declared_sizes"): "a note says what is declared",
    ("program", "coracle_model_options", "check_weights"): "coracle inspect --check",
    ("program", "coracle_session_options", "pool"): "one session at a time",
    ("program", "coracle_session_options", "cpus"): "--cpus binds the thread before anything is loaded",
}


def c_structs(root):
    """By struct: the names and types of its fields but struct_size."""
    text = (root / "include/coracle/coracle.h").read_text(encoding="utf-8")
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    structs = {}
    for name, body in re.findall(r"typedef struct (\w+) \{([^{}]*)\}", text):
        if name in STRUCTS:
            fields = [re.fullmatch(r"(.*?)\s*(\w+)", field.strip(), re.S).groups() for field in body.split(";") if field.strip()]
            structs[name] = {field: " ".join(kind.split()) for kind, field in fields if field != "struct_size"}
    return structs


def cpp_fields(root, struct):
    """The fields of a struct of coracle.hpp, and all that is set by `c.FIELD = ...`."""
    text = (root / "include/coracle/coracle.hpp").read_text(encoding="utf-8")
    body = re.search(r"struct %s \{\n(.*?)\n\};" % struct, text, re.S)[1]
    fields = [re.match(r"\s*[^=;]*?(\w+)\s*(?:=[^;]*)?;", line.split("//")[0]) for line in body.split("\n")]
    return [found[1] for found in fields if found], set(re.findall(r"\bc\.(\w+) =", text))


def python_struct(root, struct):
    """Pairs of field and type of a ctypes.Structure."""
    tree = ast.parse((root / "python/coracle/_library.py").read_text(encoding="utf-8"))
    (fields,) = [node.value.elts for cls in tree.body if isinstance(cls, ast.ClassDef) and cls.name == struct
                 for node in cls.body if isinstance(node, ast.Assign)]
    return [(pair.elts[0].value, ast.unparse(pair.elts[1])) for pair in fields if pair.elts[0].value != "struct_size"]


def python_arguments(root, place):
    """The arguments of a function, and the text about it."""
    path, name = place
    tree = ast.parse((root / path).read_text(encoding="utf-8"))
    (function,) = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == name]
    return {a.arg for a in [*function.args.args, *function.args.kwonlyargs]}, ast.get_docstring(function) or ""


def without_left_out(interface, struct, names):
    return [name for name in names if (interface, struct, name) not in LEFT_OUT]


def problems(root):
    structs = c_structs(root)
    program = (root / "src/cli/model_options.cc").read_text(encoding="utf-8")
    for (interface, struct, option), reason in LEFT_OUT.items():
        if option not in structs.get(struct, {}):
            yield "scripts/check_options.py: %s leaves %s.%s out (%s), which is not there" % (interface, struct, option, reason)
    for struct, (cpp, python, function, variable) in STRUCTS.items():
        fields = structs[struct]
        expected = without_left_out("C++", struct, fields)
        found, assigned = cpp_fields(root, cpp)
        if found != expected:
            yield "include/coracle/coracle.hpp: %s has the options %s, expected %s" % (cpp, ", ".join(found), ", ".join(expected))
        for name in expected:
            if name not in assigned:
                yield "include/coracle/coracle.hpp: nothing sets c.%s from %s" % (name, cpp)
        wanted = [(name, C_TYPES.get(kind, kind)) for name, kind in fields.items()]
        if (there := python_struct(root, python)) != wanted:
            yield "python/coracle/_library.py: %s is %s, expected %s" % (python, there, wanted)
        arguments, text = python_arguments(root, function)
        for name in without_left_out("Python", struct, fields):
            if name not in arguments:
                yield "%s: %s has no argument %s" % (*function, name)
            elif not re.search(r"\b%s\b" % name, text):
                yield "%s: the text of %s does not describe %s" % (*function, name)
        for name in without_left_out("program", struct, fields) if variable else []:
            if variable + name not in program:
                yield "src/cli/model_options.cc: no option of the program sets %s%s" % (variable, name)


def main():
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent
    found = list(problems(root))
    for line in found:
        print(line)
    if found:
        return 1
    print("options: models, sessions and runs have the same ones in C, C++, Python and the program")
    return 0


if __name__ == "__main__":
    sys.exit(main())
