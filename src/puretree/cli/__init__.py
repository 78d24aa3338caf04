"""The command line: ``puretree fit data.csv --target y``, and what comes after it.

Data go to standard output, everything else to standard error. Importing puretree takes a second or two, most of it for
scikit-learn, and every command waits for that, ``puretree --help`` too. Commands import what only they need when they
run, so that none waits for more.
"""

from collections.abc import Sequence

from .._support.interrupts import exiting_on_interrupt

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command, and return its exit code.

    Parameters
    ----------
    arguments : sequence of str, optional
        By default those of the process.
    """
    with exiting_on_interrupt():
        from . import app

        app.commands()
    return app.main(arguments)
