"""Entries as text: what is written is read again, and what is changed is seen."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from kafkawire.canonical import canonical
from tests.support.environments import small_corpus, small_environment
from wireproof.corpus import (
    CorpusError,
    CorpusFile,
    CorpusHead,
    CorpusKind,
    GoldenEntry,
    MalformedEntry,
    Provenance,
    corpus_file_path,
    corpus_file_text,
    entry_of,
    head_of,
    id_of,
    line_of,
    lint_corpus_file,
    read_corpus_file,
    split_corpus_files,
)

SCHEMA = json.loads((Path(__file__).parents[3] / "corpus/schema.json").read_text("utf-8"))
BENCH = small_environment.make()()
CELLS = [small_environment.cell("PingRequest", version) for version in range(4)]
GOLDEN, MALFORMED = small_corpus.parts_of(BENCH, CELLS)
ENTRIES = [*GOLDEN.entries, *MALFORMED.entries]


def layouts_of(module, cell_id):
    _, message, version = cell_id.split("/")
    cell = small_environment.cell(message, int(version))
    try:
        return BENCH.layouts.of(cell), BENCH.layouts.header(cell)
    except ValueError as error:
        raise LookupError(cell_id) from error


def problems(text):
    """The problems of a file as text."""
    try:
        part = read_corpus_file(text, "a file")
    except CorpusError as error:
        return [each.message for each in error.problems]
    return [each.message for each in lint_corpus_file(part, "a file", layouts_of, in_folder=False)]


@pytest.mark.parametrize("part", [GOLDEN, MALFORMED])
def test_a_file_is_read_as_it_was_written(part):
    """The same entries in the same order under the same head, and nothing is wrong with them."""
    text = corpus_file_text(part)

    assert read_corpus_file(text, "a file") == part
    assert problems(text) == []
    assert corpus_file_text(read_corpus_file(text, "a file")) == text


def test_every_line_is_as_the_schema_says():
    """Heads and entries of both kinds; what has a member that no entry has is not."""
    validator = Draft202012Validator(SCHEMA)
    lines = [json.loads(line) for part in (GOLDEN, MALFORMED) for line in corpus_file_text(part).splitlines()]
    for line in lines:
        validator.validate(line)

    assert len(lines) == len(ENTRIES) + 2
    assert not validator.is_valid({**lines[1], "note": "by hand"})


def test_what_captures_will_say_has_its_place():
    """An entry of another provenance with client, time and redaction goes through text and schema."""
    about = {"listener": "CLIENT", "client": "kafka-python 3.0.12", "time": "2026-11-21T12:00:00Z"}
    entry = replace(
        GOLDEN.entries[0],
        provenance=Provenance.CAPTURED,
        about={**about, "redaction": {"clientId": "same length"}},
    )

    assert entry_of(json.loads(line_of(entry))) == entry
    assert id_of(entry) != id_of(GOLDEN.entries[0])
    Draft202012Validator(SCHEMA).validate(json.loads(line_of(entry)))


def test_an_entry_edited_by_hand_is_convicted():
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


def test_a_line_that_is_gone_moved_or_doubled_is_missed():
    """The head counts the entries and knows their order."""
    head, first, second, *rest = corpus_file_text(GOLDEN).splitlines(keepends=True)

    assert "entries, the file has" in problems("".join([head, second, *rest]))[0]
    assert "in this order" in problems("".join([head, second, first, *rest]))[0]
    assert problems("".join([head, first, first, second, *rest])) != []
    assert problems("".join([first, second, *rest])) == ["the first line is not the head of a corpus file"]
    assert problems("".join([head, first, second, *rest])[:-9]) == ["the last line is cut short"]
    assert problems("") == ["the first line is not the head of a corpus file"]


def test_an_entry_whose_ids_fit_is_still_held_to_the_format():
    """New ids do not hide a change: value, size, cell and kind must be consistent."""
    good = GOLDEN.entries[0]
    for bad, words in (
        (replace(good, value={**good.value, "count": "7"}), "its value does not fit PingRequest version 0"),
        (replace(good, value=dict(reversed(good.value.items()))), "not in canonical form"),
        (replace(good, head=b"\x00\x00\x00\x01" + good.head[4:]), "the size in head"),
        (replace(good, cell="1.0.0/PingRequest/9"), "not a known cell"),
        (replace(good, cell="1.0.0/PingResponse/0"), "not a cell of this file"),
        (MALFORMED.entries[0], "does not belong in a file of golden entries"),
    ):
        part = CorpusFile(head_of(CorpusKind.GOLDEN, GOLDEN.head, [bad]), (bad,))
        found = problems(corpus_file_text(part))
        assert any(words in each for each in found), (words, found)


def test_files_in_a_row_are_separated():
    """The output on stdout is a corpus, too."""
    texts = [corpus_file_text(GOLDEN), corpus_file_text(MALFORMED)]

    assert split_corpus_files("".join(texts)) == texts


def test_entries_are_few_and_meet_every_class_of_small_values():
    """Each cell has its default and its header's classes; what is left out is named with its reason."""
    from wireproof.coverage import coverage_model, frame_coverage_model

    for cell in CELLS:
        layout, header = BENCH.layouts.of(cell), BENCH.layouts.header(cell)
        assert header is not None
        every = [case.value for case in BENCH.source.enumerated(cell, layout)]
        mine = [entry for entry in GOLDEN.entries if entry.cell == cell.id]
        eyes = coverage_model(layout)
        met = seen = small = 0
        for entry in mine:
            value = canonical(layout).from_tree(entry.value)
            met |= eyes.look(value)
            head = canonical(header).from_tree(entry.header)
            seen |= frame_coverage_model(header, layout.api_key, cell.version).look(head)
        codec = BENCH.adapters[1]
        from wireproof.model import Size

        sizes = codec.ask(cell, layout, [Size(value) for value in every])
        for value, size in zip(every, sizes, strict=True):
            small |= eyes.look(value) if size.size_bytes <= small_corpus.LARGEST_BYTES else 0
        assert small & eyes.reachable & ~eyes.absent & ~met == 0
        assert 0 < len(mine) < len(every) / 2 + 12
        assert seen


def test_malformed_entries_say_what_was_done_and_what_came_of_it():
    """Refused and accepted ones, bodies and frames; the bytes are those that the change makes."""
    entries = [entry for entry in MALFORMED.entries if isinstance(entry, MalformedEntry)]

    assert {entry.framed for entry in entries} == {False, True}
    assert {type(entry.verdict).__name__ for entry in entries} == {"Refusal", "AcceptedReading"}
    assert all(entry.provenance is Provenance.ORACLE_MADE for entry in ENTRIES)
    assert len({id_of(entry) for entry in ENTRIES}) == len(ENTRIES)
    assert all(isinstance(entry, GoldenEntry) for entry in GOLDEN.entries)


def test_the_place_of_a_file_is_what_it_holds():
    """Kind, release, module, message."""
    head = CorpusHead(CorpusKind.MALFORMED, "4.4.0", "raft", "VoteRequest", "x", {})

    assert corpus_file_path(head) == "malformed/4.4.0/raft/VoteRequest.ndjson"
