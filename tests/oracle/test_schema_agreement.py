"""`wireproof schema check` and the phase `evolution` of a run say the same about neighbouring releases.

The phase carries the bytes of one release to the classes of another where it takes them for readable, and
asks each release for versions beyond its own. Kafka's classes decide who is right.
"""

from functools import cache
from itertools import pairwise
from typing import NamedTuple

import pytest

from kafkawire.canonical import canonical
from kafkawire.schema import compare_layouts, resolve
from tests.support.oracles.kafka_classes import LINES, Kafka, kafka
from wireproof.definitions.evolution.evolution_check import SchemaFinding, check_releases
from wireproof.definitions.evolution.evolution_rules import EvolutionRule, Impact
from wireproof.kafka.releases.release_table import table
from wireproof.kafka.releases.snapshots import load_snapshot
from wireproof.model.oracle import OracleValue
from wireproof.proof.run.phases.evolution_phase import AFTER, BEFORE, differ_by_tags
from wireproof.proof.strategies.layout_source import LayoutSource

EACH_PAIR = pytest.mark.parametrize(("before", "after"), list(pairwise(reversed(LINES))))

TO_OLD = (Impact.BREAKS_READERS, Impact.BREAKS_BOTH)
TO_NEW = (Impact.BREAKS_WRITERS, Impact.BREAKS_BOTH)
TAGS = (EvolutionRule.TAGGED_FIELD, EvolutionRule.TAG_RETIRED)


class Pair(NamedTuple):
    """A message at a version that two releases have, in different layouts."""

    message: str
    version: int
    findings: list[SchemaFinding]

    def has(self, *impacts: Impact) -> bool:
        return any(each.impact in impacts for each in self.findings)

    @property
    def unstable(self) -> bool:
        return any(each.rule is EvolutionRule.UNSTABLE_VERSION for each in self.findings)


@cache
def findings(before: str, after: str) -> list[SchemaFinding]:
    return check_releases(kafka(before).schemas, kafka(after).schemas)


@cache
def pairs(before: str, after: str) -> list[Pair]:
    """Every pair whose layouts differ, whether a finding names it or not."""
    older, newer = load_snapshot(table().find(before)), load_snapshot(table().find(after))
    news = {spec.name: spec for _, spec in newer}
    found = []
    for _, spec in older:
        other = news.get(spec.name)
        if other is None or other == spec:
            continue
        for version in spec.valid_versions:
            if version in other.valid_versions and compare_layouts(
                resolve(spec, version), resolve(other, version)
            ):
                named = [
                    each
                    for each in findings(before, after)
                    if each.message == spec.name and each.change is not None and version in each.versions
                ]
                found.append(Pair(spec.name, version, named))
    return found


def unreadable(writer: Kafka, reader: Kafka, pair: Pair, names: frozenset[str]) -> bool:
    """True if a case of the phase, written by the writer's class, does not come back from the reader's."""
    cell, layout = writer.cell(pair.message, pair.version)
    form = canonical(layout)
    values = [form.to_binary(value) for name, value in LayoutSource(str).whole(layout) if name in names]
    bodies = [
        reply.written for reply in writer.oracle.write(cell, layout, values) if isinstance(reply, OracleValue)
    ]
    assert bodies, cell
    replies = reader.oracle.reread(*reader.cell(pair.message, pair.version), bodies)
    return any(
        not isinstance(reply, OracleValue) or reply.written != body
        for reply, body in zip(replies, bodies, strict=True)
    )


@EACH_PAIR
def test_what_is_unreadable_is_a_break_and_what_is_carried_is_safe(before: str, after: str) -> None:
    """The phase carries a pair exactly where the check names tagged fields and no break; Kafka's classes give
    back all bytes of these. Where they do not, the check names a break in that direction."""
    older, newer = kafka(before), kafka(after)
    for pair in pairs(before, after):
        layouts = older.cell(pair.message, pair.version)[1], newer.cell(pair.message, pair.version)[1]
        tagged = any(each.rule in TAGS for each in pair.findings)
        changed = any(each.change.effect.misread for each in pair.findings if each.change)
        assert differ_by_tags(*layouts) == (tagged and not changed), pair
        to_old = unreadable(newer, older, pair, AFTER)
        to_new = unreadable(older, newer, pair, BEFORE)
        assert not to_old or pair.unstable or pair.has(*TO_OLD), pair
        assert not to_new or pair.unstable or pair.has(*TO_NEW), pair
        if differ_by_tags(*layouts):
            assert not to_old, pair
            assert not to_new, pair
            assert not pair.has(*TO_OLD, *TO_NEW), pair


@EACH_PAIR
def test_versions_beyond_a_release_are_named(before: str, after: str) -> None:
    """The check names a version as new or gone exactly where one release has it and the class of the other
    one has no schema of it."""
    older, newer = kafka(before), kafka(after)
    found = findings(before, after)
    for words, here, there in (("the version is new", newer, older), ("the version is gone", older, newer)):
        named = {
            (each.message, version) for each in found if each.words == words for version in each.versions
        }
        theirs = {spec.name: spec for _, spec in there.schemas if not spec.retired}
        beyond = set()
        for _, spec in here.schemas:
            other = theirs.get(spec.name)
            if other is None or other.valid_versions == spec.valid_versions:
                continue
            cell = there.cell(spec.name, other.valid_versions.highest)[0]
            beyond |= {
                (spec.name, version)
                for version in spec.valid_versions
                if not there.oracle.bounds(cell, version).described
            }
        assert named == beyond


def test_there_is_something_to_agree_about() -> None:
    """The pairs have breaks, changes of unstable versions and carried tags."""
    seen = {"break": 0, "unstable": 0, "carried": 0}
    for before, after in pairwise(reversed(LINES)):
        older, newer = kafka(before), kafka(after)
        for pair in pairs(before, after):
            layouts = older.cell(pair.message, pair.version)[1], newer.cell(pair.message, pair.version)[1]
            seen["break"] += pair.has(*TO_OLD, *TO_NEW)
            seen["unstable"] += pair.unstable
            seen["carried"] += differ_by_tags(*layouts)
    assert all(seen.values()), seen
