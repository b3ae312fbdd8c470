"""Formulas as MathML, made when the site is built: no library has to be fetched to read them."""

import html
import re

from latex2mathml.converter import convert

MARKED = re.compile(
    r'<(?P<tag>span|div) class="arithmatex">\\[(\[](?P<formula>.*?)\\[)\]]</(?P=tag)>', re.DOTALL
)
# The converter leaves room around the bars of |w|, as around a plus, and none around a logarithm.
BAR = re.compile(r'<mo(?: stretchy="false")?>&#x0007C;</mo>')
THIN = '<mspace width="0.17em"></mspace>'


def as_mathml(page: str) -> str:
    """A page's HTML with every formula that arithmatex has marked turned into MathML."""
    return MARKED.sub(replace_one, page)


def replace_one(found: re.Match[str]) -> str:
    display = "block" if found["tag"] == "div" else "inline"
    made: str = convert(html.unescape(found["formula"]).strip(), display=display)
    made = BAR.sub('<mo stretchy="false" lspace="0" rspace="0">|</mo>', made)
    made = made.replace("<mi>log</mi>", f"{THIN}<mi>log</mi>{THIN}")
    # The schema's name is an address: it is not fetched, and HTML needs none.
    return made.replace(' xmlns="http://www.w3.org/1998/Math/MathML"', "")
