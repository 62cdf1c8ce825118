"""The check of words counts words of prose and parts of identifiers, and its ceilings only fall."""

from collections import Counter

import pytest

from tests.word_check import ROOT, WORDS, WordList, lowered, package_of, problems, read_ceilings

TEXT = """
[words]
"guilty" = "offending"
"tell told" = "report"
[phrases]
'(?<!there )\\bis no\\b' = "is not a"
"""
LIST = WordList(TEXT)
PHRASE = r"(?<!there )\bis no\b"


def test_words_are_found_in_prose_and_in_identifiers() -> None:
    """Camel case and upper case count too; a longer word with the same beginning is another word."""
    counts = LIST.count("Guilty. is_guilty GuiltyParty GUILTY_ONE guiltyness, told, tellTale, bold")
    assert counts == {"guilty": 4, "tell told": 2}


def test_phrases_are_found() -> None:
    """*There is no X* is English; *this is no X* is not ours."""
    assert LIST.count("This is no codec. There is no codec. this Is No bug") == {PHRASE: 2}


def test_a_count_above_its_ceiling_is_a_problem() -> None:
    """The line names package, word, both numbers and the word to use. A word without a ceiling is not
    allowed."""
    counts = {"run": Counter({"guilty": 2, "tell told": 1}), "cli": Counter({"guilty": 1})}
    ceilings = {"run": Counter({"guilty": 2})}
    assert problems(counts, ceilings, LIST) == [
        "cli: 'guilty' occurs 1 times: at most 0 allowed: offending",
        "run: 'tell told' occurs 1 times: at most 0 allowed: report",
    ]


def test_ceilings_fall_and_move_but_never_rise() -> None:
    """A ceiling moves with its code; a new word is not allowed in any package."""
    old = {"run": Counter({"guilty": 3})}
    moved = lowered({"cli": Counter({"guilty": 2})}, old, LIST)
    assert read_ceilings(moved) == {"cli": {"guilty": 2}}
    with pytest.raises(ValueError, match="'guilty': 4, allowed 3: offending"):
        lowered({"run": Counter({"guilty": 2}), "cli": Counter({"guilty": 2})}, old, LIST)


def test_packages_are_folders_below_the_roots() -> None:
    """Files in the top folder of the project belong to the package `.`."""
    names = [
        "harness/wireproof/run/core/a.py",
        "harness/wireproof/b.py",
        "codecs/kafkawire/c.py",
        "docs/guides/d.md",
    ]
    assert [package_of(ROOT / name) for name in [*names, "README.md"]] == [
        "harness/wireproof/run",
        "harness/wireproof",
        "codecs/kafkawire",
        "docs",
        ".",
    ]


def test_each_word_has_a_reason_and_occurs_once() -> None:
    """The project's own list."""
    words = WordList(WORDS.read_text("utf-8"))
    assert len(words.reasons) >= 25
    assert all(words.reasons.values())
