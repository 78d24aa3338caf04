"""Write results: text, Markdown and LaTeX tables, CSV and Parquet files, plots, and a report page."""

from .report import write_report
from .terminal import to_text

__all__ = ["to_text", "write_report"]
