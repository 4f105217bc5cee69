# SPDX-License-Identifier: Apache-2.0
"""What Paddle has and this interface has not (yet): each raises UnsupportedError that says what to do instead.

All calls that are refused as a whole stand here, so that this file is the list of them.
"""

from __future__ import annotations

from typing import NoReturn

from ...errors import UnsupportedError


def refuse(what: str, instead: str) -> NoReturn:
    raise UnsupportedError("%s is not supported by coracle.paddle.inference: %s" % (what, instead))


def enable_low_precision_io() -> NoReturn:
    refuse("Config.enable_low_precision_io", "inputs and outputs have the element types of the model file")


def to_native_config() -> NoReturn:
    refuse("Config.to_native_config", "give the Config itself to create_predictor")


def quantizer_config() -> NoReturn:
    refuse("Config.quantizer_config", "models quantised before (by PaddleSlim) run as they are")


def nnadapter() -> NoReturn:
    refuse("Config.nnadapter", "there are no such devices here, leave the call out")


def share_external_data_by_ptr_name() -> NoReturn:
    refuse("Tensor.share_external_data_by_ptr_name", "use share_external_data with an array or tensor")


def strings() -> NoReturn:
    refuse("a tensor of strings", "turn the text into numbers before (the operator faster_tokenizer does not exist here)")


def convert_to_mixed_precision(model_file: str, params_file: str, mixed_model_file: str, mixed_params_file: str,
                               mixed_precision=None, backend=None, keep_io_types: bool = True, black_list=frozenset(),
                               **kwargs) -> NoReturn:
    """Raises UnsupportedError: models are run, not rewritten."""
    refuse("convert_to_mixed_precision", "convert with Paddle; float16 and bfloat16 models run here, and so do the originals")
