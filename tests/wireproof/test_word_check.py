"""The check of words finds listed words in public identifiers, and only there."""

import ast
from pathlib import Path

from tests.structure import SOURCES
from tests.word_check import WORDS, WordList, problems, public_identifiers

LIST = WordList("""
[words]
"guilty" = "offending"
"tell told" = "report"
[exceptions]
told = "a field of events"
""")


def test_words_are_parts_of_identifiers() -> None:
    """Camel case and upper case count; a longer word with the same beginning is another word."""
    names = ["is_guilty", "GuiltyParty", "GUILTY_ONE", "guiltyness", "tellTale", "bold", "told"]
    assert {name: found for name in names if (found := LIST.listed(name))} == {
        "is_guilty": ["guilty"],
        "GuiltyParty": ["guilty"],
        "GUILTY_ONE": ["guilty"],
        "tellTale": ["tell"],
    }


def test_public_names_are_classes_functions_arguments_attributes_and_constants() -> None:
    """Private names and locals are not public."""
    text = (
        "A: int = 1\nclass B:\n    c: int\n    def d(self, e): f = _g = 1\ndef _h(i): ...\nasync def j(): ..."
    )
    assert {name for _, name in public_identifiers(ast.parse(text))} == {*"ABcdeij", "self"}


def test_a_problem_names_file_line_and_the_word_to_use(tmp_path: Path) -> None:
    """A module's name is an identifier, too."""
    folder = tmp_path / SOURCES[0]
    folder.mkdir(parents=True)
    (folder / "guilty.py").write_text("x = 1\ndef tell(): ...\n")
    place = f"{SOURCES[0]}/guilty.py"
    assert list(problems(LIST, tmp_path)) == [
        f"{place}:1: guilty: guilty: offending",
        f"{place}:2: tell: tell: report",
    ]


def test_the_project_has_none_of_its_words() -> None:
    """Each word has a word to use instead, each exception a reason."""
    words = WordList(WORDS.read_text("utf-8"))
    assert len(words.instead) >= 50
    assert all((*words.instead.values(), *words.exceptions.values()))
    assert list(problems(words)) == []
