"""How amounts, names, dates, outlines, answers and the parts of events are written."""
