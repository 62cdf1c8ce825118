"""Errors about what a command needs and lacks, with their exit codes."""

import contextlib
from collections.abc import Iterator

from kafkawire.records import missing_libraries
from wireproof.app.assembly.inputs.run_inputs import MisreadError
from wireproof.base.exit_codes import ExitCode
from wireproof.base.extras import install_advice
from wireproof.base.fatal import FatalError
from wireproof.kafka.releases import ReleaseError
from wireproof.proof.testees import ManifestError, TesteeError


@contextlib.contextmanager
def as_fatal_error(misread: str = "`wireproof run` must be green first.") -> Iterator[None]:
    """Raise a `FatalError` when a testee, a release or its schemas cannot be used.

    Args:
        misread: what to do when our reader and Kafka's generator read the schemas differently.
    """
    try:
        yield
    except (TesteeError, ReleaseError) as error:
        code = ExitCode.USAGE if isinstance(error, ManifestError) else ExitCode.MISSING
        raise FatalError(error.message, error.advice, code) from error
    except MisreadError as error:
        raise FatalError(str(error), misread, ExitCode.DIVERGENCE) from error


def need_libraries() -> None:
    """Check that the libraries for record sets are installed.

    Raises:
        FatalError: one is missing.
    """
    missing = missing_libraries()
    if missing:
        raise FatalError(
            f"record sets need packages that are not installed: {', '.join(missing)}",
            install_advice("records"),
            ExitCode.MISSING,
        )
