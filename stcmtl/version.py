"""The version of this package, for its own modules and for the files they write."""

__version__ = "0.2.0"
