# SPDX-License-Identifier: Apache-2.0
"""Writes python/coracle/as_paddle/public.py: the public names of the Paddle that runs this, by module.

    build/oracle-venv-3.3/bin/python tests/python/paddle_public_script.py > python/coracle/as_paddle/public.py

Public is what `__all__` of a module of Paddle's lists, and what programs use besides; as_paddle_test.py compares this text with the file.
"""
import sys
import textwrap
import types

import paddle

HEADER = '''# SPDX-License-Identifier: Apache-2.0
"""The public names of Paddle %s by module: (classes, other names). Made by tests/python/paddle_public_script.py."""

PUBLIC: dict[str, tuple[str, str]] = {
'''


# Programs also use names of these that are not in `__all__`.
OPEN = ("paddle", "paddle.framework")


def modules(module, found):
    """A module and all public ones below it, as name -> its public names."""
    listed = getattr(module, "__all__", None)
    if module.__name__ in found or not isinstance(listed, (list, tuple)) or module.__name__.startswith("paddle.inference"):
        return found
    more = [name for name in vars(module) if not name.startswith("_")] if module.__name__ in OPEN else []
    found[module.__name__] = [name for name in sorted({*listed, *more}) if not isinstance(getattr(module, name, module), types.ModuleType)]
    for name, value in sorted(vars(module).items()):
        if isinstance(value, types.ModuleType) and value.__name__ == module.__name__ + "." + name and not name.startswith("_"):
            modules(value, found)
    return found


def text(names):
    lines = textwrap.wrap(" ".join(names), 128, break_on_hyphens=False, break_long_words=False)
    return "\n".join('        "%s%s"' % (line, " " if line is not lines[-1] else "") for line in lines) or '        ""'


if __name__ == "__main__":
    sys.stdout.write(HEADER % paddle.__version__)
    found = modules(paddle, {})
    with_names = [module for module, names in found.items() if names]
    for module, names in sorted(found.items()):
        if not any((other + ".").startswith(module + ".") for other in with_names):
            continue
        kinds = [[name for name in names if isinstance(getattr(sys.modules[module], name), type) == is_class] for is_class in (True, False)]
        sys.stdout.write('    "%s": (\n%s,\n%s),\n' % (module, text(kinds[0]), text(kinds[1])))
    sys.stdout.write("}\n")
