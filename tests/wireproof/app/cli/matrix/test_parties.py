"""Who is in a matrix: those that were named, or all that can be had, and why the others cannot."""

import json
import sys
from pathlib import Path

import pytest

from wireproof.app.assembly.matrix_parties import gather
from wireproof.base.exit_codes import ExitCode, FatalError
from wireproof.model.agreement import CodecTask
from wireproof.proof.testees.description import manifest
from wireproof.proof.testees.testee_errors import TesteeError

OWN = Path(__file__).parents[4] / "support/testees/own_testee.py"


def own_codec(folder: Path, name: str, **settings: object) -> None:
    """A folder with our own codec behind the protocol."""
    (folder / name).mkdir(parents=True)
    run = [sys.executable, str(OWN), "4.4.0", "MetadataRequest"]
    about = {"name": name, "language": "cobol", "version": "0", "run": run, **settings}
    lines = [f"{key} = {json.dumps(value)}\n" for key, value in about.items()]
    (folder / name / "testee.toml").write_text("".join(lines))


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three testees that come with wireproof: one works, one has no compiler here, one is slow to build."""
    folder = tmp_path / "shipped"
    own_codec(folder, "works")
    own_codec(folder, "needs-tool", build=[["no-such-compiler", "it"]])
    own_codec(folder, "is-slow", slow=True)
    monkeypatch.setattr(manifest, "INSTALLED", folder)
    return tmp_path / "cache"


def test_all_that_can_be_had(shipped: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever cannot be built is left out with the tool that is missing; whoever is slow, until named.

    What is compared and what is built for it is said before."""
    parties = gather([], shipped)
    said = capsys.readouterr().err
    assert "No --testee: comparing needs-tool, works\n" in said
    assert "without is-slow: its build is slow" in said
    assert "to be built first, which may take minutes: needs-tool, works\n" in said
    assert [each.word for each in parties.found] == ["works"]
    reasons = {each.testee: each.reason for each in parties.left_out}
    assert "cannot start no-such-compiler" in reasons["needs-tool"]
    assert "written in cobol: install what builds that" in reasons["needs-tool"]
    assert "--testee is-slow" in reasons["is-slow"]
    assert [each.word for each in gather(["is-slow"], shipped).found] == ["is-slow"]


def test_what_was_named_has_to_be_there(shipped: Path) -> None:
    """It is not left out in silence; and nothing can be compared with itself."""
    with pytest.raises(TesteeError, match="no-such-compiler"):
        gather(["needs-tool"], shipped)
    with pytest.raises(FatalError, match="works@0 is named twice") as caught:
        gather(["works", "works"], shipped)
    assert caught.value.exit_code == ExitCode.USAGE


def test_names_are_unique_and_claims_are_asked_by_question(shipped: Path) -> None:
    """A codec that calls itself what another does bears the word with its version."""
    parties = gather(["works", "is-slow"], shipped)
    assert [each.name for each in parties.found] == ["works@0", "is-slow@0"]
    (first, _) = parties.found
    assert all(first.claims(question, "MetadataRequest", 12) for question in CodecTask)
    assert not any(first.claims(question, "MetadataRequest", 99) for question in CodecTask)
    assert first.deals_with("MetadataRequest", 0)
    assert not first.deals_with("FetchRequest", 0)
