"""``--profile``: sets of options with a name; an option that is given wins over the profile's."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any, Final, TypeAlias

import click

from wireproof.model import Phase
from wireproof.run import DEFAULT_PHASES, MutationSet

__all__ = ["PROFILES", "profile_option"]

_Decorator: TypeAlias = Callable[[Callable[..., Any]], Callable[..., Any]]

_NAMED: Final = [phase.value for phase in DEFAULT_PHASES if phase is not Phase.SHAPE]


def _tonight() -> int:
    """A seed for each day, the same on every machine: 20261121. The run tells it."""
    return int(f"{datetime.now(UTC):%Y%m%d}")


PROFILES: Final[Mapping[str, Mapping[str, Any]]] = MappingProxyType(
    {
        # The same cases each time, so that what chance finds never turns a change red that has nothing to
        # do with it. Half of the cells, so that it is quick: those that have nearly all fields of the others.
        # No short budget: a slow machine would be red (exit code 7) for no other reason.
        "pr": {
            "phases": [name for name in _NAMED if name != Phase.RANDOM.value],
            "mutations": MutationSet.SLICE.value,
            "edges": True,
            "shrink_total_s": 5.0,
            "budget": 300.0,
        },
        "nightly": {
            "mutations": MutationSet.ALL.value,
            "examples": 500,
            "seed": _tonight,
        },
        "release": {
            "releases": ["all"],
            "mutations": MutationSet.ALL.value,
        },
    }
)
"""What each profile sets, by the names of the parameters of ``wireproof run``."""


def _choose(ctx: click.Context, param: click.Parameter, name: str | None) -> None:
    if name is not None:
        ctx.default_map = {**(ctx.default_map or {}), **PROFILES[name]}


profile_option: _Decorator = click.option(
    "--profile",
    type=click.Choice(list(PROFILES)),
    is_eager=True,
    expose_value=False,
    callback=_choose,
    help="A set of options; those that are given win. pr: the same cases each time, no random phase, "
    "--edges, --shrink-total 5, --budget 300. nightly: --mutations all, --examples 500, the day as --seed. "
    "release: --release all, --mutations all.",
)
