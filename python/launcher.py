#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Becomes the program of this script's name in the package coracle, which is found but not imported: that would import numpy."""
import importlib.util
import os
import sys

package = os.path.dirname(importlib.util.find_spec("coracle").origin)
program = os.path.join(package, "bin", os.path.basename(__file__))
os.execv(program, [program, *sys.argv[1:]])
