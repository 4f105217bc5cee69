# SPDX-License-Identifier: Apache-2.0
"""Writes python/coracle/as_paddle/public.py: the public names of the Paddle that runs this, by module.

    build/oracle-venv-3.3/bin/python tests/python/paddle_public_script.py > python/coracle/as_paddle/public.py

Public is what `__all__` of a module of Paddle's lists, and what programs use besides; as_paddle_test.py compares this text with the file.
"""
import importlib
import sys
import textwrap
import types

import paddle

HEADER = '''# SPDX-License-Identifier: Apache-2.0
"""The public names of Paddle %s by module: (classes, other names). Made by tests/python/paddle_public_script.py."""

PUBLIC: dict[str, tuple[str, str]] = {
'''


# Programs also use names of these that are not in `__all__`.
OPEN = ("paddle", "paddle.common_ops_import", "paddle.dataset.common", "paddle.framework", "paddle.hapi.model", "paddle.nn.clip",
        "paddle.nn.layer", "paddle.nn.layer.conv", "paddle.nn.layer.layers", "paddle.nn.layer.transformer", "paddle.utils.download",
        "paddle.vision.models.resnet", "paddle.vision.models.vgg", "paddle.vision.transforms.functional")
# And these.
PRIVATE = ("paddle.hapi.model._all_gather", "paddle.nn.layer.conv._ConvNd", "paddle.nn.layer.transformer._convert_attention_mask",
           "paddle.nn.layer.transformer._convert_param_attr_to_list", "paddle.utils.download._get_unique_endpoints")


def names(module):
    """Of what a module makes public."""
    listed = getattr(module, "__all__", None)
    found = set(listed) if isinstance(listed, (list, tuple)) else set()
    if module.__name__ in OPEN:
        found |= {name for name, value in vars(module).items() if not name.startswith("_") and not isinstance(value, bool)
                  and str(getattr(value, "__module__", None) or "paddle").split(".")[0] == "paddle"}
    found |= {name.rsplit(".", 1)[1] for name in PRIVATE if name.rsplit(".", 1)[0] == module.__name__}
    return sorted(name for name in found if not isinstance(getattr(module, name, module), types.ModuleType))


def modules(module, found):
    """A module and all public ones below it, as name -> its public names."""
    if module.__name__ in found or module.__name__.startswith("paddle.inference"):
        return found
    if module.__name__ not in OPEN and not isinstance(getattr(module, "__all__", None), (list, tuple)):
        return found
    found[module.__name__] = names(module)
    for name, value in sorted(vars(module).items()):
        if isinstance(value, types.ModuleType) and value.__name__ == module.__name__ + "." + name and not name.startswith("_"):
            modules(value, found)
    return found


def text(words):
    lines = textwrap.wrap(" ".join(words), 128, break_on_hyphens=False, break_long_words=False)
    return "\n".join('        "%s%s"' % (line, " " if line is not lines[-1] else "") for line in lines) or '        ""'


if __name__ == "__main__":
    sys.stdout.write(HEADER % paddle.__version__)
    found = modules(paddle, {})
    for name in OPEN:
        modules(importlib.import_module(name), found)
    with_names = [module for module, listed in found.items() if listed]
    parents = {module.rsplit(".", depth)[0] for module in with_names for depth in range(module.count(".") + 1)}
    for module in sorted(parents.union(with_names)):
        kinds = [[name for name in found.get(module, ()) if isinstance(getattr(sys.modules[module], name), type) == is_class] for is_class in (True, False)]
        sys.stdout.write('    "%s": (\n%s,\n%s),\n' % (module, text(kinds[0]), text(kinds[1])))
    sys.stdout.write("}\n")
