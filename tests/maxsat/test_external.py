"""Test external solvers: for any behaviour there is an answer or an error in time, and nothing is left."""

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
LIMIT = 1.5  # seconds, which include the start of a Python program
FIRST, BEST = 7, 1  # the costs of the first and the best model of the fake solver


def make_formula() -> Wcnf:
    """Return a formula with several models of different cost."""
    formula = Wcnf(4, names={1: "a[0]", 2: "b"})
    formula.add(as_block([[1, 2], [2, 3, -1]]))
    formula.soft = [Soft(1, (-1,)), Soft(3, (-2, -1)), Soft(2, (-3,)), Soft(1, (-2,))]
    return formula


def processes_with(folder: Path) -> list[str]:
    """Return the command lines of running processes that contain a folder."""
    commands = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = entry.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        commands += [command] if str(folder) in command else []
    return commands


@pytest.fixture(autouse=True)
def temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return the folder of temporary files, and assert afterwards that no file and no process is left."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    before = set(processes.descendants(os.getpid()))  # other tests may have processes of their own
    yield folder
    assert not list(folder.iterdir())
    limit = Clock(1)  # grandchildren are reaped by another process, a moment later
    while processes_with(folder) and not limit.is_over:
        time.sleep(0.01)
    assert not processes_with(folder)
    assert set(processes.descendants(os.getpid())) <= before  # no zombie either


class Run:
    """A run of the fake solver: its answer or error, the reported costs, and the elapsed time."""

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
def test_all_output_formats_are_parsed(mode: str, style: str) -> None:
    """Models may span lines, be literals or bits, and come before or after the status."""
    run = Run(mode, style=style)
    assert run.error == ""
    assert (run.answer.status, run.answer.cost) == ("optimal", BEST)
    assert run.answer.model is not None
    assert make_formula().falsified_clause(run.answer.model) is None
    assert run.costs == sorted(set(run.costs), reverse=True)
    assert run.costs[-1] == BEST


@pytest.mark.parametrize(("mode", "status"), [("leaves-daemon", "optimal"), ("starts-daemon-and-hangs", "unknown")])
def test_processes_in_other_sessions_are_killed(mode: str, status: str) -> None:
    """A process that a solver detaches from itself ends with it; the fixture asserts that none is left."""
    run = Run(mode, limit=5)
    assert run.error == ""
    assert run.answer.status == status


def test_unsatisfiable_formula() -> None:
    """A solver may report that there is no model."""
    formula = Wcnf(1)
    formula.add(as_block([[1], [-1]]))
    assert Run("good", formula=formula).answer.status == "unsatisfiable"


def test_empty_formula() -> None:
    """Without variables and clauses, the empty model has cost 0."""
    run = Run("good", formula=Wcnf())
    assert (run.answer.status, run.answer.cost) == ("optimal", 0)


def test_solver_may_give_up() -> None:
    """A solver may stop with a model that is not proved optimal, or without a model."""
    run = Run("satisfiable")
    assert (run.answer.status, run.answer.cost, run.costs) == ("unknown", FIRST, [FIRST])
    run = Run("no-status")
    assert (run.answer.status, run.answer.cost, run.costs) == ("unknown", FIRST, [FIRST])
    run = Run("unknown")
    assert (run.error, run.answer.status, run.answer.model) == ("", "unknown", None)


def test_crash_after_the_answer_is_ignored() -> None:
    """Some programs crash at exit; an answer printed before is accepted."""
    run = Run("crash-after-answer")
    assert (run.answer.status, run.answer.cost) == ("optimal", BEST)


def test_program_that_closed_its_output_is_not_awaited() -> None:
    """After an answer and the end of the output, the exit of the program is not awaited."""
    run = Run("closes-output-after-answer", limit=30)
    assert (run.answer.status, run.answer.cost) == ("optimal", BEST)
    assert run.seconds < 10


@pytest.mark.parametrize(
    ("mode", "message"),
    [
        (
            "killed",
            r"fake was killed by signal 9 \(SIGKILL\) without an answer; .* last output: out of �\[31mmemory�",
        ),
        ("exit-code", "fake ended with exit code 1 without an answer; .*Its last output: cannot go on"),
        (
            "invalid-model",
            r"fake returned an invalid result: its model falsifies the hard clause \(a\[0\], b\); use",
        ),
        ("false-unsatisfiable", "it reported that no model exists, but printed one of cost 7"),
    ],
)
def test_models_before_an_error_are_reported(mode: str, message: str) -> None:
    """A model is passed to the callback as soon as it is checked, before the solver fails."""
    run = Run(mode, limit=20)
    assert re.search(message, run.error), run.error
    assert run.costs == [FIRST]
    assert run.seconds < 10


@pytest.mark.parametrize(
    ("mode", "message"),
    [
        ("false-cost", "it reported a cost of 6, but its model costs 7"),
        ("false-optimum", "it reported an optimum of cost 12, but its model costs 7"),
        ("worse-optimum", "it reported an optimum of cost 7, but printed a model of cost 1"),
        ("optimum-without-model", "it reported an optimum but printed no model; enable the printing of models"),
        ("silent", "fake ended without an answer; check whether its options make it print models"),
        ("only-comments", "fake ended without an answer"),
        ("bad-values", "the output of fake is invalid: it printed 'v 1 two 3 0' instead of a model"),
        ("bad-cost", "it printed 'o many' instead of a cost"),
        ("bad-status", "it printed 's MAYBE' instead of a status .OPTIMUM FOUND, SATISFIABLE"),
        ("endless-model", "it printed 'v 1 1 1 .*…' instead of a model"),
    ],
)
def test_invalid_output_is_an_error(mode: str, message: str) -> None:
    """The message names the solver and the problem."""
    run = Run(mode, limit=20)
    assert re.search(message, run.error), run.error
    assert run.seconds < 10


@pytest.mark.parametrize(
    "mode",
    [
        *("hang", "suspended", "with-child", "garbage"),
        *(
            pytest.param(mode, marks=pytest.mark.slow)
            for mode in ("endless-line", "many-models", "closes-output", "dies-printing")
        ),
    ],
)
def test_time_limit_is_enforced(mode: str) -> None:
    """Within a second after the time limit, the best model is returned; truncated output is not an error."""
    run = Run(mode, limit=LIMIT)
    assert run.error == ""
    assert (run.answer.status, run.answer.cost, run.costs) == ("unknown", FIRST, [FIRST])
    assert LIMIT <= run.seconds < LIMIT + 1


def test_solver_without_output_until_the_time_limit() -> None:
    """No output until the time limit is not an error."""
    run = Run("silent-hang", limit=0.5)
    assert (run.error, run.answer.status, run.answer.model) == ("", "unknown", None)
    assert run.seconds < 1.5


def test_best_model_printed_on_sigterm() -> None:
    """Anytime solvers that print their best model on SIGTERM are supported."""
    run = Run("on-sigterm", limit=LIMIT)
    assert (run.answer.status, run.answer.cost, run.costs) == ("unknown", BEST, [BEST])
    assert run.seconds < LIMIT + 1


def test_program_is_not_started_without_time() -> None:
    """With a time limit of 0, the program is not started."""
    assert External("/nowhere/solver").minimise(make_formula(), clock=Clock(0)).status == "unknown"


@pytest.mark.slow
def test_memory_stays_bounded() -> None:
    """A program that prints without end does not exhaust the memory of the parent."""
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
        increase = subprocess.run([sys.executable, "-c", code, mode], check=True, capture_output=True, text=True).stdout
        assert int(increase) < 30_000  # kilobytes


def test_program_that_cannot_be_started(tmp_path: Path) -> None:
    """The message names the cause and the remedy."""
    formula, clock = make_formula(), Clock()
    with pytest.raises(SolverError, match=r"solver cannot be started: /nowhere/solver was not found, .*full path"):
        External("/nowhere/solver").minimise(formula, clock=clock)
    script = tmp_path / "script"
    script.write_text("#!/nowhere/interpreter\n")
    with pytest.raises(SolverError, match=r"script is not executable; make it executable \(chmod \+x\)"):
        External(str(script)).minimise(formula, clock=clock)
    script.chmod(0o755)
    with pytest.raises(SolverError, match=r"the interpreter in its first line \(#!\)"):
        External(str(script)).minimise(formula, clock=clock)
    script.write_bytes(b"\x7fELF nonsense")
    with pytest.raises(SolverError, match="is not a program for this machine"):
        External(str(script)).minimise(formula, clock=clock)


def test_command() -> None:
    """A string is split as by a shell, but no shell is run; the file is appended, or replaces ``{file}``."""
    file = Path("/tmp/f.wcnf")
    assert External("solver -t '1 2' $HOME;").arguments(file) == ("solver", "-t", "1 2", "$HOME;", "/tmp/f.wcnf")
    assert External(("solver", "--in={file}", "-v")).arguments(file) == ("solver", "--in=/tmp/f.wcnf", "-v")
    assert External("/opt/solver -v").name == "solver"
    assert External("/usr/bin/python3.12 -u /opt/solver.py -v").name == "solver.py"
    assert External("python -m solvers.walk").name == "solvers.walk"
    assert External("java -Xmx4g -jar /opt/sat4j.jar {file}").name == "sat4j.jar"
    assert External("/usr/bin/env LC_ALL=C python3 /opt/solver.py").name == "solver.py"
    assert External("bash -c 'exec /opt/solver'").name == "bash"
    assert External("python {file}").name == "python"
    assert External("/opt/a=b -t 1").name == "a=b"
    assert not External("solver").is_trusted
    with pytest.raises(InputError, match="names no program"):
        External(" ")
    with pytest.raises(InputError, match="cannot be split: No closing quotation; check its quotes"):
        External("solver 'x")
    with pytest.raises(InputError, match="style='2022' is unknown; use 'new' or 'old'"):
        External("solver", style="2022")  # type: ignore[arg-type]


@pytest.mark.parametrize("command", [None, b"solver -v", 3, Path("/opt/solver"), ("solver", b"-v"), ["solver", None]])
def test_a_command_of_another_type_is_rejected(command: object) -> None:
    """Only a string or a sequence of strings is a command."""
    with pytest.raises(InputError, match=r"^command=.* is not a string or a sequence of strings; give"):
        External(command)  # type: ignore[arg-type]


@pytest.mark.parametrize("command", ["solver\0", ("solver", "-v\0")])
def test_a_null_character_in_a_command_is_rejected(command: str | tuple[str, ...]) -> None:
    """The operating system ends every argument at a null character."""
    with pytest.raises(InputError, match=r"^command=.* contains a null character"):
        External(command)


def test_a_symbolic_link_to_itself_is_no_program(tmp_path: Path) -> None:
    """The error names the path and the remedy."""
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(SolverError, match=r"^loop cannot be started: .*/loop is a symbolic link to itself; give"):
        External(str(tmp_path / "loop")).minimise(make_formula(), clock=Clock(10))


def test_exception_of_the_callback_stops_the_solver() -> None:
    """An exception raised by the callback is propagated after the solver has been stopped."""

    def fail(model: Model) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        External((sys.executable, str(FAKE), "hang")).minimise(make_formula(), clock=Clock(20), on_model=fail)


def test_callback_may_keep_and_modify_models() -> None:
    """Modifying a model in the callback does not affect the answer."""
    seen: list[Model] = []

    def modify(model: Model) -> None:
        seen.append(model)
        model[:] = False

    formula = make_formula()
    answer = External((sys.executable, str(FAKE), "good")).minimise(formula, clock=Clock(), on_model=modify)
    assert answer.model is not None
    assert formula.cost(answer.model) == answer.cost == BEST
    assert seen


def test_keyboard_interrupt_stops_the_solver(temporary_folder: Path) -> None:
    """Ctrl-C takes effect immediately while the solver hangs, and nothing is left."""
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


def test_suspended_child_receives_sigterm() -> None:
    """A child suspended by SIGSTOP is resumed to handle SIGTERM, and may exit by itself."""
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
