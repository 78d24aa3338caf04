"""The command line: ``puretree fit data.csv --target y``, and what comes after it.

Data go to standard output, everything else to standard error. Importing puretree takes a second or two, most of it for
scikit-learn, and every command waits for that, ``puretree --help`` too. Commands import what only they need when they
run, so that none waits for more.
"""

from .app import main

__all__ = ["main"]
