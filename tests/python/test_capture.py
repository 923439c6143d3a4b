"""capture_step.py with stand-ins for PyTorch and Triton: what it writes is a step that Heddle runs.

The stand-ins have the members that the script uses, as Triton 3.2 (arguments without constants), 3.3 and 3.5 (another
name of the launcher) have them; the "GPU" is NumPy. Inductor takes a kernel's launcher once and calls it itself, as
the last launch of the program does. They cannot show that a later Triton keeps these members."""

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
    """As much of a tensor as the script looks at: a view of a storage, which is a NumPy array of one dimension."""

    def __init__(self, storage, first=0, count=None):
        self.storage, self.first = storage, first
        self.data = storage[first : None if count is None else first + count]
        self.dtype = "torch." + storage.dtype.name

    def element_size(self):
        return self.storage.itemsize

    def storage_offset(self):
        return self.first

    def untyped_storage(self):
        return types.SimpleNamespace(nbytes=lambda: self.storage.nbytes, data_ptr=lambda: self.storage.ctypes.data)

    def as_strided(self, shape, strides, offset):
        assert strides == (1,) and offset == 0
        return Tensor(self.storage, 0, shape[0])

    def detach(self):
        return self

    def cpu(self):
        return Tensor(self.data.copy())

    def view(self, kind):
        return Tensor(self.storage.view(kind))

    def numpy(self):
        return self.data


class Kernel:
    """CompiledKernel: the launcher is made at the first use."""

    def __init__(self, kinds, constants, slot):
        self.src = types.SimpleNamespace(signature=dict(zip(("x", "y", "by", "n", "BLOCK"), kinds)), constants=constants)
        self.metadata = namedtuple("metadata", "name num_warps shared target global_scratch_size profile_scratch_size")("scale", 4, 0, None, 0, 0)
        self.asm = {"ptx": SCALE, "cubin": b""}
        self.hash, self.module, self.slot, self.function, self.packed_metadata = "abc", None, slot, 1, ()
        self._run = None
        if slot == "run":
            del self._run

    def _init_handles(self):
        if self.module is None:
            setattr(self, self.slot, self.execute)
            self.module = 1

    def launcher(self):
        self._init_handles()
        return getattr(self, self.slot)

    def execute(self, grid_x, grid_y, grid_z, stream, function, packed, metadata, enter, leave, x, y, by, n, *constants):
        y.data[:n] = x.data[:n] * np.float32(by)

    def __call__(self, grid, *values):
        self.launcher()(*grid, 0, self.function, self.packed_metadata, None, None, None, *values)


# how each version describes the parameters; what it passes beside the values
VERSIONS = {
    "3.2": ((["*fp32", "*fp32", "fp32", "i32"], {"BLOCK": 128}, "run"), ()),
    "3.3": ((["*fp32", "*fp32", "fp32", "i32", "constexpr"], {(4,): 128}, "run"), (128,)),
    "3.5": ((["*fp32", "*fp32", "fp32", "i32", "constexpr"], {(4,): 128}, "_run"), (128,)),
}
PROGRAM = """
import numpy as np
import test_capture as stand_in
x = stand_in.Tensor(np.arange(256, dtype=np.float32))
storage = np.zeros(400, np.float32)
y, tail = stand_in.Tensor(storage, 0, 256), stand_in.Tensor(storage, 100)
kernel, more = stand_in.kernel, stand_in.constants
kernel((2, 1, 1), x, y, 3.0, 256, *more)
kernel((2, 1, 1), y, x, 0.5, 200, *more)
x.data[7] = 1000                            # another library's kernel writes
kernel((1, 1, 1), x, tail, 2.0, 100, *more) # into the middle of a storage
run = kernel.launcher()
run(1, 1, 1, 0, 1, (), None, None, None, tail, x, 0.25, 128, *more)
"""


class CapturedStep(unittest.TestCase):
    def capture(self, version, before="", wait=False):
        global kernel, constants
        torch = types.ModuleType("torch")
        torch.cuda = types.SimpleNamespace(synchronize=lambda: None, profiler=types.SimpleNamespace(start=None, stop=None))
        torch.uint8 = np.uint8
        arguments, constants = VERSIONS[version]
        compiler = types.ModuleType("triton.compiler.compiler")
        compiler.CompiledKernel = type("CompiledKernel", (Kernel,), {})
        kernel = sys.modules["test_capture"].kernel = compiler.CompiledKernel(*arguments)
        sys.modules["test_capture"].constants = constants
        modules = {"torch": torch, "triton": types.ModuleType("triton"), "triton.compiler": types.ModuleType("triton.compiler"),
                   "triton.compiler.compiler": compiler}
        sys.modules.update(modules)
        self.addCleanup(lambda: [sys.modules.pop(name, None) for name in modules])
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "program.py")
            with open(program, "w", encoding="utf-8") as file:
                file.write(before + PROGRAM)
            capture_step.Capture(os.path.join(folder, "out"), wait).run(program)
            command = [heddle._library.find_command(), "run", os.path.join(folder, "out", "step.json")]
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
            self.assertEqual(done.returncode, 0, done.stdout)
            # x before and after the foreign write, and the storage with two views: three tensors, four launches
            self.assertEqual(done.stdout.count("256 elements as in"), 2, done.stdout)
            self.assertEqual(done.stdout.count("400 elements as in"), 1, done.stdout)
            self.assertEqual(done.stdout.count("scale:"), 4, done.stdout)

    def test_a_program_captured_with_triton_3_2_runs_and_has_the_captured_results(self):
        self.capture("3.2")

    def test_a_program_captured_with_triton_3_3_runs_and_has_the_captured_results(self):
        self.capture("3.3")

    def test_a_program_captured_with_triton_3_5_runs_and_has_the_captured_results(self):
        self.capture("3.5")

    def test_with_wait_only_launches_between_profiler_start_and_stop_are_captured(self):
        trial = ("import numpy as np, test_capture as s, torch\n"
                 "s.kernel((1, 1, 1), s.Tensor(np.ones(9, np.float32)), s.Tensor(np.ones(9, np.float32)), 2.0, 9, *s.constants)\n"
                 "torch.cuda.profiler.start()\n")
        self.capture("3.5", trial, wait=True)

    def test_arguments_have_the_form_that_the_step_reads(self):
        capture = capture_step.Capture(".")
        capture.memory = lambda tensor, used: ("t0", 64)
        descriptor = types.SimpleNamespace(block_shape=[4, 16], base=None, shape=[8, 32], strides=[32, 1], padding="nan")
        tensor = Tensor(np.zeros(4, np.float32))
        kinds = [("*fp16", "constexpr"), "tensordesc<fp32[4, 16]>", "i1", "fp32", "bf16", "u64", "constexpr"]
        values = [(tensor, 5), descriptor, True, float("-inf"), 2, 7, None]
        self.assertEqual(list(capture.arguments(kinds, values, {})), [
            {"tensor": "t0", "offset": 64},
            {"descriptor": "t0", "offset": 64, "shape": [8, 32], "strides": [32, 1], "nan_fill": True, "tf32": False},
            {"i1": 1}, {"f32": "-inf"}, {"bf16": 2.0}, {"u64": 7}])


if __name__ == "__main__":
    unittest.main()
