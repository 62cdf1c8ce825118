"""Entries as text: they are read as they were written, and each change is detected."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from kafkawire.canonical import canonical
from tests.support.environments import small_corpus, small_environment
from tests.wireproof.traffic.corpus.small_layouts import ENVIRONMENT, layouts_of
from wireproof.traffic.corpus.corpus_entry import (
    CorpusError,
    GoldenEntry,
    MalformedEntry,
    Provenance,
    entry_of,
    id_of,
    line_of,
)
from wireproof.traffic.corpus.corpus_file import (
    CorpusFile,
    CorpusHead,
    CorpusKind,
    corpus_file_text,
    head_of,
    read_corpus_file,
    split_corpus_files,
)
from wireproof.traffic.corpus.corpus_folder import corpus_file_path
from wireproof.traffic.corpus.formatting import lint_corpus_file

SCHEMA = json.loads((Path(__file__).parents[4] / "corpus/schema.json").read_text("utf-8"))
CELLS = [small_environment.cell("PingRequest", version) for version in range(4)]
GOLDEN, MALFORMED = small_corpus.parts_of(ENVIRONMENT, CELLS)
ENTRIES = [*GOLDEN.entries, *MALFORMED.entries]


def problems(text):
    """Return the problems of a file as text."""
    try:
        part = read_corpus_file(text, "a file")
    except CorpusError as error:
        return [each.message for each in error.problems]
    return [each.message for each in lint_corpus_file(part, "a file", layouts_of, in_folder=False)]


@pytest.mark.parametrize("part", [GOLDEN, MALFORMED])
def test_a_file_is_read_as_it_was_written(part):
    """The same entries come in the same order with the same head, and without a problem."""
    text = corpus_file_text(part)

    assert read_corpus_file(text, "a file") == part
    assert problems(text) == []
    assert corpus_file_text(read_corpus_file(text, "a file")) == text


def test_every_line_is_valid_by_the_schema():
    """Heads and entries of both kinds are valid; a line with an unknown member is not."""
    validator = Draft202012Validator(SCHEMA)
    lines = [json.loads(line) for part in (GOLDEN, MALFORMED) for line in corpus_file_text(part).splitlines()]
    for line in lines:
        validator.validate(line)

    assert len(lines) == len(ENTRIES) + 2
    assert not validator.is_valid({**lines[1], "note": "by hand"})


def test_an_entry_of_a_capture_has_its_facts():
    """An entry of another provenance with client, time and redaction is written, read and valid."""
    about = {"listener": "CLIENT", "client": "kafka-python 3.0.12", "time": "2026-11-21T12:00:00Z"}
    entry = replace(
        GOLDEN.entries[0],
        provenance=Provenance.CAPTURED,
        about={**about, "redaction": {"clientId": "same length"}},
    )

    assert entry_of(json.loads(line_of(entry))) == entry
    assert id_of(entry) != id_of(GOLDEN.entries[0])
    Draft202012Validator(SCHEMA).validate(json.loads(line_of(entry)))


def test_an_entry_edited_by_hand_is_detected():
    """After any change in a line, in its id or after it, the id does not match."""
    text = corpus_file_text(GOLDEN)
    line = line_of(GOLDEN.entries[3])
    for old, new in (
        ('"oracle-made"', '"captured"'),
        ('"body":"', '"body":"00'),
        ('"cell":', '"cell": '),
        (line[7:12], "00000"),
    ):
        assert line.count(old)
        found = problems(text.replace(line, line.replace(old, new, 1)))
        assert any(each.startswith("edited by hand") for each in found), (old, found)


def test_a_lost_moved_or_doubled_line_is_detected():
    """The head counts the entries and has a digest of their order."""
    head, first, second, *rest = corpus_file_text(GOLDEN).splitlines(keepends=True)

    assert "entries, the file has" in problems("".join([head, second, *rest]))[0]
    assert "in this order" in problems("".join([head, second, first, *rest]))[0]
    assert problems("".join([head, first, first, second, *rest])) != []
    assert problems("".join([first, second, *rest])) == ["the first line is not the head of a corpus file"]
    assert problems("".join([head, first, second, *rest])[:-9]) == ["the last line is cut short"]
    assert problems("") == ["the first line is not the head of a corpus file"]


def test_an_entry_with_right_ids_must_have_the_format():
    """New ids do not hide a change: value, size, cell and kind must be consistent."""
    good = GOLDEN.entries[0]
    assert isinstance(good, GoldenEntry)
    for bad, words in (
        (replace(good, value={**good.value, "count": "7"}), "its value does not fit PingRequest version 0"),
        (replace(good, value=dict(reversed([*good.value.items()]))), "not in canonical form"),
        (replace(good, head=b"\x00\x00\x00\x01" + good.head[4:]), "the size in head"),
        (replace(good, cell="1.0.0/PingRequest/9"), "not a known cell"),
        (replace(good, cell="1.0.0/PingResponse/0"), "not a cell of this file"),
        (MALFORMED.entries[0], "does not belong in a file of golden entries"),
    ):
        part = CorpusFile(head_of(CorpusKind.GOLDEN, GOLDEN.head, [bad]), (bad,))
        found = problems(corpus_file_text(part))
        assert any(words in each for each in found), (words, found)


def test_concatenated_files_are_separated():
    """The output on stdout is a corpus too."""
    texts = [corpus_file_text(GOLDEN), corpus_file_text(MALFORMED)]

    assert split_corpus_files("".join(texts)) == texts


def test_a_few_entries_cover_every_class_of_small_values():
    """Each cell has the classes of its default and its header; each omitted class is named with its
    reason."""
    from wireproof.model.coverage.layout_model import coverage_model, frame_coverage_model

    for cell in CELLS:
        layout, header = ENVIRONMENT.layouts.of(cell), ENVIRONMENT.layouts.header(cell)
        assert header is not None
        every = [case.value for case in ENVIRONMENT.source.enumerated(cell, layout)]
        mine = [entry for entry in GOLDEN.entries if isinstance(entry, GoldenEntry) and entry.cell == cell.id]
        eyes = coverage_model(layout)
        met = seen = small = 0
        for entry in mine:
            value = canonical(layout).from_tree(entry.value)
            met |= eyes.look(value)
            head = canonical(header).from_tree(entry.header)
            seen |= frame_coverage_model(header, layout.api_key, cell.version).look(head)
        codec = ENVIRONMENT.adapters[1]
        from wireproof.model.adapter import Size, Sized

        sizes = codec.ask(cell, layout, [Size(value) for value in every])
        for value, size in zip(every, sizes, strict=True):
            assert isinstance(size, Sized)
            small |= eyes.look(value) if size.size_bytes <= small_corpus.LARGEST_BYTES else 0
        assert small & eyes.reachable & ~eyes.absent & ~met == 0
        assert 0 < len(mine) < len(every) / 2 + 12
        assert seen


def test_a_malformed_entry_has_its_change_and_its_outcome():
    """Refused and accepted ones are of bodies and frames; the change makes exactly their bytes."""
    entries = [entry for entry in MALFORMED.entries if isinstance(entry, MalformedEntry)]

    assert {entry.framed for entry in entries} == {False, True}
    assert {type(entry.verdict).__name__ for entry in entries} == {"Refusal", "AcceptedReading"}
    assert all(entry.provenance is Provenance.ORACLE_MADE for entry in ENTRIES)
    assert len({id_of(entry) for entry in ENTRIES}) == len(ENTRIES)
    assert all(isinstance(entry, GoldenEntry) for entry in GOLDEN.entries)


def test_the_place_of_a_file_names_its_content():
    """The place has the kind, release, module and message."""
    head = CorpusHead(CorpusKind.MALFORMED, "4.4.0", "raft", "VoteRequest", "x", {})

    assert corpus_file_path(head) == "malformed/4.4.0/raft/VoteRequest.ndjson"
