"""`python -m allotment` runs the command line."""

import sys

if __name__ == "__main__" and not sys.flags.safe_path:
    del sys.path[0]  # `-m` puts the working folder first, and a file there must not take a library's place

from allotment.cli import main

if __name__ == "__main__":
    main()
