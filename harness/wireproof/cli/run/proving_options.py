"""Options of what proves cells: `wireproof run` and `wireproof campaign`."""

from collections.abc import Callable
from typing import Any, TypeAlias

import click

from wireproof.config import CODEC_FORMS

__all__ = ["cases_option", "edges_option", "every_hang_option", "seed_option", "shrink_option", "twin_option"]

_Decorator: TypeAlias = Callable[[Callable[..., Any]], Callable[..., Any]]

edges_option: _Decorator = click.option(
    "--edges/--all-versions",
    "edges",
    default=False,
    help="Of each message only the newest version with tag sections and the newest without: half of the "
    "cells, with nearly all fields in both forms.",
)

seed_option: _Decorator = click.option(
    "--seed", default=0, show_default=True, help="Of all that is random: the same seed, the same cases."
)

every_hang_option: _Decorator = click.option(
    "--every-hang",
    is_flag=True,
    help="Try malformed bytes at every field though the same fault has hung the codec elsewhere; by default "
    "one hang for each kind of fault is reported, and a minute is spent on them. Slow. `wireproof ledger "
    "accept` of such a run knows every place.",
)

twin_option: _Decorator = click.option(
    "--twin",
    "twins",
    multiple=True,
    type=click.Choice(CODEC_FORMS),
    help="Which of our codec's twins to prove. Default: both; a random phase asks the first alone.",
)

shrink_option: _Decorator = click.option(
    "--shrink",
    "shrink_s",
    default=5.0,
    show_default=True,
    type=click.FloatRange(0),
    metavar="SECONDS",
    help="How long a cell's failures may be made smaller, all together.",
)


def cases_option(default: int) -> _Decorator:
    """The number of instances in the phase bulk."""
    return click.option(
        "--cases",
        default=default,
        show_default=True,
        type=click.IntRange(1),
        help="Seeded instances a cell, in the phase bulk.",
    )
