"""Captures the Triton kernels of a PyTorch program as a step that `heddle run` executes without either.

Run it on a machine with a GPU, PyTorch and Triton 3.2 or later:

    python capture_step.py [--wait] FOLDER program.py ARGS...

With --wait only launches between torch.cuda.profiler.start() and stop() are captured. FOLDER gets step.json, the
memory that kernels use as .npy files, and the kernels' PTX and metadata. Memory that several launches use is one tensor
of the step: it begins with its contents before the first launch and is expected to end with those after the last.
docs/use/pytorch.md describes the format, and which kernels are not captured."""
import hashlib, json, math, os, pathlib, runpy, sys
import numpy as np

# relative tolerances of results, as torch.testing has them
CLOSE = {"float16": 1e-3, "bfloat16": 1.6e-2, "float32": 1.3e-6, "float64": 1e-7, "float8_e4m3fn": 0.125, "float8_e5m2": 0.25}
NUMPY = {"bfloat16": "V2", "float8_e4m3fn": "V1", "float8_e5m2": "V1"}  # raw bytes where NumPy lacks the type
FLOATS = {"fp16": "f16", "bf16": "bf16", "fp32": "f32", "fp64": "f64"}

class Capture:
    def __init__(self, folder, wait=False):
        self.folder, self.on, self.tensors, self.launches, self.live = folder, not wait, {}, [], {}

    def write(self, tensor, name):
        """The whole storage of a tensor into a file; a digest of its bytes."""
        flat = tensor.detach().as_strided((tensor.untyped_storage().nbytes() // tensor.element_size(),), (1,), 0)
        data, kind = flat.cpu().view(self.torch.uint8).numpy(), str(tensor.dtype)[6:]
        np.save(os.path.join(self.folder, name), data.view(NUMPY.get(kind, kind)))
        return {"file": name, "dtype": kind, "rtol": CLOSE.get(kind, 0), "atol": 1e-5 * (kind in CLOSE)}, hashlib.sha256(data).digest()

    def memory(self, tensor, used):
        """The step's name for a tensor's storage: the one it had, unless others have written there since."""
        key, name = tensor.untyped_storage().data_ptr(), "t%d" % len(self.tensors)
        entry, digest = self.write(tensor, name + ".npy")
        if self.live.get(key, (0, 0))[1] == digest:
            os.remove(os.path.join(self.folder, name + ".npy"))
        else:
            self.tensors[name], self.live[key] = entry, (name, digest)
        used[key] = tensor
        return self.live[key][0], tensor.storage_offset() * tensor.element_size()

    def arguments(self, kinds, values, used):
        for kind, value in zip(kinds, values):
            if isinstance(kind, tuple):
                yield from self.arguments(kind, value, used)
            elif hasattr(value, "block_shape"):
                name, offset = self.memory(value.base, used)
                yield {"descriptor": name, "offset": offset, "shape": list(value.shape), "strides": list(value.strides),
                       "nan_fill": getattr(value, "padding", "zero") == "nan", "tf32": getattr(value, "round_f32_to_tf32", False)}
            elif hasattr(value, "untyped_storage"):
                yield dict(zip(("tensor", "offset"), self.memory(value, used)))
            elif kind in FLOATS:
                yield {FLOATS[kind]: float(value) if math.isfinite(value) else str(value)}
            elif kind != "constexpr":
                yield {kind if kind[0] in "iu" else "u64": int(value)}

    def launch(self, kernel, launcher, x, y, z, *rest):
        folder, used, constants = os.path.join("kernels", kernel.hash), {}, getattr(kernel.src, "constants", {})
        kinds = ["constexpr" if name in constants else kind for name, kind in kernel.src.signature.items()]
        arguments = list(self.arguments(kinds, rest[6:], used))
        launcher(x, y, z, *rest)
        self.torch.cuda.synchronize()
        os.makedirs(os.path.join(self.folder, folder), exist_ok=True)
        for kind, data in (("ptx", kernel.asm["ptx"].encode()), ("cubin", kernel.asm["cubin"]), ("json", json.dumps(
                kernel.metadata._asdict(), default=lambda o: getattr(o, "__dict__", str(o))).encode())):
            pathlib.Path(self.folder, folder, kernel.metadata.name + "." + kind).write_bytes(data)
        self.launches.append({"triton": folder, "kernel": kernel.metadata.name, "grid": [x, y, z], "args": arguments})
        for key, tensor in used.items():  # the launch's results are what later launches find
            name = self.live[key][0]
            self.live[key] = name, self.write(tensor, name + ".after.npy")[1]
            self.tensors[name]["expect"] = name + ".after.npy"

    def run(self, program):
        os.environ["TORCHINDUCTOR_USE_STATIC_CUDA_LAUNCHER"] = "0"  # which would launch without Triton
        os.makedirs(self.folder, exist_ok=True)
        import torch
        from triton.compiler.compiler import CompiledKernel
        self.torch, original = torch, CompiledKernel._init_handles
        torch.cuda.profiler.start, torch.cuda.profiler.stop = lambda: setattr(self, "on", True), lambda: setattr(self, "on", False)

        def init_handles(kernel):
            if kernel.module is None:
                original(kernel)
                slot = "_run" if "_run" in vars(kernel) else "run"
                launcher = vars(kernel)[slot]
                setattr(kernel, slot, lambda *args: self.launch(kernel, launcher, *args) if self.on else launcher(*args))
        CompiledKernel._init_handles = init_handles
        try:
            runpy.run_path(program, run_name="__main__")
        finally:
            with open(os.path.join(self.folder, "step.json"), "w") as file:
                json.dump({"format": "heddle step 1", "tensors": self.tensors, "launches": self.launches}, file, indent=1)

if __name__ == "__main__":
    wait, sys.argv = sys.argv[1:2] == ["--wait"], sys.argv[1 + (sys.argv[1:2] == ["--wait"]) :]
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    Capture(sys.argv.pop(0), wait).run(sys.argv[0])
