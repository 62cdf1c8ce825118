"""``wireproof broker``: images of brokers."""

from typing import Any

import click

from wireproof.app.assembly.jar_store import open_store
from wireproof.app.cli.exit_code_help import CommandGroup
from wireproof.app.cli.options import jar_options
from wireproof.base.extras import install
from wireproof.base.fatal import FatalError
from wireproof.base.text.output import echo
from wireproof.kafka.releases import ReleaseError, broker_releases, table
from wireproof.proof.run import ExitCode


@click.group("broker", cls=CommandGroup)
def command() -> None:
    """Build an image of a broker."""


@command.command(
    "image",
    exit_codes={
        ExitCode.PROVEN: "The image is built.",
        ExitCode.MISSING: "A jar, Java or the container engine is missing, or the release is unknown.",
    },
)
@click.argument("release", default="newest")
@click.option(
    "--tag", "name", metavar="NAME:TAG", help="Give the image this name. Default: wireproof/kafka:RELEASE."
)
@jar_options
def _image(release: str, name: str | None, **options: Any) -> int:
    """Build an image of a broker of RELEASE, from its jars and the Java of this machine. No image is pulled.

    `wireproof capture --broker container:NAME:TAG` starts it, like Kafka's own images.
    """
    from wireproof.kafka.oracle import RuntimeMissingError, find_runtime
    from wireproof.traffic.capture import CaptureError
    from wireproof.traffic.capture.brokers.processes.container_programs import build_image

    try:
        found = table().find(broker_releases()[0] if release == "newest" else release)
        store = open_store(options["jars"], options["offline"])
        name = name or f"wireproof/kafka:{found.version}"
        if ":" not in name.rpartition("/")[2]:
            raise FatalError(f"--tag: {name!r} has no tag", "Write NAME:TAG.", ExitCode.USAGE)
        built = build_image(name, store.broker_jars(found), find_runtime().home)
    except (ReleaseError, CaptureError) as error:
        raise FatalError(error.message, error.advice, ExitCode.MISSING) from error
    except RuntimeMissingError as error:
        advice = f"Install Java 17 or newer, or: {install('java')}"
        raise FatalError(str(error), advice, ExitCode.MISSING) from error
    echo(f"{name}  {built}")
    return int(ExitCode.PROVEN)
