"""A fix of one true mistake makes exactly its cause disappear, and changes no other."""

from pathlib import Path

import pytest

from tests.testees.fixes.fixed_codecs import FIXES, Fix, before, causes_of, fixed

NODE = pytest.mark.languages("node")


@pytest.fixture(autouse=True)
def _may_warn(monkeypatch: pytest.MonkeyPatch) -> None:
    """These tests run with warnings as errors; a codec may warn."""
    for word in ("PYTHONWARNINGS", "PYTHONDEVMODE"):
        monkeypatch.delenv(word, raising=False)


@pytest.mark.parametrize(
    "fix",
    [
        pytest.param(each, id=each.diff.stem, marks=[NODE] if "javascript" in each.codec else [])
        for each in FIXES
    ],
)
def test_a_fix_removes_its_cause_alone(fix: Fix, tmp_path: Path):
    known = before(fix)
    assert fix.cause in known

    left = causes_of(fix, fixed(fix, tmp_path))

    assert left == {name: cause for name, cause in known.items() if name != fix.cause}


def test_four_codecs_have_two_fixes_at_least():
    names = [each.codec.partition(":")[0] for each in FIXES]
    assert len(set(names)) == 4
    assert all(names.count(each) >= 2 for each in set(names))
    assert len(FIXES) >= 15
