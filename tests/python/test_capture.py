"""capture_step.py with stand-ins for PyTorch and Triton: what it writes is a step that Heddle runs.

The stand-ins have the members that the script uses, with the meaning that Triton 3.2 gives them; the
"GPU" is NumPy. They cannot show that a later Triton keeps these members."""

import os
import subprocess
import sys
import tempfile
import types
import unittest
from collections import namedtuple

import heddle
import numpy as np

PYTHON = os.path.join(os.path.dirname(heddle.__file__), "..")
sys.path.insert(0, PYTHON)
import capture_step  # noqa: E402

SCALE = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry scale(.param .u64 x, .param .u64 y, .param .f32 by, .param .u32 n, .param .u64 s, .param .u64 p)
{
    .reg .pred %q; .reg .b32 %r<6>; .reg .f32 %f<3>; .reg .b64 %rd<4>;
    mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r4, %r1, %r2, %r3;
    ld.param.u32 %r5, [n]; setp.ge.u32 %q, %r4, %r5; @%q ret;
    ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y]; mul.wide.u32 %rd3, %r4, 4;
    add.u64 %rd1, %rd1, %rd3; add.u64 %rd2, %rd2, %rd3;
    ld.global.f32 %f1, [%rd1]; ld.param.f32 %f2, [by]; mul.f32 %f1, %f1, %f2; st.global.f32 [%rd2], %f1;
    ret;
}
"""


class Tensor:
    """As much of a tensor as the script looks at."""

    dtype = "torch.float32"

    def __init__(self, data):
        self.data, self.shape = data, data.shape

    def data_ptr(self):
        return self.data.ctypes.data

    def stride(self):
        return [s // self.data.itemsize for s in self.data.strides]

    def detach(self):
        return self

    contiguous = cpu = detach

    def numpy(self):
        return self.data.copy()


class JITFunction:
    arg_names = ["x", "y", "by", "n", "BLOCK"]

    def run(self, *args, grid, warmup, **keywords):
        x, y, by, n = args[:4]
        y.data[:n] = x.data[:n] * np.float32(by)
        metadata = namedtuple("metadata", "name num_warps shared")("scale", 4, 0)
        source = types.SimpleNamespace(
            signature={"x": "*fp32", "y": "*fp32", "by": "fp32", "n": "i32", "BLOCK": "constexpr"})
        return types.SimpleNamespace(hash="abc", metadata=metadata, asm={"ptx": SCALE, "cubin": b""}, src=source)


class CapturedStep(unittest.TestCase):
    def test_a_captured_program_runs_and_has_the_captured_results(self):
        torch = types.ModuleType("torch")
        torch.cuda = types.SimpleNamespace(synchronize=lambda: None)
        jit = types.ModuleType("triton.runtime.jit")
        jit.JITFunction = JITFunction
        modules = {"torch": torch, "triton": types.ModuleType("triton"), "triton.runtime": types.ModuleType("triton.runtime"),
                   "triton.runtime.jit": jit}
        sys.modules.update(modules)
        self.addCleanup(lambda: [sys.modules.pop(name) for name in modules])
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "program.py")
            with open(program, "w", encoding="utf-8") as file:
                file.write("import numpy as np\nfrom test_capture import JITFunction, Tensor\n"
                           "x, y = Tensor(np.arange(256, dtype=np.float32)), Tensor(np.zeros(256, np.float32))\n"
                           "scale = JITFunction()\n"
                           "scale.run(x, y, 3.0, 256, 128, grid=lambda meta: (256 // meta['BLOCK'],), warmup=False)\n"
                           "scale.run(y, x, 0.5, 200, 128, grid=(2,), warmup=False)\n")
            capture_step.Capture(os.path.join(folder, "out")).run(program)
            command = [heddle._library.find_command(), "run", os.path.join(folder, "out", "step.json")]
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
            self.assertEqual(done.returncode, 0, done.stdout)
            self.assertEqual(done.stdout.count("256 elements as in"), 2, done.stdout)


if __name__ == "__main__":
    unittest.main()
