"""Certificates from end to end: a certificate is verified, and any change to it is detected."""

import json
import random
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helpers.certificates import reseal
from helpers.command_line import LOANS
from helpers.random_problems import decision_list, rows_of

from puretree import PuretreeError, UnfinishedError
from puretree._support.clock import Clock
from puretree.cli import main
from puretree.datasets import load
from puretree.errors import DataNotFoundError, InputError, RejectedError
from puretree.proof import PROOF, CertifyOptions, Verdict, VerifyOptions, certify, verify
from puretree.proof.manifest import claim_of, describe_file
from puretree.runs import Run, load_run
from puretree.runs.store import FILES
from puretree.tree import Tree


def fit(folder: Path, *arguments: object) -> Path:
    """Fit a run into a folder, proved minimum or not."""
    assert main(["fit", *map(str, arguments), "--quiet", "--out", str(folder), "--random-state", "0"]) in (0, 10)
    return folder


def certified(folder: Path, *options: str) -> Path:
    """Certify a run with the command, and return its folder."""
    assert main(["certify", str(folder), "--quiet", *options]) == 0
    return folder


@pytest.fixture(scope="module")
def mux_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Fit and certify the 6-bit multiplexer, whose minimum is 15 nodes."""
    return certified(fit(tmp_path_factory.mktemp("mux") / "run", "formula:mux6"))


def results(verdict: Verdict) -> dict[str, str]:
    """Return the result of each component."""
    return {check.part: check.result for check in verdict.checks}


def copied(folder: Path, to: Path) -> Path:
    """Copy a run with its certificate."""
    for path in folder.rglob("*"):
        if path.is_file():
            (to / path.relative_to(folder)).parent.mkdir(parents=True, exist_ok=True)
            (to / path.relative_to(folder)).write_bytes(path.read_bytes())
    return to


def test_a_certificate_is_verified(mux_run: Path) -> None:
    """All four components are verified, and with them the claim."""
    verdict = verify(mux_run)
    assert set(results(verdict).values()) == {"verified"}
    assert verdict.holds
    assert (verdict.manifest.claim["n_nodes"], verdict.manifest.claim["is_minimum"]) == (15, True)


@pytest.mark.parametrize("form", ["lrat", "none"])
def test_other_proof_formats(loans: Path, tmp_path: Path, form: str) -> None:
    """An LRAT proof is verified too; without a refutation the log proves the bound."""
    run = certified(fit(tmp_path / "run", loans, "-t", "risk"), "--proof", form)
    verdict = verify(run)
    assert verdict.holds
    assert results(verdict)["refutation"] == ("not made" if form == "none" else "verified")
    assert (run / PROOF / "table.csv").read_bytes() == loans.read_bytes()


@pytest.mark.parametrize(
    "options",
    [
        ["--selection", "holdout"],
        ["--binarize", "bits", "--root", "x1"],
        ["--forbidden", "x2", "--on-conflict", "majority"],
        ["--binarize", "onehot", "--forbidden", "x2", "--on-conflict", "drop"],
        ["--max-depth", 5],
        ["--feature-costs", "x1=3", "--engine", "maxsat"],
    ],
)
def test_all_parameters_of_the_problem_are_certified(tmp_path: Path, options: list[str]) -> None:
    """Held-out rows, constraints, contradictory rows and costs are handled by certify and verify."""
    rng = random.Random(5)
    unique = rng.sample(range(100), 14)
    rows = [[rng.randint(0, 3), rng.choice(["a", "b", ""]), x, rng.choice(["no", "yes"])] for x in unique]
    table = tmp_path / "table.csv"
    table.write_text("".join(",".join(map(str, row)) + "\n" for row in [["x0", "x1", "x2", "y"], *rows]))
    verdict = verify(certified(fit(tmp_path / "run", table, "-t", "y", *options)))
    assert verdict.holds
    assert set(results(verdict).values()) <= {"verified", "not made"}
    problem = json.loads((tmp_path / "run" / PROOF / "problem.json").read_text())
    assert (problem["rows"] is not None) == ("holdout" in options)
    assert (problem["roots"] is not None) == ("--root" in options)
    assert bool(problem["left_out"]) == ("--forbidden" in options)
    assert problem["max_depth"] == (5 if "--max-depth" in options else None)


def test_a_tree_that_is_not_proved_minimum_is_certified(tmp_path: Path) -> None:
    """A tree that is not proved minimum has a certificate of its purity and of its lower bound."""
    run = fit(tmp_path / "run", "formula:monks-2", "--time-limit", 0)
    assert load_run(run).outcome.status == "time_limit"
    verdict = verify(certified(run))
    assert verdict.holds
    assert not verdict.manifest.claim["is_minimum"]


def test_one_class_needs_no_proof(tmp_path: Path) -> None:
    """The certificate of a single leaf holds without a proof of the bound."""
    (tmp_path / "table.csv").write_text("x,y\n1,a\n2,a\n")
    verdict = verify(certified(fit(tmp_path / "run", tmp_path / "table.csv", "-t", "y")))
    assert verdict.holds
    assert results(verdict) == {
        "files": "verified",
        "table": "verified",
        "purity": "verified",
        "bound": "not made",
        "refutation": "not made",
    }


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("x,y\n1,1\n2,1.0\n3,2.5\n4,2.50\n", []),
        ("x,z,y\n1,u,a\n2,v,a\n", ["--root", "x"]),
        ("x,z,y\n-1.7e308,1,a\n1.7e308,2,b\n0,3,a\n5e-324,4,b\n", []),
        ("x,z,y\nnan,1,a\nNaN,2,b\n 3,3,a\n4,4,b\n", ["--missing-values", ""]),
        ("x,y\nNA,a\n-007,b\n7,a\n", []),
    ],
    ids=[
        "labels in two spellings",
        "a root and one class",
        "a range that overflows",
        "nan",
        "missing and leading zeros",
    ],
)
def test_unusual_tables_are_certified(tmp_path: Path, text: str, options: list[str]) -> None:
    """What fit accepts can be certified and verified."""
    (tmp_path / "table.csv").write_text(text)
    assert verify(
        certified(fit(tmp_path / "run", tmp_path / "table.csv", "-t", "y", *options), "--proof", "none")
    ).holds


def test_certify_reports_the_time_limit(mux_run: Path, tmp_path: Path) -> None:
    """Without time for a proof the certificate says so, and is not verified."""
    run = copied(mux_run, tmp_path / "run")
    manifest = certify(load_run(run), run, load("formula:mux6"), CertifyOptions(clock=Clock(0)), force=True)
    assert not manifest.has_proof
    assert "time limit reached" in manifest.parts["bound"]["detail"]
    assert not verify(run).holds
    assert main(["verify", str(run), "--quiet"]) == 10


def test_a_refutation_takes_at_most_half_of_the_time(
    mux_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A refutation is stopped after half of the limit, 30 s by default; the certificate says how to give it longer."""
    assert CertifyOptions().proof_limit == 30
    assert CertifyOptions(clock=Clock()).proof_limit == float("inf")
    run = copied(mux_run, tmp_path / "run")
    limits = []

    def endless(*arguments: object, clock: Clock, **options: object) -> None:
        limits.append(clock.limit)
        while not clock.is_over:
            time.sleep(0.01)
        raise UnfinishedError("time limit reached", None)

    monkeypatch.setattr(sys.modules[certify.__module__], "refute", endless)
    manifest = certify(load_run(run), run, load("formula:mux6"), CertifyOptions(clock=Clock(2)), force=True)
    assert limits == [1]
    assert manifest.parts["bound"]["made"]
    assert manifest.parts["refutation"] == {
        "made": False,
        "detail": "time limit reached: trees of at most 13 nodes were not refuted within 1 s, half of the time limit; "
        "--time-limit 600 gives it longer; the bound log proves the same",
    }
    assert manifest.has_proof
    assert verify(run).holds


def test_verify_reports_the_time_limit(mux_run: Path) -> None:
    """Purity is checked regardless of the limit; a proof that was not checked completely is not verified."""
    verdict = verify(mux_run, VerifyOptions(clock=Clock(0)))
    assert results(verdict) == {
        "files": "verified",
        "table": "verified",
        "purity": "verified",
        "bound": "not checked",
        "refutation": "not checked",
    }
    assert not verdict.holds


def test_a_depth_that_costs_nodes_is_part_of_both_proofs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """If only deep trees are small, both proofs show that a tree of limited depth needs more nodes."""
    problem = decision_list(8)
    table = tmp_path / "table.csv"
    rows = [[*row, label] for row, label in zip(rows_of(problem), problem.labels.tolist(), strict=True)]
    header = [f"x{feature}" for feature in range(problem.n_features)]
    table.write_text("".join(",".join(map(str, row)) + "\n" for row in [[*header, "y"], *rows]))
    verdicts = [
        verify(certified(fit(tmp_path / f"run{number}", table, "-t", "y", *options)))
        for number, options in enumerate([[], ["--max-depth", 3]])
    ]
    assert [verdict.manifest.claim["lower_bound"] for verdict in verdicts] == [11, 15]
    limitations = [verdict.statement.partition("(3) ")[2] for verdict in verdicts]
    assert limitations == [
        "Limitations of the rows and trees: none.",
        "Limitations of the rows and trees: only trees of depth at most 3.",
    ]
    assert main(["verify", str(tmp_path / "run1")]) == 0
    assert "only trees of depth at most 3" in capsys.readouterr().out.splitlines()[-1]
    for verdict in verdicts:
        assert set(results(verdict).values()) == {"verified"}


def test_any_changed_byte_is_rejected(mux_run: Path, tmp_path: Path) -> None:
    """Every file of the run and of the certificate, with bits flipped, extended, truncated and removed, is rejected."""
    rng = random.Random(0)
    run = copied(mux_run, tmp_path / "run")
    paths = [path for path in sorted(run.rglob("*")) if path.is_file()]
    assert len(paths) == 5 + 11
    n_flips = 0
    for path in paths:
        content = path.read_bytes()
        offsets = rng.sample(range(len(content)), min(15, len(content)))
        flipped = [content[:at] + bytes([content[at] ^ 1 << rng.randrange(8)]) + content[at + 1 :] for at in offsets]
        for changed in (*flipped, content + b"\n", content[:-1], b""):
            path.write_bytes(changed)
            with pytest.raises(RejectedError):
                verify(run)
            n_flips += 1
        path.unlink()
        with pytest.raises((RejectedError, DataNotFoundError)):
            verify(run)
        path.write_bytes(content)
    assert n_flips == 16 * 18
    assert verify(run).holds


def test_an_unlisted_file_is_rejected(mux_run: Path, tmp_path: Path) -> None:
    """A file that the manifest does not list is rejected."""
    run = copied(mux_run, tmp_path / "run")
    (run / PROOF / "more.txt").write_text("x")
    with pytest.raises(RejectedError, match=r"more\.txt"):
        verify(run)


def rewrite(path: Path, old: str, new: str) -> None:
    """Replace the first occurrence of a text, which must exist."""
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


FORGERIES: dict[str, tuple[Callable[[Path], Any], Callable[[dict[str, Any]], Any], str]] = {
    "the log claims more": (
        lambda proof: None,
        lambda content: content["claim"].update(lower_bound=17, n_nodes=17),
        "is not that of the run",
    ),
    "the log is cut": (
        lambda proof: (proof / "bound.log").write_bytes((proof / "bound.log").read_bytes()[:-30]),
        lambda content: None,
        "line",
    ),
    "the proof is cut": (
        lambda proof: (proof / "proof.drat").write_bytes(
            b"".join((proof / "proof.drat").read_bytes().splitlines(keepends=True)[:5])
        ),
        lambda content: None,
        r"proof\.drat does not refute",
    ),
    "the formula has an additional clause": (
        lambda proof: (proof / "formula.cnf").write_bytes((proof / "formula.cnf").read_bytes() + b"1 0\n-1 0\n"),
        lambda content: None,
        r"formula\.cnf is not the formula",
    ),
    "the formula and its proof are unrelated": (
        lambda proof: (
            (proof / "formula.cnf").write_text("p cnf 1 2\n1 0\n-1 0\n"),
            (proof / "proof.drat").write_text("0\n"),
        ),
        lambda content: None,
        r"formula\.cnf is not the formula",
    ),
    "a changed label": (
        lambda proof: rewrite(proof / "table.csv", "0,0,0,0,0,0,0", "0,0,0,0,0,0,1"),
        lambda content: None,
        "row 0 is not an example",
    ),
    "an example is removed": (
        lambda proof: rewrite(proof / "problem.json", '"rows": null', '"rows": [0, 1, 2]'),
        lambda content: None,
        "not a training row|'rows' of the run",
    ),
    "a changed tree": (
        lambda proof: rewrite(proof / "model.json", '"label": 0', '"label": 1'),
        lambda content: None,
        "another tree",
    ),
    "a path out of the folder": (
        lambda proof: None,
        lambda content: content["files"].update({"../model.json": content["files"]["model.json"]}),
        "is not a file of a certificate",
    ),
    "is_minimum without the bound": (
        lambda proof: None,
        lambda content: content["claim"].update(lower_bound=1),
        "contradicts itself",
    ),
    "a bound between two sizes": (
        lambda proof: None,
        lambda content: content["claim"].update(lower_bound=14, is_minimum=False),
        "contradicts itself",
    ),
    "the claim is of another tree": (
        lambda proof: None,
        lambda content: content["claim"].update(tree="0" * 64),
        "another tree",
    ),
    "the log is not text": (
        lambda proof: (proof / "bound.log").write_bytes(b"puretree bound 1\n\xff\nend\n"),
        lambda content: None,
        "line 2: this is not the size of a problem",
    ),
    "rows are listed twice": (
        lambda proof: rewrite(proof / "problem.json", '"rows": null', f'"rows": {[*range(128), 0]}'),
        lambda content: None,
        "'rows' of the run",
    ),
    "a depth constraint that the run does not have": (
        lambda proof: rewrite(proof / "problem.json", '"max_depth": null', '"max_depth": 3'),
        lambda content: None,
        "'max_depth' of the run",
    ),
    "a root constraint that the run does not have": (
        lambda proof: rewrite(proof / "problem.json", '"root": null', '"root": 0'),
        lambda content: None,
        "'root' of the run",
    ),
    "roots without a column": (
        lambda proof: rewrite(proof / "problem.json", '"roots": null', '"roots": [0, 1]'),
        lambda content: None,
        "restricts the root without declaring a column",
    ),
    "a forbidden column that the run allows": (
        lambda proof: rewrite(proof / "problem.json", '"is_forbidden": false', '"is_forbidden": true'),
        lambda content: None,
        "disagree on whether column",
    ),
    "a repeated name in the problem": (
        lambda proof: rewrite(proof / "problem.json", '"max_depth": null', '"max_depth": 3, "max_depth": null'),
        lambda content: None,
        "occurs twice|repeated name",
    ),
    "a repeated name in the tree": (
        lambda proof: rewrite(proof / "model.json", '"label": 0', '"label": 1, "label": 0'),
        lambda content: None,
        "occurs twice|repeated name",
    ),
    "a module that shadows one of the standard library": (
        lambda proof: (proof / "json.py").write_text("print('VERIFIED')"),
        lambda content: None,
        "is not a file of a certificate",
    ),
    "a symbolic link": (
        lambda proof: (proof / "table.csv").rename(proof.parent / "t") and (proof / "table.csv").symlink_to("../t"),
        lambda content: None,
        "not a regular file",
    ),
    "no problem": (
        lambda proof: (proof / "problem.json").unlink(),
        lambda content: None,
        "at least",
    ),
    "two refutations": (
        lambda proof: (proof / "proof.lrat").write_bytes(b"1 0 1 0\n"),
        lambda content: None,
        "two refutations",
    ),
    "no proof at all": (
        lambda proof: [(proof / name).unlink() for name in ("bound.log", "proof.drat")],
        lambda content: None,
        "",
    ),
}


@pytest.mark.parametrize("what", FORGERIES)
def test_a_forged_certificate_is_rejected(mux_run: Path, tmp_path: Path, what: str) -> None:
    """Even with matching hashes and seal, every false statement is detected."""
    change_files, change_manifest, message = FORGERIES[what]
    run = copied(mux_run, tmp_path / "run")
    change_files(run / PROOF)
    reseal(run / PROOF, change_manifest)
    if what == "no proof at all":
        assert not verify(run).holds
        return
    with pytest.raises(RejectedError, match=message):
        verify(run)


@pytest.mark.parametrize("what", ["the tree", "the table"])
def test_the_certificate_of_another_run_is_rejected(loans: Path, tmp_path: Path, what: str) -> None:
    """A forger may also rewrite the run: its model and its data must be those of the certificate."""
    run = certified(fit(tmp_path / "run", loans, "-t", "risk"), "--proof", "none")
    if what == "the tree":
        model = json.loads((run / "model.json").read_text())
        for node in model["nodes"]:
            node.update({"label": 1 - node["label"]} if "label" in node else {})
        (run / "model.json").write_text(json.dumps(model))
        digest = Tree.from_json(json.dumps(model)).digest
        (run / "certificate.json").write_text(
            json.dumps(json.loads((run / "certificate.json").read_text()) | {"tree": digest})
        )
    else:
        data = json.loads((run / "data.json").read_text())
        (run / "data.json").write_text(json.dumps(data | {"sha256": "0" * 64}))

    def match_the_run(content: dict[str, Any]) -> None:
        content.update(run={name: describe_file(run / name) for name in FILES}, claim=claim_of(load_run(run)))

    reseal(run / PROOF, match_the_run)
    with pytest.raises(RejectedError, match="another tree" if what == "the tree" else "not the data file"):
        verify(run)


def test_limitations_of_the_claim_are_reported(tmp_path: Path) -> None:
    """The statement names rows not used for training, forbidden columns and constraints."""
    rows = [f"{i},{i % 3},{'no' if i < 9 else 'yes'}\n" for i in range(20)]
    (tmp_path / "table.csv").write_text("a,b,y\n" + "".join(rows))
    run = fit(tmp_path / "run", tmp_path / "table.csv", "-t", "y", "--forbidden", "b", "--root", "a", "--max-depth", 4)
    assert verify(certified(run, "--proof", "none")).statement.endswith(
        "(3) Limitations of the rows and trees: forbidden: tests on column 'b'; only trees whose root is a leaf or "
        "splits the rows by column 'a'; only trees of depth at most 4."
    )
    run = fit(tmp_path / "other", tmp_path / "table.csv", "-t", "y", "--selection", "holdout")
    statement = verify(certified(run, "--proof", "none")).statement
    assert "(1) Rows: 16 of the 20 rows of the table" in statement
    assert statement.endswith("(3) Limitations of the rows and trees: 4 rows of the table are not training rows.")


def test_text_of_a_certificate_is_printed_on_one_line(mux_run: Path, tmp_path: Path) -> None:
    """Text of a forger cannot imitate a line of the verdict."""
    run = copied(mux_run, tmp_path / "run")
    (run / PROOF / "proof.drat").unlink()
    reseal(run / PROOF, lambda content: content["parts"]["refutation"].update(detail="no\n✔ refutation: verified"))
    assert verify(run).checks[4].detail == "no ✔ refutation: verified"


def test_a_class_without_training_rows_is_certified(tmp_path: Path) -> None:
    """A label that only held-out rows have is a class of the tree and of the certificate."""
    table = tmp_path / "table.csv"

    def fit_with(rows_of_c: list[int]) -> Run:
        labels = iter("aabb")
        rows = [f"{row},{'c' if row in rows_of_c else next(labels)}\n" for row in range(6)]
        table.write_text("x,y\n" + "".join(rows))
        return load_run(
            fit(tmp_path / "run", table, "-t", "y", "--selection=holdout", "--selection-size=0.33", "--force")
        )

    held_out = set(range(6)) - set(fit_with([0, 1]).training_rows or ())  # the split does not depend on the labels
    run = fit_with(sorted(held_out))
    assert set(range(6)) - set(run.training_rows or ()) == held_out
    assert run.tree.classes == ("a", "b", "c")
    assert verify(certified(tmp_path / "run", "--proof", "none")).holds


def test_the_seal_is_compared(mux_run: Path) -> None:
    """A certificate with another seal than the expected one is rejected."""
    seal = verify(mux_run).manifest.seal
    assert verify(mux_run, VerifyOptions(seal=seal.upper())).holds
    with pytest.raises(RejectedError, match="another certificate"):
        verify(mux_run, VerifyOptions(seal="0" * 64))
    with pytest.raises(InputError, match="64 hexadecimal digits"):
        verify(mux_run, VerifyOptions(seal=seal[:8]))


def test_the_same_certificate_has_the_same_seal(mux_run: Path, tmp_path: Path) -> None:
    """Certifying a run again yields the same bytes; an existing certificate is replaced only with --force."""
    run = copied(mux_run, tmp_path / "run")
    assert main(["certify", str(run)]) == 2
    assert verify(certified(run, "--force")).manifest.seal == verify(mux_run).manifest.seal


def test_ctrl_c_ends_one_part(mux_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C interrupts the component being made; the others are kept, and the manifest records the interruption."""

    def interrupt(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(sys.modules["puretree.proof.certify"], "refute", interrupt)
    run = copied(mux_run, tmp_path / "run")
    manifest = certify(load_run(run), run, load("formula:mux6"), force=True)
    assert manifest.parts["refutation"] == {"made": False, "detail": "interrupted"}
    assert verify(run).holds


def test_a_missing_checker_is_reported_first(mux_run: Path) -> None:
    """A checker that does not exist is reported before anything is checked."""
    checks: list[Any] = []
    with pytest.raises(InputError, match="was not found"):
        verify(mux_run, VerifyOptions(checker="/nowhere/drat-trim", on_done=checks.append))
    assert checks == []


def test_a_certificate_without_its_run(mux_run: Path, tmp_path: Path) -> None:
    """The folder of a certificate is verified without the run, under any name."""
    alone = copied(mux_run / PROOF, tmp_path / "any name")
    assert verify(alone).holds


def test_a_certificate_without_the_data(loans: Path, tmp_path: Path) -> None:
    """A certificate without the table is verified with the original file only."""
    run = certified(fit(tmp_path / "run", loans, "-t", "risk"), "--without-data")
    assert results(verify(run))["table"] == "not checked"
    assert not verify(run).holds
    assert verify(run, VerifyOptions(table=loans)).holds
    loans.write_text(LOANS.replace("30,", "31,", 1))
    with pytest.raises(InputError, match="is not the table of the certificate"):
        verify(run, VerifyOptions(table=loans))


def test_the_programs_in_a_certificate_run_alone(mux_run: Path, tmp_path: Path) -> None:
    """An isolated Python without packages verifies every component with the programs in the certificate."""
    proof = copied(mux_run / PROOF, tmp_path / "proof")
    assert main(["certify", str(copied(mux_run, tmp_path / "run")), "--proof", "lrat", "--quiet", "--force"]) == 0
    for name, folder, verdict in (
        ("table", proof, "VERIFIED"),
        ("purity", proof, "VERIFIED"),
        ("bound", proof, "PROVED"),
        ("lrat", tmp_path / "run" / PROOF, "VERIFIED"),
    ):
        command = [sys.executable, "-I", "-S", str(folder / f"check_{name}.py"), str(folder)]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (ended.returncode, ended.stdout.split(":")[0]) == (0, verdict), (name, ended.stdout, ended.stderr)


def test_programs_in_a_certificate_are_never_run_by_verify(mux_run: Path, tmp_path: Path) -> None:
    """A program in a certificate, with matching hashes, is never executed, and is reported as foreign."""
    run = copied(mux_run, tmp_path / "run")
    (run / PROOF / "check_purity.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    reseal(run / PROOF)
    verdict = verify(run)
    assert verdict.holds
    assert "not the programs of this release: check_purity.py" in verdict.checks[0].detail
    assert "not the programs" not in verify(mux_run).checks[0].detail
    assert not (tmp_path / "ran").exists()


def test_a_run_that_cannot_be_certified(mux_run: Path, tmp_path: Path) -> None:
    """A run with another objective, or a tree that is not pure, raises an error, and nothing is written."""
    run = load_run(mux_run)
    with pytest.raises(InputError, match="only the size"):
        certify(replace(run, outcome=replace(run.outcome, minimised="cost")), mux_run, load("formula:mux6"))
    other = copied(fit(tmp_path / "other", "formula:monks-1"), tmp_path / "copy")
    with pytest.raises(PuretreeError, match="not pure on its data"):
        certify(load_run(other), other, load("formula:mux6"))
    assert not (other / PROOF).exists()


def test_a_new_fit_removes_the_certificate(mux_run: Path, tmp_path: Path) -> None:
    """Replacing a run removes the certificate of the old run."""
    run = fit(copied(mux_run, tmp_path / "run"), "formula:mux6", "--force")
    assert not (run / PROOF).exists()
    with pytest.raises(DataNotFoundError, match="puretree certify"):
        verify(run)
    with pytest.raises(DataNotFoundError, match="no folder"):
        verify(tmp_path / "nowhere")


def test_temporary_files_of_a_killed_certify_are_removed(mux_run: Path, tmp_path: Path) -> None:
    """Temporary folders of a killed certify are ignored by verify, and removed by the next certify or fit."""
    run = copied(mux_run, tmp_path / "run")
    for name in (".proof.0123abcd.puretree", ".report.0123abcd.puretree"):
        (run / name).mkdir()
        (run / name / "bound.log").write_text("half")
    assert verify(run).holds
    certified(run, "--force")
    assert sorted(path.name for path in run.iterdir() if path.name.startswith(".")) == [".report.0123abcd.puretree"]
    fit(run, "formula:mux6", "--force")
    assert not any(path.name.startswith(".") for path in run.iterdir())
