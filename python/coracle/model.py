# SPDX-License-Identifier: Apache-2.0
"""Models: loading, what is in them, and calling them."""

from __future__ import annotations

import ctypes
import json
import os
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Union

import numpy as np

from . import _arrays, _library, _html
from ._callbacks import AfterPass
from ._handle import ModelHandle, TensorInfo
from ._interrupt import Interruptible
from .errors import InvalidArgumentError, counted, named_files
from .operators import GivenOperators, Operator
from .pool import Pool
from .results import Results
from .session import Inputs, Lod, Outputs, Session

Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]
Names = Union[str, Iterable[str], None]
Shapes = Union[str, Iterable[str], Mapping[str, Sequence[Sequence[int]]], None]
PassFunction = Callable[[str, int, str, str], object]


def load(path: Path, params: Path | None = None, *, cpu_isa: str | None = None, disable_passes: Names = None,
         max_rewrites: int | None = None, disable_kernels: Names = None, keep_tensors: Names = None,
         precision: str | None = None, emulate_tiles: bool = False, time_limit_ms: int = 0, weights: str | None = None,
         check_declared_sizes: bool = False, check_weights: bool = False, weights_cache_bytes: int | None = None,
         device: str | None = None, engines: Names = None, min_ops: int | None = None, marks: Names = None, shapes: Shapes = None,
         allow_outside_links: bool = False, operators: Sequence[Operator] | None = None,
         after_pass: PassFunction | None = None) -> Model:
    """Loads a model: `coracle.load("ch_PP-OCRv4_det_infer")`.

    `path`: a folder, an archive of one (`.tar`, `.tar.gz`, `.zip`; it is read where it is), a file of `Model.save`, a program file
    (`.pdmodel`, `__model__`, `.json`) or a parameter file; the other file is found by Paddle's naming rules unless `params` names it. They are read once, and may change or go while the model lives, but for mapped ones.

    Args:
        params: The parameter file, where Paddle's naming rules do not find it.
        cpu_isa: The widest instruction set to use: "sse2", "avx2", ...
        disable_passes: Names of rewrites to leave out (of `coracle.pass_names()`), or "all". Names are a list or separated by commas.
        max_rewrites: Stop after that many single rewrites (to bisect).
        disable_kernels: Prefixes of the names of kernels to leave out.
        keep_tensors: Names of variables that `Session.tensor` can read, or "*".
        precision: Of products on machines with matrix tiles (Intel AMX): "strict" (not on tiles), "default" (as exact as without tiles),
            "high" (errors of 4e-6) or "bf16" (errors of 2e-3). "tf32": on NVIDIA's GPUs operands may be rounded to 11 bits (errors of
            2e-4); elsewhere as "high". There "bf16" rounds, too. "fp16": on devices products and what lies between them have tensors
            of float16; elsewhere as "high". "int8": as "default", and engines may compute quantised operators with integers of their own.
        emulate_tiles: Machines without matrix tiles compute the same in ordinary vectors, slowly.
        time_limit_ms: Bound on the time of loading in milliseconds (RunFailureError beyond it); 0 is none.
        weights: "copied" reads them into memory. "mapped" uses them in the file, so that processes share them: whoever cuts such a file
            short ends this process, whoever writes to it changes results. "automatic" or None maps files that nobody has the
            permission to write, on a disk of this machine, and copies all others.
        check_declared_sizes: Inputs must have the fixed sizes that the model declares; otherwise other sizes are tried.
        check_weights: The weights of a file of `Model.save` are compared with its checksums.
        weights_cache_bytes: Bound on the weights in the order of kernels that the model keeps for its sessions (`Model.packed_bytes`);
            None is none. What has no room is packed by each plan for itself.
        device: Where operators run if it has kernels for them: "opencl", or "opencl:1" for the second of that kind. "cpu" or None is
            none.
        engines: Engines that run parts of the model, in order of preference: ["openvino", "xnnpack"], "openvino:GPU" for one of an
            engine's devices. What they do not take runs as without engines, and so does everything where they are missing;
            `Model.engines` says what they took.
        min_ops: The least number of operators of such a part; 2 unless given.
        marks: Operators that go to an engine: "openvino:NAME", "openvino=TYPE", "openvino@SCOPE", "openvino:A..B" (between two
            variables).
        shapes: The least, usual and largest sizes of inputs, for which engines compile parts once:
            {"x": ([1, 3, 48, 32], [1, 3, 48, 320], [8, 3, 48, 3200])}, or "x=1x3x48x32..1x3x48x320..8x3x48x3200". Other sizes run as
            without engines.
        allow_outside_links: Files of single parameters may be links out of the model's folder, as DVC, Bazel and Nix make them.
        operators: Operators of one's own (`coracle.Operator`) that this model may name, beside those that are registered.
        after_pass: Called in this thread after each rewrite as `after_pass(name, count, text, dot)`: the rewrite's name, how often it
            changed something, and the graph as text and in the language of Graphviz; first with the name "loaded" and the graph as it
            was read. What it raises comes out of `load`. A pickled model does not keep it.

    Raises MissingFileError (a FileNotFoundError) if `path` or `params` is not there, FileError if a file cannot be read,
    InvalidModelError if it is damaged, UnsupportedError if it has operators that do not exist here (`coracle.inspect` lists them), InvalidArgumentError for wrong options.
    """
    options = _given(locals())
    pointer = ctypes.c_void_p()
    structure = _options(options)
    with AfterPass(after_pass, structure), _with_operators(operators, structure), _interruptible(structure), named_files(path, params):
        _library.call("model_load", _library.path_bytes(path), None if params is None else _library.path_bytes(params),
                      ctypes.byref(structure), ctypes.byref(pointer))
        handle = ModelHandle(pointer)
    source = (os.path.abspath(os.fsdecode(path)), None if params is None else os.path.abspath(os.fsdecode(params)))
    return Model(handle, load, source, options)


def load_memory(program: Any, params: Any = b"", *, cpu_isa: str | None = None, disable_passes: Names = None,
                max_rewrites: int | None = None, disable_kernels: Names = None, keep_tensors: Names = None,
                precision: str | None = None, emulate_tiles: bool = False, time_limit_ms: int = 0,
                check_declared_sizes: bool = False, check_weights: bool = False, weights_cache_bytes: int | None = None,
                device: str | None = None, engines: Names = None, min_ops: int | None = None, marks: Names = None, shapes: Shapes = None,
                operators: Sequence[Operator] | None = None, after_pass: PassFunction | None = None) -> Model:
    """Loads a model from the bytes of its program file and its (combined) parameter file.

    Both are bytes, a memoryview, an mmap or whatever else has a contiguous buffer; they are not copied and must not change
    while the model lives. Options (but for `weights` and `allow_outside_links`) and errors as for `load`.
    """
    options = _given(locals())
    buffers = tuple(_bytes(name, given) for name, given in (("program", program), ("params", params)))
    if not buffers[0].size:
        raise InvalidArgumentError("program is empty; expected the bytes of a program file (.pdmodel, __model__, .json)")
    pointer = ctypes.c_void_p()
    structure = _options(options)
    where = [(_arrays.pointer(b) if b.size else None, b.size) for b in buffers]
    with AfterPass(after_pass, structure), _with_operators(operators, structure), _interruptible(structure):
        _library.call("model_load_memory", *where[0], *where[1], ctypes.byref(structure), ctypes.byref(pointer))
        handle = ModelHandle(pointer, buffers)
    return Model(handle, load_memory, (program, params), options)


def inspect(path: Path, params: Path | None = None) -> dict[str, Any]:
    """What is in a model that need not be runnable, without its weights: format, producer, inputs, outputs, operators with counts,
    and in "unsupported" the operators that do not exist here, with reasons. Arguments and FileError, InvalidModelError as for `load`.
    """
    with named_files(path, params):
        return json.loads(_library.owned_text("inspect", _library.path_bytes(path), None if params is None else _library.path_bytes(params)))


def devices() -> dict[str, Any]:
    """The devices of this machine beside the CPU: in "devices" kind, index, name, driver, memory and limits of each, in "missing" why there
    is none of a kind.
    """
    return json.loads(_library.owned_text("devices"))


def missing_device(device: str) -> str | None:
    """None if this machine has the device, as `load` names it ("cuda:1"); otherwise why it has none of that kind, and what to do. Raises
    UnsupportedError where there is a driver and nothing of it can be used, InvalidArgumentError where it has other devices. Loads the driver.
    """
    return _library.owned_text("find_device", device.encode()) or None


def available_engines(*names: str) -> list[dict[str, str]]:
    """Engines that may run parts of models (`engines` of `coracle.load`): "name", and "version" and "file", or in "missing" what an engine
    lacks and what to do. Those of the given names, or without any the engines of this build and the plug-ins that are found.
    """
    asked = ",".join(names).encode() if names else None
    return json.loads(_library.owned_text("engines", asked))["engines"]


def pass_names() -> list[str]:
    """Names of the rewrites that loading does, in their order; some run twice. For `coracle.load(disable_passes=...)`."""
    names: list[str] = []
    while name := _library.ask("pass_name", len(names)):
        names.append(name.decode())
    return names


def _bytes(name: str, given: Any) -> np.ndarray:
    try:
        return np.frombuffer(given, np.uint8) if len(given) else np.empty(0, np.uint8)
    except (TypeError, ValueError, BufferError) as error:
        raise InvalidArgumentError("%s is a %s, expected bytes: %s" % (name, type(given).__name__, error)) from error


def _interruptible(structure: _library.ModelOptions) -> Interruptible:
    """Around a call that loads."""
    flag = ctypes.c_uint32(0)
    structure.cancelled = ctypes.pointer(flag)
    return Interruptible(lambda: setattr(flag, "value", 1))


def _with_operators(operators: Sequence[Operator] | None, structure: _library.ModelOptions) -> GivenOperators:
    """Around a call that loads."""
    given = GivenOperators(operators or ())
    structure.operator_count = len(given.structures)
    structure.operators = ctypes.cast(given.structures, ctypes.c_void_p)
    return given


# The fields of coracle_model_options that are keyword arguments; the others are functions and pointers of this module.
_OPTIONS = {name: kind for name, kind in _library.ModelOptions._fields_
            if kind in (ctypes.c_char_p, ctypes.c_int64, ctypes.c_size_t, ctypes.c_int32) and name != "operator_count"}


def _given(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The options among a function's arguments."""
    return {name: value for name, value in arguments.items() if name in _OPTIONS or name == "operators"}


def _range(name: str, sizes: Sequence[Sequence[int]]) -> str:
    """Least, usual and most sizes of an input as coracle_model_options has them."""
    try:
        least, usual, most = ("x".join(str(int(size)) for size in each) for each in sizes)
    except (TypeError, ValueError) as error:
        raise InvalidArgumentError("shapes has %r for the input %r, expected three lists of sizes: least, usual, most" % (sizes, name)) from error
    return "%s=%s..%s..%s" % (name, least, usual, most)


def _options(given: Mapping[str, Any]) -> _library.ModelOptions:
    options = _library.ModelOptions()
    _library.ask("model_options_init", ctypes.byref(options), ctypes.sizeof(options))
    for name, value in given.items():
        if value is None or name == "operators":
            continue
        if _OPTIONS[name] in (ctypes.c_int64, ctypes.c_size_t):
            if not isinstance(value, int) or (_OPTIONS[name] is ctypes.c_size_t and value < 0):
                raise InvalidArgumentError("%s is %r, expected an integer" % (name, value))
            setattr(options, name, value)
        elif _OPTIONS[name] is ctypes.c_int32:
            setattr(options, name, bool(value))
        else:
            if name == "shapes" and isinstance(value, Mapping):
                value = [_range(*each) for each in value.items()]
            names = [value] if isinstance(value, str) else list(value)
            if not all(isinstance(each, str) for each in names):
                raise InvalidArgumentError("%s is %r, expected a name or a list of names" % (name, value))
            setattr(options, name, ",".join(names).encode())
    return options


class Model:
    """A loaded model: immutable, usable by any number of threads. Made by `coracle.load`.

    `model(x)` runs it in a session of the calling thread. It can be pickled: by its path, or with its bytes if it was loaded from
    memory. A forked child may use it, and its sessions.
    """

    def __init__(self, handle: ModelHandle, loader, source: tuple, options: Mapping[str, Any]):
        self._handle = handle
        self._loader = loader
        self._source = source
        self._options = dict(options)
        self._threads = threading.local()

    def __reduce__(self):
        source = tuple(bytes(each) for each in self._source) if self._loader is load_memory else self._source
        return _load_again, (self._loader.__name__, source, self._options)

    @property
    def inputs(self) -> tuple[TensorInfo, ...]:
        """Names, element types and shapes of the inputs, in the model's order."""
        return self._handle.inputs

    @property
    def outputs(self) -> tuple[TensorInfo, ...]:
        """The same of the outputs, as far as the file says it."""
        return self._handle.outputs

    @property
    def description(self) -> dict[str, Any]:
        """Format, producer, inputs, outputs, operators with counts, parameters (count and bytes), nodes and rewrites applied."""
        return json.loads(_library.ask("model_description", self._handle.pointer).decode("utf-8", "replace"))

    def check_files(self) -> None:
        """Raises FileError, which names the file and what was expected and found, unless the files that the model was loaded from
        stand where they stood, as the same files with the same size and time of modification. Not seen is writing that leaves both as
        they were. InvalidArgumentError for a model from memory.
        """
        _library.call("model_check", self._handle.pointer)

    def save(self, path: Path, *, packed: bool = False) -> None:
        """Writes the model as it is after rewriting, weights included, to one file, which `load` takes like any model: it needs no
        rewriting and gives the same results to the bit. The file is there whole or not at all, and replaces one of its name.
        packed: with the weights in the order of kernels that sessions of this model have made so far, so that the first run of
        such shapes need not make them; of a model with engines with what these have compiled so far instead.
        Which parts engines run is in the file, and who loads it without engines and marks runs them there, too.
        FileError if it cannot be written.
        """
        _library.call("model_save_packed" if packed else "model_save", self._handle.pointer, _library.path_bytes(path))

    @property
    def packed_bytes(self) -> int:
        """Bytes of weights in the order of kernels that the model keeps for its sessions; those in its file are not among them."""
        return _library.ask("model_packed_bytes", self._handle.pointer)

    @property
    def plan_bytes(self) -> int:
        """Bytes of the plans that the model keeps for its sessions."""
        return _library.ask("model_plan_bytes", self._handle.pointer)

    @property
    def engine_bytes(self) -> int:
        """Bytes of what engines have compiled of the model, as far as they tell; `weights_cache_bytes` is a bound on them, too."""
        return _library.ask("model_engine_bytes", self._handle.pointer)

    @property
    def engines(self) -> dict[str, Any]:
        """In "engines" those that the model uses, with versions, or why they are missing; in "blocks" the parts that they run; in "nodes" each
        node with its block, or why engines do not run it; in "cutting_us" how long it took to find the blocks, in microseconds."""
        return json.loads(_library.owned_text("model_engines", self._handle.pointer))

    @property
    def device_bytes(self) -> int:
        """Bytes of its device's memory that its constants take for all its sessions; what a session takes beside them: `Session.memory`."""
        return _library.ask("model_device_bytes", self._handle.pointer)

    def graph_text(self) -> str:
        """The graph after rewriting, as text."""
        return _library.owned_text("model_graph_text", self._handle.pointer)

    def session(self, threads: int = 0, *, cache_bytes: int | None = None, memory_limit: int = 0, time_limit_ms: int = 0,
                pool: Pool | None = None, cpus: str | Iterable[int] | None = None, parallel_engines: int = 1,
                padding: str | None = None) -> Session:
        """A session, which costs next to nothing before its first run.

        threads: of one run at most, the caller included, 0 is those of the pool, or `default_threads()`; cache_bytes: bound on the
        plans that the model keeps for input shapes seen before (the largest of its sessions' bounds holds), None is what suits the
        model; memory_limit: bound on intermediate tensors and results of a run in bytes, 0 is none;
        time_limit_ms: bound on the time of a run, checked between operators, 0 is none; pool: whose threads help, None for threads of
        its own; cpus: processors for these, "0-3,8" or the numbers, or "node1", as of a Pool (the calling thread: `bind_thread`);
        parallel_engines: blocks on engines and native work that may run at the same time, 1 is one after the other;
        padding: sizes that inputs are padded to, so that runs of many sizes share what few need, as in "ids=1..8x32..128/32" or, with a
        number that is added instead of 0, "mask=1..8x32..128/32:1"; results are cut back. A model sees what is added.
        """
        return Session._create(self._handle, pool, cpus, threads=threads, cache_bytes=cache_bytes, memory_limit=memory_limit,
                               time_limit_ms=time_limit_ms, parallel_engines=parallel_engines, padding=padding)

    def __call__(self, *inputs: Inputs, lod: Mapping[str, Lod] | None = None, outputs: Outputs = None, **named: Any) -> Results:
        """Runs in a session of the calling thread, with `default_threads()` threads: `model(x)`, `model(x, y)` in the order of the
        model's inputs, `model({"x": x})` or `model(x=x)`.

        The arguments, results and errors of `Session.run`, but that every input must be given; `a, b = model(x)` are its first two results.
        """
        given = self._by_name(inputs, named)
        count = len(given) if isinstance(given, Mapping) else int(given is not None)
        if count < len(self.inputs):
            raise InvalidArgumentError("the model has %s, given %d; it takes %s"
                                       % (counted(len(self.inputs), "input"), count, ", ".join(map(str, self.inputs))))
        return self._thread_session().run(given, lod, outputs=outputs)

    def _by_name(self, inputs: tuple[Inputs, ...], named: dict[str, Any]) -> Inputs:
        """What `__call__` was given, as `Session.run` takes it."""
        if named:
            if inputs:
                raise InvalidArgumentError("inputs are given either as arguments in their order or by name")
            return named
        if len(inputs) < 2:
            return inputs[0] if inputs else None
        if len(inputs) != len(self.inputs) or any(isinstance(given, Mapping) for given in inputs):
            raise InvalidArgumentError("the model has %s, given %d in their order; it takes %s (sequence offsets: lod=)"
                                       % (counted(len(self.inputs), "input"), len(inputs), ", ".join(map(str, self.inputs))))
        return {info.name: given for info, given in zip(self.inputs, inputs)}

    def _thread_session(self) -> Session:
        session = getattr(self._threads, "session", None)
        if session is None or session._pid != os.getpid():
            session = self._threads.session = self.session()
        return session

    def __repr__(self) -> str:
        return "<coracle.Model %s: %s -> %s>" % (self._name(), ", ".join(map(str, self.inputs)), ", ".join(map(str, self.outputs)))

    def _name(self) -> str:
        return os.path.basename(self._source[0].rstrip("/")) if self._loader is load else "from memory"

    def _repr_html_(self) -> str:
        description = self.description
        parameters = description["parameters"]
        facts = "%s, made by Paddle %s; %s parameters in %d tensors, %.1f MB; %d operators, %d nodes after rewriting" % (
            description["format"], description["producer"] or "?", format(parameters["elements"], ","), parameters["count"],
            parameters["bytes"] / 1e6, sum(description["operators"].values()), description["nodes"])
        rows = [(kind, info.name, info.dtype, str(info)[len(info.name) + 2 + len(info.dtype):])
                for kind, infos in (("input", self.inputs), ("output", self.outputs)) for info in infos]
        operators = sorted(description["operators"].items(), key=lambda item: (-item[1], item[0]))
        return (_html.heading("coracle.Model " + self._name()) + _html.paragraph(facts)
                + _html.table(("", "name", "element type", "shape"), rows)
                + _html.folded("operators", _html.table(("operator", "count"), operators)))


def _load_again(loader: str, source: tuple, options: Mapping[str, Any]) -> Model:
    """What a pickled model is made from."""
    return {"load": load, "load_memory": load_memory}[loader](*source, **options)
