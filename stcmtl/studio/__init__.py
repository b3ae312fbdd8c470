"""What the pages of the dashboard share; the only part of the package that imports streamlit."""
