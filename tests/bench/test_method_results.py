"""Values of methods by data set and training part, and differences paired by training part."""

from puretree.bench.method_results import MethodResults

RESULTS = MethodResults(
    ("iris", "zoo"),
    {
        ("psk", "zoo", 1): {"accuracy": 80.0, "n_nodes": None, "size": 9.0},
        ("psk", "zoo", 0): {"accuracy": 70.0, "n_nodes": None, "size": 7.0},
        ("mpdt", "zoo", 0): {"accuracy": 75.0, "n_nodes": 17},
        ("all", "zoo", 1): {"accuracy": 71.0, "n_nodes": 19},
    },
)


def test_draws_are_those_of_measured_cells() -> None:
    """Data sets without a measured cell are left out; training parts are ordered by number."""
    assert RESULTS.draws("psk", "accuracy") == {"zoo": [70.0, 80.0]}
    assert RESULTS.draws("all", "accuracy") == {"zoo": [71.0]}
    assert RESULTS.draws("psk", "n_nodes") == {}


def test_differences_are_paired_by_training_part() -> None:
    """Only training parts measured with both methods are compared."""
    assert RESULTS.differences("mpdt", "psk", "accuracy") == {"zoo": [5.0]}
    assert RESULTS.differences("all", "psk", "accuracy") == {"zoo": [-9.0]}
    assert RESULTS.differences("all", "mpdt", "accuracy") == {}


def test_results_of_common_training_parts() -> None:
    """Only training parts measured with all of some methods are kept, with the results of other methods there."""
    assert RESULTS.common_to(["psk", "mpdt"]).measured.keys() == {("psk", "zoo", 0), ("mpdt", "zoo", 0)}
    assert RESULTS.common_to(["psk"]).measured_datasets == {"zoo"}
    assert RESULTS.common_to(["mpdt", "all"]).measured_datasets == set()


def test_points_are_means_of_data_sets() -> None:
    """There is one point for each data set measured with the method."""
    assert RESULTS.points("psk", "size", "accuracy") == [(8.0, 75.0)]
    assert RESULTS.points("mpdt-1", "size", "accuracy") == []
