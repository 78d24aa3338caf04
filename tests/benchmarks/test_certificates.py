"""Ten of the paper's data sets are certified, and their certificates verified."""

import os
from pathlib import Path

import pytest
from certificates import certify_one, line

TEN = ("balloons1", "balloons3", "lenses", "meteo", "corral", "mux6", "irish", "lung_cancer", "mouse", "monks-1")


@pytest.mark.data
@pytest.mark.skipif("PURETREE_DATA" not in os.environ, reason="needs the paper's data sets")
@pytest.mark.parametrize("name", TEN)
def test_a_data_set_of_the_paper_is_certified(tmp_path: Path, name: str) -> None:
    """Both proofs of minimality are made and verified; sizes and times are printed."""
    manifest, seconds, verdict = certify_one(name, tmp_path, 60)
    print(*line(name, manifest, seconds, verdict))
    assert manifest.claim["is_minimum"]
    assert {check.result for check in verdict.checks} == {"verified"}
