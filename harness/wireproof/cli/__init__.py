"""The wireproof command, one file for each subcommand."""
