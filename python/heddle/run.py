"""One launch and its figures."""

from typing import TYPE_CHECKING, Any, Dict

from ._library import ffi, import_pandas, lib, text

if TYPE_CHECKING:
    from .gpu import Gpu

_PLAIN = ("blocks", "threads", "registers", "shared_bytes", "local_bytes", "warp_instructions", "thread_instructions",
          "branches", "divergent_branches", "simd_efficiency", "cycles", "gpu_seconds", "joule", "timed")


class Run:
    """The figures of one launch: attributes for those that are asked for most (cycles, joule,
    gpu_seconds, warp_instructions, thread_instructions, simd_efficiency, branches,
    divergent_branches, registers), `stats` for all of them."""

    kernel: str
    grid: tuple
    block: tuple
    blocks: int
    threads: int
    registers: int
    shared_bytes: int
    local_bytes: int
    warp_instructions: int
    thread_instructions: int
    branches: int
    divergent_branches: int
    simd_efficiency: float
    cycles: int
    gpu_seconds: float
    joule: float
    timed: bool

    def __init__(self, gpu: "Gpu", index: int):
        self._gpu, self.index = gpu, index
        said = lib.heddle_stats_at(gpu._c, index)
        self.kernel, self.grid, self.block = text(said.kernel), tuple(said.grid), tuple(said.block)
        for name in _PLAIN:
            setattr(self, name, getattr(said, name))

    @property
    def stats(self) -> Dict[str, Any]:
        """All figures of the launch, nested by component (docs/reference/statistics.md)."""
        return self._gpu.statistics()["launches"][self.index]

    def frame(self):
        """All figures as a pandas Series, {"cycles": ..., "timing.sm.bank_conflicts": ...}."""
        return import_pandas().Series(flatten(self.stats), name=self.kernel)

    def __repr__(self) -> str:
        time = ", %d cycles, %.4g J" % (self.cycles, self.joule) if self.timed else ""
        return "<heddle.Run %s: %d warp instructions%s>" % (self.kernel, self.warp_instructions, time)

    def _repr_html_(self) -> str:
        rows = [("grid", " x ".join(map(str, self.grid))), ("block", " x ".join(map(str, self.block))),
                ("warp instructions", "{:,}".format(self.warp_instructions)),
                ("SIMD efficiency", "%.1f %%" % (100 * self.simd_efficiency)),
                ("divergent branches", "{:,} of {:,}".format(self.divergent_branches, self.branches))]
        if self.timed:
            rows += [("cycles", "{:,}".format(self.cycles)), ("time on the GPU", "%.4g s" % self.gpu_seconds),
                     ("energy", "%.4g J" % self.joule)]
        body = "".join("<tr><th style='text-align:left'>%s</th><td>%s</td></tr>" % row for row in rows)
        name = self.kernel.replace("&", "&amp;").replace("<", "&lt;")
        return "<table><caption><code>%s</code></caption>%s</table>" % (name, body)


def flatten(figures: Dict[str, Any], prefix: str = "") -> Dict[str, Any]:
    """Nested figures by one dotted name each; lists stay lists."""
    flat: Dict[str, Any] = {}
    for name, value in figures.items():
        if isinstance(value, dict):
            flat.update(flatten(value, prefix + name + "."))
        else:
            flat[prefix + name] = value
    return flat
