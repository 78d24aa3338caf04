"""Certificates: a proof of a tree's purity and minimality for readers who trust neither puretree nor the solver.

:func:`certify` writes a certificate into a run folder, :func:`verify` checks it. A certificate is a self-contained
folder: the data, the tree, the binary problem, two proofs that no smaller tree exists (the search's own log, and the
refutation of a formula by a SAT solver), and the programs that check them, in plain Python.
"""

from .certify import CertifyOptions, certify
from .manifest import PROOF, Manifest
from .verify import Check, Verdict, VerifyOptions, verify

__all__ = ["PROOF", "CertifyOptions", "Check", "Manifest", "Verdict", "VerifyOptions", "certify", "verify"]
