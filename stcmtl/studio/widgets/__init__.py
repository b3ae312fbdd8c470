"""What a page is built from: forms, charts, tables, progress."""
