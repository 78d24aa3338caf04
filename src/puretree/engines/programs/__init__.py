"""Scripts that run in child processes: nothing imports them, and they import nothing of puretree."""
