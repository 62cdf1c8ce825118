"""The options that several commands share."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import click

from kafkawire.schema.model import VersionRange
from wireproof.app.cli.completion import (
    complete_cell,
    complete_message,
    complete_module,
    complete_release,
    complete_testee,
)
from wireproof.base.exit_codes import ExitCode
from wireproof.proof.config import MutationSet, SchemaSource, Selection, available_processors

__all__ = [
    "budget_option",
    "jar_options",
    "jobs_option",
    "mutations_option",
    "release_option",
    "schemas_option",
    "schemas_options",
    "selection_of",
    "selection_options",
    "source_of",
    "testee_option",
]

_Decorator: TypeAlias = Callable[[Callable[..., Any]], Callable[..., Any]]


class _Versions(click.ParamType[tuple[VersionRange, ...]]):
    name = "RANGES"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[VersionRange, ...]:
        if isinstance(value, tuple):
            return value
        try:
            return tuple(VersionRange.parse(part.strip()) for part in value.split(","))
        except ValueError as error:
            self.fail(f"{error}; write 3, 2-5, 7+ or several of them: 1-2,8-10", param, ctx)


class _Shard(click.ParamType[tuple[int, int]]):
    name = "I/N"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        if isinstance(value, tuple):
            return value
        match = re.fullmatch(r"(\d+)/(\d+)", value)
        if match and 1 <= int(match[1]) <= int(match[2]):
            return int(match[1]), int(match[2])
        return self.fail(f"{value!r} is not a shard: write I/N with I from 1 to N, such as 2/4", param, ctx)


def _all(*options: _Decorator) -> _Decorator:
    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


release_option: _Decorator = click.option(
    "--release",
    "releases",
    multiple=True,
    metavar="RELEASE",
    shell_complete=complete_release,
    help="Use this Kafka release: 4.4.0, 4.4 for its pinned patch, newest (the default) or all. May be "
    "repeated.",
)

_folder_option: _Decorator = click.option(
    "--schemas",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Take a fork: lay the message definitions of this folder over those of the release. Its cells are "
    "RELEASE+NAME/MESSAGE/VERSION; NAME is the folder's.",
)

schemas_option: _Decorator = _folder_option
"""The option of commands that ask no Kafka classes."""

schemas_options: _Decorator = _all(
    _folder_option,
    click.option(
        "--schemas-jar",
        "schemas_jar",
        type=click.Path(path_type=Path, dir_okay=False),
        multiple=True,
        metavar="FILE",
        help="Take the classes of these messages from this jar of the fork. May be repeated. Default: "
        "Kafka's generator makes them of the definitions.",
    ),
)
"""The options of commands that ask Kafka's classes."""


def source_of(options: Mapping[str, Any]) -> SchemaSource | None:
    """Return the definitions of a fork that the options name; None for Kafka's own releases.

    Raises:
        click.UsageError: a jar is named without definitions.
    """
    if options.get("schemas_jar") and options["schemas"] is None:
        raise click.UsageError("--schemas-jar needs --schemas: name the definitions of the jar's messages")
    return SchemaSource.of(options["schemas"], options.get("schemas_jar", ()))


selection_options: _Decorator = _all(
    click.option(
        "--module",
        "modules",
        multiple=True,
        metavar="NAME",
        shell_complete=complete_module,
        help="Select only this module, such as clients.",
    ),
    click.option(
        "--message",
        "messages",
        multiple=True,
        metavar="NAME",
        shell_complete=complete_message,
        help="Select only this message; * matches any text.",
    ),
    click.option(
        "--message-version",
        "versions",
        type=_Versions(),
        default=(VersionRange.ALL,),
        show_default="all",
        help="Select only these versions of messages: 3, 2-5, 7+ or a list such as 1-2,8-10.",
    ),
    click.option(
        "--cell",
        "patterns",
        multiple=True,
        metavar="PATTERN",
        shell_complete=complete_cell,
        help="Select only cells [RELEASE/]MESSAGE/VERSION that match; * matches in a part, ** across parts.",
    ),
    click.option(
        "--shard",
        type=_Shard(),
        default=(1, 1),
        show_default="1/1",
        help="Select the I-th of N parts of the cells. New cells do not move other cells to another part.",
    ),
)

testee_option: _Decorator = click.option(
    "--testee",
    metavar="NAME",
    shell_complete=complete_testee,
    help="Test this codec instead of our own. NAME[:VARIANT][@VERSION]: a testee that comes with wireproof. "
    "A path: a folder with a testee.toml, or a program that speaks the testee protocol. container:IMAGE: an "
    "image of such a program. python:MODULE:OBJECT: an object of the Python kit, in this process.",
)

jobs_option: _Decorator = click.option(
    "--jobs",
    default=0,
    show_default="one per processor",
    type=click.IntRange(0),
    callback=lambda ctx, param, value: value or available_processors(),
    help="Run so many processes in parallel.",
)

mutations_option: _Decorator = click.option(
    "--mutations",
    type=click.Choice([each.value for each in MutationSet]),
    help="Set the number of mutations of each cell's bytes in the phase mutations. slice: each operator once "
    "at each kind of place. Default: all if --phase names the phase, otherwise slice.",
)

budget_option: _Decorator = click.option(
    "--budget",
    type=click.FloatRange(0, min_open=True),
    metavar="SECONDS",
    help="Stop after so many seconds. The cells that were judged count. "
    f"Exit code {ExitCode.BELOW_FLOOR:d} if cells are left.",
)

jar_options: _Decorator = _all(
    click.option(
        "--offline", is_flag=True, help="Do not use the network: take files from the cache or from --jars."
    ),
    click.option(
        "--jars",
        type=click.Path(path_type=Path, file_okay=False),
        metavar="DIR",
        help="Look for jars in this folder first. It is flat, or has the layout of a Maven repository.",
    ),
)


def selection_of(options: Mapping[str, Any]) -> Selection:
    """Return the selection of the options in `selection_options`."""
    return Selection(
        modules=options["modules"],
        messages=options["messages"],
        versions=options["versions"],
        patterns=options["patterns"],
        shard=options["shard"],
    )
