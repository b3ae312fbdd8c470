"""The compiled inner loops, and only those: no validation, no options they do not need."""
