"""The page about the sentences of KIP-482: each check, phase, case, mutation, rule and change exists."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from kafkawire.compiler import interpret_layout
from kafkawire.primitives import PRIMITIVES, is_varint, primitive_layout
from kafkawire.schema import MessageLayout, SchemaRule, resolve
from wireproof.definitions.evolution.evolution_rules import EvolutionRule
from wireproof.kafka.releases.release_table import table
from wireproof.kafka.releases.snapshots import load_snapshot
from wireproof.model.cell import Cell, Phase
from wireproof.model.malformed_input import Mutation
from wireproof.proof.checks.check_table import Check
from wireproof.proof.strategies.layout_source import LayoutSource, refused_values
from wireproof.proof.strategies.values.whole_instances import full

PAGE: Final = Path(__file__).parents[2] / "docs" / "explanations" / "kip-482-sentences.md"
RELEASE: Final = "4.4.0"
SOURCE: Final = LayoutSource(lambda cell: "")
_NAME: Final = re.compile(r"(?:\b(check|phase|case|mutation|rule|change) )?`([^`]+)`")
_BEYOND: Final = {"version/below", "version/above"}
"""The phase `evolution` asks each message for a version that it does not have."""
KNOWN: Final[dict[str, set[str]]] = {
    "check": set(Check),
    "phase": set(Phase),
    "rule": {each.value for each in SchemaRule},
    "change": {each.value for each in EvolutionRule},
}


def rows() -> list[tuple[str, str]]:
    """The sentences of the page, each with the cell that says what executes it."""
    lines = PAGE.read_text("utf-8").partition("\n## KIP-482\n")[2].splitlines()
    cells = [line.strip("| ").split(" | ") for line in lines if line.startswith("| ")]
    return [(sentence, by) for sentence, by in cells if sentence != "sentence"]


def names(kind: str) -> list[str]:
    """The names of one kind on the page."""
    return sorted({name for _, by in rows() for found, name in _NAME.findall(by) if found == kind})


@cache
def layout_of(message: str, version: int) -> MessageLayout:
    if message in PRIMITIVES:
        return primitive_layout(message)
    _, spec = load_snapshot(table().find(RELEASE)).find(message)
    return resolve(spec, version)


@cache
def cases_of(message: str, version: int, phase: Phase) -> frozenset[str]:
    """The names of the cases that a phase makes for a cell."""
    return frozenset(_cases(layout_of(message, version), phase))


def _cases(layout: MessageLayout, phase: Phase) -> Iterator[str]:
    if phase is Phase.ENUMERATED:
        cell = Cell(RELEASE, "any", layout.name, layout.version)
        yield from (case.name for case in SOURCE.enumerated(cell, layout))
        yield from (refused.name for refused in refused_values(layout))
    elif phase is Phase.EVOLUTION:
        _, grown = SOURCE.grown(layout) or (None, [])
        yield from (f"grown/{name}" for name, _ in grown)
        yield from (name for name, _, _ in SOURCE.reserved_tags(layout))
        yield from _BEYOND


@cache
def operators() -> frozenset[str]:
    """The operators of the mutations of a message with all parts, and of each primitive."""
    layouts = [layout_of("FetchRequest", 17), layout_of("MetadataRequest", 13)]
    layouts += [primitive_layout(name) for name in PRIMITIVES]
    return frozenset(each.operator for layout in layouts for each in _mutations(layout))


def _mutations(layout: MessageLayout) -> Iterator[Mutation]:
    data = b"\x01"
    if not is_varint(layout.name):
        data = interpret_layout(layout).encode(full(layout.root, unknown_tags=layout.flexible))
    return SOURCE.mutations(layout, data)


def test_each_sentence_is_executed_by_something() -> None:
    """A line names a check, a phase, a case, a mutation, a rule or a change; no sentence comes twice."""
    assert len(rows()) > 60
    assert all(any(kind for kind, _ in _NAME.findall(by)) for _, by in rows())
    sections = PAGE.read_text("utf-8").split("\n### ")[1:]
    for section in sections:
        lines = [line for line in section.splitlines() if line.startswith("| ")]
        assert len(lines) == len(set(lines)) > 1


def test_each_name_says_what_it_is() -> None:
    """A name without its kind would not be looked up."""
    assert [name for _, by in rows() for kind, name in _NAME.findall(by) if not kind] == []


@pytest.mark.parametrize("kind", sorted(KNOWN))
def test_each_check_phase_rule_and_change_exists(kind: str) -> None:
    """The tables of the package have them."""
    assert names(kind)
    assert [name for name in names(kind) if name not in KNOWN[kind]] == []


def test_each_mutation_is_made() -> None:
    """Of the fullest instances of two messages, or of a primitive."""
    assert [name for name in names("mutation") if name not in operators()] == []


def test_each_case_is_made() -> None:
    """The phase makes a case of this name for the cell."""
    missing = []
    for name in names("case"):
        message, version, phase, case = name.split("/", 3)
        if case not in cases_of(message, int(version), Phase(phase)):
            missing.append(name)
    assert missing == []
