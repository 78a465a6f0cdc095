"""The duty sheet of a plan: to look at and print, and as a file."""
