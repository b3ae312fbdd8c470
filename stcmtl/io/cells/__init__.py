"""What cells mean: texts to numbers, dates, truth values and words, decided column by column.

``interpret`` is the door. ``notation`` takes a number apart, ``signs`` decides what a comma or a
dot in it means, ``dates`` which part is the day; ``numbers``, ``times`` and ``levels`` make a
column of what was found, and ``columns`` has the record of it.
"""
