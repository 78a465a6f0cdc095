"""How the rules of Joint and AnyResponse were chosen and tried. Not part of what is installed.

`make study NAME=joint` runs one and prints its tables, as docs/studies shows them.
"""
