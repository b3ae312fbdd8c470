"""Real data: bundled with our dependencies, from a folder, or from OpenML.

``load_digits`` and ``load_gapminder`` need neither files nor network. ``load_school``,
``load_isolet``, ``load_usps`` and ``load_mnist`` look in ``data_home``, or the folder named by
the environment variable ``STCMTL_DATA``, and then on OpenML.
"""

from stcmtl.data.datasets.bundled import gapminder_table, load_digits, load_gapminder
from stcmtl.data.datasets.public import load_isolet, load_mnist, load_school, load_usps
from stcmtl.data.splits import Split, one_against_rest, principal_components, split_rows

__all__ = [
    "Split",
    "gapminder_table",
    "load_digits",
    "load_gapminder",
    "load_isolet",
    "load_mnist",
    "load_school",
    "load_usps",
    "one_against_rest",
    "principal_components",
    "split_rows",
]
