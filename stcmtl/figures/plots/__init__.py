"""What is called: one function per figure, from the arrays of a fit to a plotly figure."""
