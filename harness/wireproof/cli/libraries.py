"""What must be installed before record sets can be judged."""

from kafkawire.records import missing_libraries
from wireproof.cli.options import Fatal
from wireproof.extras import install
from wireproof.run import ExitCode

__all__ = ["need_libraries"]


def need_libraries() -> None:
    """Record sets are made and read with libraries; without them nothing could be said about any.

    Raises:
        Fatal: one is not installed.
    """
    missing = missing_libraries()
    if missing:
        raise Fatal(
            f"record sets need packages that are not installed: {', '.join(missing)}",
            f"Type: {install('records')}",
            ExitCode.MISSING,
        )
