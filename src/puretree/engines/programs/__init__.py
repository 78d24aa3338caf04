"""Scripts that run as children: nothing imports them, and they import nothing of puretree."""
