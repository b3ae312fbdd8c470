"""What the pages of the dashboard share: the only room that knows streamlit.

`state` is what a session holds, `work` what runs in the background, `widgets` what pages are built
from, `words` what they say. Imports any room but `cli`.
"""
