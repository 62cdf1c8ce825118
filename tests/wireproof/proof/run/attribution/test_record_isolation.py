"""Isolation of the field of a record set at fault, where a codec gives no answer and names no field."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from kafkawire.records import Header, Record, RecordBatch, RecordSet, record_set_layout, to_value
from wireproof.model.divergence import Divergence
from wireproof.proof.checks.check_table import Check
from wireproof.proof.run.attribution.field_isolation import isolate_record_fields

LAYOUT = record_set_layout(2)
FOUND = Divergence(Check.DECODE, "codec", "not decoded", codec="crashed: KeyError", kind="crashed:KeyError")
PLAIN = RecordBatch.of([Record(0, 0, b"k", b"v")])
RECORDS = [Record(0, 0, b"k", None), Record(2, 1, None, b"v", (Header("h", None),))]
RICH = RecordBatch.of(RECORDS, base_offset=7)
VALUE = to_value(RecordSet((PLAIN, replace(RICH, transactional=True, producer_id=5))))


def place(breaks: Callable[[dict[str, Any]], bool], found: Divergence = FOUND, known: bool = True) -> str:
    """Return the path that is named for a codec that breaks on some sets."""

    def judge(name: str, values: Sequence[dict[str, Any]]) -> list[tuple[Divergence, ...] | None]:
        assert name == "codec"
        return [((FOUND,) if breaks(each) else ()) if known else None for each in values]

    (isolated,) = isolate_record_fields(LAYOUT, (found,), VALUE, judge)
    return isolated.path


def any_record(value: dict[str, Any], test: Callable[[dict[str, Any]], bool]) -> bool:
    return any(test(record) for batch in value["batches"] for record in batch["records"])


@pytest.mark.parametrize(
    ("breaks", "path"),
    [
        (lambda value: any_record(value, lambda each: each["value"] is None), "batches[1].records[0].value"),
        (lambda value: any_record(value, lambda each: each["key"] is None), "batches[1].records[1].key"),
        (
            lambda value: any_record(value, lambda each: bool(each["headers"])),
            "batches[1].records[1].headers",
        ),
        (
            lambda value: any_record(value, lambda each: any(h["value"] is None for h in each["headers"])),
            "batches[1].records[1].headers[0].value",
        ),
        (lambda value: any(batch["transactional"] for batch in value["batches"]), "batches[1].transactional"),
        (lambda value: any(batch["baseOffset"] for batch in value["batches"]), "batches[1].baseOffset"),
        (lambda value: True, ""),
        (lambda value: False, ""),
    ],
)
def test_the_field_whose_removal_gives_an_answer_is_named(breaks: Any, path: str) -> None:
    """No field is named for a codec that never answers, or that answers for these values as they are."""
    assert place(breaks) == path


@pytest.mark.parametrize("change", [{"path": "batches"}, {"kind": "crashed:hang"}, {"kind": "differs"}])
def test_a_divergence_with_a_path_or_a_hang_is_not_isolated(change: dict[str, Any]) -> None:
    """The divergence stays as it was."""
    found = replace(FOUND, **change)
    assert place(lambda value: any(batch["baseOffset"] for batch in value["batches"]), found) == found.path


def test_unclaimed_record_sets_name_no_field() -> None:
    """No field is named where the codec does not claim record sets."""
    assert place(lambda value: True, known=False) == ""
