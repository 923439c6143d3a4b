"""Heddle: a simulated GPU for Python.

    >>> import heddle, numpy as np
    >>> gpu = heddle.Gpu(machine="gtx480")
    >>> module = gpu.load('''
    ... extern "C" __global__ void twice(float *x, int n)
    ... { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= 2; }''')
    >>> x = gpu.array(np.arange(1000, dtype=np.float32))
    >>> run = module["twice"](grid=4, block=256, args=[x, 1000])
    >>> x[:4].tolist(), run.cycles > 0
    ([0.0, 2.0, 4.0, 6.0], True)

Gpu is the machine with its memory, Module a loaded program, Kernel an entry of it, Run one launch
with its figures, sweep() runs one experiment on many machines. docs/use/python.md is the guide.
"""

from ._library import (
    Error,
    Fault,
    InputError,
    Interrupted,
    LimitError,
    OutOfMemory,
    Unsupported,
)
from ._version import VERSION as __version__
from .gpu import Array, Gpu
from .machines import describe, machines
from .picture import Picture
from .program import Kernel, Module
from .run import Run
from .sweep import Point, frame, sweep

__all__ = [
    "Array", "Error", "Fault", "Gpu", "InputError", "Interrupted", "Kernel", "LimitError", "Module",
    "OutOfMemory", "Picture", "Point", "Run", "Unsupported", "describe", "frame", "machines", "sweep",
]
