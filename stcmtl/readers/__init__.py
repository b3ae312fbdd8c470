"""Files to tasks: whatever multi-task file a person has, and an account of what it held."""

from stcmtl.readers.account import Account
from stcmtl.readers.front import read
from stcmtl.readers.limits import Limits, ReadError
from stcmtl.readers.preview import Preview, preview, tables

__all__ = ["Account", "Limits", "Preview", "ReadError", "preview", "read", "tables"]
