"""The command line as tests call it."""

from collections.abc import Callable
from dataclasses import dataclass

LOANS = """income,job [red],owns,code,risk
30,clerk,yes,0012,high
,clerk,no,0013,high
80,nurse,,0012,low
55,"chef, head",yes,0044,low
20,nurse,no,0044,high
90,clerk,no,0013,low
"""


@dataclass
class Ended:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str


Puretree = Callable[..., Ended]
