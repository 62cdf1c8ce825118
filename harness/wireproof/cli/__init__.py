"""The wireproof command, one file for each subcommand."""

__all__ = ["main"]


def main() -> None:
    """Run the command. Ctrl-C ends it cleanly from the first import on."""
    try:
        from wireproof.cli.app import main as run

        run()
    except KeyboardInterrupt:
        raise SystemExit(130) from None  # ExitCode.INTERRUPTED, whose module may not be imported yet
