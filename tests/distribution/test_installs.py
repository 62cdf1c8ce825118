"""Wheel and sdist in empty environments: every Python of this machine, every extra, and its use."""

import json
import os
import tomllib
from pathlib import Path

import pytest

from tests.distribution.builds import Distributions
from tests.distribution.project_files import ROOT
from tests.distribution.pythons import MINIMUM, Python, create_environment, find_pythons
from tests.distribution.smoke import EXTRAS, SMOKE_TESTS, SmokeTest, check_missing

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PYTHONS = find_pythons()
IMPORTS = Path(__file__).parent / "import_all.py"
NOT_DECLARED = {"pytest"}
"""A plugin of pytest is imported by pytest."""


def combinations() -> list[tuple[Python, str, str]]:
    """Python, extra and kind of distribution.

    With DIST_SUBSET in the environment: each extra on one Python only, in turns, but for the bare package;
    the sdist is installed once. Without: everything.
    """
    if not os.environ.get("DIST_SUBSET"):
        return [
            (python, extra, kind) for python in PYTHONS for extra in EXTRAS for kind in ("wheel", "sdist")
        ]
    chosen = [(python, "", "wheel") for python in PYTHONS]
    chosen += [(PYTHONS[place % len(PYTHONS)], extra, "wheel") for place, extra in enumerate(EXTRAS) if extra]
    return [*chosen, (PYTHONS[-1], "records", "sdist")]


COMBINATIONS = combinations()


def test_each_extra_and_each_python_has_a_smoke_test():
    """The table of smoke tests is that of the project file, and the Pythons found are those it names."""
    minors = {f"Programming Language :: Python :: {python.minor}" for python in PYTHONS}

    assert {*PROJECT["optional-dependencies"], ""} == {extra for extra in EXTRAS if "," not in extra}
    assert SMOKE_TESTS.keys() == set(EXTRAS) == {extra for _, extra, _ in COMBINATIONS}
    assert PROJECT["requires-python"] == f">={MINIMUM[0]}.{MINIMUM[1]}"
    assert minors <= set(PROJECT["classifiers"])


@pytest.mark.parametrize(
    ("python", "extra", "kind"),
    COMBINATIONS,
    ids=[f"{python.minor}-{extra or 'none'}-{kind}" for python, extra, kind in COMBINATIONS],
)
def test_an_installed_distribution_works(
    python: Python, extra: str, kind: str, built: Distributions, java_folder: Path, tmp_path: Path
):
    """Its version, all imports, what the extra brings, and the errors of commands that need other extras."""
    file = built.wheel if kind == "wheel" else built.sdist
    wanted = f"wireproof[{extra}]" if extra else "wireproof"
    environment = create_environment(python, tmp_path / "env", f"{wanted} @ {file.as_uri()}")
    smoke = SmokeTest(environment, java_folder)

    assert smoke.passes("wireproof", "--version") == f"wireproof {PROJECT['version']}\n"
    assert smoke.passes("python", "-c", "import sys; print(sys.version_info[:3])") == f"{python.version}\n"
    _check_imports(smoke, extra)
    SMOKE_TESTS[extra](smoke)
    if not extra:
        check_missing(smoke)


def _check_imports(smoke: SmokeTest, extra: str) -> None:
    """Every module is there with what it needs, or needs a package of an extra that is not installed."""
    lines = smoke.passes("python", "-I", str(IMPORTS)).splitlines()
    missing = dict(line.split() for line in lines)
    others = json.loads(
        smoke.passes(
            "python",
            "-c",
            "import json, sys; from wireproof.base.extras import extra_of;"
            f"print(json.dumps({{name: extra_of(name) for name in {sorted(set(missing.values()))}}}))",
        )
    )
    for module, package in missing.items():
        assert package in NOT_DECLARED or others[package] not in (None, *extra.split(",")), (module, package)
