"""The command line: ``puretree fit data.csv --target y``, and what comes after it.

Data go to standard output, everything else to standard error. Commands import what they need when they run, so that
``puretree --help`` answers at once.
"""

from .app import main

__all__ = ["main"]
