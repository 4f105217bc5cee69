# SPDX-License-Identifier: Apache-2.0
"""What came of quantising a model."""

from __future__ import annotations

import copy
import dataclasses
import math
import os
from collections.abc import Mapping
from typing import Any, Union

from . import _html, _library
from .errors import counted


def _decibels(ratio: float) -> str:
    return "exact" if ratio == math.inf else "%.1f dB" % ratio


def _ratio(number: float | None) -> float:
    """JSON has no infinity, which is the ratio where nothing differs."""
    return math.inf if number is None else number


@dataclasses.dataclass(frozen=True)
class OutputAccuracy:
    """How near an output of the quantised model is to that of the original, for the sets that were compared.

    signal_to_noise_db: decibels, infinite where nothing differs; largest_difference: of an element; decisions: which element is the
    largest, along dimension 1 of four, else along the last one, or of one alone whether it is at least one half; changed_decisions:
    those that differ; answers_of_another_shape: count as one changed decision each; rms_error, max_error: relative to what the
    original answers, of the worst set, as `error_metric` has them.
    """

    name: str
    signal_to_noise_db: float
    largest_difference: float
    decisions: int
    changed_decisions: int
    answers_of_another_shape: int
    rms_error: float = 0.0
    max_error: float = 0.0

    @property
    def drop(self) -> float:
        """Percent of the decisions that changed."""
        return 100.0 * self.changed_decisions / self.decisions if self.decisions else 0.0


@dataclasses.dataclass(frozen=True)
class QuantizedLayer:
    """A product or convolution with constant weights.

    name: the variable of its result; operator: its type; weights: their variable; quantized: otherwise it stays in float32, and `reason`
    says why; stored: "int8", "int4" or "float16"; method, operand_range: by which its operand is rounded and how far that reaches;
    operand_signal_to_noise_db, weights_signal_to_noise_db: of what is rounded, infinite where nothing differs. With `type="auto"`
    precision: "int8", "bf16" or "float32", and `reason` says why in any case; times_ms: what the layer takes by precision; errors: of the
    answers with this layer alone in it. None is what does not apply.
    """

    name: str
    operator: str
    weights: str
    quantized: bool
    reason: str | None = None
    stored: str | None = None
    method: str | None = None
    operand_range: float | None = None
    operand_signal_to_noise_db: float | None = None
    weights_signal_to_noise_db: float | None = None
    precision: str | None = None
    times_ms: Mapping[str, float] | None = None
    errors: Mapping[str, float] | None = None


@dataclasses.dataclass(frozen=True)
class QuantizationReport:
    """What came of `coracle.quantize`.

    output: what was written; weights: "int8", "int4" or "float16", as they are stored; method: of ranges, None where operands stay as they
    are; sets: of inputs, of which ranges were seen for `calibration_sets` and answers compared for `compared_sets`; original_bytes,
    quantized_bytes: of program and weights; outputs: how near their answers are; layers: in the order of the program; automatic: with
    `type="auto"` the bound (max_error, where there is one), error_metric and error, and times_ms of a run of the models ("float32",
    "int8", "chosen"), or the file of times.
    """

    output: str
    weights: str
    method: str | None
    operands_are_quantized: bool
    sets: int
    calibration_sets: int
    compared_sets: int
    original_bytes: int
    quantized_bytes: int
    outputs: tuple[OutputAccuracy, ...]
    layers: tuple[QuantizedLayer, ...]
    automatic: Mapping[str, Any] | None
    _json: Mapping[str, Any] = dataclasses.field(repr=False, compare=False)
    _page: str = dataclasses.field(repr=False, compare=False)

    @classmethod
    def _of(cls, json: Mapping[str, Any], page: str) -> QuantizationReport:
        infinite = ("signal_to_noise_db", "rms_error", "max_error")
        outputs = tuple(OutputAccuracy(**{**each, **{name: _ratio(each[name]) for name in infinite}}) for each in json["outputs"])
        ratios = ("operand_signal_to_noise_db", "weights_signal_to_noise_db")
        layers = tuple(QuantizedLayer(**{**each, **{name: _ratio(each[name]) for name in ratios if name in each},
                                         **{name: {precision: _ratio(number) for precision, number in each[name].items()}
                                            for name in ("times_ms", "errors") if name in each}}) for each in json["layers"])
        own = ("output", "weights", "operands_are_quantized", "sets", "calibration_sets", "compared_sets", "original_bytes", "quantized_bytes")
        return cls(method=json.get("method"), outputs=outputs, layers=layers, automatic=json.get("automatic"), _json=json, _page=page, **{name: json[name] for name in own})

    def to_dict(self) -> dict[str, Any]:
        """What `coracle quantize --json` prints, as a dict; None is a ratio without noise."""
        return copy.deepcopy(dict(self._json))

    def html(self) -> str:
        """A page with plots, which loads nothing."""
        return self._page

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes `html()` to a file. FileError if it cannot be written."""
        _library.write_file(path, self._page.encode())

    def _summary(self) -> str:
        changed = sum(layer.quantized for layer in self.layers)
        text = "%s: %d of %s with %s, %.2f MiB of %.2f" % (self.output, changed, counted(len(self.layers), "layer"), self.weights,
                                                           self.quantized_bytes / 2**20, self.original_bytes / 2**20)
        if self.method is not None:
            text += "; ranges by %s of %s of inputs" % (self.method, counted(self.calibration_sets, "set"))
        return text

    def _choice(self) -> str:
        """Of `type="auto"`."""
        assert self.automatic is not None
        precisions = [layer.precision for layer in self.layers]
        text = ", ".join("%s: %d" % (each, precisions.count(each)) for each in ("int8", "bf16", "float32") if each in precisions)
        text += "; error (%s) %.3g" % (self.automatic["error_metric"], self.automatic["error"])
        if "max_error" in self.automatic:
            text += " of at most %.3g" % self.automatic["max_error"]
        times = self.automatic.get("times_ms")
        return text if times is None else text + "; %.2f ms, float32 %.2f ms, int8 %.2f ms" % (times["chosen"], times["float32"], times["int8"])

    def __str__(self) -> str:
        lines = ["%s: signal to noise %s, largest difference %.3g, %d of %d decisions changed" % (
            each.name, _decibels(each.signal_to_noise_db), each.largest_difference, each.changed_decisions, each.decisions)
                 for each in self.outputs]
        if self.automatic is not None:
            lines.append(self._choice())
        return "\n".join([self._summary()] + (lines or ["answers were not compared: there were no inputs"]))

    def _repr_html_(self) -> str:
        outputs = [(each.name, _decibels(each.signal_to_noise_db), "%.3g" % each.largest_difference,
                    "%d of %d" % (each.changed_decisions, each.decisions)) for each in self.outputs]
        layers = [(each.name, each.operator, each.stored if each.quantized else "float32: %s" % each.reason,
                   "" if each.operand_signal_to_noise_db is None else _decibels(each.operand_signal_to_noise_db),
                   "" if each.weights_signal_to_noise_db is None else _decibels(each.weights_signal_to_noise_db)) for each in self.layers]
        return (_html.paragraph(self._summary()) + ("" if self.automatic is None else _html.paragraph(self._choice()))
                + (_html.table(("output", "signal to noise", "largest difference", "decisions changed"), outputs) if outputs else "")
                + _html.folded(counted(len(layers), "layer"), _html.table(("layer", "operator", "weights", "operand, signal to noise",
                                                                           "weights, signal to noise"), layers)))
