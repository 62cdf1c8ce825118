"""One deviation for several crashes of one class: a codec may crash at whatever Kafka refuses."""

from collections.abc import Sequence
from typing import Final

from wireproof.model.repertoire import CodecDirection
from wireproof.proof.deviations.catalogue.trigger import CRASH
from wireproof.proof.deviations.deviation import Deviation

_SEVERAL: Final = 3


def joined_crashes(
    found: Sequence[Deviation], known: Sequence[Deviation]
) -> dict[Deviation, list[Deviation]]:
    """Return the deviation that may take the place of several new ones, with these."""
    crashes = [each for each in found if each.row.kafka == "refused" and each.action == CRASH]
    new = [each for each in crashes if each not in known]
    alike = {error: [each for each in new if each.error == error] for error in {each.error for each in new}}
    return {
        Deviation(CodecDirection.DECODE, "refused", CRASH, error): several
        for error, several in alike.items()
        if len(several) >= _SEVERAL
    }
