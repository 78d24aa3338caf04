"""Certificates: proof of a tree's purity and minimality for somebody who trusts neither us nor the solver.

``certify`` makes one beside a run, ``verify`` checks it. A certificate is a folder that stands for itself: the data,
the tree, the binary problem, two proofs that no smaller tree exists (the search's own log, and the refutation of a
formula by a SAT solver), and the programs that check them, in plain Python.
"""

from .certify import Certifying, certify
from .manifest import PROOF, Manifest
from .verify import Check, Verdict, Verifying, verify

__all__ = ["PROOF", "Certifying", "Check", "Manifest", "Verdict", "Verifying", "certify", "verify"]
