"""What is made of rows and tables: text, Markdown, LaTeX, CSV, Parquet, pictures, and a page with all of them."""

from .report import write_report
from .terminal import to_text

__all__ = ["to_text", "write_report"]
