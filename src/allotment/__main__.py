"""`python -m allotment` is the command line too."""

from allotment.cli import main

if __name__ == "__main__":
    main()
