"""Sentences that come from elsewhere: people's names in them, and errors in words of the page."""

import re

from stcmtl.errors import Setting, Worded, name_in_python
from stcmtl.phrases import in_order

SIGNS = re.compile(r"([\\`*_{}\[\]()#+\-!|<>~:$])")
# Where addresses break, which markdown makes links of whatever is escaped; and what breaks them
# without being seen.
ADDRESS = re.compile(r"(?<=:)(?=//)|(?<=www)(?=\.)|(?<=@)(?=[-\w])", re.IGNORECASE)
JOINER = "\u2060"

# What an argument is here, by its name and the clause it stands in: a control, as a rule. Its value
# can stand in it.
HERE = {
    ("task", "Pass {}, one of"): "Choose below one of",
    ("task", "Pass {}"): "Name it 'tasks' in the file",
    ("task", "pass {}"): "choose below",
    ("target", "Pass {}, one of"): "Choose below one of",
    ("target", "Name them, one per task: {}"): "Choose them below, one per task",
    ("target", "{}"): "choose the wide layout",
    ("missing", "pass {}"): "choose to fill them with the median",
    ("missing_marks", "pass {}"): "say so under How it is written",
    ("dates", "pass {}"): "choose {value}",
    ("dates", "{}"): "{value}",
    ("decimal", "pass {}"): "choose it as the decimal sign",
    ("thousands", "pass {}"): "choose it as the thousands sign",
    ("decimal", "{}"): "as the decimal sign",
    ("thousands", "{}"): "as the thousands sign",
    ("features", "name it in {}"): "tick it below",
    ("task_type", "pass {}"): "choose classification",
    ("data_home", "name it by {} or STCMTL_DATA"): "start the dashboard with STCMTL_DATA set to it",
}


def literal(text: object) -> str:
    """A text that markdown shows as it is: letter by letter, never as markup or as a link."""
    return SIGNS.sub(r"\\\1", ADDRESS.sub(JOINER, in_order(text)))


def word_setting(setting: Setting) -> str:
    if setting.name.startswith("limits."):
        return ""  # which nobody can change here
    words = HERE.get((setting.name, setting.clause))
    return name_in_python(setting) if words is None else words.format(value=setting.value)


def word_error(error: Exception) -> str:
    """What is wrong and what to do about it, on this page."""
    return error.sentence(word_setting) if isinstance(error, Worded) else str(error)
