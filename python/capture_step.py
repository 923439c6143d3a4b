"""Captures the Triton kernels of a PyTorch program as a step that `heddle run` executes without either.

Run it on a machine with a GPU, PyTorch and Triton 3.2 or later:

    python capture_step.py FOLDER program.py ARGS...

FOLDER gets step.json, the tensors before and after as .npy, and the kernels' PTX and metadata. A
tensor that several launches use is one tensor of the step: it begins with its contents before the
first of them and is expected to end with those after the last. Other kernels of the program
(cuBLAS, PyTorch's own) are not captured; what they change between two launches is a new tensor.
docs/use/pytorch.md describes the format."""

import json
import os
import runpy
import sys

import numpy as np


class Capture:
    def __init__(self, folder):
        self.folder, self.tensors, self.launches, self.live = folder, {}, [], {}
        os.makedirs(folder, exist_ok=True)

    def save(self, name, tensor):
        """Bits of a dense tensor as .npy; types that NumPy lacks go as raw bytes of their size."""
        flat = tensor.detach().contiguous().cpu()
        if str(tensor.dtype).split(".")[-1] in ("bfloat16", "float8_e4m3fn", "float8_e5m2"):
            size = flat.element_size()
            data = flat.view(self.torch.uint8).numpy().reshape(tuple(tensor.shape) + (size,)).view("V%d" % size)[..., 0]
        else:
            data = flat.numpy()
        np.save(os.path.join(self.folder, name), data)
        return data.tobytes()

    def tensor(self, t):
        """The step's name for a tensor: the one it had, if nobody has changed it since."""
        key = (t.data_ptr(), tuple(t.shape), tuple(t.stride()), str(t.dtype))
        name = "t%d" % len(self.tensors)
        bits = self.save(name + ".npy", t)
        if key in self.live and self.live[key][1] == bits:
            os.remove(os.path.join(self.folder, name + ".npy"))
            return self.live[key][0]
        self.tensors[name] = {"file": name + ".npy", "shape": list(t.shape), "strides": list(t.stride()),
                              "dtype": str(t.dtype).split(".")[-1]}
        self.live[key] = (name, bits)
        return name

    def argument(self, value, kind):
        if hasattr(value, "data_ptr"):
            return self.tensor(value)
        if hasattr(value, "base") and hasattr(value, "block_shape"):
            return {"descriptor": self.tensor(value.base), "box": list(value.block_shape)}
        return {{"fp32": "f32", "fp64": "f64", "fp16": "f16", "bf16": "bf16"}.get(kind, kind): value}

    def launch(self, jit, original, args, grid, keywords):
        bound = dict(zip(jit.arg_names, args), **{k: v for k, v in keywords.items() if k in jit.arg_names})
        blocks = list(grid(bound) if callable(grid) else grid)
        before = {n: v for n, v in bound.items() if hasattr(v, "data_ptr") or hasattr(v, "block_shape")}
        names = {n: self.argument(v, "") for n, v in before.items()}
        kernel = original(jit, *args, grid=grid, warmup=False, **keywords)
        self.torch.cuda.synchronize()
        used = [n for n, kind in kernel.src.signature.items() if kind != "constexpr"]
        entry = os.path.join("kernels", kernel.hash)
        os.makedirs(os.path.join(self.folder, entry), exist_ok=True)
        name = kernel.metadata.name
        for kind, mode in (("ptx", "w"), ("cubin", "wb")):
            with open(os.path.join(self.folder, entry, name + "." + kind), mode) as file:
                file.write(kernel.asm[kind])
        with open(os.path.join(self.folder, entry, name + ".json"), "w") as file:
            json.dump(kernel.metadata._asdict(), file, default=lambda o: getattr(o, "__dict__", str(o)))
        self.launches.append({"triton": entry, "kernel": name, "grid": blocks, "args": [
            names[n] if n in names else self.argument(bound[n], kernel.src.signature[n]) for n in used]})
        for n, v in before.items():  # what the launch has left is what later launches find
            t = getattr(v, "base", v) if hasattr(v, "block_shape") else v
            known = names[n]["descriptor"] if isinstance(names[n], dict) else names[n]
            key = (t.data_ptr(), tuple(t.shape), tuple(t.stride()), str(t.dtype))
            self.live[key] = (known, self.save(known + ".after.npy", t))
            self.tensors[known]["expect"] = known + ".after.npy"
        return kernel

    def run(self, program):
        import torch
        from triton.runtime.jit import JITFunction
        self.torch, original = torch, JITFunction.run

        def run(jit, *args, grid, warmup, **keywords):
            if warmup:
                return original(jit, *args, grid=grid, warmup=warmup, **keywords)
            return self.launch(jit, original, args, grid, keywords)

        JITFunction.run = run
        try:
            runpy.run_path(program, run_name="__main__")
        finally:
            JITFunction.run = original
            with open(os.path.join(self.folder, "step.json"), "w") as file:
                json.dump({"format": "heddle step 1", "tensors": self.tensors, "launches": self.launches}, file, indent=1)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.argv = sys.argv[1:]
    Capture(sys.argv.pop(0)).run(sys.argv[0])
