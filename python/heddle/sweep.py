"""One experiment on many machines.

sweep() calls a function with a Gpu for each combination of settings, in processes of their own, and
gives the results in the order of the combinations, each as soon as it and those before it are there.
"""

import itertools
import multiprocessing
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterator, Mapping, Optional, Sequence

from ._library import import_pandas
from .gpu import Gpu
from .machines import Value


@dataclass(frozen=True)
class Point:
    """One combination: its settings, and what the function returned or the error it ended with."""

    settings: Dict[str, Value]
    value: Any = None
    error: Optional[str] = None


def _run_point(function, settings, keywords):
    options = {k: v for k, v in settings.items() if k != "machine"}
    machine = settings.get("machine", keywords.get("machine"))
    rest = {k: v for k, v in keywords.items() if k not in ("machine", "options")}
    options = {**keywords.get("options", {}), **options}
    with Gpu(machine=machine, options=options, **rest) as gpu:
        return function(gpu)


def _show_progress(done: int, total: int) -> None:
    width = 30
    filled = width * done // max(total, 1)
    end = "\n" if done == total else ""
    sys.stderr.write("\r[%s%s] %d of %d machines%s" % ("#" * filled, "." * (width - filled), done, total, end))
    sys.stderr.flush()


def sweep(
    function: Callable[[Gpu], Any],
    axes: Mapping[str, Sequence[Value]],
    workers: int = 1,
    progress: Optional[bool] = None,
    **keywords: Any,
) -> Iterator[Point]:
    """Runs function(gpu) for every combination of the axes.

    axes: values by option, {"machine": ["gtx480", "a100"], "sm.scheduler": ["lrr", "gto"]}.
    workers: processes at once; the function has to be one that a process can find by its name
    unless workers is 0, which runs everything in this process. progress: a bar on stderr; the
    default is to show it on a terminal. keywords: further arguments of Gpu.
    """
    names = list(axes)
    points = [dict(zip(names, values)) for values in itertools.product(*(axes[n] for n in names))]
    shows = sys.stderr.isatty() if progress is None else progress
    return _walk(function, points, workers, shows, keywords)


def _walk(function, points, workers, shows, keywords):
    def tell(done):
        if shows:
            _show_progress(done, len(points))

    tell(0)
    if workers == 0:
        for i, settings in enumerate(points):
            try:
                point = Point(settings, _run_point(function, settings, keywords))
            except Exception as error:
                point = Point(settings, error="%s: %s" % (type(error).__name__, error))
            tell(i + 1)
            yield point
        return
    pool = ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("fork"))
    try:
        jobs = [pool.submit(_run_point, function, settings, keywords) for settings in points]
        for i, (settings, job) in enumerate(zip(points, jobs)):
            try:
                point = Point(settings, job.result())
            except Exception as error:
                point = Point(settings, error="%s: %s" % (type(error).__name__, error))
            tell(i + 1)
            yield point
    finally:
        pool.shutdown(wait=True, cancel_futures=True) if sys.version_info >= (3, 9) else pool.shutdown()


def frame(points):
    """The points of a sweep as a pandas DataFrame: a row each, with settings, value (or the items of
    a value that is a dict) and error."""
    pandas = import_pandas()
    rows = []
    for p in points:
        value = p.value if isinstance(p.value, dict) else {"value": p.value}
        rows.append({**p.settings, **(value if p.error is None else {}), "error": p.error})
    return pandas.DataFrame(rows)
