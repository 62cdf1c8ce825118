"""The lines of source that reports name for a message: those of testee.toml, and those of the adapter."""

from pathlib import Path

import pytest

from wireproof.proof.testees.build.launch import prepare_testee
from wireproof.proof.testees.description.manifest import read_manifest
from wireproof.proof.testees.description.source_locations import lines_of_messages
from wireproof.proof.testees.testee_errors import ManifestError

HEAD = 'name = "mine"\nlanguage = "python"\nversion = "1"\nrun = ["{python}", "adapter.py"]\n'
SOURCE = "import wire\n\nclass FetchRequest:\n    pass\n\nclass FetchResponse:\n    pass\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A testee in a checkout, with the codec's source beside it."""
    made = tmp_path / "my codec"
    made.mkdir()
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "codec.py").write_text(SOURCE)
    (made / "adapter.py").write_text('import kit\nCLAIMS = {"FetchRequest": "0-3", "XFetchResponse": "1"}\n')
    (made / "testee.toml").write_text(HEAD)
    monkeypatch.chdir(tmp_path)
    return made


def located(folder: Path, *messages: str) -> dict[str, str]:
    launch = prepare_testee(str(folder), Path.cwd() / "cache", print)
    return lines_of_messages(launch.locations, messages)


def test_a_message_has_the_first_location_that_matches(folder: Path) -> None:
    """A path, a line, or the first line that a regular expression finds; else the first line of the file."""
    (folder / "testee.toml").write_text(
        HEAD + '[locations]\nFetchRequest = "../src/codec.py:/^class {message}\\\\b/"\n'
        'MetadataRequest = "../src/codec.py:7"\n"Fetch*" = "../src/codec.py"\n'
        '"Produce*" = "../src/codec.py:/^class {message}/"\n'
    )
    names = ("FetchRequest", "FetchResponse", "MetadataRequest", "ProduceRequest", "ListOffsetsRequest")
    assert located(folder, *names) == {
        "FetchRequest": "src/codec.py:3",
        "FetchResponse": "src/codec.py:1",
        "MetadataRequest": "src/codec.py:7",
        "ProduceRequest": "src/codec.py:1",
        "ListOffsetsRequest": "my codec/adapter.py:1",
    }


def test_without_a_table_it_is_the_line_of_the_adapter(folder: Path) -> None:
    """The name counts as a whole; in another language the file of the template is found in `src`."""
    assert located(folder, "FetchRequest", "FetchResponse") == {
        "FetchRequest": "my codec/adapter.py:2",
        "FetchResponse": "my codec/adapter.py:1",
    }
    (folder / "adapter.py").unlink()
    (folder / "src" / "main").mkdir(parents=True)
    (folder / "src" / "main" / "Adapter.java").write_text("\n\n// FetchRequest")
    assert located(folder, "FetchRequest") == {"FetchRequest": "my codec/src/main/Adapter.java:3"}
    (folder / "src" / "main" / "Adapter.java").unlink()
    assert located(folder, "FetchRequest") == {}


def test_a_file_outside_the_working_folder_has_no_line(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server knows the files of its checkout only."""
    monkeypatch.chdir(tmp_path / "src")
    assert located(folder, "FetchRequest") == {}


def test_a_python_program_is_its_own_adapter(folder: Path) -> None:
    """So is the module of an object."""
    launch = prepare_testee(f"python:{folder / 'adapter.py'}", Path.cwd(), print)
    assert lines_of_messages(launch.locations, ["FetchRequest"]) == {"FetchRequest": "my codec/adapter.py:2"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('"../src/none.py"', "there is no file "),
        ('"../src"', "there is no file "),
        ('"../src/codec.py:9"', "codec.py has no line 9"),
        ('"../src/codec.py:0"', "there is no file "),
        ('"../src/codec.py:/class (/"', "'class (' is not a regular expression"),
        ('"../src/codec.py:/def /"', "no line of "),
        ('""', "'' is not PATH, PATH:LINE or PATH:/REGULAR EXPRESSION/"),
        ('"../src/binary"', "it is not UTF-8 text"),
        ("7", "7 is not PATH"),
    ],
)
def test_a_location_that_names_nothing_is_an_error(folder: Path, text: str, words: str) -> None:
    """The error names the file, the entry and the mistake before anything is built."""
    (folder.parent / "src" / "binary").write_bytes(b"\xff\xfe")
    (folder / "testee.toml").write_text(f'{HEAD}[locations]\n"Fetch*" = {text}\n')
    with pytest.raises(ManifestError) as raised:
        read_manifest(folder)
    assert f"{folder / 'testee.toml'}: locations.Fetch*: " in raised.value.message
    assert words in raised.value.message


def test_locations_are_a_table(folder: Path) -> None:
    """Other mistakes of the file are listed beside it."""
    (folder / "testee.toml").write_text('locations = "x"\nslow = 1\n' + HEAD)
    with pytest.raises(ManifestError, match="slow has to be true or false; locations has to be a table"):
        read_manifest(folder)
