"""Is the MaxSAT formula better than a SAT question for each size? The paper's Table 3 in small.

Run with ``python benchmarks/maxsat_against_mindt.py --data FOLDER``. Samples of 40, 60 and 80 % of the rows of the
paper's larger data sets; both engines get the same problem, the same starting tree, the same SAT solver and the same
time. Printed are the upper bounds, the time at which each was reached, and how often each engine's is the best.
"""

from __future__ import annotations

import argparse
import os
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from instances import ANYTIME, sample

from puretree import MaxSat, MinDt, Outcome
from puretree.bounds.upper import starting_trees
from puretree.clock import NO_LIMIT, Clock
from puretree.engines import Engine, solve
from puretree.steering import Steering

ENGINES: dict[str, Engine] = {"maxsat": MaxSat(), "mindt": MinDt()}


def time_to_best(outcome: Outcome) -> float:
    """Return when the last upper bound was reached."""
    return min(bounds.seconds for bounds in outcome.history if bounds.upper == outcome.upper_bound)


def main() -> None:
    """Read the options, run all cells, print what came out."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=os.environ.get("PURETREE_DATA"))
    parser.add_argument("--limit", type=float, default=60.0, help="seconds for each engine and sample")
    parser.add_argument("--samples", type=int, default=1, help="samples of each share")
    parser.add_argument("--names", nargs="*", default=ANYTIME)
    parser.add_argument("--jobs", type=int, default=1, help="cells at once: each keeps a core of its own busy")
    options = parser.parse_args()
    if options.data is None:
        parser.error("where are the paper's data sets? use --data FOLDER or set PURETREE_DATA")

    def run(cell: tuple[str, float, int]) -> tuple[str, float, int, dict[str, Outcome]]:
        name, share, seed = cell
        problem = sample(name, options.data, share, seed)
        start = min(tree.n_nodes for tree in starting_trees(problem, Steering(), NO_LIMIT))
        return (
            name,
            share,
            start,
            {label: solve(problem, engine, clock=Clock(options.limit)) for label, engine in ENGINES.items()},
        )

    cells = [
        (name, share, seed) for name in options.names for share in (0.4, 0.6, 0.8) for seed in range(options.samples)
    ]
    best: Counter[tuple[float, str]] = Counter()
    alone: Counter[str] = Counter()
    sooner: Counter[str] = Counter()
    print(f"{'data set':22}{'rows':>6}{'start':>7}" + "".join(f"{label:>8}{'s':>7}" for label in ENGINES))
    with ThreadPoolExecutor(options.jobs) as pool:
        for name, share, start, outcomes in pool.map(run, cells):
            uppers = {label: outcome.upper_bound or 0 for label, outcome in outcomes.items()}
            winners = [label for label, upper in uppers.items() if upper == min(uppers.values())]
            best.update((share, label) for label in winners)
            if len(winners) == 1:
                alone.update(winners)
            else:
                sooner.update([min(winners, key=lambda label: time_to_best(outcomes[label]))])
            marks = (
                f"{out.upper_bound:>7}{'*' if out.status == 'optimal' else ' '}{time_to_best(out):7.1f}"
                for out in outcomes.values()
            )
            print(f"{name:22}{share:>6.0%}{start:>7}" + "".join(marks), flush=True)
    for share in (0.4, 0.6, 0.8):
        print(f"best upper bounds at {share:.0%}: " + ", ".join(f"{label} {best[share, label]}" for label in ENGINES))
    print("alone with the best bound: " + ", ".join(f"{label} {alone[label]}" for label in ENGINES))
    print("sooner where both have it: " + ", ".join(f"{label} {sooner[label]}" for label in ENGINES))
    print("* proved minimum")


if __name__ == "__main__":
    main()
