"""Which ledger a run takes, and what it is held to."""

from pathlib import Path

import pytest

from tests.support.environments.ledgers import TEXT
from wireproof.app.assembly.codec_under_test import CodecUnderTest
from wireproof.app.assembly.ledger_in_use import open_ledger
from wireproof.app.assembly.run_plan import ledger_for
from wireproof.base.exit_codes import ExitCode, FatalError
from wireproof.model.cell import Phase
from wireproof.proof.testees.build.launch import Launch
from wireproof.proof.testees.process.child_process import ChildProcess

PHASES = (Phase.ENUMERATED,)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A testee's folder with a ledger."""
    (tmp_path / "ledger.toml").write_text(TEXT)
    return tmp_path


def subject(home: Path, instead_of: str) -> CodecUnderTest:
    return CodecUnderTest("mine", Launch("mine", ChildProcess(("mine",)), home, instead_of))


def test_the_ledger_of_the_version_under_test(home: Path) -> None:
    """It explains, and is held against what passes."""
    ledger = ledger_for(None, subject(home, ""), PHASES)
    assert ledger.known is not None
    assert ledger.audit is not None
    assert ledger.of == ""


def test_the_ledger_of_another_version(home: Path) -> None:
    """It explains what it can; that an entry does not show there says nothing."""
    ledger = ledger_for(None, subject(home, "1.0"), PHASES)
    assert ledger.known is not None
    assert ledger.audit is None
    assert ledger.of == "1.0"


def test_a_ledger_that_was_named_is_meant(home: Path) -> None:
    """Whatever version is under test."""
    ledger = ledger_for(open_ledger(str(home / "ledger.toml")), subject(home, "1.0"), PHASES)
    assert ledger.audit is not None
    assert ledger.of == ""


def test_a_ledger_that_is_no_text_is_a_wrong_ledger(tmp_path: Path) -> None:
    """As any other damaged ledger: exit code 6, and the file is named."""
    path = tmp_path / "ledger.toml"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(FatalError, match="is not valid: it is not UTF-8 text") as caught:
        open_ledger(str(path))
    assert caught.value.exit_code is ExitCode.LEDGER
