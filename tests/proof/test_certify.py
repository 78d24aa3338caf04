"""Certificates from end to end: what is made is verified, and what was changed is not."""

import json
import random
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helpers.certificates import reseal
from helpers.command_line import LOANS
from helpers.random_problems import decision_list, rows_of

from puretree import PuretreeError
from puretree._support.clock import Clock
from puretree.cli import main
from puretree.errors import DataNotFoundError, InputError, RejectedError
from puretree.proof import PROOF, Certifying, Verdict, Verifying, certify, verify
from puretree.proof.manifest import claim_of, describe_file
from puretree.runs import Run, load_run
from puretree.runs.store import FILES
from puretree.tree import Tree


def fit(folder: Path, *arguments: object) -> Path:
    """Fit a run into a folder; whether it is proved does not matter."""
    assert main(["fit", *map(str, arguments), "--quiet", "--out", str(folder), "--random-state", "0"]) in (0, 10)
    return folder


def certified(folder: Path, *options: str) -> Path:
    """Certify a run by the command."""
    assert main(["certify", str(folder), "--quiet", *options]) == 0
    return folder


@pytest.fixture(scope="module")
def mux_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Fit and certify the multiplexer of six bits: 15 nodes."""
    return certified(fit(tmp_path_factory.mktemp("mux") / "run", "formula:mux6"))


def results(verdict: Verdict) -> dict[str, str]:
    """Return what came of each part."""
    return {check.part: check.result for check in verdict.checks}


def copied(folder: Path, to: Path) -> Path:
    """Copy a run with its certificate."""
    for path in folder.rglob("*"):
        if path.is_file():
            (to / path.relative_to(folder)).parent.mkdir(parents=True, exist_ok=True)
            (to / path.relative_to(folder)).write_bytes(path.read_bytes())
    return to


def test_a_certificate_is_verified(mux_run: Path) -> None:
    """All four parts hold, and the claim with them."""
    verdict = verify(mux_run)
    assert set(results(verdict).values()) == {"verified"}
    assert verdict.holds
    assert (verdict.manifest.claim["n_nodes"], verdict.manifest.claim["is_minimum"]) == (15, True)


@pytest.mark.parametrize("form", ["lrat", "none"])
def test_other_forms_of_proof(loans: Path, tmp_path: Path, form: str) -> None:
    """An LRAT proof is verified too; without a refutation the log alone proves the bound."""
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
        ["--forbid", "x2", "--on-conflict", "majority"],
        ["--binarize", "onehot", "--forbid", "x2", "--on-conflict", "drop"],
        ["--max-depth", 5],
        ["--cost", "x1=3", "--engine", "maxsat"],
    ],
)
def test_whatever_was_asked_is_certified(tmp_path: Path, options: list[str]) -> None:
    """Rows kept back, wishes, contradictions and costs are part of what is checked."""
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
    assert bool(problem["left_out"]) == ("--forbid" in options)
    assert problem["max_depth"] == (5 if "--max-depth" in options else None)


def test_a_bound_that_is_not_met_is_certified_too(tmp_path: Path) -> None:
    """A tree that is not proved minimum has a certificate of its purity and of what is proved."""
    run = fit(tmp_path / "run", "formula:monks-2", "--time-limit", 0)
    assert load_run(run).outcome.status == "time_limit"
    verdict = verify(certified(run))
    assert verdict.holds
    assert not verdict.manifest.claim["is_minimum"]


def test_one_class_needs_no_proof(tmp_path: Path) -> None:
    """Nothing is smaller than a leaf."""
    (tmp_path / "table.csv").write_text("x,y\n1,a\n2,a\n")
    verdict = verify(certified(fit(tmp_path / "run", tmp_path / "table.csv", "-t", "y")))
    assert verdict.holds
    assert results(verdict) == {
        "files": "verified",
        "purity": "verified",
        "bound": "not made",
        "refutation": "not made",
    }


def test_no_time_is_told(mux_run: Path, tmp_path: Path) -> None:
    """Without time for a proof the certificate says so, and is not taken for one."""
    run = copied(mux_run, tmp_path / "run")
    from puretree.datasets import load

    manifest = certify(load_run(run), run, load("formula:mux6"), Certifying(clock=Clock(0)), force=True)
    assert not manifest.has_proof
    assert "time was over" in manifest.parts["bound"]["told"]
    assert not verify(run).holds
    assert main(["verify", str(run), "--quiet"]) == 10


def test_no_time_to_verify_is_told(mux_run: Path) -> None:
    """Purity is checked whatever the limit; a proof that could not be read to its end counts as nothing."""
    verdict = verify(mux_run, Verifying(clock=Clock(0)))
    assert results(verdict) == {
        "files": "verified",
        "purity": "verified",
        "bound": "not checked",
        "refutation": "not checked",
    }
    assert not verdict.holds


def test_a_depth_that_costs_nodes_is_part_of_both_proofs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where only deep trees are small, a shallow one has more nodes, and the certificate proves that it must."""
    problem = decision_list(8)
    table = tmp_path / "table.csv"
    rows = [[*row, label] for row, label in zip(rows_of(problem), problem.labels.tolist(), strict=True)]
    header = [f"x{place}" for place in range(problem.n_features)]
    table.write_text("".join(",".join(map(str, row)) + "\n" for row in [[*header, "y"], *rows]))
    verdicts = [
        verify(certified(fit(tmp_path / f"run{number}", table, "-t", "y", *options)))
        for number, options in enumerate([[], ["--max-depth", 3]])
    ]
    assert [verdict.manifest.claim["lower_bound"] for verdict in verdicts] == [11, 15]
    assert [verdict.wishes for verdict in verdicts] == [(), ("at most 3 tests on a path",)]
    assert main(["verify", str(tmp_path / "run1")]) == 0
    assert "questions (at most 3 tests on a path) has fewer" in capsys.readouterr().out.splitlines()[-1]
    for verdict in verdicts:
        assert set(results(verdict).values()) == {"verified"}


def test_any_changed_byte_is_rejected(mux_run: Path, tmp_path: Path) -> None:
    """Every file of the run and of the certificate, flipped at random places, lengthened, cut and removed."""
    rng = random.Random(0)
    run = copied(mux_run, tmp_path / "run")
    paths = [path for path in sorted(run.rglob("*")) if path.is_file()]
    assert len(paths) == 5 + 10
    n_flips = 0
    for path in paths:
        content = path.read_bytes()
        places = rng.sample(range(len(content)), min(15, len(content)))
        flipped = [content[:at] + bytes([content[at] ^ 1 << rng.randrange(8)]) + content[at + 1 :] for at in places]
        for changed in (*flipped, content + b"\n", content[:-1], b""):
            path.write_bytes(changed)
            with pytest.raises(RejectedError):
                verify(run)
            n_flips += 1
        path.unlink()
        with pytest.raises((RejectedError, DataNotFoundError)):
            verify(run)
        path.write_bytes(content)
    assert n_flips == 15 * 18
    assert verify(run).holds


def test_a_file_more_is_rejected(mux_run: Path, tmp_path: Path) -> None:
    """Nothing lies in a certificate that is not listed."""
    run = copied(mux_run, tmp_path / "run")
    (run / PROOF / "more.txt").write_text("x")
    with pytest.raises(RejectedError, match=r"more\.txt"):
        verify(run)


def rewrite(path: Path, old: str, new: str) -> None:
    """Replace a piece of text that is there."""
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


FORGERIES: dict[str, tuple[Callable[[Path], Any], Callable[[dict[str, Any]], Any], str]] = {
    "the log claims more": (
        lambda proof: None,
        lambda content: content["claim"].update(lower_bound=17, n_nodes=17),
        "does not say what the certificate claims",
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
    "the formula has a clause more": (
        lambda proof: (proof / "formula.cnf").write_bytes((proof / "formula.cnf").read_bytes() + b"1 0\n-1 0\n"),
        lambda content: None,
        r"formula\.cnf does not say",
    ),
    "the formula and its proof are of something else": (
        lambda proof: (
            (proof / "formula.cnf").write_text("p cnf 1 2\n1 0\n-1 0\n"),
            (proof / "proof.drat").write_text("0\n"),
        ),
        lambda content: None,
        r"formula\.cnf does not say",
    ),
    "a label of the table": (
        lambda proof: rewrite(proof / "table.csv", "0,0,0,0,0,0,0", "0,0,0,0,0,0,1"),
        lambda content: None,
        "row 0 is no example",
    ),
    "an example is gone": (
        lambda proof: rewrite(proof / "problem.json", '"rows": null', '"rows": [0, 1, 2]'),
        lambda content: None,
        "no training row|'rows' of the run",
    ),
    "the tree": (
        lambda proof: rewrite(proof / "model.json", '"label": 0', '"label": 1'),
        lambda content: None,
        "is wrong on row|another tree",
    ),
    "a path out of the folder": (
        lambda proof: None,
        lambda content: content["files"].update({"../model.json": content["files"]["model.json"]}),
        "is not a file of a certificate",
    ),
    "more is told of the bound than is claimed": (
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
    "the log is no text": (
        lambda proof: (proof / "bound.log").write_bytes(b"puretree bound 1\n\xff\nend\n"),
        lambda content: None,
        "line 2: this is not the size of a problem",
    ),
    "rows are counted twice": (
        lambda proof: rewrite(proof / "problem.json", '"rows": null', f'"rows": {[*range(128), 0]}'),
        lambda content: None,
        "'rows' of the run",
    ),
    "a depth that nobody asked for": (
        lambda proof: rewrite(proof / "problem.json", '"max_depth": null', '"max_depth": 3'),
        lambda content: None,
        "'max_depth' of the run",
    ),
    "a root that nobody asked for": (
        lambda proof: rewrite(proof / "problem.json", '"roots": null', '"roots": [0, 1]'),
        lambda content: None,
        "'root' of the run",
    ),
    "a column that nobody forbade": (
        lambda proof: rewrite(proof / "problem.json", '"may_be_asked": true', '"may_be_asked": false'),
        lambda content: None,
        "which the run did not forbid",
    ),
    "a module that the programs would import": (
        lambda proof: (proof / "json.py").write_text("print('VERIFIED')"),
        lambda content: None,
        "is not a file of a certificate",
    ),
    "a link": (
        lambda proof: (proof / "table.csv").rename(proof.parent / "t") and (proof / "table.csv").symlink_to("../t"),
        lambda content: None,
        "no file of its own",
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
    "no log at all": (
        lambda proof: [(proof / name).unlink() for name in ("bound.log", "proof.drat")],
        lambda content: None,
        "",
    ),
}


@pytest.mark.parametrize("what", FORGERIES)
def test_a_forged_certificate_is_rejected(mux_run: Path, tmp_path: Path, what: str) -> None:
    """With hashes and seal made to fit, what is said must still be true: it is checked, not believed."""
    change_files, change_list, told = FORGERIES[what]
    run = copied(mux_run, tmp_path / "run")
    change_files(run / PROOF)
    reseal(run / PROOF, change_list)
    if what == "no log at all":
        assert not verify(run).holds
        return
    with pytest.raises(RejectedError, match=told):
        verify(run)


@pytest.mark.parametrize("what", ["the tree", "the table"])
def test_a_run_is_not_certified_by_the_proof_of_another(loans: Path, tmp_path: Path, what: str) -> None:
    """A forger may write the run anew as well: its model and its data must be those that the certificate checks."""
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

    def fit_the_run(content: dict[str, Any]) -> None:
        content.update(run={name: describe_file(run / name) for name in FILES}, claim=claim_of(load_run(run)))

    reseal(run / PROOF, fit_the_run)
    with pytest.raises(RejectedError, match="another tree" if what == "the tree" else "not the file"):
        verify(run)


def test_what_makes_the_claim_smaller_is_told(tmp_path: Path) -> None:
    """Rows that did not train, cuts that no question makes and wishes are told with the verdict."""
    rows = [f"{i},{i % 3},{'no' if i < 9 else 'yes'}\n" for i in range(20)]
    (tmp_path / "table.csv").write_text("a,b,y\n" + "".join(rows))
    run = fit(tmp_path / "run", tmp_path / "table.csv", "-t", "y", "--forbid", "b", "--root", "a", "--max-depth", 4)
    told = verify(certified(run, "--proof", "none")).checks[1].told
    assert told == ("3 nodes, right on 20 rows; not asked: 'b'; the first test is about 'a'; at most 4 tests on a path")
    run = fit(tmp_path / "other", tmp_path / "table.csv", "-t", "y", "--selection", "holdout")
    assert verify(certified(run, "--proof", "none")).checks[1].told == (
        "3 nodes, right on 16 rows; 4 rows of the table did not train"
    )


def test_what_a_certificate_tells_of_itself_stays_one_line(mux_run: Path, tmp_path: Path) -> None:
    """Words of a forger cannot pass for a line of the verdict."""
    run = copied(mux_run, tmp_path / "run")
    (run / PROOF / "proof.drat").unlink()
    reseal(run / PROOF, lambda content: content["parts"]["refutation"].update(told="no\n✔ refutation: verified"))
    assert verify(run).checks[3].told == "no ✔ refutation: verified"


def test_a_class_that_did_not_train_is_known(tmp_path: Path) -> None:
    """A label that only rows kept back have is one of the classes of the tree, and of the certificate."""
    table = tmp_path / "table.csv"

    def fit_with(places: list[int]) -> Run:
        labels = iter("aabb")
        rows = [f"{row},{'c' if row in places else next(labels)}\n" for row in range(6)]
        table.write_text("x,y\n" + "".join(rows))
        return load_run(
            fit(tmp_path / "run", table, "-t", "y", "--selection=holdout", "--selection-size=0.33", "--force")
        )

    kept_back = set(range(6)) - set(fit_with([0, 1]).training_rows or ())  # the places do not depend on the labels
    run = fit_with(sorted(kept_back))
    assert set(range(6)) - set(run.training_rows or ()) == kept_back
    assert run.tree.classes == ("a", "b", "c")
    assert verify(certified(tmp_path / "run", "--proof", "none")).holds


def test_the_seal_can_be_asked_for(mux_run: Path) -> None:
    """Who knows the seal by another way sees that this is the certificate that was meant."""
    seal = verify(mux_run).manifest.seal
    assert verify(mux_run, Verifying(seal=seal.upper())).holds
    with pytest.raises(RejectedError, match="another certificate"):
        verify(mux_run, Verifying(seal="0" * 64))
    with pytest.raises(InputError, match="64 hexadecimal digits"):
        verify(mux_run, Verifying(seal=seal[:8]))


def test_the_same_certificate_has_the_same_seal(mux_run: Path, tmp_path: Path) -> None:
    """Who certifies a run again gets the same bytes; a seal that others know is not replaced unasked."""
    run = copied(mux_run, tmp_path / "run")
    assert main(["certify", str(run)]) == 2
    assert verify(certified(run, "--force")).manifest.seal == verify(mux_run).manifest.seal


def test_ctrl_c_ends_one_part(mux_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was made before stays, and the certificate tells what was not."""
    from puretree.datasets import load

    def interrupt(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(sys.modules["puretree.proof.certify"], "refute", interrupt)
    run = copied(mux_run, tmp_path / "run")
    manifest = certify(load_run(run), run, load("formula:mux6"), force=True)
    assert manifest.parts["refutation"] == {"made": False, "told": "interrupted"}
    assert verify(run).holds


def test_a_checker_that_is_not_there(mux_run: Path) -> None:
    """It is told before anything is checked, in the words of the command line."""
    checks: list[Any] = []
    with pytest.raises(InputError, match="was not found"):
        verify(mux_run, Verifying(checker="/nowhere/drat-trim", tell=checks.append))
    assert checks == []


def test_a_certificate_alone(mux_run: Path, tmp_path: Path) -> None:
    """The folder can be handed over without the run, under any name."""
    alone = copied(mux_run / PROOF, tmp_path / "handed over")
    assert verify(alone).holds


def test_without_the_data(loans: Path, tmp_path: Path) -> None:
    """A certificate without the table is verified with the file, and with no other."""
    run = certified(fit(tmp_path / "run", loans, "-t", "risk"), "--without-data")
    assert results(verify(run))["purity"] == "not checked"
    assert not verify(run).holds
    assert verify(run, Verifying(table=loans)).holds
    loans.write_text(LOANS.replace("30,", "31,", 1))
    with pytest.raises(InputError, match="is not the table"):
        verify(run, Verifying(table=loans))


def test_the_programs_in_a_certificate_run_alone(mux_run: Path, tmp_path: Path) -> None:
    """An isolated Python without packages verifies every part by the programs that lie in it."""
    proof = copied(mux_run / PROOF, tmp_path / "proof")
    assert main(["certify", str(copied(mux_run, tmp_path / "run")), "--proof", "lrat", "--quiet", "--force"]) == 0
    for name, folder, verdict in (
        ("purity", proof, "VERIFIED"),
        ("bound", proof, "PROVED"),
        ("lrat", tmp_path / "run" / PROOF, "VERIFIED"),
    ):
        command = [sys.executable, "-I", "-S", str(folder / f"check_{name}.py"), str(folder)]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (ended.returncode, ended.stdout.split(":")[0]) == (0, verdict), (name, ended.stdout, ended.stderr)


def test_programs_in_a_certificate_are_never_run_by_verify(mux_run: Path, tmp_path: Path) -> None:
    """A program that was put into a certificate, hashes made to fit, stays text."""
    run = copied(mux_run, tmp_path / "run")
    (run / PROOF / "check_purity.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    reseal(run / PROOF)
    verdict = verify(run)
    assert verdict.holds
    assert "not the programs of this release: check_purity.py" in verdict.checks[0].told
    assert "not the programs" not in verify(mux_run).checks[0].told
    assert not (tmp_path / "ran").exists()


def test_a_run_of_another_aim_or_tree(mux_run: Path, tmp_path: Path) -> None:
    """What cannot be certified is refused before anything is written."""
    from puretree.datasets import load

    run = load_run(mux_run)
    with pytest.raises(InputError, match="size alone"):
        certify(replace(run, outcome=replace(run.outcome, minimised="cost")), mux_run, load("formula:mux6"))
    other = copied(fit(tmp_path / "other", "formula:monks-1"), tmp_path / "copy")
    with pytest.raises(PuretreeError, match="not right on its data"):
        certify(load_run(other), other, load("formula:mux6"))
    assert not (other / PROOF).exists()


def test_a_new_fit_takes_the_certificate_away(mux_run: Path, tmp_path: Path) -> None:
    """A certificate never lies beside a run that it is not of."""
    run = fit(copied(mux_run, tmp_path / "run"), "formula:mux6", "--force")
    assert not (run / PROOF).exists()
    with pytest.raises(DataNotFoundError, match="puretree certify"):
        verify(run)
    with pytest.raises(DataNotFoundError, match="no folder"):
        verify(tmp_path / "nowhere")


def test_what_a_killed_certify_left_is_swept_away(mux_run: Path, tmp_path: Path) -> None:
    """Half a certificate is no certificate, the run is whole, and neither the next certify nor a new fit minds it."""
    run = copied(mux_run, tmp_path / "run")
    for name in (".proof.0123abcd.puretree", ".report.0123abcd.puretree"):
        (run / name).mkdir()
        (run / name / "bound.log").write_text("half")
    assert verify(run).holds
    certified(run, "--force")
    assert sorted(path.name for path in run.iterdir() if path.name.startswith(".")) == [".report.0123abcd.puretree"]
    fit(run, "formula:mux6", "--force")
    assert not any(path.name.startswith(".") for path in run.iterdir())
