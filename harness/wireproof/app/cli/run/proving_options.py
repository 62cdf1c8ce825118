"""The options of the commands that prove cells: `wireproof run` and `wireproof campaign`."""

from collections.abc import Callable
from typing import Any, TypeAlias

import click

from wireproof.proof.config import CODEC_FORMS

__all__ = [
    "cases_option",
    "edges_option",
    "every_hang_option",
    "seed_option",
    "shrink_option",
    "codec_form_option",
]

_Decorator: TypeAlias = Callable[[Callable[..., Any]], Callable[..., Any]]

edges_option: _Decorator = click.option(
    "--edges/--all-versions",
    "edges",
    default=False,
    help="Select two versions of each message: the newest with tagged fields and the newest without. These "
    "are half of the cells, and have nearly all fields in both forms.",
)

seed_option: _Decorator = click.option(
    "--seed",
    default=0,
    show_default=True,
    help="Seed all random choices: the same seed gives the same cases.",
)

every_hang_option: _Decorator = click.option(
    "--every-hang",
    is_flag=True,
    help="Try malformed bytes at every field, even after the same fault hung the codec elsewhere. This is "
    "slow. By default a run reports one hang for each kind of fault, and spends a minute on hangs. With this "
    "option `wireproof ledger accept` records every place.",
)

codec_form_option: _Decorator = click.option(
    "--twin",
    "codec_forms",
    multiple=True,
    type=click.Choice(CODEC_FORMS),
    help="Prove only this form of our codec. Default: both; random phases use only the first.",
)

shrink_option: _Decorator = click.option(
    "--shrink",
    "shrink_s",
    default=5.0,
    show_default=True,
    type=click.FloatRange(0),
    metavar="SECONDS",
    help="Spend at most so many seconds per cell on shrinking its failures.",
)


def cases_option(default: int) -> _Decorator:
    """Return the option for the number of instances in the phase bulk."""
    return click.option(
        "--cases",
        default=default,
        show_default=True,
        type=click.IntRange(1),
        help="Set the number of seeded instances per cell in the phase bulk.",
    )
