#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares options and commands with what describes them: those of models, sessions and runs in all interfaces with the structs of
include/coracle/coracle.h, those of quantising with the rows of src/quantize/options.def, commands with the rows of src/cli/commands.def.

    check_options.py [ROOT]           exit status 1 with a line for each option that an interface lacks, has in another order or has of its
                                      own, for each option of quantising that nothing reads or no page describes, and the same of commands
    check_options.py --write [ROOT]   first gives the structs of python/coracle/_library.py the fields of those of coracle.h

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
           "const uint32_t*": "POINTER(c_uint32)", "const coracle_pool*": "c_void_p", "coracle_pass_function": "PassFunction",
           "const struct coracle_operator*": "c_void_p"}
# (interface, struct, option): why it is not there.
LEFT_OUT = {
    ("C++", "coracle_model_options", "after_pass"): "for tools, which use the C interface",
    ("C++", "coracle_model_options", "after_pass_user"): "for tools, which use the C interface",
    ("C++", "coracle_model_options", "operator_count"): "a vector has it",
    ("Python", "coracle_model_options", "operator_count"): "a list has it",
    ("Python", "coracle_model_options", "after_pass_user"): "a function object holds it",
    ("Python", "coracle_model_options", "cancelled"): "KeyboardInterrupt sets it",
    ("Python", "coracle_run_options", "cancelled"): "Session.cancel",
    ("load_memory", "coracle_model_options", "weights"): "they are in memory",
    ("load_memory", "coracle_model_options", "allow_outside_links"): "there are no files",
    ("program", "coracle_model_options", "operators"): "--operators loads libraries of them for the process",
    ("program", "coracle_model_options", "operator_count"): "see operators",
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


def write_python_structs(root, structs):
    """Gives each struct of _library.py the fields of that of coracle.h."""
    path = root / "python/coracle/_library.py"
    text = path.read_text(encoding="utf-8")
    for struct, (_, python, _, _) in STRUCTS.items():
        fields = [("struct_size", "c_size_t"), *((name, C_TYPES.get(kind, kind)) for name, kind in structs[struct].items())]
        lines = ["    _fields_ = ["]
        for i, (name, kind) in enumerate(fields):
            pair = '("%s", %s)%s' % (name, kind, "," if i + 1 < len(fields) else "]")
            if len(lines[-1]) + len(pair) > 131:
                lines.append(" " * 16)
            lines[-1] += pair if lines[-1].endswith(("[", " " * 16)) else " " + pair
        text = re.sub(r"(class %s\(ctypes\.Structure\):\n).*?(?=\n\n)" % python, lambda found: found[1] + "\n".join(lines), text, flags=re.S)
    path.write_text(text, encoding="utf-8")


def rows(root, table, macro):
    """The columns of each row of a table of macros, as far as they hold no comma."""
    text = re.sub(r"//.*", "", (root / table).read_text(encoding="utf-8"))
    return [[column.strip() for column in row.split(",")] for row in re.findall(r"^%s\((.*?)\)$" % macro, text, re.S | re.M)]


def quantize_problems(root):
    code = "".join(path.read_text(encoding="utf-8") for path in (root / "src/quantize").glob("*.cc"))
    page = (root / "docs/quantization.md").read_text(encoding="utf-8")
    header = (root / "include/coracle/quantize.h").read_text(encoding="utf-8")
    arguments, text = python_arguments(root, ("python/coracle/quantization.py", "quantize"))
    for kind, name, value, *_ in rows(root, "src/quantize/options.def", "CORACLE_QUANTIZE_OPTION"):
        flag = ("--no-" if (kind, value) == ("bool", "true") else "--") + name.replace("_", "-")
        if not re.search(r"\boptions\.%s\b" % name, code):
            yield "src/quantize/options.def: nothing reads options.%s" % name
        if not re.search(re.escape(flag) + r"(?![\w-])", page):
            yield "docs/quantization.md: %s is not described" % flag
        if name not in arguments:
            yield "python/coracle/quantization.py: quantize has no argument %s" % name
        elif not re.search(r"\b%s: " % name, text):
            yield "python/coracle/quantization.py: the text of quantize does not describe %s" % name
        if not re.search(r"\b%s\b" % name, header):
            yield "include/coracle/quantize.h: the text about settings does not name %s" % name


def command_problems(root):
    names = [name for (name,) in rows(root, "src/cli/commands.def", "CORACLE_COMMAND")]
    files = {path.stem: path.read_text(encoding="utf-8") for path in sorted((root / "src/cli").rglob("*.cc"))}
    pages = "".join(path.read_text(encoding="utf-8") for path in sorted((root / "docs").glob("*.md")))
    for name in names:
        if "void add_%s(CLI::App& app) {" % name not in files.get(name, ""):
            yield "src/cli/commands.def: %s.cc does not define add_%s" % (name, name)
        if "coracle %s" % name not in pages:
            yield "docs: no page has the command 'coracle %s'" % name
    for stem, text in files.items():
        for name in re.findall(r'^  add_command<\w+>\(\s*app, "(\w+)"', text, re.M):
            if name not in names:
                yield "src/cli/commands.def: it lacks the command %s of %s.cc" % (name, stem)


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
        if struct == "coracle_model_options":
            arguments, _ = python_arguments(root, ("python/coracle/model.py", "load_memory"))
            for name in without_left_out("load_memory", struct, without_left_out("Python", struct, fields)):
                if name not in arguments:
                    yield "python/coracle/model.py: load_memory has no argument %s" % name
        for name in without_left_out("program", struct, fields) if variable else []:
            if variable + name not in program:
                yield "src/cli/model_options.cc: no option of the program sets %s%s" % (variable, name)
    yield from quantize_problems(root)
    yield from command_problems(root)


def main():
    arguments = [a for a in sys.argv[1:] if a != "--write"]
    root = pathlib.Path(arguments[0]) if arguments else pathlib.Path(__file__).resolve().parent.parent
    if "--write" in sys.argv:
        write_python_structs(root, c_structs(root))
    found = list(problems(root))
    for line in found:
        print(line)
    if found:
        return 1
    print("options: models, sessions and runs have the same ones in C, C++, Python and the program; those of quantising and commands have "
          "uses and pages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
