"""External solvers: whatever a program does, there is an answer or a clear error, in time, and nothing stays behind."""

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from puretree._support import processes
from puretree._support.clock import Clock
from puretree.errors import InputError, SolverError
from puretree.formula import Model, Soft, Wcnf, as_block
from puretree.maxsat import Answer, External

FAKE = Path(__file__).parents[1] / "helpers" / "fake_solver.py"
LIMIT = 1.5  # seconds: a Python program needs some of them to start
FIRST, BEST = 7, 1  # the costs of the first and the best model that the fake solver finds


def make_formula() -> Wcnf:
    """Return a formula with some models on the way to the best."""
    formula = Wcnf(4, names={1: "a[0]", 2: "b"})
    formula.add(as_block([[1, 2], [2, 3, -1]]))
    formula.soft = [Soft(1, (-1,)), Soft(3, (-2, -1)), Soft(2, (-3,)), Soft(1, (-2,))]
    return formula


def processes_about(folder: Path) -> list[str]:
    """Return the commands of living processes that were told of a folder."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = entry.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        found += [command] if str(folder) in command else []
    return found


@pytest.fixture(autouse=True)
def temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Give the folder in which temporary files are made, and see that nothing is left, neither file nor process."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    before = set(processes.descendants(os.getpid()))  # other tests may keep processes of theirs
    yield folder
    assert not list(folder.iterdir())
    limit = Clock(1)  # the children of a child are not ours: somebody else buries them, a moment later
    while processes_about(folder) and not limit.is_over:
        time.sleep(0.01)
    assert not processes_about(folder)
    assert set(processes.descendants(os.getpid())) <= before  # no zombie either


class Run:
    """A run of the fake solver: its answer or error, the costs that were reported, and how long it took."""

    def __init__(self, mode: str, *, limit: float | None = None, formula: Wcnf | None = None, **options: str) -> None:
        formula = formula or make_formula()
        solver = External((sys.executable, str(FAKE), mode), name="fake", **options)  # type: ignore[arg-type]
        self.costs: list[int] = []
        self.answer = Answer("unknown")
        self.error = ""
        clock = Clock.of(limit)
        try:
            self.answer = solver.minimise(
                formula, clock=clock, on_model=lambda model: self.costs.append(formula.cost(model))
            )
        except SolverError as error:
            self.error = str(error)
        self.seconds = clock.seconds


@pytest.mark.parametrize("style", ["new", "old"])
@pytest.mark.parametrize("mode", ["good", "final-only", "bits", "many-lines", "no-line-end", "leaves-child"])
def test_every_way_to_print_an_optimum_is_understood(mode: str, style: str) -> None:
    """Models over one line or many, as literals or bits, at the end or on the way, before or after the status."""
    run = Run(mode, style=style)
    assert run.error == ""
    assert (run.answer.status, run.answer.cost) == ("optimal", BEST)
    assert run.answer.model is not None
    assert make_formula().broken(run.answer.model) is None
    assert run.costs == sorted(set(run.costs), reverse=True)
    assert run.costs[-1] == BEST


def test_a_formula_without_models() -> None:
    """A solver may say that there is no model."""
    formula = Wcnf(1)
    formula.add(as_block([[1], [-1]]))
    assert Run("good", formula=formula).answer.status == "unsatisfiable"


def test_a_formula_without_anything() -> None:
    """No variables, no clauses: the empty model costs nothing."""
    run = Run("good", formula=Wcnf())
    assert (run.answer.status, run.answer.cost) == ("optimal", 0)


def test_a_solver_may_give_up() -> None:
    """It may know a model and not whether it is the best, or nothing at all."""
    run = Run("satisfiable")
    assert (run.answer.status, run.answer.cost, run.costs) == ("unknown", FIRST, [FIRST])
    run = Run("no-status")
    assert (run.answer.status, run.answer.cost, run.costs) == ("unknown", FIRST, [FIRST])
    run = Run("unknown")
    assert (run.error, run.answer.status, run.answer.model) == ("", "unknown", None)


def test_a_crash_after_the_answer_is_none_of_our_business() -> None:
    """Some programs fall over their own cleaning up; what they had said stays said."""
    run = Run("crash-after-answer")
    assert (run.answer.status, run.answer.cost) == ("optimal", BEST)


def test_an_answer_is_enough() -> None:
    """A program that has answered and closed its output is not waited for."""
    run = Run("closes-output-after-answer", limit=30)
    assert (run.answer.status, run.answer.cost) == ("optimal", BEST)
    assert run.seconds < 10


@pytest.mark.parametrize(
    ("mode", "message"),
    [
        ("killed", r"fake was ended by signal 9 \(SIGKILL\) without an answer; .*Its last words: out of �\[31mmemory�"),
        ("exit-code", "fake ended with exit code 1 without an answer; .*Its last words: cannot go on"),
        ("lie-model", r"fake cannot be trusted: its model breaks the hard clause \(a\[0\], b\); use another"),
        ("lie-unsatisfiable", "it claims that no model exists, but printed one of cost 7"),
    ],
)
def test_what_was_found_before_an_error_is_known(mode: str, message: str) -> None:
    """A model reaches the listener as soon as it is checked, before the solver dies or lies."""
    run = Run(mode, limit=20)
    assert re.search(message, run.error), run.error
    assert run.costs == [FIRST]
    assert run.seconds < 10


@pytest.mark.parametrize(
    ("mode", "message"),
    [
        ("lie-cost", "it claims a cost of 6, but its model costs 7"),
        ("lie-optimum", "it claims an optimum of cost 12, but its model costs 7"),
        ("worse-optimum", "it claims an optimum of cost 7, but printed one of 1"),
        ("optimum-without-model", "it claims an optimum but printed no model; turn on the printing of models"),
        ("silent", "fake ended without an answer; see whether its options make it print models"),
        ("chatter", "fake ended without an answer"),
        ("bad-values", "fake cannot be understood: it printed 'v 1 two 3 0' in place of a model"),
        ("bad-cost", "it printed 'o many' in place of a cost"),
        ("bad-status", "it printed 's MAYBE' in place of a status .OPTIMUM FOUND, SATISFIABLE"),
        ("endless-model", "it printed 'v 1 1 1 .*…' in place of a model"),
    ],
)
def test_what_cannot_be_believed_is_an_error(mode: str, message: str) -> None:
    """The message names the solver and what is wrong with its answer."""
    run = Run(mode, limit=20)
    assert re.search(message, run.error), run.error
    assert run.seconds < 10


@pytest.mark.parametrize(
    "mode",
    ["hang", "stop-itself", "with-child", "garbage", "endless-line", "many-models", "closes-output", "dies-printing"],
)
def test_the_limit_is_kept_whatever_the_solver_does(mode: str) -> None:
    """Within a second of the limit there is an answer with the best model; what was cut off is not held against it."""
    run = Run(mode, limit=LIMIT)
    assert run.error == ""
    assert (run.answer.status, run.answer.cost, run.costs) == ("unknown", FIRST, [FIRST])
    assert LIMIT <= run.seconds < LIMIT + 1


def test_a_solver_that_says_nothing_until_the_limit() -> None:
    """Silence is no error."""
    run = Run("silent-hang", limit=0.5)
    assert (run.error, run.answer.status, run.answer.model) == ("", "unknown", None)
    assert run.seconds < 1.5


def test_the_best_that_is_printed_on_request() -> None:
    """Many anytime solvers print their best model when they are asked to stop."""
    run = Run("on-request", limit=LIMIT)
    assert (run.answer.status, run.answer.cost, run.costs) == ("unknown", BEST, [BEST])
    assert run.seconds < LIMIT + 1


def test_no_time_at_all() -> None:
    """Nothing is started when the clock is over."""
    assert External("/nowhere/solver").minimise(make_formula(), clock=Clock(0)).status == "unknown"


@pytest.mark.slow
def test_memory_stays_bounded() -> None:
    """A program that prints without end fills no memory."""
    code = f"""
import resource, sys
sys.path.insert(0, {str(Path(__file__).parents[1])!r})
from puretree._support import processes
from puretree._support.clock import Clock
from puretree.formula import Wcnf, as_block
from puretree.maxsat import External
formula = Wcnf(4, [as_block([[1, 2]])])
solver = External((sys.executable, {str(FAKE)!r}, sys.argv[1]))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
solver.minimise(formula, clock=Clock(1.5))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    for mode in ("garbage", "endless-line"):
        grown = subprocess.run([sys.executable, "-c", code, mode], check=True, capture_output=True, text=True).stdout
        assert int(grown) < 30_000  # kilobytes


def test_programs_that_cannot_be_started(tmp_path: Path) -> None:
    """The message names the cause and the remedy."""
    formula, clock = make_formula(), Clock()
    with pytest.raises(SolverError, match=r"solver cannot be started: /nowhere/solver was not found, .*full path"):
        External("/nowhere/solver").minimise(formula, clock=clock)
    script = tmp_path / "script"
    script.write_text("#!/nowhere/interpreter\n")
    with pytest.raises(SolverError, match=r"script may not be run; make it executable \(chmod \+x\)"):
        External(str(script)).minimise(formula, clock=clock)
    script.chmod(0o755)
    with pytest.raises(SolverError, match=r"what its first line \(#!\) names"):
        External(str(script)).minimise(formula, clock=clock)
    script.write_bytes(b"\x7fELF nonsense")
    with pytest.raises(SolverError, match="is no program for this machine"):
        External(str(script)).minimise(formula, clock=clock)


def test_the_command() -> None:
    """A string is split as a shell would, but no shell sees it; the file comes last, or where it is wanted."""
    file = Path("/tmp/f.wcnf")
    assert External("solver -t '1 2' $HOME;").arguments(file) == ("solver", "-t", "1 2", "$HOME;", "/tmp/f.wcnf")
    assert External(("solver", "--in={file}", "-v")).arguments(file) == ("solver", "--in=/tmp/f.wcnf", "-v")
    assert External("/opt/solver -v").name == "solver"
    assert not External("solver").is_trusted
    with pytest.raises(InputError, match="names no program"):
        External(" ")
    with pytest.raises(InputError, match="cannot be split: No closing quotation; check its quotes"):
        External("solver 'x")
    with pytest.raises(InputError, match="style='2022' is not known; use 'new' or 'old'"):
        External("solver", style="2022")  # type: ignore[arg-type]


def test_an_error_of_the_listener_stops_the_solver() -> None:
    """What the caller's own function raises comes through, after the solver was stopped."""

    def fail(model: Model) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        External((sys.executable, str(FAKE), "hang")).minimise(make_formula(), clock=Clock(20), on_model=fail)


def test_the_listener_may_keep_and_change_models() -> None:
    """What the caller does to a model changes nothing here."""
    seen: list[Model] = []

    def scribble(model: Model) -> None:
        seen.append(model)
        model[:] = False

    formula = make_formula()
    answer = External((sys.executable, str(FAKE), "good")).minimise(formula, clock=Clock(), on_model=scribble)
    assert answer.model is not None
    assert formula.cost(answer.model) == answer.cost == BEST
    assert seen


def test_control_c_stops_the_solver(temporary_folder: Path) -> None:
    """Ctrl-C is heard at once, while the solver hangs, and leaves nothing behind."""
    code = f"""
import os, signal, sys, tempfile, threading, time
tempfile.tempdir = {str(temporary_folder)!r}
from puretree._support import processes
from puretree._support.clock import Clock
from puretree.formula import Wcnf, as_block
from puretree.maxsat import External
def interrupt():
    global at
    at = time.monotonic()
    os.kill(os.getpid(), signal.SIGINT)
threading.Timer(1, interrupt).start()
try:
    External((sys.executable, {str(FAKE)!r}, "hang")).minimise(Wcnf(2, [as_block([[1, 2]])]), clock=Clock())
except KeyboardInterrupt:
    print("stopped", time.monotonic() - at < 1)
"""
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, timeout=30)
    assert (done.stdout, done.stderr, done.returncode) == ("stopped True\n", "", 0)


def test_a_stopped_child_hears_the_request() -> None:
    """A child that sleeps (SIGSTOP) is woken to hear that it should stop, and may leave in order."""
    code = """
import os, signal, sys
signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))
print(flush=True)
os.kill(os.getpid(), signal.SIGSTOP)
"""
    child = processes.start([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert child.stdout is not None
    child.stdout.readline()
    time.sleep(0.1)
    assert not processes.has_ended(child)
    processes.stop(child, grace=5)
    assert child.returncode == 7
