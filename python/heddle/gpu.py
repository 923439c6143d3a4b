"""The simulated GPU and its memory.

A Gpu is one machine with device memory, loaded programs and the figures of its launches. Its arrays
are NumPy arrays whose elements lie in the GPU's memory: host code and kernels see one copy, at a
device address that is the same in every run, so that cycles are too. program.py has programs and
launches.
"""

import json
import os
import subprocess
import sys
import tempfile
import warnings
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Union

import numpy as np

from ._library import Error, InputError, check, ffi, find_command, lib, taken, text
from .machines import Value, settings
from .picture import Picture
from .program import Module
from .run import Run

_CODE = {"ptx": "HEDDLE_CODE_PTX", "fermi": "HEDDLE_CODE_FERMI", "tesla": "HEDDLE_CODE_TESLA"}


class _Handle:
    """A struct heddle, closed when neither its Gpu nor an array or program of it is left."""

    def __init__(self, options):
        self.tells_init = bool(options.check_init)
        self.c = None
        out = ffi.new("struct heddle **")
        status = lib.heddle_open(out, options)
        self.c = out[0]
        if status != lib.HEDDLE_OK:
            message = text(lib.heddle_message(self.c)) if self.c else "the GPU cannot be opened"
            if self.c:
                lib.heddle_close(self.c)
            self.c = None
            raise InputError(message)

    def __del__(self):
        if self.c:
            lib.heddle_close(self.c)
            self.c = None


class _Memory:
    """An allocation of device memory, as NumPy sees it; freed when no array shows it any more."""

    def __init__(self, handle: _Handle, size: int):
        out = ffi.new("uint64_t *")
        check(handle.c, lib.heddle_malloc(handle.c, max(size, 1), out))
        self.handle, self.address, self.size = handle, out[0], size
        where = ffi.new("struct heddle_range *")
        check(handle.c, lib.heddle_range(handle.c, self.address, where))
        self.host = int(ffi.cast("uintptr_t", where.host))
        self.__array_interface__ = {
            "version": 3, "shape": (size,), "typestr": "|u1", "data": (self.host, False),
        }

    def __del__(self):
        if getattr(self, "address", None) and self.handle.c:
            lib.heddle_free(self.handle.c, self.address)


class Array(np.ndarray):
    """A NumPy array in the memory of a simulated GPU: Gpu.array(), Gpu.zeros() and Gpu.empty() make
    it. Kernels take it as a pointer and change it in place. Results of arithmetic lie in host
    memory, as those of every NumPy operation do."""

    _memory: Optional[_Memory]

    # Gpu(check="init") has to hear of what the host writes.

    def __setitem__(self, key, value):
        super().__setitem__(key, value)
        self._mark_written()

    def fill(self, value):
        super().fill(value)
        self._mark_written()

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **keywords):
        plain = [np.asarray(x) if isinstance(x, Array) else x for x in inputs]
        if out is not None:
            keywords["out"] = tuple(np.asarray(x) if isinstance(x, Array) else x for x in out)
        result = getattr(ufunc, method)(*plain, **keywords)
        for array in out or ():
            if isinstance(array, Array):
                array._mark_written()
        return out[0] if out is not None and len(out) == 1 else result

    def _mark_written(self):
        memory = self._memory
        if memory is not None and memory.handle.tells_init and self.device_address:
            bytes_now = bytes(ffi.buffer(ffi.cast("char *", memory.host), memory.size))
            lib.heddle_write(memory.handle.c, memory.address, bytes_now, memory.size)

    def __array_finalize__(self, source):
        self._memory = getattr(source, "_memory", None)

    @property
    def device_address(self) -> int:
        """Address of the first element in device memory; 0 if the array is in host memory."""
        memory = self._memory
        if memory is None:
            return 0
        offset = self.ctypes.data - memory.host
        return memory.address + offset if 0 <= offset < max(memory.size, 1) else 0


class Gpu:
    """A simulated GPU.

    machine: the name of a machine (heddle.machines() lists them) or a configuration file; None:
    functional mode, which executes kernels without a notion of time.
    options: settings over the machine's, {"sm.scheduler": "lrr"}.
    timing: cycle by cycle; the default where a machine is given.
    threads: host threads; results do not depend on their number.
    check: further checks, any of "race", "init" and "scalar".
    code: what PTX runs as: "ptx", "fermi" or "tesla".
    series: rows of the time series of all launches (0: none), for Gpu.series() and Gpu.picture().
    max_instructions, max_cycles: what one launch may take; 0: no limit.
    profile: counts what each instruction waits for.
    """

    def __init__(
        self,
        machine: Optional[Union[str, os.PathLike]] = None,
        options: Optional[Mapping[str, Value]] = None,
        timing: Optional[bool] = None,
        threads: int = 1,
        check: Union[str, Sequence[str]] = (),
        code: str = "ptx",
        series: int = 0,
        max_instructions: int = 0,
        max_cycles: int = 0,
        memory: int = 0,
        profile: bool = False,
    ):
        checks = [check] if isinstance(check, str) else list(check)
        for name in checks:
            if name not in ("race", "init", "scalar"):
                raise InputError("check %r: race, init or scalar is expected" % name)
        if code not in _CODE:
            raise InputError("code %r: ptx, fermi or tesla is expected" % code)
        for name, value in (("threads", threads), ("series", series), ("memory", memory),
                            ("max_instructions", max_instructions), ("max_cycles", max_cycles)):
            if value < 0:
                raise InputError("%s = %r: a number of at least 0 is expected" % (name, value))
        o = ffi.new("struct heddle_options *")
        array, alive = settings(options or {})
        config = ffi.new("char[]", os.fsencode(machine)) if machine is not None else ffi.NULL
        o.threads, o.max_instructions, o.max_cycles = threads, max_instructions, max_cycles
        o.check_race, o.check_init, o.check_scalar, o.check_control = (
            n in checks for n in ("race", "init", "scalar", "control-bits"))
        o.config, o.set, o.code = config, array, getattr(lib, _CODE[code])
        o.timing = (machine is not None or bool(options)) if timing is None else timing
        o.series, o.memory_bytes, o.profile, o.sums = series, memory, profile, True
        if o.timing and machine is None:
            raise InputError("timing mode needs a machine: one of heddle.machines() or a file")
        o.warn, o.output, o.progress = self._warn_back, self._print_back, self._look_up = (
            ffi.callback("void(void *, const char *)", self._warn),
            ffi.callback("void(void *, const char *, size_t)", self._print),
            ffi.callback("void(void *, uint64_t, uint64_t, uint64_t)", self._keep_alive,
                         onerror=self._interrupt),
        )
        self._handle = _Handle(o)
        self._alive = (o, array, alive, config)
        self.machine = machine
        message = text(lib.heddle_message(self._handle.c))
        if message:
            warnings.warn(message, stacklevel=2)

    # ---- what the library tells while a launch runs ----

    def _warn(self, _arg, said):
        warnings.warn(text(said), stacklevel=2)

    def _print(self, _arg, said, size):
        sys.stdout.write(ffi.buffer(said, size)[:].decode("utf-8", "replace"))

    def _keep_alive(self, _arg, _done, _blocks, _instructions):
        """Python handles signals between two of its own instructions, which is here."""

    def _interrupt(self, kind, _value, _trace):
        if issubclass(kind, KeyboardInterrupt):
            lib.heddle_interrupt(self._handle.c)

    # ---- life ----

    def close(self) -> None:
        """Gives the GPU up. Its memory stays as long as one of its arrays or programs is left."""
        self._handle = None

    def __enter__(self) -> "Gpu":
        return self

    def __exit__(self, *_):
        self.close()

    @property
    def _c(self):
        if self._handle is None:
            raise Error("the GPU is closed")
        return self._handle.c

    @property
    def device(self) -> Dict[str, Any]:
        """What programs may ask of the device: name, capability, sms, warp_size, sizes, clocks."""
        d = ffi.new("struct heddle_device *")
        lib.heddle_device(self._c, d)
        facts = {name: getattr(d, name) for name, _ in ffi.typeof(d[0]).fields if name != "name"}
        return {"name": text(d.name), **facts}

    # ---- memory ----

    def empty(self, shape, dtype=np.float32) -> Array:
        """An array in device memory whose elements nobody has written."""
        self._c
        dtype = np.dtype(dtype)
        if dtype.hasobject or dtype.kind in "USMm":
            raise TypeError("an array of %s has no numbers of the device; numbers or records of numbers are expected" % dtype)
        if dtype != dtype.newbyteorder("<"):
            raise TypeError("an array of %s has the most significant byte first; expected %s, as by astype" % (
                dtype, dtype.newbyteorder("<")))
        count = int(np.prod(shape, dtype=np.int64))
        memory = _Memory(self._handle, count * dtype.itemsize)
        array = np.asarray(memory).view(dtype).reshape(shape).view(Array)
        array._memory = memory
        return array

    def zeros(self, shape, dtype=np.float32) -> Array:
        """An array of zeros in device memory."""
        array = self.empty(shape, dtype)
        check(self._c, lib.heddle_fill(self._c, array._memory.address, 0, 1, array.nbytes))
        return array

    def array(self, data, dtype=None) -> Array:
        """A copy of data in device memory."""
        source = np.ascontiguousarray(data, dtype=dtype)
        array = self.empty(np.shape(data), source.dtype)
        self._write(array._memory.address, source)
        return array

    def _write(self, address: int, source: np.ndarray) -> None:
        if source.nbytes:
            check(self._c, lib.heddle_write(self._c, address, ffi.from_buffer(source.view(np.uint8).reshape(-1)
                                                                             if source.ndim else source.tobytes()),
                                            source.nbytes))

    # ---- programs ----

    def load(self, program: Union[str, bytes, os.PathLike], arch: Optional[str] = None,
             flags: Iterable[str] = ()) -> Module:
        """Loads a program: a file (.ptx, .cubin, a listing, .cu), PTX text, the bytes of a cubin, or
        CUDA C++ source. CUDA source is compiled by `heddle cc` (clang) for arch ("sm_80") with
        further flags of nvcc (["-O3", "-DN=4"])."""
        name, data = _read_program(program)
        if _is_source(name, data):
            data = compile_source(data, name, arch, flags)
            name += ".ptx"
        return Module(self, name, data)

    # ---- figures ----

    @property
    def runs(self) -> List[Run]:
        """All launches so far, with their figures."""
        return [Run(self, i) for i in range(lib.heddle_stats_count(self._c))]

    def statistics(self) -> Dict[str, Any]:
        """All figures of all launches, as `heddle run --stats` writes them
        (docs/reference/statistics.md)."""
        return json.loads(taken(lib.heddle_stats_json(self._c)) or "{}")

    def series(self) -> Dict[str, np.ndarray]:
        """The time series of all launches, by column; "cycle" is where a row's time ends. The GPU has
        to be made with series=N."""
        said = self.statistics().get("series")
        if not said:
            raise InputError("there is no time series: Gpu(machine=..., series=200) keeps one of 200 rows")
        rows = np.array(said["rows"], dtype=float).reshape(len(said["rows"]), len(said["columns"]))
        columns = {name: rows[:, i] for i, name in enumerate(said["columns"])}
        return {"cycle": np.array(said["end"], dtype=float), **columns}

    def picture(self, columns: Optional[Sequence[str]] = None) -> Picture:
        """A drawing of the time series, which notebooks show."""
        return Picture(self.series(), columns)


def _read_program(program):
    if isinstance(program, bytes):
        return "program", program
    if not isinstance(program, (str, os.PathLike)):
        raise TypeError("a file's name, PTX, CUDA source or the bytes of a cubin is expected, not %s" % type(program).__name__)
    if not isinstance(program, os.PathLike) and not program.strip():
        raise InputError("the program is empty; a file's name, PTX or CUDA source is expected")
    if isinstance(program, os.PathLike) or "\n" not in program and "{" not in program:
        path = os.fspath(program)
        try:
            with open(path, "rb") as file:
                return path, file.read()
        except OSError as error:
            raise InputError("%s: %s" % (path, error.strerror)) from None
    return "program", program.encode()


def _is_source(name: str, data: bytes) -> bool:
    if name.endswith((".cu", ".cuh", ".cpp", ".cc")):
        return True
    return not name.endswith((".ptx", ".cubin", ".sass", ".ptxplus")) and b"__global__" in data


def compile_source(source: bytes, name: str = "program.cu", arch: Optional[str] = None,
                   flags: Iterable[str] = ()) -> bytes:
    """CUDA C++ source as PTX. A file's own folder is searched for what it includes."""
    with tempfile.TemporaryDirectory(prefix="heddle-") as folder:
        unit, out = os.path.join(folder, "program.cu"), os.path.join(folder, "program.ptx")
        on_disk = os.path.exists(name)
        if not on_disk:
            with open(unit, "wb") as file:
                file.write(source)
        command = [find_command(), "cc", "-ptx", "-x", "cu", "-o", out, name if on_disk else unit]
        command += ["-arch=" + arch] if arch else []
        done = subprocess.run(command + list(flags), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode or not os.path.exists(out):
            said = done.stdout.decode("utf-8", "replace").replace(unit, "program.cu").strip()
            raise InputError("CUDA source does not compile:\n" + said)
        with open(out, "rb") as file:
            return file.read()
