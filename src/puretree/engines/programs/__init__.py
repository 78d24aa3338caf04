"""Scripts that run in child processes: they import nothing of puretree, which would slow down their start."""
