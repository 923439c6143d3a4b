"""The shared library libheddle and its errors.

The library is looked for where HEDDLE_LIBRARY says, in the package's own installed tree (a wheel),
in the build folder of a source tree, and where the system keeps libraries. check() turns a status
of the C interface into an exception; every exception derives from Error.
"""

import glob
import os
from typing import Optional, Tuple

from ._names import ffi

HERE = os.path.dirname(os.path.abspath(__file__))


class Error(Exception):
    """An operation of the simulated GPU failed; the text says why and what was expected."""


class InputError(Error, ValueError):
    """A program text, a machine or an option is wrong."""


class OutOfMemory(Error, MemoryError):
    """The simulated GPU has no room for an allocation."""


class LimitError(Error):
    """A launch reached max_instructions or max_cycles."""


class Unsupported(Error, NotImplementedError):
    """Heddle does not have what was asked for."""


class Interrupted(Error):
    """A launch was interrupted."""


class Fault(Error):
    """A kernel did something illegal. The attributes say what and where.

    kind: "bounds", "misaligned", "freed", "read_only", "barrier", "trap", "assert", "stack", "race",
    "uninit", "bad_call", "texture", "instruction", "scalar" or "warp_mask"; kernel: its name; block
    and thread: coordinates; address: of the access; line: of the PTX text (0: unknown); source:
    "file.cu:12", or empty.
    """

    kind: str
    kernel: str
    block: Tuple[int, int, int]
    thread: Tuple[int, int, int]
    address: int
    line: int
    source: str


def _candidates():
    named = os.environ.get("HEDDLE_LIBRARY")
    if named:
        return [named]
    paths = glob.glob(os.path.join(HERE, "installed", "lib", "libheddle.so.*"))
    paths += glob.glob(os.path.join(HERE, "..", "..", "build", "libheddle.so.*"))
    return sorted(paths, reverse=True) + ["libheddle.so.0", "libheddle.so"]


def _open():
    tried = []
    for path in _candidates():
        try:
            return ffi.dlopen(path), path
        except OSError as error:
            tried.append(str(error))
    raise ImportError("libheddle is not found; HEDDLE_LIBRARY may name it. Tried:\n  " + "\n  ".join(tried))


lib, path = _open()


def find_command() -> str:
    """Path of the heddle command, which compiles CUDA source."""
    folder = os.path.dirname(path)
    for place in (os.path.join(folder, "..", "bin", "heddle"), os.path.join(folder, "heddle")):
        if os.access(place, os.X_OK):
            return os.path.abspath(place)
    return "heddle"


def text(pointer) -> str:
    """The string at a char pointer; NULL is the empty string."""
    return ffi.string(pointer).decode("utf-8", "replace") if pointer else ""


def taken(pointer) -> Optional[str]:
    """The string at a malloc'ed char pointer, which is freed; NULL is None."""
    if not pointer:
        return None
    try:
        return text(pointer)
    finally:
        lib.free(pointer)


_CLASSES = {
    lib.HEDDLE_BAD_INPUT: InputError,
    lib.HEDDLE_INVALID: InputError,
    lib.HEDDLE_NOT_FOUND: InputError,
    lib.HEDDLE_NO_MEMORY: OutOfMemory,
    lib.HEDDLE_LIMIT: LimitError,
    lib.HEDDLE_UNSUPPORTED: Unsupported,
    lib.HEDDLE_INTERRUPTED: Interrupted,
}


def _fault(handle, message: str) -> Fault:
    said = lib.heddle_fault(handle)
    fault = Fault(message)
    names = ffi.typeof("enum heddle_fault_kind").elements
    fault.kind = names[int(said.kind)].replace("HEDDLE_FAULT_", "").lower()
    fault.kernel = text(said.kernel)
    fault.block, fault.thread = tuple(said.block), tuple(said.thread)
    fault.address, fault.line, fault.source = said.address, said.line, text(said.source)
    return fault


def check(handle, status: int) -> None:
    """Raises the exception of a status that is not HEDDLE_OK."""
    if status == lib.HEDDLE_OK:
        return
    message = text(lib.heddle_message(handle)) or "the operation failed"
    if status == lib.HEDDLE_FAULT:
        raise _fault(handle, message)
    raise _CLASSES.get(status, Error)(message)


def import_pandas():
    """pandas, which data frames alone need."""
    try:
        import pandas
    except ImportError:
        raise ImportError("data frames need pandas (Debian: python3-pandas)") from None
    return pandas
