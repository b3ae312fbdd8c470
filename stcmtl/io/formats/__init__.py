"""Readers, one file per family of formats: bytes to tables and arrays of cells as they stand.

Each is imported when such a file comes (see ``parsing``), in the bounded process for uploads. What
no library checks is checked here, before the library sees the data.
"""
