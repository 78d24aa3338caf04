"""What every room needs and no other library provides: clocks, child processes, machine resources, text tables."""
