# SPDX-License-Identifier: Apache-2.0
"""What a predictor shares with the handles of its inputs and outputs."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...session import Session


class Input:
    """What an input holds."""

    def __init__(self):
        self.array: np.ndarray | Any | None = None   # Of another library where it is on a GPU.
        self.shape: list[int] = [0]
        self.lod: list[list[int]] = []


class Bindings:
    """The session, what the inputs hold, by their index, and whether the outputs are those of a run."""

    def __init__(self, session: Session, inputs: int):
        self.session = session
        self.inputs = [Input() for _ in range(inputs)]
        self.ran = False

    def output_shape(self, index: int) -> tuple[int, ...]:
        return self.session.output_shape(index) if self.ran else (0,)

    def output_lod(self, index: int) -> list[list[int]]:
        return self.session.output_lod(index) if self.ran else []
