"""Named sets of options; an option that is given wins over the profile's."""

from collections.abc import Mapping
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any, Final

from wireproof.model import Phase
from wireproof.proof.config.selection import DEFAULT_PHASES, MutationSet

__all__ = ["PROFILES"]


def _tonight() -> int:
    """A seed for each day, the same on every machine, such as 20261121. The report names it."""
    return int(f"{datetime.now(UTC):%Y%m%d}")


PROFILES: Final[Mapping[str, Mapping[str, Any]]] = MappingProxyType(
    {
        # The same cases each time: a change must not fail because of a random case that it did not cause.
        # Half of the cells, to be quick: they have nearly all fields of the others. The budget is long,
        # because cells that a slow machine leaves out would end with exit code 7.
        "pr": {
            "phase": tuple(
                phase.value for phase in DEFAULT_PHASES if phase not in (Phase.SHAPE, Phase.RANDOM)
            ),
            "mutations": MutationSet.SLICE,
            "edges": True,
            "shrink_total": 5.0,
            "budget": 300.0,
        },
        "nightly": {"mutations": MutationSet.ALL, "examples": 500, "seed": _tonight},
        "release": {"release": ("all",), "mutations": MutationSet.ALL},
    }
)
"""The options that each profile sets. A function is called for its value."""
