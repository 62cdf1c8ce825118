"""Kafka's own classes under test: which of their divergences are known Kafka bugs."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from kafkawire.values import TAGS
from wireproof.model import Divergence
from wireproof.proof.checks.check_table import Check
from wireproof.proof.checks.difference_kinds import ACCEPTED, TAGS_LOST
from wireproof.proof.checks.known_defects.kafka_bugs import RefusalBug, kafka_bug

_OUT_OF_MEMORY: Final = "OutOfMemoryError"

_SHOWN_AS: Final[Mapping[tuple[str, str], str]] = {
    (Check.MALFORMED, f"crashed:java.lang.{_OUT_OF_MEMORY}"): "SNAPPY-LENGTH",
    (Check.COPY, TAGS_LOST): "DUPLICATE-TAGS",
    (Check.REFUSAL, ACCEPTED): "TAG-DEFINED",
    (Check.VERSIONS, ACCEPTED): "VERSION-UNCHECKED",
}
"""The witness of a bug by the check and the kind of the divergence that it brings about."""


def explain_own_bugs(
    release: str, divergences: tuple[Divergence, ...], subject: str
) -> tuple[Divergence, ...]:
    """Add to each divergence of a codec in a case the bug of the release that explains it.

    Args:
        release: the Kafka release whose own classes the codec is.
        subject: the name of the codec.
    """
    refused = {each.erratum for each in divergences if each.erratum}
    return tuple(
        each
        if each.excused or each.subject != subject
        else replace(each, erratum=_witness(release, each, refused))
        for each in divergences
    )


def _witness(release: str, divergence: Divergence, refused: set[str]) -> str:
    """Return the witness of the bug that explains a divergence; empty if none does.

    Args:
        refused: the bugs by which the oracle refuses the value of the case.
    """
    witness = _SHOWN_AS.get((divergence.check, divergence.kind), "")
    if witness == "TAG-DEFINED" and not divergence.path.endswith(TAGS):
        return ""
    if witness == "SNAPPY-LENGTH" and _OUT_OF_MEMORY not in divergence.oracle:
        return ""
    if divergence.check == Check.ENCODE and divergence.unanswered:
        witness = next((each for each in refused if _refuses(release, each, divergence)), "")
    return witness if witness and kafka_bug(release, witness) else ""


def _refuses(release: str, witness: str, divergence: Divergence) -> bool:
    """Return whether the class under test refuses the value as the bug says."""
    bug = kafka_bug(release, witness)
    return isinstance(bug, RefusalBug) and bug.error in divergence.kind
