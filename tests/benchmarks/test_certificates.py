"""Certificates of ten of the paper's data sets."""

import os
from pathlib import Path

import pytest
from certificates import certify_dataset, table_row

NAMES = ("balloons1", "balloons3", "lenses", "meteo", "corral", "mux6", "irish", "lung_cancer", "mouse", "monks-1")


@pytest.mark.data
@pytest.mark.skipif("PURETREE_DATA" not in os.environ, reason="needs the paper's data sets")
@pytest.mark.parametrize("name", NAMES)
def test_a_data_set_of_the_paper_is_certified(tmp_path: Path, name: str) -> None:
    """Both proofs of minimality are created and verified; sizes and times are printed."""
    manifest, seconds, verdict = certify_dataset(name, tmp_path, 60)
    print(*table_row(name, manifest, seconds, verdict))
    assert manifest.claim["is_minimum"]
    assert {check.result for check in verdict.checks} == {"verified"}
