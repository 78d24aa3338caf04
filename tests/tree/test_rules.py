"""Trees as text."""

from puretree import Tree, minimum_tree, prepare
from puretree.binarize.predicate import Predicate
from puretree.binarize.region import Region
from puretree.datasets import load
from puretree.table import Column

WIDTH = Column("width", 0, "number")
CUTS = [Predicate(WIDTH, Region.at_most(cut)) for cut in (1.0, 2.0, 3.0)]


def test_conditions_on_one_column_are_merged() -> None:
    """Two tests of one column become one interval."""
    tree = Tree.from_nested((2, "c", (0, "b", "a"))).with_predicates(CUTS, 1)
    assert [str(rule) for rule in tree.rules()] == [
        "IF width ≤ 1 THEN a",
        "IF 1 < width ≤ 3 THEN b",
        "IF width > 3 THEN c",
    ]


def test_an_or_within_an_and_is_parenthesised() -> None:
    """Parentheses make a rule unambiguous."""
    middle = Predicate(WIDTH, Region((1.0, 2.0)))
    other = Predicate(Column("colour", 1, "category", ("blue", "red")), Region((1.0, 2.0)))
    tree = Tree.from_nested((0, (1, "a", "b"), "c")).with_predicates([middle, other], 2)
    assert "IF (width < 1 or ≥ 2) AND colour is red THEN b" in [str(rule) for rule in tree.rules()]


def test_to_text_draws_yes_before_no() -> None:
    """Branches are labelled with their answers and indented by depth."""
    tree = Tree.from_nested((1, (2, "c", "b"), (0, "b", "a"))).with_predicates(CUTS, 1)
    assert tree.to_text().splitlines() == [
        "width ≤ 2?",
        "├─ yes: width ≤ 1?",
        "│  ├─ yes: a",
        "│  └─ no: b",
        "└─ no: width ≤ 3?",
        "   ├─ yes: b",
        "   └─ no: c",
    ]
    assert str(tree) == tree.to_text()


def test_a_tree_without_predicates_names_features() -> None:
    """Features without predicates are named by their numbers."""
    tree = Tree.from_nested((4, 0, 1))
    assert tree.to_text().splitlines() == ["feature 4 is 1?", "├─ yes: 1", "└─ no: 0"]
    assert [str(rule) for rule in tree.rules()] == [
        "IF feature 4 is 1 THEN 1",
        "IF feature 4 is not 1 THEN 0",
    ]


def test_a_very_deep_tree() -> None:
    """The depth is not limited by recursion."""
    nested: object = "end"
    for feature in range(3000):
        nested = (feature, "out", nested)
    tree = Tree.from_nested(nested)
    assert tree.depth == 3000
    assert len(tree.rules()) == 3001
    assert len(tree.to_text().splitlines()) == 6001
    assert Tree.from_dict(tree.to_dict()) == tree


def test_to_text_shows_the_branch_of_missing_values() -> None:
    """If training had missing values, the "no" branch is labelled "no or missing" until a test separates them."""
    tree = minimum_tree([[1.0], [2.0], [None]], ["a", "b", "c"]).tree
    assert tree is not None
    assert tree.to_text().splitlines() == [
        "x0 ≤ 1?",
        "├─ yes: a (1)",
        "└─ no or missing: x0 is missing?",
        "   ├─ yes: c (1)",
        "   └─ no: b (1)",
    ]


def test_reprs_are_short() -> None:
    """Every repr fits on one line."""
    prepared = prepare([[1.0], [2.0]], ["a", "b"])
    assert repr(prepared.table) == "<Table: 2 rows × 1 column>"
    assert repr(prepared.problem) == "<BinaryProblem: 2 examples × 1 feature, 2 classes>"
    assert repr(prepared.problem.features) == "<BitMatrix: 1 row × 2 bits>"
    tree = minimum_tree([[1.0], [2.0]], ["a", "b"]).tree
    assert tree is not None
    assert repr(tree.rules()[0]) == "<Rule: IF x0 ≤ 1 THEN a (1)>"
    assert repr(load("formula:mux6")) == "<Dataset mux6: 128 rows × 6 columns, 2 classes>"


def test_to_text_of_the_top() -> None:
    """Below ``max_depth``, subtrees are replaced by their sizes; a depth that no node exceeds hides nothing."""
    tree = Tree.from_nested((0, "a", (1, (2, "a", "b"), "b")))
    assert tree.to_text(1).splitlines() == ["feature 0 is 1?", "├─ yes: … 5 nodes", "└─ no: a"]
    assert tree.to_text(0) == "… 7 nodes"
    assert tree.to_text(3) == tree.to_text() == str(tree)
