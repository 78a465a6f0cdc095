"""Check the prose of the project, or of the files that are named.

Prints file, line and sentence for each sentence to rewrite, and exits with 1 if there are any. With
--medians, prints the median number of words of a sentence by file instead. A comment `prose: ok` marks an
exception.
"""

import sys
from itertools import groupby
from pathlib import Path

from tools.prose.rules import findings, median_words
from tools.prose.texts import passages

CHECKED = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "docs", "examples", "src")

arguments = sys.argv[1:]
medians = "--medians" in arguments
paths = [Path(each) for each in arguments if each != "--medians"] or [Path(each) for each in CHECKED]
read = [passage for path in paths for passage in passages(path)]
if medians:
    for file, content in groupby(read, key=lambda passage: passage.file):
        print(f"{median_words(content):4.0f}  {file}")
else:
    found = list(findings(read))
    print(*found, sep="\n", end="\n" if found else "")
    sys.exit(1 if found else 0)
