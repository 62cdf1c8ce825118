"""Formatting corrects changes by editors and merges in corpus files; it refuses changes of content."""

import json
from dataclasses import replace

import pytest

from tests.support.environments import small_corpus, small_environment
from tests.wireproof.traffic.corpus.small_layouts import ENVIRONMENT, layouts_of
from wireproof.traffic.corpus.corpus_entry import CorpusError, Provenance, as_line, line_of
from wireproof.traffic.corpus.corpus_file import CorpusFile, CorpusKind, corpus_file_text, digest_of, head_of
from wireproof.traffic.corpus.formatting import formatted

CELLS = [small_environment.cell("PingRequest", version) for version in (0, 1, 3)]
GOLDEN, MALFORMED = small_corpus.parts_of(ENVIRONMENT, CELLS)
ABOUT = {
    "listener": "CLIENT",
    "client": "a client",
    "time": "2026-11-21T12:00:00.000Z",
    "redaction": {"count": 1, "header.clientId": 2},
}
SEEN = tuple(replace(each, provenance=Provenance.CAPTURED, about=ABOUT) for each in GOLDEN.entries)
CAPTURED = CorpusFile(head_of(CorpusKind.GOLDEN, GOLDEN.head, SEEN), SEEN)


def right(text):
    """Return the formatted text, and the notes."""
    parts, notes = formatted(text, "a file", layouts_of)
    return "".join(map(corpus_file_text, parts)), notes


def wrong(text):
    """Return the problems that formatting cannot correct, as text."""
    with pytest.raises(CorpusError) as caught:
        formatted(text, "a file", layouts_of)
    return [str(each) for each in caught.value.problems]


def reversed_members(value):
    """Return the same JSON with the members of each object in reverse order."""
    if isinstance(value, dict):
        return {name: reversed_members(each) for name, each in reversed(value.items())}
    return [reversed_members(each) for each in value] if isinstance(value, list) else value


def by_line(change):
    """Make a function that changes a file line by line."""
    return lambda text: "".join(f"{change(json.loads(line))}\n" for line in text.splitlines())


SPOILERS = {
    "as it is": lambda text: text,
    "lines of Windows": lambda text: "\ufeff" + text.replace("\n", "\r\n"),
    "no last line end": lambda text: text.rstrip("\n"),
    "blank lines": lambda text: text.replace("\n", "\n\n"),
    "pretty": by_line(lambda line: json.dumps(line, indent=2)),
    "members the other way": by_line(lambda line: json.dumps(reversed_members(line))),
    "sorted and escaped": by_line(lambda line: json.dumps(line, sort_keys=True, ensure_ascii=True)),
}


@pytest.mark.parametrize("spoil", SPOILERS.values(), ids=SPOILERS)
@pytest.mark.parametrize("part", [GOLDEN, MALFORMED, CAPTURED], ids=["golden", "malformed", "captured"])
def test_meaningless_changes_are_undone(part, spoil):
    """After a change of white space, line ends, escapes or order of members, each file is restored byte by
    byte."""
    assert right(spoil(corpus_file_text(part))) == (corpus_file_text(part), [])


def test_concatenated_files_stay_separate():
    """Concatenated files are formatted as `--output -` writes them."""
    both = corpus_file_text(GOLDEN) + corpus_file_text(MALFORMED)

    assert right(both.replace('","', '" , "')) == (both, [])


def test_entries_are_sorted_and_duplicates_removed():
    """A file is sorted by version; entries of one version keep their order."""
    head, *lines = corpus_file_text(GOLDEN).splitlines(keepends=True)
    versions = [json.loads(line)["cell"] for line in lines]
    last = [line for line, cell in zip(lines, versions, strict=True) if cell == versions[-1]]
    others = lines[: -len(last)]

    assert right("".join([head, *last, *others])) == (corpus_file_text(GOLDEN), [])
    text, notes = right("".join([head, *lines, lines[2]]))
    assert (text, notes) == (corpus_file_text(GOLDEN), ["a file: entries that occurred twice: 1"])


def test_entries_of_a_merge_are_counted():
    """Two branches added entries to one file: with either head both sets of entries are one file again, and a
    note says so; equal names get numbers."""
    kept = GOLDEN.entries[:-2]
    ours = CorpusFile(head_of(CorpusKind.GOLDEN, GOLDEN.head, kept), kept)
    other = GOLDEN.entries[-2]
    duplicate = replace(GOLDEN.entries[-1], name=other.name)
    text, notes = right(corpus_file_text(ours) + f"{line_of(other)}\n{line_of(duplicate)}\n")

    numbered = replace(duplicate, name=f"{other.name}#2")
    entries = (*kept, other, numbered)
    assert text == corpus_file_text(CorpusFile(head_of(CorpusKind.GOLDEN, GOLDEN.head, entries), entries))
    assert notes[0] == "a file: entries that the head did not count: 2"
    assert f"one is {other.name}#2 now" in notes[1]
    assert right(text) == (text, [])


def test_entries_of_another_program_are_formatted():
    """An entry whose id matches its line gets a new id if its line is not in our form."""
    members = json.loads(line_of(GOLDEN.entries[0]))
    del members["id"]
    members["value"] = reversed_members(members["value"])
    entries = GOLDEN.entries[:1]
    part = CorpusFile(head_of(CorpusKind.GOLDEN, GOLDEN.head, entries), entries)
    head = json.loads(corpus_file_text(part).splitlines()[0])
    line = as_line(members)
    assert line != line_of(entries[0])
    del head["id"]
    head["digest"] = digest_of([json.loads(line)["id"]])

    assert right(f"{as_line(head)}\n{line}\n") == (corpus_file_text(part), [])


@pytest.mark.parametrize(
    ("old", "new"), [('"oracle-made"', '"captured"'), ('"body":"', '"body":"00'), ('"name":"', '"name":"my ')]
)
def test_an_entry_edited_by_hand_is_refused(old, new):
    """The line and both ids are wrong; this holds if its white space was changed too."""
    text = corpus_file_text(MALFORMED)
    line = line_of(MALFORMED.entries[1])
    assert old in line
    edited = line.replace(old, new, 1)
    for each in (edited, edited.replace(",", ", ")):
        (said,) = wrong(text.replace(line, each))
        assert said.startswith("a file:3: edited by hand: its id is "), said


def test_a_head_edited_by_hand_is_refused():
    """The tool and the jars are part of the content."""
    text = corpus_file_text(GOLDEN)

    assert "edited by hand" in wrong(text.replace('"tool":"', '"tool":"not ', 1))[0]


def test_missing_entries_are_reported():
    """Fewer entries than the head counts, or other entries, are a problem; the head is not counted again."""
    head, first, second, *rest = corpus_file_text(GOLDEN).splitlines(keepends=True)
    other = f"{line_of(replace(GOLDEN.entries[0], name='another'))}\n"

    count = len(GOLDEN.entries)
    assert wrong("".join([head, first, *rest])) == [
        f"a file:1: the head counts {count} entries, the file has {count - 1}"
    ]
    assert wrong("".join([head, other, second, *rest])) == [
        "a file:1: these are not the entries that the head counts"
    ]


def test_another_file_is_refused():
    """Each problem has its line."""
    head, first, *rest = corpus_file_text(GOLDEN).splitlines(keepends=True)

    assert wrong("") == ["a file:1: the text does not begin with the head of a corpus file"]
    assert wrong(first) == ["a file:1: the text does not begin with the head of a corpus file"]
    assert "a file:2: not an entry: it has no id" in wrong(f"{head}[1]\n")[0]
    assert "a file:2: not an entry: it has no id" in wrong(head + '{"cell":"x"}\n')[0]
    conflict = wrong("".join([head, "<<<<<<< ours\n", first, *rest]))
    assert conflict[0].startswith("a file:2: not an entry: ")
    assert wrong(first[:-10])[0].startswith("a file:1: not an entry: ")
    assert "occurs twice" in wrong(head.replace("{", '{"id":"0",', 1))[0]
    assert "NaN is not JSON" in wrong(head.replace('"entries":', '"entries":NaN,"more":', 1))[0]
