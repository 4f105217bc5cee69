# SPDX-License-Identifier: Apache-2.0
"""As paddle.inference.contrib.utils: the name is Paddle's."""

from __future__ import annotations

from ..tensor import Tensor

__all__ = ["copy_tensor"]


def copy_tensor(dst: Tensor, src: Tensor) -> None:
    """Copies the content, shape and sequence offsets of a handle into an input."""
    if not isinstance(dst, Tensor) or not isinstance(src, Tensor):
        raise TypeError("copy_tensor takes two tensors, given %s and %s" % (type(dst).__name__, type(src).__name__))
    dst.copy_from_cpu(src.copy_to_cpu())
    dst.set_lod(src.lod())
