"""Where a task that was not in the fit belongs, and predictions for it."""

from stcmtl.studio import page

result = page.need_fit("New tasks")
page.begin("Where does a new task belong?")
