"""`wireproof corpus version`, and a run with the installed corpus."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.support.environments import small_corpus
from wireproof.api import prove
from wireproof.app.assembly.corpus.corpus_in_use import open_corpus
from wireproof.app.cli.corpus.corpus_command import command
from wireproof.base.exit_codes import ExitCode, FatalError
from wireproof.proof.config.run_config import file_layer
from wireproof.traffic.corpus.manifest.corpus_manifest import MANIFEST

CELLS = small_corpus.real_cells("MetadataRequest", 0)


def invoke(*words: str) -> Result:
    return CliRunner().invoke(command, ["version", *words], standalone_mode=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a package with a small corpus."""
    return small_corpus.write_set(tmp_path / "wireproof_corpus", small_corpus.real_environment(), CELLS)


def test_a_change_needs_another_version(folder: Path) -> None:
    """Without a manifest, with the first one, after a change, and with the next one."""
    missing = invoke(str(folder)).exception
    assert isinstance(missing, FatalError)
    assert "has no manifest.json" in missing.message
    assert "--bump" in missing.advice
    assert invoke("--bump", str(folder)).return_value == ExitCode.PROVEN
    fitting = invoke(str(folder))
    assert (fitting.return_value, fitting.stdout.split(":")[0]) == (ExitCode.PROVEN, "1.0.0")
    for path in (folder / "malformed").rglob("*.ndjson"):
        path.unlink()
    changed = invoke(str(folder))
    assert changed.return_value == ExitCode.DIVERGENCE
    assert "changed or removed: malformed/4.4.0/clients/MetadataRequest.ndjson" in changed.stdout
    assert "The next version is 2.0.0" in changed.stderr
    assert invoke("--bump", str(folder)).return_value == ExitCode.PROVEN
    assert invoke(str(folder)).stdout.startswith("2.0.0: ")


def test_a_folder_without_entries_has_no_version(tmp_path: Path) -> None:
    """Nothing is written."""
    failed = invoke("--bump", str(tmp_path)).exception
    assert isinstance(failed, FatalError)
    assert failed.exit_code == ExitCode.NOTHING_RAN
    assert not (tmp_path / MANIFEST).exists()


def test_a_run_uses_the_installed_corpus(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The word `installed` means the package, and no folder of that name."""
    (folder / "__init__.py").touch()
    monkeypatch.syspath_prepend(str(folder.parent))
    monkeypatch.chdir(folder.parent)
    (folder.parent / "installed").mkdir()
    assert {Path(place).parents[3].name for place in open_corpus("installed").places} == {folder.name}
    verdict = prove(no_java="installed", jobs=1)
    assert (verdict.exit_code, len(verdict.done)) == (ExitCode.PROVEN, 1), verdict.text


def test_a_missing_package_is_an_error() -> None:
    """The exit code is that of missing things, and the advice has the alternative."""
    with pytest.raises(FatalError, match="wireproof-corpus is not installed") as raised:
        open_corpus("installed")
    assert raised.value.exit_code == ExitCode.MISSING
    assert "--no-java PATH" in raised.value.advice


def test_the_word_in_a_file_is_no_path(tmp_path: Path) -> None:
    """A file of another folder does not make a path of it."""
    (tmp_path / "wireproof.toml").write_text('no_java = "installed"\n')
    assert file_layer(tmp_path).values == {"no_java": "installed"}
