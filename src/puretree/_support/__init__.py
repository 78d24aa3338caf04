"""Utilities that every package uses: clocks, child processes, machine resources, permissions, text formatting."""
