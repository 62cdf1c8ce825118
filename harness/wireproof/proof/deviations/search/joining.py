"""One deviation for several.

A codec may crash at all bytes that Kafka refuses, change a whole type, or refuse varints of some size.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from wireproof.model.repertoire import CodecDirection
from wireproof.proof.deviations.catalogue.length_triggers import VARINT_SIZES
from wireproof.proof.deviations.catalogue.trigger import CRASH
from wireproof.proof.deviations.deviation import Deviation
from wireproof.proof.deviations.value_changes import VALUE_CHANGES

_SEVERAL: Final = 3


def joined_crashes(
    found: Sequence[Deviation], known: Sequence[Deviation]
) -> dict[Deviation, list[Deviation]]:
    """Return each deviation that may replace several new ones, with the deviations that it replaces."""
    crashes = [each for each in found if each.row.kafka == "refused" and each.action == CRASH]
    new = [each for each in crashes if each not in known]
    alike = {error: [each for each in new if each.error == error] for error in {each.error for each in new}}
    return {
        Deviation(CodecDirection.DECODE, "refused", CRASH, error): several
        for error, several in alike.items()
        if len(several) >= _SEVERAL
    }


def joined_values(found: Sequence[Deviation], known: Sequence[Deviation]) -> dict[Deviation, list[Deviation]]:
    """Return the deviations of all fields of a type, each with those of single fields that it may replace."""
    alike = defaultdict[Deviation, list[Deviation]](list)
    for each in found:
        if is_change_of_fields(each) and each not in known:
            alike[of_all_fields(each)].append(each)
    return {one: several for one, several in alike.items() if len(several) > 1}


def joined_sizes(found: Sequence[Deviation], known: Sequence[Deviation]) -> dict[Deviation, list[Deviation]]:
    """Return each deviation at varints of a size or more, with those of larger ones that it may replace."""
    alike = defaultdict[Deviation, list[Deviation]](list)
    for size in VARINT_SIZES:
        for each in found:
            if each.trigger == size and each not in known:
                alike[replace(each, trigger=VARINT_SIZES[0])].append(each)
    return {several[0]: several for several in alike.values() if len(several) > 1}


def is_change_of_fields(deviation: Deviation) -> bool:
    """Test if a deviation changes the values of single fields."""
    return deviation.trigger == "value" and deviation.action in VALUE_CHANGES and bool(deviation.fields)


def of_all_fields(deviation: Deviation) -> Deviation:
    """Return the deviation of all fields of its types."""
    return replace(deviation, fields=frozenset())


JOINS: Final = (joined_crashes, joined_values, joined_sizes)
"""Each takes the deviations found and the known ones, and returns those that may replace several."""
