"""Where a check is made, and which phases try the same cases in every run."""

from collections.abc import Iterable
from typing import Final

from wireproof.checks import Check
from wireproof.model import Phase

__all__ = ["MEASURED", "phases_of", "steady"]

MEASURED: Final = frozenset({Check.GROWTH})
"""Checks that measure, and not in every cell: what one run does not find another may well find."""

_BY_CHANCE: Final = frozenset({Phase.ORACLE, Phase.RANDOM, Phase.BULK})
"""Their cases follow from a seed and a number: another run may well miss what one has met."""

_ENUMERATED: Final = (Phase.ENUMERATED,)
_OF_VALUES: Final = (
    Phase.ENUMERATED, Phase.ORACLE, Phase.RECORDS, Phase.EMBEDDED, Phase.RANDOM, Phase.BULK
)  # fmt: skip

_PHASES: Final = {
    Check.SCHEMA: (Phase.SHAPE,),
    Check.NULLABLE: (Phase.SHAPE,),
    Check.PRESENCE: (Phase.SHAPE,),
    Check.DEFAULT: (Phase.SHAPE,),
    Check.HEADER: (Phase.SHAPE, Phase.FRAME),
    Check.CENSUS: (Phase.SHAPE,),
    Check.REGISTRY: (Phase.SHAPE,),
    Check.CLAIM: _ENUMERATED,
    Check.FRAMING: (Phase.ENUMERATED, Phase.RECORDS, Phase.RANDOM),
    Check.REFUSAL: _ENUMERATED,
    Check.CUT: (Phase.ENUMERATED, Phase.FRAME),
    Check.TAIL: _ENUMERATED,
    Check.BUFFER: _ENUMERATED,
    Check.REPEAT: _ENUMERATED,
    Check.RECOVER: (Phase.ENUMERATED, Phase.FRAME),
    Check.INTERLEAVE: (Phase.ENUMERATED, Phase.EVOLUTION),
    Check.THREADS: _ENUMERATED,
    Check.GROWTH: _ENUMERATED,
    Check.EQUAL: _ENUMERATED,
    Check.COPY: _ENUMERATED,
    Check.CHECKSUM: _ENUMERATED,
    Check.CUT_OFF: _ENUMERATED,
    Check.ABSENT: (Phase.EVOLUTION,),
    Check.TAGS_KEPT: (Phase.EVOLUTION,),
    Check.TAG_VERSION: (Phase.EVOLUTION,),
    Check.VERSIONS: (Phase.EVOLUTION,),
    Check.SECOND: (Phase.ORACLE,),
    Check.EQUALITY: (Phase.ORACLE,),
    Check.LABEL: (Phase.EMBEDDED,),
    Check.TOLERANCE: (Phase.EMBEDDED,),
    Check.DECODE: (*_OF_VALUES, Phase.FRAME, Phase.EVOLUTION),
    Check.FRAME_BYTES: (Phase.FRAME,),
    Check.FRAME_DECODE: (Phase.FRAME,),
    Check.MALFORMED: (Phase.MUTATIONS,),
    Check.ENTRY: (Phase.CORPUS,),
}
"""Those that are not here are made of values, wherever these come from."""


def phases_of(check: str) -> tuple[Phase, ...]:
    """The phases that make a check."""
    return _PHASES.get(Check(check), _OF_VALUES)


def steady(phases: Iterable[Phase]) -> frozenset[Phase]:
    """Those that try the same cases in every run."""
    return frozenset(phases) - _BY_CHANCE
