"""`python -m planboard` is `planboard`."""

from planboard.cli import main

if __name__ == "__main__":
    main()
