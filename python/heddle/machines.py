"""The machines that can be simulated, and what their options are set to."""

from typing import Dict, List, Mapping, Union

from ._library import InputError, ffi, lib, taken

Value = Union[str, int, float, bool]


def setting(key: str, value: Value) -> str:
    """One option as the configuration language writes it: "l1d.line=128"."""
    if isinstance(value, bool):
        value = "yes" if value else "no"
    return "%s=%s" % (key, value)


def settings(options: Mapping[str, Value]):
    """A NULL-terminated C array of settings, and what has to stay alive beside it."""
    texts = [ffi.new("char[]", setting(k, v).encode()) for k, v in options.items()]
    return ffi.new("char *[]", texts + [ffi.NULL]), texts


def _answer(good: bool, out) -> str:
    said = taken(out[0]) or ""
    if not good:
        raise InputError(said.strip())
    return said


def machines() -> List[str]:
    """Names of the machines that come with Heddle."""
    out = ffi.new("char **")
    return _answer(lib.heddle_config_list(out), out).split()


def describe(machine: str, options: Mapping[str, Value] = {}) -> Dict[str, str]:
    """All options of a machine with their values, {"sm.warp_size": "32", ...}."""
    out = ffi.new("char **")
    array, alive = settings(options)
    listing = _answer(lib.heddle_config_show(machine.encode(), array, out), out)
    del alive
    values, section = {}, ""
    for line in listing.splitlines():
        line = line.split(" ;")[0].split(" #")[0].strip()
        if line.startswith("["):
            section = line.strip("[]")
        elif "=" in line and line[0] not in ";#":
            key, value = (part.strip() for part in line.split("=", 1))
            values[section + "." + key if section else key] = value
    return values
