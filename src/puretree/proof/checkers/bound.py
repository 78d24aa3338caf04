"""Checks a log that proves how many tests a decision tree needs at least. Needs nothing but Python.

Usage: ``python check_bound.py FOLDER``, where FOLDER holds ``problem.json`` and ``bound.log``. The exit code is 0 if
the bound is proved, 1 if the log is rejected, 2 if a file is not there.

The claim
---------
The problem is a list of different examples, each with 0/1 features and a class. A tree is right if it sends every
example to a leaf of its class. For some of the examples S, let hull(S) be the smallest subcube that holds them: all
points that agree with them in every feature in which they all agree. Let need(S) be the fewest tests of a tree that is
right on every example of the *problem* in hull(S). The need of any S is a bound for the trees of the whole problem.

The problem may allow only so many tests on a path ("max_depth"). Let need(S, d) be the fewest tests of such a tree that
has no more than d on any path, or infinite if there is none. What is said of need(S) below holds for it as well, unless
it is said otherwise, and need(S, d) >= need(S, e) >= need(S) for d <= e.

Why the rules hold
------------------
subset
    If S holds T then need(S) >= need(T): the hull of S holds that of T.
classes
    need(S) >= the number of classes in S, less one: a leaf for each class.
conflict
    Two examples a and b of one class conflict if the problem has an example w of another class in their hull. A leaf is
    a subcube: if it holds a and b, it holds w, so a right tree parts them. One test does not do it for a set with both:
    it must part a from b, and then w is with one of them. So need(S) >= 2.
one feature
    If S has two classes and no feature tells them apart then one test does not do: need(S) >= 2.
clique
    Members of a class that conflict pairwise need a leaf each, and leaves of different classes are different leaves. So
    need(S) >= the size of such a clique in every class, summed up, less one; and one more if all of the (two or more)
    members are of one class, since the example between them needs a leaf as well.
split
    Let need(S) >= 1, and let f be the feature that the root of a smallest tree for S tests. If all of S agree in f then
    all of hull(S) does, and the tree is as right without its root, so it was no smallest. So f parts S into S0 and S1,
    and the two subtrees are right on their hulls: need(S) >= 1 + the least of need(S0) + need(S1), over all features
    that part S. With d tests on a path, the subtrees have d - 1 of them.
depth
    A tree with d tests on a path has less than 2^d tests. So if need(S, d) >= 2^d then it is infinite. And a tree with
    less than n tests has no path with n of them: if need(S, d) >= n and d >= n - 1 then need(S) >= n.
root
    If the root may only test some features ("roots" of the problem), then a tree has at least 1 + the least of need(S0)
    + need(S1) tests, over these; where all of S agree in one, the empty side needs none. Depth as in *split*.

The log
-------
Lines of ASCII, in this order. A set is the hexadecimal number whose bit i stands for the i-th example of the sample.

``puretree bound 1``
    The format.
``p EXAMPLES FEATURES``
    The size of the problem.
``b TESTS``
    The claim: a right tree has so many tests at least.
``e EXAMPLE ...``
    The sample: examples of the problem, counted from 0.
``x PLACE PLACE EXAMPLE``
    A conflict: two examples of the sample, by their place in it, and an example of another class in their hull.
``c TESTS SET``
    A lemma by the rule *clique*: the set is a clique in every class, by the conflicts above.
``s TESTS SET [FEATURE+LEMMA | FEATURE-LEMMA] ...``
    A lemma by the rule *split*. The needs of S0 and S1 are taken from lemmas about just these sets, and from the rules
    *classes*, *conflict*, *one feature* and *depth*, which need no lines. What follows the set adds to that, here and
    below, by the rule *subset*: the side of those with (+) or without (-) a feature holds the set of a lemma. Lemmas
    are counted from 0, in the order of the log.
``s TESTS@DEPTH SET [FEATURE+LEMMA | FEATURE-LEMMA] ...``
    Likewise, of trees with so many tests on a path at most.
``r TESTS [FEATURE+LEMMA | FEATURE-LEMMA] ...``
    The rule *root* for the whole sample, likewise, with the depth of the problem; the last line but one if it is there.
``end``
    Without it, something is missing.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

PROBLEM_FORMAT = "puretree problem 1"
LOG_FORMAT = "puretree bound 1"
NUMBER = "(0|[1-9][0-9]{0,8})"
SIZE = re.compile(f"p {NUMBER} {NUMBER}")
CLAIM = re.compile(f"b {NUMBER}")
SAMPLE = re.compile(f"e(?: {NUMBER})+")
CONFLICT = re.compile(f"x {NUMBER} {NUMBER} {NUMBER}")
HELD = f"((?: {NUMBER}[+-]{NUMBER})*)"
LEMMA = re.compile(f"([cs]) {NUMBER}(?:@{NUMBER})? ([1-9a-f][0-9a-f]*){HELD}")
ROOT = re.compile(f"r {NUMBER}{HELD}")
MOST_BYTES = 10**8  # of the sets that were seen at sight
ANY_DEPTH = 10**9  # more than any path has tests
NO_TREE = 10**9  # more than any tree has


class Rejected(Exception):  # noqa: N818  it is a verdict, not an error
    """The problem or the log is not what it has to be; the message names the line of the log."""


def check(problem: dict[str, Any], log: str, tick: Callable[[], None] = lambda: None) -> int:
    """Return the tests that a log proves every right tree to have.

    Parameters
    ----------
    problem : dict
        The content of problem.json.
    log : str
        The content of bound.log.
    tick : callable, optional
        Called at every conflict and lemma; may raise to give up.

    Raises
    ------
    Rejected
        If it proves nothing: then nothing is known.
    """
    return _Check(_Problem(problem), log, tick).run()


class _Problem:
    """What the log speaks of: examples as numbers whose bit f is feature f, their classes, the features of a root."""

    def __init__(self, given: Any) -> None:
        if not isinstance(given, dict) or given.get("format") != PROBLEM_FORMAT:
            raise Rejected(f"the problem is not of the format {PROBLEM_FORMAT!r}")
        questions, classes, examples, labels = (
            _require_list(given.get(name), name) for name in ("questions", "classes", "examples", "labels")
        )
        self.n_features = len(questions)
        self.labels = labels
        if len(labels) != len(examples) or not all(_is_place(label, len(classes)) for label in labels):
            raise Rejected("the problem does not have a class for every example")
        if not all(isinstance(bits, str) and len(bits) == len(questions) and not bits.strip("01") for bits in examples):
            raise Rejected("an example of the problem is not a 0 or 1 for every question")
        if len(set(examples)) != len(examples):
            raise Rejected("two examples of the problem are equal")
        self.rows = [int(bits[::-1] or "0", 2) for bits in examples]
        self.roots = None if given.get("roots") is None else _require_list(given["roots"], "roots")
        if self.roots is not None and not (self.roots and all(_is_place(root, self.n_features) for root in self.roots)):
            raise Rejected("the problem's roots are not questions")
        max_depth = given.get("max_depth")
        if max_depth is not None and (type(max_depth) is not int or max_depth < 1):
            raise Rejected("the problem's max_depth is not a number of tests")
        self.max_depth = ANY_DEPTH if max_depth is None else min(max_depth, ANY_DEPTH)


def _require_list(value: Any, name: str) -> list[Any]:
    if not isinstance(value, list):
        raise Rejected(f"the problem has no list of {name}")
    return value


def _is_place(value: Any, end: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < end


class _Check:
    """Reads a log line by line and believes nothing of it."""

    def __init__(self, problem: _Problem, log: str, tick: Callable[[], None]) -> None:
        self.problem = problem
        self.tick = tick
        self.lines = log.split("\n")
        self.at = 0  # the line at hand
        self.lemmas: list[tuple[int, int, int]] = []  # set, tests and depth
        self.known: dict[int, int] = {}  # the tests of sets that the log speaks of, in trees of any depth
        self.known_in_depth: dict[int, dict[int, int]] = {}  # of some depth: the most tests for each
        self.seen: dict[int, int] = {}  # the tests of other sets, at sight
        self.proved = 0

    def run(self) -> int:
        """Return what is claimed if it is proved."""
        if self.lines[-2:] != ["end", ""]:
            self.at = len(self.lines) - 1
            raise self.rejection("the log has no end")
        claim = self.read_head()
        self.read_conflicts()
        self.proved = self.at_sight(self.everything)
        self.read_lemmas()
        if self.lines[self.at].startswith("r"):
            self.read_root()
        if self.at != len(self.lines) - 2:
            raise self.rejection("this is not a line of a log, or not at its place")
        if self.proved < claim:
            raise self.rejection(f"{claim} tests are claimed and {self.proved} are proved")
        return claim

    def rejection(self, reason: str) -> Rejected:
        """Return the verdict on the line at hand."""
        return Rejected(f"line {self.at + 1}: {reason}")

    def read(self, pattern: re.Pattern[str], what: str) -> re.Match[str]:
        """Read the line at hand."""
        match = pattern.fullmatch(self.lines[self.at])
        if match is None:
            raise self.rejection(f"this is not {what}")
        return match

    def read_head(self) -> int:
        """Read the claim and the sample, and turn the sample into sets."""
        if self.lines[0] != LOG_FORMAT:
            raise self.rejection(f"this is not {LOG_FORMAT!r}")
        self.at = 1
        n_examples, n_features = map(int, self.read(SIZE, "the size of a problem").groups())
        if (n_examples, n_features) != (len(self.problem.rows), self.problem.n_features):
            raise self.rejection("the log speaks of another problem")
        self.at = 2
        claim = int(self.read(CLAIM, "a claim")[1])
        self.at = 3
        sample = list(map(int, self.read(SAMPLE, "a sample").string[2:].split(" ")))
        if len(set(sample)) != len(sample) or max(sample) >= n_examples:
            raise self.rejection("the sample is not of different examples of the problem")
        self.take(sample)
        self.at = 4
        return claim

    def take(self, sample: list[int]) -> None:
        """Turn the sample into sets: of all, of each feature, of each class."""
        self.rows = [self.problem.rows[example] for example in sample]
        self.labels = [self.problem.labels[example] for example in sample]
        self.everything = (1 << len(sample)) - 1
        of_class: dict[int, int] = {}
        for place, label in enumerate(self.labels):
            of_class[label] = of_class.get(label, 0) | 1 << place
        self.classes = list(of_class.values())
        bits_of_rows = (f"{row:0{self.problem.n_features}b}" for row in reversed(self.rows))  # the last feature first
        self.columns = [int("".join(bits), 2) for bits in zip(*bits_of_rows, strict=True)][::-1]
        self.parting = sorted({column for column in self.columns if 0 < column < self.everything})
        self.most_seen = MOST_BYTES // (200 + len(sample) // 8)
        self.conflicting = [0] * len(sample)  # the set that each example conflicts with
        self.with_conflicts = 0

    def read_conflicts(self) -> None:
        """Read the conflicts and look at each."""
        while match := CONFLICT.fullmatch(self.lines[self.at]):
            self.tick()
            one, other, witness = map(int, match.groups())
            if not one < other < len(self.rows) or witness >= len(self.problem.rows):
                raise self.rejection("this is not a conflict of two examples of the sample")
            if not self.labels[one] == self.labels[other] != self.problem.labels[witness]:
                raise self.rejection("the two are not of one class, or the one between them is of the same")
            if (self.rows[one] ^ self.problem.rows[witness]) & ~(self.rows[one] ^ self.rows[other]):
                raise self.rejection("the example does not lie between the two")
            self.conflicting[one] |= 1 << other
            self.conflicting[other] |= 1 << one
            self.with_conflicts |= 1 << one | 1 << other
            self.at += 1

    def read_lemmas(self) -> None:
        """Read the lemmas and prove each from those before it."""
        while match := LEMMA.fullmatch(self.lines[self.at]):
            self.tick()
            rule, tests, members, held = match[1], int(match[2]), match[4], match[5]
            depth = ANY_DEPTH if match[3] is None else int(match[3])
            if 4 * len(members) > len(self.rows) + 3 or (chosen := int(members, 16)) > self.everything:
                raise self.rejection("the set is not of the sample")
            if rule == "c":
                self.prove_clique(chosen, tests, depth, held)
            else:
                self.prove_split(chosen, tests, depth, held)
            if depth >= tests - 1:
                depth = ANY_DEPTH  # by the rule *depth*
            self.lemmas.append((chosen, tests, depth))
            self.learn(chosen, tests, depth)
            if depth >= self.problem.max_depth:
                self.proved = max(self.proved, tests)
            self.at += 1

    def learn(self, chosen: int, tests: int, depth: int) -> None:
        """Keep what is proved of a set."""
        if depth < ANY_DEPTH:
            said = self.known_in_depth.setdefault(chosen, {})
            said[depth] = max(tests, said.get(depth, 0))
        elif self.known.get(chosen, -1) < tests:
            self.known[chosen] = tests

    def prove_clique(self, chosen: int, tests: int, depth: int, held: str) -> None:
        """Prove that a set needs so many tests by the rule *clique*."""
        if held or depth < ANY_DEPTH:
            raise self.rejection("a clique has no sides and no depth")
        leaves = chosen.bit_count()
        for members in self.classes:
            of_class = chosen & members
            if of_class == chosen and leaves > 1:
                leaves += 1  # for the example between
            if any(of_class & ~self.conflicting[place] != 1 << place for place in _places(of_class)):
                raise self.rejection("two examples of the set and of one class do not conflict")
        if tests >= leaves:
            raise self.rejection(f"the clique asks for {leaves} leaves, which are {leaves - 1} tests, not {tests}")

    def prove_split(self, chosen: int, tests: int, depth: int, held: str) -> None:
        """Prove that a set needs so many tests by the rule *split*."""
        if self.at_sight(chosen) < 1 or depth < 1:
            raise self.rejection("a leaf may do for this set, or has to")
        self.read_held(chosen, held)
        self.require_sides(chosen, tests - 1, depth, self.parting, "split")

    def read_root(self) -> None:
        """Read the last line and prove it by the rule *root*."""
        match = self.read(ROOT, "the rule of the root")
        tests, held = int(match[1]), match[2]
        if self.problem.roots is None or self.at_sight(self.everything) < 1:
            raise self.rejection("the root may be any feature, or a leaf")
        self.read_held(self.everything, held)
        columns = [self.columns[root] for root in self.problem.roots]
        self.require_sides(self.everything, tests - 1, self.problem.max_depth, columns, "root")
        self.proved = max(self.proved, tests)
        self.at += 1

    def read_held(self, chosen: int, held: str) -> None:
        """Read which sides of a set hold the set of a lemma."""
        for word in held.split():
            feature, sign, number = word.partition("+" if "+" in word else "-")
            if int(feature) >= len(self.columns) or int(number) >= len(self.lemmas):
                raise self.rejection(f"{word} is not a feature and a lemma of a line above")
            column = self.columns[int(feature)]
            side = chosen & column if sign == "+" else chosen & ~column
            lemma, tests, depth = self.lemmas[int(number)]
            if lemma & ~side:
                raise self.rejection(f"{word}: the side does not hold the set of the lemma")
            self.learn(side, tests, depth)

    def require_sides(self, chosen: int, tests: int, depth: int, columns: Sequence[int], rule: str) -> None:
        """Refuse a set unless its sides need so many tests together, whatever column of these parts it."""
        known, at_sight, in_depth = self.known.get, self.at_sight, self.in_depth
        is_limited = depth < ANY_DEPTH
        for column in columns:
            yes = chosen & column
            no = chosen ^ yes
            if rule == "split" and not (yes and no):
                continue
            needed = known(yes)
            if needed is None:
                needed = at_sight(yes)
            if is_limited:
                needed = in_depth(yes, needed, depth - 1)
            if needed >= tests:
                continue
            more = known(no)
            if more is None:
                more = at_sight(no)
            needed += in_depth(no, more, depth - 1) if is_limited else more
            if needed < tests:
                asked = f"where feature {self.columns.index(column)} is asked first"
                raise self.rejection(f"{needed + 1} tests are proved {asked}, not {tests + 1}")

    def in_depth(self, chosen: int, tests: int, depth: int) -> int:
        """Return the tests of a set in trees of some depth, if it needs so many in those of any."""
        if said := self.known_in_depth.get(chosen):
            tests = max([tests, *(more for most_depth, more in said.items() if most_depth >= depth)])
        return NO_TREE if tests >> depth else tests  # by the rule *depth*

    def at_sight(self, chosen: int) -> int:
        """Return the tests of a set by the rules that need no line."""
        found = self.seen.get(chosen)
        if found is None:
            if len(self.seen) > self.most_seen:
                self.seen.clear()
            found = self.seen[chosen] = self.look(chosen)
        return found

    def look(self, chosen: int) -> int:
        """Work out what a set needs by the rules *classes*, *conflict* and *one feature*."""
        parts = [part for members in self.classes if (part := chosen & members)]
        if len(parts) > 2:
            return len(parts) - 1
        if (len(parts) == 2 and not self.are_told_apart(*parts)) or self.has_conflict(chosen):
            return 2
        return max(len(parts) - 1, 0)

    def has_conflict(self, chosen: int) -> bool:
        """Whether two members of a set conflict."""
        return any(self.conflicting[place] & chosen for place in _places(chosen & self.with_conflicts))

    def are_told_apart(self, one: int, other: int) -> bool:
        """Whether all of two sets agree in a feature among themselves and differ in it from the other set."""
        rows, first = self.rows, self.rows[_lowest(one)]
        left = rows[_lowest(other)] ^ first  # the features that still do; a few members leave none, as a rule
        while left and (one or other):
            if other:
                left &= rows[_lowest(other)] ^ first
                other &= other - 1
            if one:
                left &= ~(rows[_lowest(one)] ^ first)
                one &= one - 1
        return left != 0


def _lowest(chosen: int) -> int:
    """Return the first member of a set."""
    return (chosen & -chosen).bit_length() - 1


def _places(chosen: int) -> Iterator[int]:
    """Yield the members of a set."""
    while chosen:
        yield _lowest(chosen)
        chosen &= chosen - 1


def main(arguments: Sequence[str]) -> int:
    """Check the files of a folder and say what is proved."""
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print("usage: check_bound.py FOLDER", file=sys.stderr)
        return 2
    folder = Path(arguments[0])
    for path in (folder / "problem.json", folder / "bound.log"):
        if not path.is_file():
            print(f"CANNOT BE CHECKED: there is no file {path}")
            return 2
    try:
        problem = json.loads((folder / "problem.json").read_text(encoding="utf-8"))
        log = (folder / "bound.log").read_bytes().decode("ascii")
        tests = check(problem, log)
    except (OSError, ValueError, RecursionError) as error:
        print(f"REJECTED: a file cannot be read: {error}")
        return 1
    except Rejected as verdict:
        print(f"REJECTED: {verdict}")
        return 1
    depth, roots = problem.get("max_depth"), problem.get("roots")
    wishes = "" if depth is None else f", has at most {depth} tests on a path"
    wishes += "" if roots is None else f", begins with one of the questions {', '.join(map(str, roots))}"
    bound = f"at least {tests} tests, that is {2 * tests + 1} nodes"
    print(f"PROVED: every tree that is right on all examples{wishes} has {bound}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
