"""What this machine has."""

from __future__ import annotations

import math
import os

MOST_BYTES = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2 if hasattr(os, "sysconf") else math.inf
"""Half of the memory, where the system tells: what would need more is refused before the machine gives up."""
