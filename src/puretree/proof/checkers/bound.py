"""Check a log that proves how many tests a decision tree needs at least. Needs nothing but Python.

Usage: ``python check_bound.py FOLDER``, where FOLDER holds ``problem.json`` and ``bound.log``. The exit code is 0 if
the bound is proved, 1 if the log is rejected, 2 if a file is missing.

The claim
---------
The problem is a list of distinct examples, each with 0/1 features and a class. The
tests of a tree are its inner nodes; each tests one feature. A tree is correct on a set of examples if it sends each of
them to a leaf of its class. For a subset S of the examples, let hull(S) be the smallest subcube that contains S: all
points that agree with S in every feature in which all of S agree. Let need(S) be the minimum number of tests of a tree
that is correct on every example of the *problem* in hull(S). For any S, need(S) is a lower bound for the trees of the
whole problem.

The problem may limit the depth of the tree ("max_depth"). Let need(S, d) be the minimum number of tests of such a tree
of depth at most d, or infinite if there is none. Unless stated otherwise, the rules below also hold for need(S, d), and
need(S, d) >= need(S, e) >= need(S) for d <= e.

Why the rules hold
------------------
subset
    If S contains T then need(S) >= need(T), because hull(S) contains hull(T).
classes
    need(S) >= the number of classes in S minus 1: every class needs a leaf.
conflict
    Two examples a and b of one class conflict if the problem has an example w of another class in their hull. A leaf is
    a subcube: if it contains a and b, it contains w, so a correct tree separates a from b. One test is not enough for a
    set with both: it must separate a from b, and then w is on the same side as one of them. So need(S) >= 2.
one feature
    If S has two classes and no single feature separates them, one test is not enough: need(S) >= 2.
clique
    Examples of one class that conflict pairwise need a leaf each, and leaves of different classes are different leaves.
    So need(S) >= the total size of such cliques, one for every class, minus 1; and one more if all of the (two or more)
    members have the same class, since the example between them needs a leaf as well.
split
    Let need(S) >= 1, and let f be the feature that the root of a minimum tree for S tests. If all of S agree in f, then
    all of hull(S) does, and the tree stays correct without its root, so it was not minimum. So f splits S into S0 and
    S1, and the two subtrees are correct on their hulls: need(S) >= 1 + the minimum of need(S0) + need(S1) over all
    features that split S. For depth d, the subtrees have depth at most d - 1.
depth
    A tree of depth at most d has less than 2^d tests. So if need(S, d) >= 2^d, it is infinite. And a tree with less
    than n tests has a depth below n: if need(S, d) >= n and d >= n - 1 then need(S) >= n.
root
    If the root may only test some features ("roots" of the problem), then a tree has at least 1 + the minimum of
    need(S0) + need(S1) tests over these features; if all of S agree in one, the empty side needs none. Depth as in
    *split*.

The log
-------
Lines of ASCII, in this order. A set is a hexadecimal number whose bit i stands for the i-th example of the sample.

``puretree bound 1``
    The format.
``p EXAMPLES FEATURES``
    The size of the problem.
``b TESTS``
    The claim: every correct tree has at least this many tests.
``e EXAMPLE ...``
    The sample: examples of the problem, counted from 0.
``x INDEX INDEX EXAMPLE``
    A conflict: two examples of the sample, by their index in it, and an example of another class in their hull.
``c TESTS SET``
    A lemma by the rule *clique*: in every class, the members of the set form a clique of the conflicts above.
``s TESTS SET [FEATURE+LEMMA | FEATURE-LEMMA] ...``
    A lemma by the rule *split*. The needs of S0 and S1 are taken from lemmas about exactly these sets, and from the
    rules *classes*, *conflict*, *one feature* and *depth*, which need no lines. The references after the set, here and
    below, add further bounds by the rule *subset*: the side with (+) or without (-) a feature contains the set of a
    lemma. Lemmas are counted from 0, in the order of the log.
``s TESTS@DEPTH SET [FEATURE+LEMMA | FEATURE-LEMMA] ...``
    The same for trees of at most this depth.
``r TESTS [FEATURE+LEMMA | FEATURE-LEMMA] ...``
    The rule *root* for the whole sample, with the depth of the problem; if present, it is the last line before ``end``.
``end``
    A log without this line is incomplete.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

PROBLEM_FORMAT = "puretree problem 2"
LOG_FORMAT = "puretree bound 1"
NUMBER = "(0|[1-9][0-9]{0,8})"
SIZE = re.compile(f"p {NUMBER} {NUMBER}")
CLAIM = re.compile(f"b {NUMBER}")
SAMPLE = re.compile(f"e(?: {NUMBER})+")
CONFLICT = re.compile(f"x {NUMBER} {NUMBER} {NUMBER}")
REFERENCES = f"((?: {NUMBER}[+-]{NUMBER})*)"
LEMMA = re.compile(f"([cs]) {NUMBER}(?:@{NUMBER})? ([1-9a-f][0-9a-f]*){REFERENCES}")
ROOT = re.compile(f"r {NUMBER}{REFERENCES}")
MAX_CACHE_BYTES = 10**8  # of the simple bounds
ANY_DEPTH = 10**9  # more than the depth of any tree
NO_TREE = 10**9  # more than the tests of any tree


class Rejected(Exception):  # noqa: N818  a verdict, not an error
    """The problem or the log is invalid; the message names the line of the log."""


def check(problem: dict[str, Any], log: str, tick: Callable[[], None] = lambda: None) -> int:
    """Return the number of tests that every correct tree has at least, as proved by a log.

    Parameters
    ----------
    problem : dict
        The content of problem.json.
    log : str
        The content of bound.log.
    tick : callable, optional
        Called at every conflict and lemma; may raise an exception to stop the check.

    Raises
    ------
    Rejected
        If the log is not a valid proof; then nothing is known about the bound.
    """
    return _Check(_Problem(problem), log, tick).run()


class _Problem:
    """The problem: examples as integers whose bit f is feature f, their classes, and the constraints."""

    def __init__(self, content: Any) -> None:
        if not isinstance(content, dict) or content.get("format") != PROBLEM_FORMAT:
            raise Rejected(f"the problem is not of the format {PROBLEM_FORMAT!r}")
        features, classes, examples, labels = (
            _require_list(content.get(name), name) for name in ("features", "classes", "examples", "labels")
        )
        self.n_features = len(features)
        self.labels = labels
        if len(labels) != len(examples) or not all(_is_index(label, len(classes)) for label in labels):
            raise Rejected("the problem does not have a class for every example")
        if not all(isinstance(bits, str) and len(bits) == len(features) and not bits.strip("01") for bits in examples):
            raise Rejected("an example of the problem does not have a 0 or 1 for every feature")
        if len(set(examples)) != len(examples):
            raise Rejected("two examples of the problem are equal")
        self.rows = [int(bits[::-1] or "0", 2) for bits in examples]
        self.roots = None if content.get("roots") is None else _require_list(content["roots"], "roots")
        if self.roots is not None and not (self.roots and all(_is_index(root, self.n_features) for root in self.roots)):
            raise Rejected("the problem's roots are not features")
        max_depth = content.get("max_depth")
        if max_depth is not None and (type(max_depth) is not int or max_depth < 1):
            raise Rejected("the problem's max_depth is not a positive integer")
        self.max_depth = ANY_DEPTH if max_depth is None else min(max_depth, ANY_DEPTH)


def _require_list(value: Any, name: str) -> list[Any]:
    if not isinstance(value, list):
        raise Rejected(f"the problem has no list of {name}")
    return value


def _is_index(value: Any, end: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < end


class _Check:
    """Reads a log line by line and checks every statement in it."""

    def __init__(self, problem: _Problem, log: str, tick: Callable[[], None]) -> None:
        self.problem = problem
        self.tick = tick
        self.lines = log.split("\n")
        self.at = 0  # index of the current line
        self.lemmas: list[tuple[int, int, int]] = []  # set, tests and depth
        self.bounds: dict[int, int] = {}  # proved tests of sets, for trees of any depth
        self.depth_bounds: dict[int, dict[int, int]] = {}  # proved tests of sets, by depth
        self.simple_bounds: dict[int, int] = {}  # a cache of simple_bound
        self.proved = 0

    def run(self) -> int:
        """Return the claimed number of tests if it is proved."""
        if self.lines[-2:] != ["end", ""]:
            self.at = len(self.lines) - 1
            raise self.rejection("the log has no end")
        claim = self.read_header()
        self.read_conflicts()
        self.proved = self.simple_bound(self.whole_sample)
        self.read_lemmas()
        if self.lines[self.at].startswith("r"):
            self.read_root()
        if self.at != len(self.lines) - 2:
            raise self.rejection("this is not a line of a log, or not at its position")
        if self.proved < claim:
            raise self.rejection(f"the log claims {claim} tests and proves {self.proved}")
        return claim

    def rejection(self, reason: str) -> Rejected:
        """Return the rejection of the current line."""
        return Rejected(f"line {self.at + 1}: {reason}")

    def read(self, pattern: re.Pattern[str], what: str) -> re.Match[str]:
        """Parse the current line."""
        match = pattern.fullmatch(self.lines[self.at])
        if match is None:
            raise self.rejection(f"this is not {what}")
        return match

    def read_header(self) -> int:
        """Read the claim and the sample; return the claim."""
        if self.lines[0] != LOG_FORMAT:
            raise self.rejection(f"this is not {LOG_FORMAT!r}")
        self.at = 1
        n_examples, n_features = map(int, self.read(SIZE, "the size of a problem").groups())
        if (n_examples, n_features) != (len(self.problem.rows), self.problem.n_features):
            raise self.rejection("the log is about another problem")
        self.at = 2
        claim = int(self.read(CLAIM, "a claim")[1])
        self.at = 3
        sample = list(map(int, self.read(SAMPLE, "a sample").string[2:].split(" ")))
        if len(set(sample)) != len(sample) or max(sample) >= n_examples:
            raise self.rejection("the sample does not consist of distinct examples of the problem")
        self.set_sample(sample)
        self.at = 4
        return claim

    def set_sample(self, sample: list[int]) -> None:
        """Represent the sample by sets: all of it, the examples with each feature, and those of each class."""
        self.rows = [self.problem.rows[example] for example in sample]
        self.labels = [self.problem.labels[example] for example in sample]
        self.whole_sample = (1 << len(sample)) - 1
        members_of_class: dict[int, int] = {}
        for index, label in enumerate(self.labels):
            members_of_class[label] = members_of_class.get(label, 0) | 1 << index
        self.classes = list(members_of_class.values())
        bits_of_rows = (f"{row:0{self.problem.n_features}b}" for row in reversed(self.rows))  # the last feature first
        self.columns = [int("".join(bits), 2) for bits in zip(*bits_of_rows, strict=True)][::-1]
        self.splitting_columns = sorted({column for column in self.columns if 0 < column < self.whole_sample})
        self.max_cached = MAX_CACHE_BYTES // (200 + len(sample) // 8)
        self.conflicts_of = [0] * len(sample)  # for each example the set of those it conflicts with
        self.with_conflicts = 0

    def read_conflicts(self) -> None:
        """Read the conflicts and check each of them."""
        while match := CONFLICT.fullmatch(self.lines[self.at]):
            self.tick()
            first, second, witness = map(int, match.groups())
            if not first < second < len(self.rows) or witness >= len(self.problem.rows):
                raise self.rejection("this is not a conflict of two examples of the sample")
            if not self.labels[first] == self.labels[second] != self.problem.labels[witness]:
                raise self.rejection("the two examples are not of one class, or the third is of the same class")
            if (self.rows[first] ^ self.problem.rows[witness]) & ~(self.rows[first] ^ self.rows[second]):
                raise self.rejection("the third example is not in the hull of the two")
            self.conflicts_of[first] |= 1 << second
            self.conflicts_of[second] |= 1 << first
            self.with_conflicts |= 1 << first | 1 << second
            self.at += 1

    def read_lemmas(self) -> None:
        """Read the lemmas and prove each from the previous ones."""
        while match := LEMMA.fullmatch(self.lines[self.at]):
            self.tick()
            rule, tests, digits, references = match[1], int(match[2]), match[4], match[5]
            depth = ANY_DEPTH if match[3] is None else int(match[3])
            if 4 * len(digits) > len(self.rows) + 3 or (examples := int(digits, 16)) > self.whole_sample:
                raise self.rejection("the set is not a subset of the sample")
            if rule == "c":
                self.prove_clique(examples, tests, depth, references)
            else:
                self.prove_split(examples, tests, depth, references)
            if depth >= tests - 1:
                depth = ANY_DEPTH  # by the rule *depth*
            self.lemmas.append((examples, tests, depth))
            self.add_bound(examples, tests, depth)
            if depth >= self.problem.max_depth:
                self.proved = max(self.proved, tests)
            self.at += 1

    def add_bound(self, examples: int, tests: int, depth: int) -> None:
        """Store a proved bound of a set."""
        if depth < ANY_DEPTH:
            of_depth = self.depth_bounds.setdefault(examples, {})
            of_depth[depth] = max(tests, of_depth.get(depth, 0))
        elif self.bounds.get(examples, -1) < tests:
            self.bounds[examples] = tests

    def prove_clique(self, examples: int, tests: int, depth: int, references: str) -> None:
        """Prove a lemma by the rule *clique*."""
        if references or depth < ANY_DEPTH:
            raise self.rejection("a clique has no references and no depth")
        leaves = examples.bit_count()
        for members in self.classes:
            of_class = examples & members
            if of_class == examples and leaves > 1:
                leaves += 1  # for the example between them
            if any(of_class & ~self.conflicts_of[index] != 1 << index for index in _indices(of_class)):
                raise self.rejection("two examples of the set and of one class do not conflict")
        if tests >= leaves:
            raise self.rejection(f"the clique needs {leaves} leaves, that is {leaves - 1} tests, not {tests}")

    def prove_split(self, examples: int, tests: int, depth: int, references: str) -> None:
        """Prove a lemma by the rule *split*."""
        if self.simple_bound(examples) < 1 or depth < 1:
            raise self.rejection("a single leaf may be enough for this set, or no test is allowed")
        self.read_references(examples, references)
        self.require_sides(examples, tests - 1, depth, self.splitting_columns, "split")

    def read_root(self) -> None:
        """Read the line of the root and prove it by the rule *root*."""
        match = self.read(ROOT, "the rule of the root")
        tests, references = int(match[1]), match[2]
        if self.problem.roots is None or self.simple_bound(self.whole_sample) < 1:
            raise self.rejection("the root may test any feature, or may be a leaf")
        self.read_references(self.whole_sample, references)
        columns = [self.columns[root] for root in self.problem.roots]
        self.require_sides(self.whole_sample, tests - 1, self.problem.max_depth, columns, "root")
        self.proved = max(self.proved, tests)
        self.at += 1

    def read_references(self, examples: int, references: str) -> None:
        """Read which sides of a set contain the set of a lemma, and store the bounds that follow."""
        for word in references.split():
            feature, sign, number = word.partition("+" if "+" in word else "-")
            if int(feature) >= len(self.columns) or int(number) >= len(self.lemmas):
                raise self.rejection(f"{word} is not a feature and a lemma of a previous line")
            column = self.columns[int(feature)]
            side = examples & column if sign == "+" else examples & ~column
            lemma, tests, depth = self.lemmas[int(number)]
            if lemma & ~side:
                raise self.rejection(f"{word}: the side does not contain the set of the lemma")
            self.add_bound(side, tests, depth)

    def require_sides(self, examples: int, tests: int, depth: int, columns: Sequence[int], rule: str) -> None:
        """Reject the line unless, for every column, the two sides of the set together need at least so many tests."""
        bound_of, simple_bound, depth_bound = self.bounds.get, self.simple_bound, self.depth_bound
        is_limited = depth < ANY_DEPTH
        for column in columns:
            ones = examples & column
            zeros = examples ^ ones
            if rule == "split" and not (ones and zeros):
                continue
            needed = bound_of(ones)
            if needed is None:
                needed = simple_bound(ones)
            if is_limited:
                needed = depth_bound(ones, needed, depth - 1)
            if needed >= tests:
                continue
            more = bound_of(zeros)
            if more is None:
                more = simple_bound(zeros)
            needed += depth_bound(zeros, more, depth - 1) if is_limited else more
            if needed < tests:
                root = f"if the root tests feature {self.columns.index(column)}"
                raise self.rejection(f"{needed + 1} tests are proved {root}, not {tests + 1}")

    def depth_bound(self, examples: int, tests: int, depth: int) -> int:
        """Return the bound of a set for trees of limited depth, if ``tests`` is its bound for any depth."""
        if of_depth := self.depth_bounds.get(examples):
            tests = max([tests, *(more for max_depth, more in of_depth.items() if max_depth >= depth)])
        return NO_TREE if tests >> depth else tests  # by the rule *depth*

    def simple_bound(self, examples: int) -> int:
        """Return the bound of a set by the rules that need no line."""
        bound = self.simple_bounds.get(examples)
        if bound is None:
            if len(self.simple_bounds) > self.max_cached:
                self.simple_bounds.clear()
            bound = self.simple_bounds[examples] = self.compute_simple_bound(examples)
        return bound

    def compute_simple_bound(self, examples: int) -> int:
        """Compute the bound of a set by the rules *classes*, *conflict* and *one feature*."""
        by_class = [of_class for members in self.classes if (of_class := examples & members)]
        if len(by_class) > 2:
            return len(by_class) - 1
        if (len(by_class) == 2 and not self.are_separable(*by_class)) or self.has_conflict(examples):
            return 2
        return max(len(by_class) - 1, 0)

    def has_conflict(self, examples: int) -> bool:
        """Return whether two examples of a set conflict."""
        return any(self.conflicts_of[index] & examples for index in _indices(examples & self.with_conflicts))

    def are_separable(self, first: int, second: int) -> bool:
        """Return whether a single feature separates two sets: constant in each, and different between them."""
        rows, reference = self.rows, self.rows[_lowest(first)]
        separating = rows[_lowest(second)] ^ reference  # candidate features; usually none is left after a few examples
        while separating and (first or second):
            if second:
                separating &= rows[_lowest(second)] ^ reference
                second &= second - 1
            if first:
                separating &= ~(rows[_lowest(first)] ^ reference)
                first &= first - 1
        return separating != 0


def _lowest(examples: int) -> int:
    """Return the index of the first example of a set."""
    return (examples & -examples).bit_length() - 1


def _indices(examples: int) -> Iterator[int]:
    """Yield the indices of the examples of a set."""
    while examples:
        yield _lowest(examples)
        examples &= examples - 1


def main(arguments: Sequence[str]) -> int:
    """Check the files of a folder and print what is proved."""
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print("usage: check_bound.py FOLDER", file=sys.stderr)
        return 2
    folder = Path(arguments[0])
    for path in (folder / "problem.json", folder / "bound.log"):
        if not path.is_file():
            print(f"CANNOT BE CHECKED: there is no file {path}")
            return 2
    try:
        text = (folder / "problem.json").read_text(encoding="utf-8")
        problem = json.loads(text, object_pairs_hook=_unique)
        log = (folder / "bound.log").read_bytes().decode("ascii")
        tests = check(problem, log)
    except (OSError, ValueError, RecursionError) as error:
        print(f"REJECTED: a file cannot be read: {error}")
        return 1
    except Rejected as verdict:
        print(f"REJECTED: {verdict}")
        return 1
    bound = f"at least {tests} tests, that is {2 * tests + 1} nodes"
    print(
        f"PROVED: every tree that classifies every example of problem.json correctly has {bound}{_constraints(problem)}"
    )
    print("check_table.py states which rows and tests the examples and features of problem.json are")
    return 0


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Reject a name that occurs twice in an object: it would mean different things to different readers."""
    if len(dict(pairs)) < len(pairs):
        raise Rejected("problem.json holds an object with a repeated name")
    return dict(pairs)


def _constraints(problem: dict[str, Any]) -> str:
    """Describe the constraints under which the bound holds; empty if there are none."""
    max_depth, roots = problem.get("max_depth"), problem.get("roots")
    constraints = [] if max_depth is None else [f"depth at most {max_depth}"]
    constraints += [] if roots is None else [f"root tests one of the features {', '.join(map(str, roots))}"]
    return f", under the constraints: {'; '.join(constraints)}" if constraints else ""


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
