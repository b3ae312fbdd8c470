"""A fit as one HTML file that needs nothing else: words, tables and figures.

Imports `figures`, `evaluation`, `data` and the records of `solver`.
"""

from stcmtl.errors import require

require("plotly", "A report", extra="figures")

from stcmtl.report.document import report_html, write_report

__all__ = ["report_html", "write_report"]
