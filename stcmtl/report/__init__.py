"""A fit as one HTML file that needs nothing else: words, tables and figures, or its replay.

Imports `figures`, `evaluation`, `data` and the records of `solver`.
"""

from stcmtl.errors import require

require("plotly", "A report", extra="figures")

from stcmtl.report.document import report_html, write_report
from stcmtl.report.replay import replay_html

__all__ = ["replay_html", "report_html", "write_report"]
