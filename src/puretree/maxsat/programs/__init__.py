"""Scripts that run as child processes: they are not imported, and import nothing from puretree."""
