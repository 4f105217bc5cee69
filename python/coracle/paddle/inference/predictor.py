# SPDX-License-Identifier: Apache-2.0
"""Predictors: a model, a session of it, and what its inputs hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ... import model as models
from ...errors import InvalidArgumentError, counted
from ...profile import Profile
from .bindings import Bindings
from .config import Config
from .hooks import Hook, Watch
from .shape_ranges import ShapeRanges
from .tensor import Tensor


class Result(np.ndarray):
    """An array that `run(list)` returns, with the method of Paddle's tensors that scripts use."""

    def numpy(self) -> np.ndarray:
        return np.asarray(self)


class Predictor:
    """Runs a model. Belongs to one thread at a time; `clone()` for others shares the weights."""

    def __init__(self, config: Config):
        if not isinstance(config, Config):
            raise TypeError("a predictor is made from a Config, given a %s" % type(config).__name__)
        model = config._use()
        ranges = ShapeRanges(config.shape_range_info_path()) if config.shape_range_info_collected() else None
        self._start(model, max(1, config.cpu_math_library_num_threads()), config._profile, ranges, config._stream_in_use())

    def _start(self, model: models.Model, threads: int, profiled: bool = False, ranges: ShapeRanges | None = None,
               stream: Any = None) -> None:
        self._model, self._threads, self._profiled, self._stream = model, threads, profiled, stream
        self._bindings = Bindings(model.session(threads), len(model.inputs))
        if stream is not None:
            self._bindings.session.set_stream(stream)
        self._profile: Profile | None = None
        self._watch = Watch(ranges)
        if ranges is not None:
            self._bindings.session.observe(self._watch)

    def get_input_names(self) -> list[str]:
        return [info.name for info in self._model.inputs]

    def get_output_names(self) -> list[str]:
        return [info.name for info in self._model.outputs]

    def get_input_handle(self, name: str) -> Tensor:
        """InvalidArgumentError if there is no such input."""
        index = self._model._handle.index("input", name)
        return Tensor(self._bindings, index, self._model.inputs[index], True)

    def get_output_handle(self, name: str) -> Tensor:
        """InvalidArgumentError if there is no such output."""
        index = self._model._handle.index("output", name)
        return Tensor(self._bindings, index, self._model.outputs[index], False)

    def run(self, inputs: Sequence[Any] | None = None) -> bool | list[np.ndarray]:
        """Runs with what the input handles hold and returns true; or with a list of tensors or arrays in the model's order, and
        returns the results in a list. Raises what `coracle.Session.run` raises.
        """
        if inputs is not None:
            if len(inputs) != len(self._bindings.inputs):
                raise InvalidArgumentError("run: the model has %s, given %d" % (counted(len(self._bindings.inputs), "input"), len(inputs)))
            for name, value in zip(self.get_input_names(), inputs):
                self.get_input_handle(name).share_external_data(value)
        arrays, offsets = {}, {}
        for info, kept in zip(self._model.inputs, self._bindings.inputs):
            if kept.array is None:
                raise InvalidArgumentError("run: input %s was not set; copy_from_cpu sets it" % info)
            arrays[info.name], offsets[info.name] = kept.array, kept.lod
        self._bindings.ran = False
        if self._profiled:
            self._profile = self._bindings.session.profile(arrays, offsets)
        else:
            self._bindings.session._run_without_results(arrays, offsets)
        self._bindings.ran = True
        if inputs is None:
            return True
        return [self.get_output_handle(name).copy_to_cpu().view(Result) for name in self.get_output_names()]

    def clone(self, stream: Any = None) -> Predictor:
        """A second predictor that shares the weights, with nothing set; for another thread. Where the first has a stream
        (`Config.set_exec_stream`) it runs on that one, or on the one given."""
        other = Predictor.__new__(Predictor)
        own = self._stream if stream is None or self._stream is None else stream
        other._start(self._model, self._threads, self._profiled, self._watch.ranges, own)
        return other

    def clear_intermediate_tensor(self) -> None:
        """Gives back intermediate tensors and results. Inputs stay."""
        self.try_shrink_memory()

    def try_shrink_memory(self) -> int:
        """The same; returns about how many bytes that was."""
        self._bindings.ran = False
        return self._bindings.session.release_memory()

    def profile(self) -> Profile:
        """The times of the last run's operators, after `Config.enable_profile()`. An addition of Coracle."""
        if self._profile is None:
            raise InvalidArgumentError("profile: there was no run, or Config.enable_profile() was not called")
        return self._profile

    def register_output_hook(self, hook: Hook) -> None:
        """Calls `hook(operator, name, tensor)` for each result of each operator in the runs to come. Seen is what is computed: after
        `Config.switch_ir_optim(False)` all that the model has, otherwise what goes into operators that were fused and comes out. What
        a hook raises ends the run and comes out of it; it may not use this predictor.
        """
        self._add_hook(self._watch.output_hooks, hook)

    def register_input_hook(self, hook: Hook) -> None:
        """The same for each operand, parameters included, before its operator runs."""
        self._add_hook(self._watch.input_hooks, hook)

    def _add_hook(self, hooks: list[Hook], hook: Hook) -> None:
        if not callable(hook):
            raise TypeError("a hook is a function of three arguments, given a %s" % type(hook).__name__)
        self._bindings.session.observe(self._watch)
        hooks.append(hook)


def create_predictor(config: Config) -> Predictor:
    """Loads the model. Raises FileError, InvalidModelError or UnsupportedError as `coracle.load` does, and InvalidArgumentError for
    a Config that made a predictor before.
    """
    return Predictor(config)


def predictor_of(model: models.Model, threads: int) -> Predictor:
    """A predictor of a model that is loaded already."""
    predictor = Predictor.__new__(Predictor)
    predictor._start(model, threads)
    return predictor


class PredictorPool:
    """`size` predictors of one model that share its weights, one for each thread."""

    def __init__(self, config: Config, size: int = 1):
        if size < 1:
            raise InvalidArgumentError("a PredictorPool has at least 1 predictor, given %d" % size)
        first = Predictor(config)
        self._predictors = [first, *(first.clone() for _ in range(size - 1))]

    def retrieve(self, index: int) -> Predictor:
        if not 0 <= index < len(self._predictors):
            raise InvalidArgumentError("the pool has %d predictors, there is no predictor %d" % (len(self._predictors), index))
        return self._predictors[index]

    retrive = retrieve
