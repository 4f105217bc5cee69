# SPDX-License-Identifier: Apache-2.0
"""As paddle.inference.contrib."""

from . import utils

__all__ = ["utils"]
