"""The options and errors that commands on Spark share."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import click

from wireproof.app.cli.options import Decorator
from wireproof.base.exit_codes import ExitCode, FatalError
from wireproof.kafka.releases.release_table import ReleaseError
from wireproof.model.oracle import CannotWorkError

master_option: Decorator = click.option(
    "--master", metavar="URL", help="Use this Spark master. Default: all cores of this machine."
)

event_log_option: Decorator = click.option(
    "--event-log",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Write Spark's event log to this folder, for its history server.",
)


@contextlib.contextmanager
def spark_as_fatal_error() -> Iterator[None]:
    """Raise a `FatalError` if a job cannot begin, its output is unusable, or a stage or Spark fails."""
    from wireproof.pipeline.job_plan import OutputError, StageError

    try:
        yield
    except OutputError as error:
        raise FatalError(error.message, error.advice, ExitCode.USAGE) from error
    except StageError as error:
        raise FatalError(error.message, error.advice, ExitCode.BROKEN) from error
    except (CannotWorkError, ReleaseError) as error:
        raise FatalError(error.message, error.advice, ExitCode.MISSING) from error
