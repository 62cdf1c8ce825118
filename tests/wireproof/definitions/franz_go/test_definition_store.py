"""The definitions of franz-go: fetched once, checked each time, refused with a line to type."""

import stat
import zipfile
from pathlib import Path

import pytest

from wireproof.base.exit_codes import ExitCode, FatalError
from wireproof.definitions.franz_go import definition_store
from wireproof.definitions.franz_go.definition_store import fetch_definitions

FOLDER = "github.com/twmb/franz-go@v1.22.2/generate/definitions"


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An archive with two files, which is the pinned one for a test; without Go on the PATH."""
    archive = tmp_path / "module.zip"
    with zipfile.ZipFile(archive, "w") as module:
        module.writestr(f"{FOLDER}/00_probe", "Probe => not top level\n  A: int8\n")
        module.writestr(f"{FOLDER}/enums", "Lamp int8 (\n  0: OFF\n)\n")
        module.writestr("github.com/twmb/franz-go@v1.22.2/README.md", "not a definition")
    sample = tmp_path / "sample"
    sample.mkdir()
    (sample / "00_probe").write_text("Probe => not top level\n  A: int8\n")
    (sample / "enums").write_text("Lamp int8 (\n  0: OFF\n)\n")
    monkeypatch.setattr(definition_store, "_DIGEST", definition_store._digest(sample))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    (tmp_path / "bin").mkdir()
    return archive


def install_go(folder: Path, answer: str, code: int = 0) -> Path:
    """Put a program called go on the PATH that prints an answer; it logs its arguments and environment."""
    log = folder / "go.log"
    program = folder / "bin" / "go"
    write_log = f'echo "$@ $GOFLAGS ${{GOPROXY:-}}" >> {log}'
    program.write_text(f"#!/bin/sh\n{write_log}\n/bin/cat <<'END'\n{answer}\nEND\nexit {code}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return log


def answer_with(archive: Path, checksum: str = definition_store._SUM) -> str:
    return f'{{"Zip": "{archive}", "Sum": "{checksum}"}}'


def test_the_files_are_fetched_once(small: Path, tmp_path: Path) -> None:
    """Go is asked for the pinned version; the second time the cache has them."""
    log = install_go(tmp_path, answer_with(small))
    folder = fetch_definitions(tmp_path / "cache")
    assert folder == tmp_path / "cache" / "franz-go" / "v1.22.2"
    assert sorted(path.name for path in folder.iterdir()) == ["00_probe", "enums"]
    assert fetch_definitions(tmp_path / "cache", offline=True) == folder
    assert log.read_text().splitlines() == ["mod download -json github.com/twmb/franz-go@v1.22.2 -mod=mod "]
    assert list(folder.parent.iterdir()) == [folder]


def refusal(tmp_path: Path, *, offline: bool = False) -> FatalError:
    with pytest.raises(FatalError) as caught:
        fetch_definitions(tmp_path / "cache", offline=offline)
    assert caught.value.exit_code is ExitCode.MISSING
    return caught.value


def test_without_go_the_line_to_type_is_given(small: Path, tmp_path: Path) -> None:
    """And the option that names a folder."""
    assert small.exists()
    error = refusal(tmp_path)
    assert error.message.startswith("go is not on the PATH")
    assert (
        error.advice == "Type: apt-get install golang-go\nOr name a folder that has them: --definitions DIR"
    )


def test_offline_go_is_asked_without_its_proxy(small: Path, tmp_path: Path) -> None:
    """Go's own cache may have the module."""
    log = install_go(tmp_path, '{"Error": "module lookup disabled by GOPROXY=off"}', 1)
    error = refusal(tmp_path, offline=True)
    assert error.message.endswith("v1.22.2: module lookup disabled by GOPROXY=off")
    assert error.advice.startswith("Run once without --offline.")
    assert log.read_text().split()[-1] == "off"
    install_go(tmp_path, answer_with(small))
    assert fetch_definitions(tmp_path / "cache", offline=True).is_dir()


@pytest.mark.parametrize("answer", ["", "not JSON", "[]", "{}"])
def test_an_answer_of_another_form_is_refused(small: Path, tmp_path: Path, answer: str) -> None:
    """With the line to type."""
    assert small.exists()
    install_go(tmp_path, answer, 1)
    assert "Type: go mod download github.com/twmb/franz-go@v1.22.2" in refusal(tmp_path).advice


def test_another_checksum_is_refused(small: Path, tmp_path: Path) -> None:
    """The module is pinned by Go's checksum."""
    install_go(tmp_path, answer_with(small, "h1:other"))
    assert "its checksum is h1:other" in refusal(tmp_path).message


def test_other_files_are_refused_and_leave_nothing(small: Path, tmp_path: Path) -> None:
    """The files are pinned by a digest of their own."""
    with zipfile.ZipFile(small, "a") as module:
        module.writestr(f"{FOLDER}/01_more", "More => not top level\n")
    install_go(tmp_path, answer_with(small))
    assert "does not have the pinned files" in refusal(tmp_path).message
    assert not list((tmp_path / "cache" / "franz-go").iterdir())


def test_a_changed_file_in_the_cache_is_refused(small: Path, tmp_path: Path) -> None:
    """The user removes the folder."""
    install_go(tmp_path, answer_with(small))
    (fetch_definitions(tmp_path / "cache") / "enums").write_text("changed")
    assert refusal(tmp_path).advice == "Remove the folder: the next run fetches it."


def test_a_broken_archive_is_refused(small: Path, tmp_path: Path) -> None:
    """It names the folder that it would have become."""
    small.write_bytes(b"not an archive")
    install_go(tmp_path, answer_with(small))
    assert "cannot be put into" in refusal(tmp_path).message


def test_a_cache_that_cannot_be_written_is_refused(small: Path, tmp_path: Path) -> None:
    """A file is in its place; the advice names the variable of the cache."""
    install_go(tmp_path, answer_with(small))
    (tmp_path / "cache").write_text("a file")
    assert "WIREPROOF_CACHE" in refusal(tmp_path).advice
