# SPDX-License-Identifier: Apache-2.0
"""Sessions: runs of a model, their inputs and results."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Union

import numpy as np

from . import _arrays, _library, _options, dlpack
from ._callbacks import NodeValue, Observer
from ._handle import ModelHandle, TensorInfo
from ._interrupt import Interruptible
from .async_run import AsyncRun
from .device_tensor import DeviceTensor
from .errors import Error, InvalidArgumentError, counted
from .pool import Pool, cpu_text
from .profile import Profile
from .results import MachineLimits, Memory, Results

Lod = Sequence[Sequence[int]]
Inputs = Union[Mapping[str, Any], Any]
Outputs = Union[str, int, Iterable[Union[str, int]], None]


class _Observing:
    """Ends the observation of a session at the end of a `with` block."""

    def __init__(self, session: Session):
        self._session = session

    def __enter__(self) -> Session:
        return self._session

    def __exit__(self, *_) -> None:
        if self._session._pointer is not None:
            self._session.observe(None)


class Session:
    """Runs a model. Made by `Model.session()`; belongs to one thread at a time and to the process that made it.

    Inputs keep their content from run to run. Arrays whose elements lie one after the other are read where they are, not
    copied, and the session keeps them alive; results are new arrays. Other Python threads run during a run.

    Every method raises InvalidArgumentError if the session is closed, in use by another thread, or of another process.
    """

    def __init__(self, model: ModelHandle, pointer: ctypes.c_void_p):
        self._model = model
        self._pointer: ctypes.c_void_p | None = pointer
        self._free = _library.freed_with(self, _library.ask, "session_free", pointer)
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._closing = threading.Lock()   # Held while the pointer is taken away, and by those who use it without the other lock.
        self._arrays: dict[int, np.ndarray] = {}
        self._lods: dict[int, list[list[int]]] = {}
        self._bound: dict[int, np.ndarray | None] = {}   # Outputs that runs write to arrays of the user's; None: they are on the device.
        self._stream: int | None = None   # Of the user's.
        self._selected: tuple[str, ...] | None = None   # Outputs that runs compute; None: all.
        self._observer: Observer | None = None
        self._runs_async = False   # An asynchronous run holds the lock.

    @classmethod
    def _create(cls, model: ModelHandle, pool: Pool | None = None, cpus: str | Iterable[int] | None = None,
                padding: str | None = None, **numbers: int | None) -> Session:
        model.require_whole()
        options = _library.SessionOptions()
        _library.ask("session_options_init", ctypes.byref(options), ctypes.sizeof(options))
        _options.set_numbers(options, numbers)
        if pool is not None:
            if not isinstance(pool, Pool):
                raise InvalidArgumentError("pool is %r, expected a coracle.Pool" % (pool,))
            options.pool = pool._pointer
        if cpus is not None:
            options.cpus = cpu_text(cpus).encode()
        if padding is not None:
            if not isinstance(padding, str):
                raise InvalidArgumentError("padding is %r, expected a text like 'ids=1..8x32..128/32'" % (padding,))
            options.padding = padding.encode()
        pointer = ctypes.c_void_p()
        _library.call("session_create", model.pointer, ctypes.byref(options), ctypes.byref(pointer))
        return cls(model, pointer)

    @contextlib.contextmanager
    def _use(self) -> Iterator[ctypes.c_void_p]:
        """The session in the library, for this thread alone."""
        pid = os.getpid()
        if not self._lock.acquire(blocking=False):
            if pid != self._pid:
                raise InvalidArgumentError("another thread of process %d was using this session when process %d was forked from it, so "
                                           "it stays in use here; load the model again in this process (coracle.load)" % (self._pid, pid))
            if self._runs_async:
                raise InvalidArgumentError("an asynchronous run of this session is under way: await it, or ask it for its result(), before "
                                           "you use the session again; for several at the same time make a session for each: "
                                           "model.session()")
            raise InvalidArgumentError("another thread is using this session, or its own observer is; a session belongs to one "
                                       "thread at a time, make one for each: model.session()")
        try:
            if self._pointer is None:
                raise InvalidArgumentError("the session is closed")
            self._model.require_whole()
            self._pid = pid   # A forked child goes on with the sessions of its parent.
            yield self._pointer
        finally:
            self._lock.release()

    def close(self) -> None:
        """Gives everything back at once, or when its asynchronous run has ended. A closed session can be closed again, nothing else. A
        forked child may close those of its parent, too."""
        if self._pointer is None:
            return
        if self._pid != os.getpid():   # The library leaves alone what a thread of the parent was using.
            self._pointer = None
            self._free()
            return
        if self._runs_async:
            self._await_run()
        with self._use():
            with self._closing:
                self._pointer = None
            self._free()
            self._arrays.clear()
            self._bound.clear()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def __reduce__(self):
        raise TypeError("a session cannot be pickled; pickle its model and make a session of that")

    def __repr__(self) -> str:
        return "<coracle.Session %s>" % ("closed" if self._pointer is None else
                                         "of inputs " + ", ".join(map(str, self._model.inputs)))

    @property
    def inputs(self) -> tuple[TensorInfo, ...]:
        return self._model.inputs

    @property
    def outputs(self) -> tuple[TensorInfo, ...]:
        return self._model.outputs

    def clone(self) -> Session:
        """A second session with the same model and options, without the inputs."""
        with self._use() as pointer:
            self._model.require_whole()
            other = ctypes.c_void_p()
            _library.call("session_clone", pointer, ctypes.byref(other))
        return Session(self._model, other)

    def set_input(self, name: str | int, value: Any, lod: Lod | None = None) -> None:
        """Sets an input, by name or index, for the runs to come.

        `value`: an array of the input's element type and rank, whatever has `__dlpack__`, `__array__` or a buffer, or numbers and
        lists of them; or a DeviceTensor, or whatever has `__dlpack__` and is on a CUDA device (a tensor of torch, an array of cupy), which
        are not copied where the model uses that device. Such a tensor is read by each run, after the work that made it was given to
        the streams of its library; work that writes to it later is waited for if it is on the stream of `set_stream`.
        `lod`: sequence offsets, coarsest level first, e.g. [[0, 3, 5]] for sequences of 3 and 2 rows.
        Raises InvalidArgumentError for an unknown name, another element type, another rank, offsets that do not fit.
        """
        with self._use() as pointer:
            self._set(pointer, name, value, lod)

    def _set(self, pointer, name, value, lod) -> None:
        index = self._model.index("input", name)
        info = self._model.inputs[index]
        if not isinstance(value, (np.ndarray, DeviceTensor)) and dlpack.is_on_cuda(value):
            value = self._shared_tensor(value, "input '%s'" % info.name)
        if isinstance(value, DeviceTensor):
            _library.call("session_set_input_on_device", pointer, index, value._handle())
            self._arrays.pop(index, None)   # The session shares the tensor.
            self._lods.pop(index, None)
            if lod:
                self._set_lod(pointer, index, self._offsets(info.name, lod))
            return
        array = _arrays.readable(value, info.name, _arrays.NAMES.index(info.dtype))
        if array.ndim > _library.MAX_RANK:
            raise InvalidArgumentError("input '%s': a tensor has 0 to %d dimensions, given %d: %s"
                                       % (info.name, _library.MAX_RANK, array.ndim, list(array.shape)))
        self._borrow(pointer, index, array)
        self._arrays[index] = array
        if lod is None and index not in self._lods:
            return
        self._lods.pop(index, None)
        levels = self._offsets(info.name, lod or [])
        self._set_lod(pointer, index, levels)
        if levels:
            self._lods[index] = levels

    def _shared_tensor(self, value: Any, name: str) -> DeviceTensor:
        """In the memory of a tensor of another library."""
        try:
            return DeviceTensor(dlpack.taken(value, self._stream))
        except Error as error:
            raise type(error)("%s: %s" % (name, error)) from None
        except Exception as error:
            raise InvalidArgumentError("%s: a %s cannot be read on its device: %s" % (name, type(value).__name__, error)) from error

    @staticmethod
    def _offsets(name: str, lod: Lod) -> list[list[int]]:
        try:
            levels = [[int(offset) for offset in level] for level in lod]
        except (TypeError, ValueError):
            raise InvalidArgumentError("sequence offsets of input '%s' are a list for each level, such as [[0, 3, 5]], given %r"
                                       % (name, lod)) from None
        if any(offset < 0 for level in levels for offset in level):
            raise InvalidArgumentError("sequence offsets of input '%s' begin with 0, given %r" % (name, lod))
        return levels

    def _borrow(self, pointer, index: int, array: np.ndarray) -> None:
        """`array`: one that _arrays.readable() has made for this input."""
        number = _arrays.NAMES.index(self._model.inputs[index].dtype)
        _library.call("session_borrow_input", pointer, index, number, array.ndim, _arrays.dims(array), _arrays.pointer(array))

    @staticmethod
    def _set_lod(pointer, index: int, levels: list[list[int]]) -> None:
        sizes = [len(level) for level in levels]
        flat = [offset for level in levels for offset in level]
        _library.call("session_set_input_lod", pointer, index, len(levels), (ctypes.c_size_t * len(sizes))(*sizes),
                      (ctypes.c_size_t * len(flat))(*flat))

    def _set_all(self, pointer, inputs: Inputs, lod: Mapping[str, Lod] | None) -> None:
        """Sets what is given; what is not, is given again, as its content may have changed."""
        offsets = dict(lod or {})
        if inputs is None:
            given: Mapping[Any, Any] = {}
        elif isinstance(inputs, Mapping):
            given = inputs
        elif len(self._model.inputs) == 1:
            given = {0: inputs}
        else:
            raise InvalidArgumentError("the model has %s, give a dict: %s" % (
                counted(len(self._model.inputs), "input"), ", ".join(repr(info.name) for info in self._model.inputs)))
        set_now = set()
        for name, value in given.items():
            index = self._model.index("input", name)
            self._set(pointer, index, value, offsets.pop(self._model.inputs[index].name, None))
            set_now.add(index)
        if offsets:
            raise InvalidArgumentError("sequence offsets for %r, which is not an input given in this call" % sorted(offsets)[0])
        for index, array in self._arrays.items():
            if index not in set_now:
                self._borrow(pointer, index, array)
                if index in self._lods:
                    self._set_lod(pointer, index, self._lods[index])

    def _run_in(self, pointer, options: _library.RunOptions | None = None) -> None:
        token = (self._pid, id(self))
        self._model.running.add(token)
        try:
            with self._observer or contextlib.nullcontext(), Interruptible(self.cancel):
                if options is None:
                    _library.call("session_run", pointer)
                else:
                    _library.call("session_run_with", pointer, ctypes.byref(options))
        finally:
            self._model.running.discard(token)

    def cancel(self) -> None:
        """Ends the run that another thread has under way with this session: there `run` raises CancelledError within some
        milliseconds, and the session is ready for the next run.

        Does nothing where no run is under way, and never to a later one; a run that is about to end may still succeed. May be called
        from any thread at any time, and from an observer. Ctrl-C needs no call: `run` in the main thread ends with KeyboardInterrupt
        (unless SIGINT has another handler than Python's own).
        """
        with self._closing:
            if self._pointer is not None and self._pid == os.getpid():
                _library.call("session_cancel", self._pointer)

    def observe(self, callback: Callable[[NodeValue], object] | None) -> _Observing:
        """Shows what operators compute to `callback`, from the next run on; None ends it.

            with session.observe(lambda value: print(value)):   # or without `with`, for all runs to come
                session.run(x)

        `callback` is given a NodeValue for each operand of an operator before it runs and for each result after it ran, in the
        running thread. What it raises ends the run and comes out of it. It may not use this session. Seen is what is computed: of
        operators that were fused, what goes in and comes out; all operators of the file with
        `coracle.load(path, disable_passes="all", disable_kernels=["row_tiles", "strided"])`. Clones have no observer.
        """
        observer = None if callback is None else Observer(callback)
        with self._use() as pointer:
            _library.call("session_set_observer", pointer, observer.function if observer else _library.ObserveFunction(), None)
            self._observer = observer   # Keeps the function for the library.
        return _Observing(self)

    def set_stream(self, stream: Any) -> None:
        """Orders runs by a stream of yours on the model's CUDA device: one of torch or cupy, or the address of a CUstream (0 is CUDA's
        default stream); None ends that.

            session.set_stream(torch.cuda.current_stream())
            y = torch.from_dlpack(session.run(torch.relu(x))["y"])   # Nobody waits for relu on the host, and nothing is copied.

        What a run does on the device comes after all that the stream was given before `run` or `run_async` is called, and what the
        stream is given later comes after the run. Where all inputs are on the device and all outputs are bound there, `run` returns
        before its results are: whoever reads them through the library waits. Raises InvalidArgumentError for streams of other devices, and where the model uses none; so does
        `run` while the stream is being captured into a graph. The stream has to stay; clones have none.
        """
        address = dlpack.stream_address(stream)
        with self._use() as pointer:
            _library.call("session_set_stream", pointer, address)
            self._stream = address

    def bind_output(self, name: str | int, array: np.ndarray | Any | None) -> None:
        """Has runs write an output, by name or index, into an array of yours, on the host or on the model's device; None ends that.

            y = np.empty((1, 1000), np.float32)
            session.bind_output("y", y)
            session.run(x)              # y has the result; session.run(x)["y"] is a view of it, not a new array

        `array`: of the output's element type, writable, its elements one after the other, with room for as many as the output has;
        the session keeps it alive. It is written without a copy where it begins at a multiple of 64 bytes and is no part of an
        input. Outputs of the last run are gone after the call. Raises InvalidArgumentError for an unknown name, an array that is
        none of these or overlaps that of another output; `run` raises it where the output has more elements.

        A tensor of another library on the model's CUDA device, which has `__dlpack__`, is written there; `run` gives a DeviceTensor in
        its memory. It is written without a copy where it begins at a multiple of 16 bytes and is no part of an input.
        """
        with self._use() as pointer:
            index = self._model.index("output", name)
            if array is None:
                _library.call("session_bind_output", pointer, index, None, 0)
                self._bound.pop(index, None)
                return
            info = self._model.outputs[index]
            if not isinstance(array, np.ndarray) and dlpack.is_on_cuda(array):
                tensor = self._shared_tensor(array, "output '%s'" % info.name)
                _library.call("session_bind_output_on_device", pointer, index, tensor._handle())
                self._bound[index] = None   # The session shares it.
                return
            _arrays.require_writable(array, info.name, _arrays.NAMES.index(info.dtype))
            _library.call("session_bind_output", pointer, index, _arrays.pointer(array), array.nbytes)
            self._bound[index] = array

    def keep_output_on_device(self, name: str | int) -> None:
        """Leaves an output, by name or index, on the model's device from the next run on: `run` gives a DeviceTensor for it, which
        inputs take. `bind_output(name, None)` ends that. Outputs of the last run are gone after the call. Raises InvalidArgumentError
        for an unknown name, and where the model uses no device (`coracle.load(path, device="opencl")`).
        """
        with self._use() as pointer:
            index = self._model.index("output", name)
            _library.call("session_keep_output_on_device", pointer, index)
            self._bound[index] = None

    def run(self, inputs: Inputs = None, lod: Mapping[str, Lod] | None = None, *, time_limit_ms: int = 0,
            memory_limit: int = 0, outputs: Outputs = None) -> Results:
        """Runs the model: `session.run({"x": array})["y"]`.

        `inputs`: values by name as for `set_input`, or the value itself if the model has one input; inputs left out keep what they
        have. `lod`: sequence offsets by input name. `time_limit_ms`, `memory_limit` (in bytes): limits of this run alone, 0 are the
        session's. `outputs`: names or indexes of those that are wanted, None are all: only what they need is computed, and only they are
        in the results, in that order; the name of a variable that `keep_tensors` keeps is one, too. Returns new arrays by name, in the model's order, with the shapes of this run; of outputs that `bind_output` has bound
        views of their arrays, and of those that `keep_output_on_device` keeps DeviceTensors.

        Raises InvalidArgumentError for wrong names, shapes or element types and for missing inputs, OutOfMemoryError when
        `memory_limit` or the memory is too small, RunFailureError when the data make it impossible or `time_limit_ms` is over, CancelledError after
        `cancel`, KeyboardInterrupt at once after Ctrl-C.
        """
        options = _options.of_run(time_limit_ms=time_limit_ms, memory_limit=memory_limit)
        with self._use() as pointer:
            self._set_all(pointer, inputs, lod)
            self._select(pointer, outputs)
            self._run_in(pointer, options)
            return self._results(pointer)

    def run_async(self, inputs: Inputs = None, lod: Mapping[str, Lod] | None = None, *, time_limit_ms: int = 0,
                  memory_limit: int = 0, outputs: Outputs = None) -> AsyncRun:
        """Starts a run and returns: `results = await session.run_async({"x": array})`, or `.result()` without an event loop.

        Arguments, results and what is raised are those of `run`; what is wrong with the arguments is raised here. The session is in use
        until the run has ended, and arrays that are its inputs must not change; only `cancel` and `close`, which waits, may be called.
        For runs at the same time make a session for each. They begin in the order in which they were started: on the processor as many
        at a time as have threads together for its cores, on a device two, of which one computes. `time_limit_ms` counts from the call on.
        """
        options = _options.of_run(time_limit_ms=time_limit_ms, memory_limit=memory_limit)
        held = contextlib.ExitStack()
        try:
            pointer = held.enter_context(self._use())
            self._set_all(pointer, inputs, lod)
            self._select(pointer, outputs)
            token = (self._pid, id(self))
            self._model.running.add(token)
            held.callback(self._model.running.discard, token)
            held.enter_context(self._observer or contextlib.nullcontext())
            self._runs_async = True
            held.callback(self._end_async)
            run = AsyncRun(self, held)
            run._start(pointer, options)
        except BaseException:
            held.close()
            raise
        return run

    def _end_async(self) -> None:
        self._runs_async = False

    def _await_run(self) -> None:
        """Returns when the last asynchronous run has ended and was told of, however it ended."""
        with contextlib.suppress(Error):
            _library.call("session_wait", self._pointer)

    def _run_without_results(self, inputs: Inputs = None, lod: Mapping[str, Lod] | None = None) -> None:
        """As `run`, for those who read results by `output`."""
        with self._use() as pointer:
            self._set_all(pointer, inputs, lod)
            self._select(pointer, None)
            self._run_in(pointer)

    def _select(self, pointer, outputs: Outputs) -> None:
        """Has the next run compute these."""
        names = None
        if outputs is not None:
            given = [outputs] if isinstance(outputs, (str, int)) else list(outputs)
            names = tuple(each if isinstance(each, str) else self._model.outputs[self._model.index("output", each)].name for each in given)
            if not names:
                raise InvalidArgumentError("outputs is empty; expected names or indexes of outputs, or None for all of them")
        if names == self._selected:
            return
        texts = [name.encode() for name in names or ()]
        _library.call("session_select_outputs", pointer, (ctypes.c_char_p * len(texts))(*texts), len(texts))
        self._selected = names

    def _results(self, pointer) -> Results:
        arrays, lods = {}, {}
        numbers = {info.name: index for index, info in enumerate(self._model.outputs)}
        for name in self._selected or numbers:
            arrays[name], lod = self._output(pointer, numbers[name]) if name in numbers else (self._kept(pointer, name), [])
            if lod:
                lods[name] = lod
        return Results(arrays, lods)

    @staticmethod
    def _view(pointer, index: int) -> _library.TensorView:
        view = _library.TensorView()
        _library.call("session_output", pointer, index, ctypes.byref(view))
        return view

    def _output(self, pointer, index: int) -> tuple[Any, list[list[int]]]:
        if index in self._bound and self._bound[index] is None:
            made = ctypes.c_void_p()
            _library.call("session_output_on_device", pointer, index, ctypes.byref(made))
            tensor = DeviceTensor(made)
            view = _library.TensorView()
            _library.call("device_tensor_view", made, ctypes.byref(view))
            return tensor, self._output_lod(pointer, index, view)
        view = self._view(pointer, index)
        if index in self._bound and _arrays.element_type(self._bound[index], view.dtype) == view.dtype:
            shape = tuple(view.dims[:view.rank])
            array = self._bound[index].reshape(-1)[:int(np.prod(shape, dtype=np.int64))].reshape(shape)
            return array, self._output_lod(pointer, index, view)
        array = np.empty(tuple(view.dims[:view.rank]), _arrays.numpy_dtype(view.dtype))
        _library.call("session_copy_output", pointer, index, _arrays.pointer(array), view.bytes)
        return array, self._output_lod(pointer, index, view)

    @staticmethod
    def _output_lod(pointer, index: int, view: _library.TensorView) -> list[list[int]]:
        lod = []
        for level in range(view.lod_levels):
            offsets, size = ctypes.POINTER(ctypes.c_size_t)(), ctypes.c_size_t()
            _library.call("session_output_lod", pointer, index, level, ctypes.byref(offsets), ctypes.byref(size))
            lod.append(offsets[:size.value])
        return lod

    def output(self, name: str | int = 0) -> np.ndarray | DeviceTensor:
        """A result of the last run, by name or index, as a new array, or a DeviceTensor where it stays on the device.
        InvalidArgumentError if no run succeeded yet."""
        with self._use() as pointer:
            return self._output(pointer, self._model.index("output", name))[0]

    def output_shape(self, name: str | int = 0) -> tuple[int, ...]:
        """The shape of a result of the last run."""
        with self._use() as pointer:
            index = self._model.index("output", name)
            if index in self._bound and self._bound[index] is None:
                return self._output(pointer, index)[0].shape
            view = self._view(pointer, index)
            return tuple(view.dims[:view.rank])

    def output_lod(self, name: str | int = 0) -> list[list[int]]:
        """Sequence offsets of a result of the last run, coarsest level first; [] if it has none."""
        with self._use() as pointer:
            return self._output(pointer, self._model.index("output", name))[1]

    def tensor(self, name: str) -> np.ndarray:
        """A variable of the last run that `coracle.load(..., keep_tensors=...)` keeps, as a new array."""
        with self._use() as pointer:
            return self._kept(pointer, name)

    @staticmethod
    def _kept(pointer, name: str) -> np.ndarray:
        view = _library.TensorView()
        _library.call("session_tensor", pointer, name.encode(), ctypes.byref(view))
        array = np.empty(tuple(view.dims[:view.rank]), _arrays.numpy_dtype(view.dtype))
        if view.bytes:
            ctypes.memmove(_arrays.pointer(array), view.data, view.bytes)
        return array

    def profile(self, inputs: Inputs = None, lod: Mapping[str, Lod] | None = None) -> Profile:
        """Runs once with the time of each operator taken. Inputs as for `run`; the first run of new shapes also plans."""
        with self._use() as pointer:
            self._set_all(pointer, inputs, lod)
            _library.call("session_set_profiling", pointer, 1)
            try:
                self._run_in(pointer)
                return Profile(self._json("session_profile", pointer))
            finally:
                _library.call("session_set_profiling", pointer, 0)

    def explain(self, inputs: Inputs = None, lod: Mapping[str, Lod] | None = None) -> list[dict[str, Any]]:
        """The kernel of each node for the inputs set now, and why better ones were passed over, without a run.

        A list of {"node", "op", "kernel", "inputs", "outputs", "refused": [{"kernel", "reason"}]}; nodes behind a result whose size
        depends on data are not listed.
        """
        with self._use() as pointer:
            self._set_all(pointer, inputs, lod)
            return self._json("session_explain", pointer)

    @staticmethod
    def _json(function: str, pointer) -> list[dict[str, Any]]:
        text = ctypes.c_char_p()
        _library.call(function, pointer, ctypes.byref(text))
        return json.loads((text.value or b"[]").decode("utf-8", "replace"))

    def planned_memory(self, inputs: Inputs = None, lod: Mapping[str, Lod] | None = None) -> int:
        """Bytes of the tensors a run with the inputs set now would take, as far as that is known before a run."""
        with self._use() as pointer:
            self._set_all(pointer, inputs, lod)
            size = ctypes.c_size_t()
            _library.call("session_planned_memory", pointer, ctypes.byref(size))
            return size.value

    @property
    def memory(self) -> Memory:
        """What the session holds now."""
        with self._use() as pointer:
            memory = _library.Memory()
            _library.call("session_memory", pointer, ctypes.byref(memory))
            device = ctypes.c_size_t()
            _library.call("session_device_memory", pointer, ctypes.byref(device))
            return Memory(memory.arena, memory.plans, device.value)

    def release_memory(self) -> int:
        """Gives back what can be made again (intermediate tensors, plans, results); returns about how many bytes that was."""
        with self._use() as pointer:
            size = ctypes.c_size_t()
            _library.call("session_release_memory", pointer, ctypes.byref(size))
            return size.value

    def machine_limits(self) -> MachineLimits:
        """Measures what this machine reaches with the session's threads, to compare profiles with; some tenths of a second."""
        with self._use() as pointer:
            limits = _library.MachineLimits()
            _library.call("session_machine_limits", pointer, ctypes.byref(limits))
            return MachineLimits(limits.flops_per_second, limits.bytes_per_second)
