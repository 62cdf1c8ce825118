"""The limits on the structure of the repository that are met. A number may fall, and its limit with it."""

from pathlib import Path

import pytest

from tests.structure import SOURCES, Structure, measure, report

MODULES_PER_FOLDER = 15
REPEATED_MODULE_NAMES = 8
README_LINES = 100


@pytest.fixture(scope="module")
def found() -> Structure:
    return measure()


def test_a_folder_is_small(found: Structure) -> None:
    """No folder has more modules than one sees at a glance."""
    large = {folder: count for folder, count in found.modules.items() if count > MODULES_PER_FOLDER}
    assert large == {}
    assert sum(found.modules.values()) > 500


def test_names_of_modules_say_which_one_is_meant(found: Structure) -> None:
    """Few names of modules are used twice."""
    assert len(found.repeated_names()) <= REPEATED_MODULE_NAMES, found.repeated_names()


def test_names_of_classes_say_which_one_is_meant(found: Structure) -> None:
    """No two public classes share a name."""
    assert found.repeated_classes() == {}


def test_classes_are_nouns(found: Structure) -> None:
    """No name of a class is a participle."""
    assert found.class_names_without_noun() == []


def test_functions_fit_on_a_screen(found: Structure) -> None:
    """No function has more than 60 lines."""
    assert found.long_functions == []


def test_docstrings_are_sentences_or_noun_phrases(found: Structure) -> None:
    """No docstring begins with a preposition, a conjunction or a question word."""
    assert found.rough_docstrings == []


def test_the_readme_is_short(found: Structure) -> None:
    """A reader finds the links at its end."""
    assert found.lines["README.md"] <= README_LINES


def test_the_numbers_are_those_of_the_files(tmp_path: Path) -> None:
    """Repeated names, private classes, folders and docstrings are counted in a tree of known files."""
    for source in SOURCES:
        folder = tmp_path / source / "part"
        folder.mkdir(parents=True)
        (folder / "__init__.py").write_text("class Menu: ...\n")
        (folder / "same.py").write_text("class Same: ...\nclass _Own: ...\n")
    (tmp_path / SOURCES[0] / "part" / "other.py").write_text(
        'class CaseLost:\n    """Of its file."""\ndef long():\n' + "    1\n" * 60
    )
    for document in ("README.md", "ARCHITECTURE.md"):
        (tmp_path / document).write_text("one\ntwo\n")
    found = measure(tmp_path)

    assert found.modules == {f"{SOURCES[0]}/part": 2, f"{SOURCES[1]}/part": 1}
    assert found.repeated_names().keys() == {"same"}
    assert found.repeated_classes().keys() == {"Same"}
    assert found.class_names_without_noun() == ["CaseLost"]
    other = f"{SOURCES[0]}/part/other.py"
    assert found.long_functions == [f"{other}:3 long (61 lines)"]
    assert found.rough_docstrings == [f"{other}:1 Of its file."]
    assert found.source_lines[other] == 63
    assert "README.md: 2 lines" in list(report(found))
