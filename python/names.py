"""Makes heddle/_names.py, the C interface of include/heddle.h for cffi, and heddle/_version.py.

The header is the only description of structures and functions: the C preprocessor resolves its
macros, cffi reads the declarations. The result is plain Python, so that a user of the wheel needs
neither a compiler nor the header. `make python` and `make wheel` run this file.
"""

import os
import re
import subprocess
import sys

from cffi import FFI

HERE = os.path.dirname(os.path.abspath(__file__))
HEADER = os.path.join(HERE, "..", "include", "heddle.h")


def read_declarations(header):
    """Text of a C header without preprocessor lines and without what <stdint.h> and others declare."""
    compiler = os.environ.get("CC", "cc").split()
    text = subprocess.run(
        compiler + ["-E", header], check=True, stdout=subprocess.PIPE, universal_newlines=True
    ).stdout
    own, lines = False, []
    for line in text.splitlines():
        mark = re.match(r'# \d+ "(.*?)"', line)
        if mark:
            own = os.path.basename(mark.group(1)) == os.path.basename(header)
        elif own and not line.startswith("#"):
            lines.append(line)
    # What C's library gives out has to be given back to it.
    return "\n".join(lines) + "\nvoid free(void *);\n"


def builder(header=HEADER):
    """An FFI whose emit_python_code() or distutils extension is the module heddle._names."""
    ffi = FFI()
    ffi.cdef(read_declarations(header))
    ffi.set_source("heddle._names", None)
    return ffi


def write(folder):
    """Writes _names.py, and _version.py with the header's version, into a folder."""
    builder().emit_python_code(os.path.join(folder, "_names.py"))
    with open(HEADER, encoding="utf-8") as header:
        version = re.search(r'#define HEDDLE_VERSION "(.*)"', header.read()).group(1)
    with open(os.path.join(folder, "_version.py"), "w", encoding="utf-8") as out:
        out.write('VERSION = "%s"\n' % version)


if __name__ == "__main__":
    write(sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "heddle"))
