"""``python -m wireproof``."""

from wireproof.app.cli import main

if __name__ == "__main__":
    main()
