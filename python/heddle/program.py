"""Loaded programs, their kernels, and launches.

A kernel's arguments are converted by the types of its parameters: an array is a pointer, a Python
number takes the parameter's type if its value fits, a NumPy scalar has to have the parameter's size.
"""

import struct
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Sequence, Tuple, Union

import numpy as np

from ._library import InputError, Interrupted, check, ffi, lib, text
from .run import Run

if TYPE_CHECKING:
    from .gpu import Gpu

Size = Union[int, Sequence[int]]


def _three(what: str, size: Size) -> List[int]:
    numbers = list(size) if isinstance(size, (tuple, list, np.ndarray)) else [size]
    if not 1 <= len(numbers) <= 3 or not all(isinstance(n, (int, np.integer)) and 0 < n < 1 << 32 for n in numbers):
        raise InputError("%s = %r: one to three positive numbers are expected" % (what, size))
    return [int(n) for n in numbers] + [1] * (3 - len(numbers))


class Module:
    """A loaded program: its kernels by name, and its variables."""

    def __init__(self, gpu: "Gpu", name: str, data: bytes):
        self.gpu, self.name = gpu, name
        unit = ffi.new("struct heddle_text *")
        held = [ffi.new("char[]", name.encode()), ffi.from_buffer(data)]
        unit.name, unit.data, unit.size = held[0], held[1], len(data)
        out = ffi.new("struct heddle_module **")
        check(gpu._c, lib.heddle_load(gpu._c, unit, 1, out))
        self._m, self._handle = out[0], gpu._handle

    def __iter__(self) -> Iterator["Kernel"]:
        return (Kernel(self, lib.heddle_kernel_at(self._m, i)) for i in range(len(self)))

    def __len__(self) -> int:
        self.gpu._c
        return lib.heddle_kernel_count(self._m)

    def __getitem__(self, name: str) -> "Kernel":
        """The kernel of that name: as the program has it, or as people write it (ns::scale)."""
        self.gpu._c
        found = lib.heddle_kernel_find(self._m, name.encode())
        if found:
            return Kernel(self, found)
        alike = [k for k in self if k.plain_name == name]
        if len(alike) == 1:
            return alike[0]
        have = ", ".join(k.plain_name for k in self) or "none"
        raise KeyError("%s: no kernel %r%s; it has: %s" % (self.name, name, " alone" if alike else "", have))

    def variable(self, name: str) -> Tuple[int, int]:
        """Device address and size in bytes of a variable at module scope."""
        address, size = ffi.new("uint64_t *"), ffi.new("uint64_t *")
        check(self.gpu._c, lib.heddle_symbol(self.gpu._c, self._m, name.encode(), address, size))
        return address[0], size[0]

    def read_variable(self, name: str, dtype=np.uint8) -> np.ndarray:
        """The contents of a variable at module scope, as a copy."""
        address, size = self.variable(name)
        out = np.empty(size, np.uint8)
        check(self.gpu._c, lib.heddle_read(self.gpu._c, ffi.from_buffer(out), address, size))
        return out.view(dtype)

    def write_variable(self, name: str, value) -> None:
        """Sets a variable at module scope; the value has exactly its size."""
        address, size = self.variable(name)
        source = np.ascontiguousarray(value)
        if source.nbytes != size:
            raise InputError("variable %s has %d bytes, its new value has %d" % (name, size, source.nbytes))
        check(self.gpu._c, lib.heddle_write(self.gpu._c, address, source.tobytes(), size))


class Kernel:
    """An entry of a module. Calling it launches it: kernel(grid=4, block=256, args=[x, 1000])."""

    def __init__(self, module: Module, kernel):
        self.module, self._k = module, kernel
        info = ffi.new("struct heddle_kernel_info *")
        lib.heddle_kernel_info(kernel, info)
        self._info = info
        self.name = text(info.name)

    def __repr__(self) -> str:
        return "<heddle.Kernel %s(%s)>" % (self.plain_name, ", ".join(p["type"] for p in self.parameters))

    @property
    def plain_name(self) -> str:
        """The name as people write it: _ZN2ns3runIiEEvv is ns::run."""
        out = ffi.new("char[1024]")
        return text(lib.heddle_plain_name(self.name.encode(), out, 1024))

    @property
    def facts(self) -> Dict[str, int]:
        """registers, shared_bytes, local_bytes, const_bytes, max_threads, instructions of the kernel."""
        names = ("registers", "shared_bytes", "local_bytes", "const_bytes", "max_threads", "instructions")
        return {n: getattr(self._info, n) for n in names}

    @property
    def parameters(self) -> List[Dict[str, Any]]:
        """name, type ("u64", "f32", "b8" for structures), offset, size, align, count of each parameter."""
        found, p = [], ffi.new("struct heddle_param_info *")
        for i in range(self._info.nparam):
            lib.heddle_param_info(self._k, i, p)
            found.append({"name": text(p.name), "type": text(p.type), "offset": p.offset, "size": p.size,
                          "align": p.align, "count": p.count})
        return found

    def __call__(self, grid: Size, block: Size, args: Sequence[Any] = (), shared: int = 0,
                 cluster: Size = 0, cooperative: bool = False) -> Run:
        """Launches the kernel and waits for its end.

        grid and block: blocks in the grid and threads in a block, up to three numbers each. args: a
        value per parameter; a NumPy array in host memory is copied to the device and, if it can be
        written, back. shared: bytes of dynamic shared memory per block. cluster: blocks per
        cluster (0: what the kernel says).
        """
        gpu = self.module.gpu
        launch = ffi.new("struct heddle_launch *")
        launch.kernel, launch.shared_bytes, launch.cooperative = self._k, shared, cooperative
        launch.grid, launch.block = _three("grid", grid), _three("block", block)
        if not isinstance(cluster, (int, np.integer)) or cluster:
            launch.cluster = _three("cluster", cluster)
        packed, copies = self._pack(args)
        held = ffi.from_buffer(packed)
        launch.params = held
        before = lib.heddle_stats_count(gpu._c)
        status = lib.heddle_launch(gpu._c, launch)
        for host, device in copies:
            if host.flags.writeable:
                host[...] = device
        if status == lib.HEDDLE_INTERRUPTED:
            raise KeyboardInterrupt
        try:
            check(gpu._c, status)
        except Interrupted:
            raise KeyboardInterrupt from None
        return Run(gpu, min(before, lib.heddle_stats_count(gpu._c) - 1))

    # ---- parameters ----

    def _pack(self, args: Sequence[Any]):
        """The parameter block, and pairs of host arrays with their copies in device memory."""
        copies: List[Tuple[np.ndarray, np.ndarray]] = []
        if self._info.untyped_params:
            return self._pack_untyped(args, copies), copies
        params = self.parameters
        if len(args) != len(params):
            raise TypeError("%s takes %d arguments (%s), %d are given" % (
                self.plain_name, len(params), ", ".join(p["type"] for p in params), len(args)))
        block = bytearray(max(self._info.param_bytes, 1))
        for i, (p, value) in enumerate(zip(params, args)):
            what = "%s, argument %d (%s, %s, %d bytes)" % (self.plain_name, i, p["name"], p["type"], p["size"])
            data = self._convert(value, p["type"], p["size"], what, copies)
            block[p["offset"]:p["offset"] + p["size"]] = data
        return bytes(block), copies

    def _pack_untyped(self, args, copies) -> bytes:
        """Machine code whose file lists no parameters: each value at its natural alignment."""
        block = bytearray()
        for i, value in enumerate(args):
            what = "%s, argument %d" % (self.plain_name, i)
            if isinstance(value, np.ndarray) and value.ndim:
                size = self._info.pointer_bytes
                data = self._address(value, copies).to_bytes(size, "little")
            elif isinstance(value, (np.generic, bytes)):
                data = bytes(value) if isinstance(value, bytes) else value.tobytes()
            else:
                raise TypeError(what + ": the code does not list its parameters; a NumPy scalar "
                                "(np.uint32(3)), bytes or an array is expected")
            align = min(len(data) & -len(data), 8) or 1
            block += bytes(-len(block) % align) + data
        if len(block) > self._info.param_bytes:
            raise TypeError("%s takes %d bytes of arguments, %d are given" % (
                self.plain_name, self._info.param_bytes, len(block)))
        return bytes(block) + bytes(self._info.param_bytes - len(block)) + bytes(1)

    def _address(self, array: np.ndarray, copies) -> int:
        """Where a kernel finds the array: in device memory, of this GPU, without gaps."""
        gpu = self.module.gpu
        gpu._c  # a closed GPU says so
        memory = getattr(array, "_memory", None)
        if memory is not None and array.device_address:
            if memory.handle is not gpu._handle:
                raise InputError("%s: the array is in another GPU's memory" % self.plain_name)
            return array.device_address
        if array.dtype.hasobject:
            raise TypeError("%s: an array of Python objects cannot be given to a kernel" % self.plain_name)
        device = gpu.array(array)
        copies.append((array, device))
        return device.device_address

    def _convert(self, value, kind: str, size: int, what: str, copies) -> bytes:
        """The bytes of one argument."""
        if isinstance(value, np.ndarray) and value.ndim:
            if size not in (4, 8):
                raise TypeError("%s: the parameter is no pointer" % what)
            return self._address(value, copies).to_bytes(size, "little")
        if isinstance(value, (bytes, bytearray, memoryview, np.void)):
            data = value.tobytes() if isinstance(value, (np.void, memoryview)) else bytes(value)
        elif isinstance(value, (np.generic, np.ndarray)):
            data = value.tobytes()
        elif isinstance(value, (bool, int)):
            return _pack_integer(int(value), kind, size, what)
        elif isinstance(value, float):
            return _pack_float(value, kind, size, what)
        elif value is None:
            return bytes(size)
        else:
            raise TypeError("%s: a number, an array or bytes is expected, not %s" % (what, type(value).__name__))
        if len(data) != size:
            raise TypeError("%s: the value has %d bytes" % (what, len(data)))
        return data


def _pack_integer(value: int, kind: str, size: int, what: str) -> bytes:
    if kind[0] == "f":
        return _pack_float(float(value), kind, size, what)
    if size not in (1, 2, 4, 8):
        raise TypeError("%s: a structure is given as bytes or as a NumPy record" % what)
    least = 0 if kind[0] == "u" else -(1 << 8 * size - 1)
    most = (1 << 8 * size - 1) - 1 if kind[0] == "s" else (1 << 8 * size) - 1
    # A compiler of C++ may declare the parameter of an int as .u32.
    if kind[0] == "u":
        least = -(1 << 8 * size - 1)
    if not least <= value <= most:
        raise OverflowError("%s: %d does not fit" % (what, value))
    return (value & (1 << 8 * size) - 1).to_bytes(size, "little")


def _pack_float(value: float, kind: str, size: int, what: str) -> bytes:
    if kind[0] in "us" or size not in (2, 4, 8):
        raise TypeError("%s: a float is given, the parameter is none" % what)
    return struct.pack({2: "<e", 4: "<f", 8: "<d"}[size], value)
