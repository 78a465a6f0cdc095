"""Files that visitors send and download."""
