"""``python -m wireproof``."""

from wireproof.cli import main

if __name__ == "__main__":
    main()
