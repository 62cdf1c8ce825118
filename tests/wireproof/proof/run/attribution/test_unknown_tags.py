"""Attribution of failures to unknown tagged fields, with an oracle that needs no Java."""

from dataclasses import replace
from typing import Any

import pytest

from kafkawire.canonical import canonical
from kafkawire.values import TAGS
from tests.support.environments import small_environment
from tests.wireproof.proof.run.attribution.pathless_codecs import (
    NoTags,
    NoTagsNorZero,
    environment_of,
    failures,
)
from wireproof.model.cell import Cell, Phase
from wireproof.model.divergence import Divergence
from wireproof.proof.checks.check_table import Check
from wireproof.proof.run.attribution.field_isolation import attribute_to_tags, without_tags
from wireproof.proof.run.context.value_judgement import judge_instances
from wireproof.proof.run.core.cell_events import FailedCase, ProverEvent
from wireproof.proof.run.core.plan import RunOptions
from wireproof.proof.run.core.prepared_cases import CellTarget
from wireproof.proof.run.provers.message_prover import CellProver

CELL = small_environment.cell("PingRequest", 3)
FOUND = Divergence(Check.DECODE, "codec", "not decoded", codec="crashed", kind="crashed:KeyError")


@pytest.mark.parametrize("phase", [Phase.ENUMERATED, Phase.EVOLUTION, Phase.RANDOM])
def test_a_codec_that_reads_no_unknown_tags_has_one_cause_in_each_check(phase: Phase) -> None:
    """A failure that only unknown tags cause is reported at the tags in each phase."""
    divergences = [found for event in failures(NoTags, CELL, phase) for found in event.divergences]
    assert divergences
    assert {(found.path, found.field_type, found.kind) for found in divergences} == {
        (TAGS, "tags", "crashed:KeyError")
    }
    assert all("not without unknown tagged fields" in found.codec for found in divergences)


@pytest.mark.parametrize("cell", [CELL, small_environment.cell("PingResponse", 3)])
def test_unknown_tags_of_a_header_are_blamed_for_what_they_do_to_a_frame(cell: Cell) -> None:
    """Only frames with such tags fail. The header is not read alone either, so the cause is a decoding
    failure, as it is in the cells of the headers."""
    divergences = [found for event in failures(NoTags, cell, Phase.FRAME) for found in event.divergences]
    assert {(found.check, found.path) for found in divergences} == {(Check.DECODE, TAGS)}


def test_unknown_tags_are_blamed_in_instances_that_the_oracle_made() -> None:
    """An instance from the oracle is not a named case: the oracle supplies it without the tags."""
    environment = environment_of(NoTags)
    layout = environment.layouts.of(CELL)
    oracle = environment.oracles[CELL.release]
    values: list[dict[str, Any]] = [{"name": "x", TAGS: {9: b"y"}}, {"name": "x"}]
    written = oracle.write(CELL, layout, [canonical(layout).to_binary(value) for value in values])
    tagged, plain = judge_instances(CellTarget(CELL, layout, environment.adapters, oracle), written)
    assert [found.path for found in tagged] == [TAGS]
    assert plain == ()


@pytest.mark.parametrize(
    ("name", "path"), [("count/0", "count"), ("_tags/two", TAGS), ("message/fullest", "count")]
)
def test_another_cause_is_not_blamed_on_unknown_tags(name: str, path: str) -> None:
    """The fullest value has unknown tags and a count of zero. It fails without the tags too, so the count is
    named, although the codec names no field."""
    events: list[ProverEvent] = []
    options = RunOptions(phases=(Phase.ENUMERATED,), shrink_s=0)
    CellProver(environment_of(NoTagsNorZero), options, CELL, events.append, lambda *_: None).try_named(name)
    (event,) = (event for event in events if isinstance(event, FailedCase))
    assert event.divergences[0].path == path


@pytest.mark.parametrize(
    ("before", "after", "path"),
    [
        (FOUND, (), TAGS),
        (FOUND, (FOUND,), ""),
        (FOUND, (replace(FOUND, kind="crashed:IndexError"),), ""),
        (FOUND, (replace(FOUND, path="name", kind="differs"),), TAGS),
        (replace(FOUND, kind="differs"), (FOUND,), ""),
        (
            replace(FOUND, path="name", kind="differs"),
            (replace(FOUND, path="count", kind="differs"),),
            "name",
        ),
        (FOUND, (replace(FOUND, subject="another"),), TAGS),
        (FOUND, (replace(FOUND, check=Check.BYTES),), TAGS),
        (FOUND, (replace(FOUND, check=Check.ROUND_TRIP),), ""),
        (FOUND, (replace(FOUND, unsupported="enum"),), TAGS),
        (replace(FOUND, path="name", kind="null-for-empty"), (), TAGS),
        (replace(FOUND, erratum="KAFKA-1"), (), ""),
        (replace(FOUND, unsupported="enum"), (), ""),
        (replace(FOUND, subject="oracle"), (), ""),
        (replace(FOUND, path="items[3]._tags"), (), "items[3]._tags"),
    ],
)
def test_a_failure_that_stays_without_unknown_tags_is_not_blamed_on_them(
    before: Divergence, after: tuple[Divergence, ...], path: str
) -> None:
    """The path stays where the same check fails without the tags, or where the codec is not at fault."""
    ((found,),) = attribute_to_tags([(before,)], lambda index: b"", lambda items: [after], bytes)
    assert found.path == path


def test_a_case_is_asked_again_once_and_only_if_it_failed() -> None:
    """Cases that are equal without unknown tags share one request, and cases that pass need none."""
    asked: list[list[bytes]] = []

    def judge(items: Any) -> list[tuple[Divergence, ...]]:
        asked.append(list(items))
        return [() for _ in items]

    attribute_to_tags(
        [(FOUND,), (), (FOUND,), (FOUND,)], lambda index: b"a" if index < 3 else b"b", judge, bytes
    )
    assert asked == [[b"a", b"b"]]
    attribute_to_tags([(), ()], lambda index: b"a", judge, bytes)
    attribute_to_tags([(FOUND,)], lambda index: None, judge, bytes)
    assert len(asked) == 1


def test_unknown_tags_are_removed_at_every_depth() -> None:
    """A value without unknown tags gives None, so that it is not asked again."""
    value = {
        "a": 1,
        TAGS: {1: b""},
        "items": [{"b": 2, TAGS: {9: b"x"}}],
        "one": {TAGS: {3: b""}},
        "none": None,
    }
    assert without_tags(value) == {"a": 1, "items": [{"b": 2}], "one": {}, "none": None}
    assert without_tags({"a": 1, "items": [{"b": 2}]}) is None
