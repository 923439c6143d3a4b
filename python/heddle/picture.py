"""A time series as a drawing that notebooks show: one band per column, over core cycles."""

from typing import Mapping, Optional, Sequence

import numpy as np

from ._library import InputError

WIDTH, BAND, LEFT, RIGHT, TOP, FOOT = 640, 56, 150, 14, 14, 34
USUAL = ("ipc", "resident_warps", "l1d_misses", "l2_accesses", "dram_gb_s", "w_units", "w_dram")
INK, LINE, FILL = "#333", "#1f6f8b", "#cfe5ec"


def _escape(name: str) -> str:
    return name.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _short(number: float) -> str:
    """A number in at most five characters and a factor: 12.3k."""
    for factor, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(number) >= factor:
            return "%.3g%s" % (number / factor, letter)
    return "%.3g" % number


class Picture:
    """A drawing of some columns of a time series. Notebooks show it; save() writes it as SVG."""

    def __init__(self, series: Mapping[str, np.ndarray], columns: Optional[Sequence[str]] = None):
        self.series = series
        self.columns = list(columns) if columns is not None else self._interesting()
        missing = [c for c in self.columns if c not in series]
        if missing:
            raise InputError("no column %s; there are: %s" % (", ".join(missing), ", ".join(series)))

    def _interesting(self):
        """Those of the usual columns that change during the run."""
        return [c for c in USUAL if c in self.series and np.ptp(self.series[c]) > 0]

    def _repr_svg_(self) -> str:
        x = np.asarray(self.series["cycle"], float)
        span = x[-1] if len(x) and x[-1] > 0 else 1
        height = TOP + BAND * len(self.columns) + FOOT
        inner = WIDTH - LEFT - RIGHT
        parts = ["<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' width='%d' height='%d' "
                 "font-family='sans-serif' font-size='11' fill='%s'>" % (WIDTH, height, WIDTH, height, INK)]
        for i, name in enumerate(self.columns):
            y = np.asarray(self.series[name], float)
            low, high = min(0.0, float(y.min())), float(y.max())
            room = (high - low) or 1
            base = TOP + BAND * (i + 1) - 6
            # A row's figure covers the time since the row before.
            points, before = [], LEFT
            for at, value in zip(x, y):
                px, py = LEFT + inner * at / span, base - (BAND - 14) * (value - low) / room
                points += ["%.1f,%.1f" % (before, py), "%.1f,%.1f" % (px, py)]
                before = px
            outline = " ".join(points)
            parts.append("<polygon points='%d,%d %s %.1f,%d' fill='%s'/>" % (LEFT, base, outline, before, base, FILL))
            parts.append("<polyline points='%s' fill='none' stroke='%s' stroke-width='1.2'/>" % (outline, LINE))
            parts.append("<text x='%d' y='%d' text-anchor='end'>%s</text>" % (LEFT - 8, base - 14, _escape(name)))
            parts.append("<text x='%d' y='%d' text-anchor='end' fill='#888'>up to %s</text>" % (LEFT - 8, base, _short(high)))
        foot = TOP + BAND * len(self.columns) + 12
        for share in (0, 0.25, 0.5, 0.75, 1):
            at = LEFT + inner * share
            parts.append("<text x='%.1f' y='%d' text-anchor='middle'>%s</text>" % (at, foot, _short(span * share)))
        parts.append("<text x='%d' y='%d' text-anchor='middle'>%s</text>" % (LEFT + inner // 2, foot + 15, "core cycles"))
        return "".join(parts) + "</svg>"

    def save(self, path: str) -> None:
        """Writes the drawing as an SVG file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self._repr_svg_() + "\n")
