"""Which engine has the smallest tree when the time is over? The paper's Table 3 with every anytime engine.

Run with ``python benchmarks/anytime.py --data FOLDER``; needs ``pip install "puretree[hermax]"``. Samples of the rows
of the paper's larger data sets; all engines get the same problem, the same time, and the tree of ITI to begin with, as
in the paper: nothing else is known to them. Printed are the upper bounds, and how often each engine's is the best.

With ``--out FILE`` each run is written down as a line of JSON when it ends, and a run that is there already is not made
again. With its defaults it takes two hours of one core, or one of two (``--jobs 2``).
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import instances
from instances import Instance
from stopwatch import FORK, Result, measure

from puretree import BinaryProblem, MaxSat
from puretree.bounds.upper import Start
from puretree.clock import Clock
from puretree.engines import Engine, make_engine, solve
from puretree.engines.base import Promise
from puretree.errors import PuretreeError
from puretree.maxsat import Hermax
from puretree.maxsat.hermax import SOLVERS
from puretree.outcome import Outcome, Status
from puretree.record import Record

HERMAX = [
    name for name, (_, kind) in SOLVERS.items() if kind in ("stoppable", "resumable")
]  # others have all or nothing
ENGINES = ["linear", "local-search", "local-search-c", "local-search-ck", "mindt", *HERMAX, "search"]
EXACT = "search"  # no SAT solver is as good: what the others do among themselves is counted without it, too


@dataclass(frozen=True, slots=True)
class FromIti:
    """An engine that begins with the tree of ITI, whatever it would begin with itself."""

    engine: Engine
    starts_from: tuple[Start, ...] = ("iti",)

    @property
    def name(self) -> str:
        """The name of the engine."""
        return self.engine.name

    @property
    def source(self) -> str:
        """Who thought of the engine."""
        return self.engine.source

    @property
    def promise(self) -> Promise:
        """What the engine promises."""
        return self.engine.promise

    def search(self, record: Record) -> Status:
        """Let the engine go on from there."""
        return self.engine.search(record)


@dataclass(frozen=True, slots=True)
class Run:
    """What an engine made of an instance.

    Parameters
    ----------
    limit : float
        Seconds it had.
    start : int or None
        The nodes of ITI's tree.
    lower, upper : int or None
        Bounds at the end; None if the run failed.
    reached : float or None
        Seconds after which the upper bound was there.
    status : str
        Of the outcome, or why there is none.
    """

    instance: str
    engine: str
    limit: float
    start: int | None
    lower: int | None
    upper: int | None
    reached: float | None
    status: str

    @property
    def key(self) -> tuple[str, str, float]:
        """What makes it the same run."""
        return self.instance, self.engine, self.limit


def engine_of(name: str) -> Engine:
    """Make an engine: the MaxSAT engine with a solver of hermax, with the linear search, or one of the registry."""
    if name in SOLVERS:
        return FromIti(MaxSat(backend=Hermax(name)))
    return FromIti(MaxSat() if name == "linear" else make_engine(name))


def race(instance: Instance, name: str, limit: float) -> Run:
    """Run an engine on an instance in a process of its own."""
    problem, engine = instance.make(), engine_of(name)
    return told(instance, name, limit, measure(lambda timed: timed(lambda: ask(problem, engine, limit)), limit))


def ask(problem: BinaryProblem, engine: Engine, limit: float) -> Outcome:
    """Return what the engine has when the time is over."""
    return solve(problem, engine, clock=Clock(limit))


def told(instance: Instance, name: str, limit: float, result: Result[Outcome]) -> Run:
    """Write a run down."""
    outcome = result.value
    if outcome is None:
        return Run(instance.name, name, limit, None, None, None, None, result.reason)
    uppers = [(bounds.upper, bounds.seconds) for bounds in outcome.history if bounds.upper is not None]
    reached = next((seconds for upper, seconds in uppers if upper == outcome.upper_bound), None)
    start = uppers[0][0] if uppers else None
    return Run(
        instance.name, name, limit, start, outcome.lower_bound, outcome.upper_bound, reached, str(outcome.status)
    )


def races(
    chosen: Sequence[Instance], engines: Sequence[str], limit: float, known: Iterable[Run] = (), jobs: int = 1
) -> Iterator[Run]:
    """Yield the runs that are not known, as they end."""
    done = {run.key for run in known}
    with ProcessPoolExecutor(jobs, mp_context=FORK) as pool:
        waiting = [
            pool.submit(race, instance, name, limit)
            for instance in chosen
            for name in engines
            if (instance.name, name, limit) not in done
        ]
        for ended in as_completed(waiting):
            yield ended.result()


def read_runs(file: Path | None) -> list[Run]:
    """Read the runs of a file; none if there is no such file."""
    if file is None or not file.exists():
        return []
    return [Run(**json.loads(line)) for line in file.read_text(encoding="utf-8").splitlines()]


def write_down(run: Run, file: Path | None) -> None:
    """Add a run to a file, and say on the side that it ended."""
    print(f"{run.instance}, {run.engine}: {run.upper} ({run.status})", file=sys.stderr, flush=True)
    if file is not None:
        with file.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(asdict(run)) + "\n")


def table(runs: Iterable[Run], engines: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a table of upper bounds (* proved), then of what they say of each engine."""
    by_instance: dict[str, dict[str, Run]] = {}
    for run in runs:
        by_instance.setdefault(run.instance, {})[run.engine] = run
    yield f"| instance | ITI | {' | '.join(engines)} |"
    yield f"|---|{'---:|' * (len(engines) + 1)}"
    for instance, found in by_instance.items():
        start = next((str(run.start) for run in found.values() if run.start is not None), "–")
        yield f"| {instance} | {start} | {' | '.join(cell(found.get(name)) for name in engines)} |"
    best = [winners(found.values()) for found in by_instance.values()]
    proved = [{name for name, run in found.items() if run.status == "optimal"} for found in by_instance.values()]
    yield counted("best upper bounds", best, engines)
    others = [[run for run in found.values() if run.engine != EXACT] for found in by_instance.values()]
    yield counted(f"best but for {EXACT}", map(winners, others), engines)
    yield counted("alone with the best", [names for names in best if len(names) == 1], engines)
    yield counted("proved minimum (*)", proved, engines)


def cell(run: Run | None) -> str:
    """Write an upper bound with a mark for a proof."""
    if run is None or run.upper is None:
        return "–"
    return f"{run.upper}{'*' if run.status == 'optimal' else ''}"


def winners(runs: Iterable[Run]) -> set[str]:
    """Return the engines with the smallest upper bound."""
    uppers = {run.engine: run.upper for run in runs if run.upper is not None}
    return {name for name, upper in uppers.items() if upper == min(uppers.values())}


def counted(words: str, sets: Iterable[set[str]], engines: Sequence[str]) -> str:
    """Write in how many sets each engine is."""
    names = [name for each in sets for name in each]
    return f"| {words} | | {' | '.join(str(names.count(name)) for name in engines)} |"


def read_options(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    add = parser.add_argument
    add("--data", type=Path, default=os.environ.get("PURETREE_DATA"), help="folder of the paper's data sets")
    add("--names", nargs="+", default=instances.ANYTIME, help="data sets")
    add("--engines", nargs="+", default=ENGINES, help=f"of {ENGINES}, or any of the registry")
    add("--share", type=float, default=0.4, help="of the rows of each data set")
    add("--seeds", nargs="+", type=int, default=[0], help="of the samples")
    add("--time-limit", type=float, default=60.0, help="seconds for each engine and sample")
    add("--jobs", type=int, default=1, help="runs at once, one for a core at most")
    add("--out", type=Path, help="file of runs, to go on from")
    options = parser.parse_args(arguments)
    if options.data is None:
        parser.error("where are the paper's data sets? use --data FOLDER or set PURETREE_DATA")
    if not 1 <= options.jobs <= (os.cpu_count() or 1):
        parser.error(f"--jobs {options.jobs}: this machine has {os.cpu_count()} cores, and each run wants its own")
    try:
        for name in options.engines:
            engine_of(name)
    except PuretreeError as error:
        parser.error(str(error))
    return options


def main(arguments: Sequence[str] | None = None) -> None:
    """Make all runs that are missing, and print the table."""
    options = read_options(arguments)
    make = partial(instances.sampled, folder=Path(options.data), share=options.share, seeds=options.seeds)
    chosen = list(make(options.names))
    runs = read_runs(options.out)
    for run in races(chosen, options.engines, options.time_limit, runs, options.jobs):
        write_down(run, options.out)
        runs.append(run)
    order = [instance.name for instance in chosen]
    asked = [run for run in runs if run.instance in order and run.limit == options.time_limit]
    asked = [run for run in asked if run.engine in options.engines]
    print(f"{options.time_limit:g} s for each run; nodes of the best tree, * proved minimum\n")
    print("\n".join(table(sorted(asked, key=lambda run: order.index(run.instance)), options.engines)))


if __name__ == "__main__":
    main()
