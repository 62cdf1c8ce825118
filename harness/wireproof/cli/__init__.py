"""The wireproof command, one file for each subcommand."""

from wireproof.cli.app import main

__all__ = ["main"]
