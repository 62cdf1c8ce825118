"""Options that mean the same in every command."""

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import click

from kafkawire.schema.model import VersionRange
from wireproof.config import MutationSet, Selection
from wireproof.exit_codes import ExitCode

__all__ = [
    "budget_option",
    "jar_options",
    "jobs_option",
    "mutations_option",
    "release_option",
    "selection_of",
    "selection_options",
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
        return self.fail(f"{value!r} is no shard: write I/N with I from 1 to N, such as 2/4", param, ctx)


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
    help="A Kafka release: 4.4.0, 4.4 for its pinned patch, newest (the default) or all. May be repeated.",
)

selection_options: _Decorator = _all(
    click.option(
        "--module", "modules", multiple=True, metavar="NAME", help="Only this module, such as clients."
    ),
    click.option(
        "--message",
        "messages",
        multiple=True,
        metavar="NAME",
        help="Only this message; * stands for any text.",
    ),
    click.option(
        "--message-version",
        "versions",
        type=_Versions(),
        default=(VersionRange.ALL,),
        show_default="all",
        help="Only these versions of messages: 3, 2-5, 7+ or several of them, such as 1-2,8-10.",
    ),
    click.option(
        "--cell",
        "patterns",
        multiple=True,
        metavar="PATTERN",
        help="Only cells RELEASE/MESSAGE/VERSION that match; * within a part, ** over parts.",
    ),
    click.option(
        "--shard",
        type=_Shard(),
        default=(1, 1),
        show_default="1/1",
        help="Only the I-th of N parts of the cells; a new cell never moves another.",
    ),
)

testee_option: _Decorator = click.option(
    "--testee",
    metavar="NAME",
    help="A codec in place of our own: one that comes with wireproof, NAME[:VARIANT][@VERSION]; a folder "
    "with a testee.toml; a program that speaks the testee protocol; container:IMAGE, which does so in "
    "containers; or python:MODULE:OBJECT, one of the Python kit in this process.",
)

jobs_option: _Decorator = click.option(
    "--jobs",
    default=0,
    show_default="one a processor",
    type=click.IntRange(0),
    callback=lambda ctx, param, value: value or len(os.sched_getaffinity(0)),
    help="Processes at once.",
)

mutations_option: _Decorator = click.option(
    "--mutations",
    type=click.Choice([each.value for each in MutationSet]),
    help="How many mutations of each cell's bytes the phase mutations tries. slice: each operator once at "
    "each kind of place. Default: all where --phase names the phase, otherwise slice.",
)

budget_option: _Decorator = click.option(
    "--budget",
    type=click.FloatRange(0, min_open=True),
    metavar="SECONDS",
    help="Stop after this long, and tell what was done: what was judged is counted. "
    f"Exit code {ExitCode.BELOW_FLOOR:d} if cells "
    "are left.",
)

jar_options: _Decorator = _all(
    click.option(
        "--offline", is_flag=True, help="Never touch the network: use what is in the cache or in --jars."
    ),
    click.option(
        "--jars",
        type=click.Path(path_type=Path, file_okay=False),
        metavar="DIR",
        help="A folder of jars to look into first, flat or laid out like a Maven repository.",
    ),
)


def selection_of(options: Mapping[str, Any]) -> Selection:
    """The selection that the options of `selection_options` make."""
    return Selection(
        modules=options["modules"],
        messages=options["messages"],
        versions=options["versions"],
        patterns=options["patterns"],
        shard=options["shard"],
    )
