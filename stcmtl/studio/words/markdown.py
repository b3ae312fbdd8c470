"""Names from people's files in sentences: shown letter by letter, never as markup."""

from __future__ import annotations

import re

SIGNS = re.compile(r"([\\`*_{}\[\]()#+\-!|<>~:$])")


def literal(text: object) -> str:
    """A text that markdown shows as it is."""
    return SIGNS.sub(r"\\\1", str(text))
