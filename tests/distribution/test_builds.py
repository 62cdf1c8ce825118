"""Wheel and sdist: equal bytes from every build, and exactly the files that belong into them."""

import email
import re
import subprocess
import sys
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.distribution.builds import Distributions, commit_time
from tests.distribution.project_files import ROOT, sdist_files, wheel_files


def run_tool(*words: str) -> None:
    command = [sys.executable, "-m", *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_two_builds_are_equal(built: Distributions, rebuilt: Distributions):
    """The wheel of the sdist is that of the checkout. Place, time, permissions and locale are not in it."""
    assert built.digests() == rebuilt.digests()


def test_files_have_the_time_of_the_commit(built: Distributions):
    """SOURCE_DATE_EPOCH is the time of each file in the wheel, to two seconds, as zip archives store it."""
    with zipfile.ZipFile(built.wheel) as archive:
        times = {entry.date_time for entry in archive.infolist()}
    expected = datetime.fromtimestamp(int(commit_time()) // 2 * 2, UTC)

    assert times == {expected.timetuple()[:6]}


def test_the_wheel_has_each_tracked_file_and_no_other(built: Distributions):
    """No file is missing, and none of those that `.gitignore` names got in."""
    assert built.wheel_names() == wheel_files()


def test_the_sdist_has_each_tracked_file_and_no_other(built: Distributions):
    """It is the checkout, so that its tests can be run."""
    assert built.sdist_names() == sdist_files()


def test_the_wheel_has_the_compiled_classes(built: Distributions):
    """A class of each Java source of the oracle."""
    sources = ROOT / "java" / "src" / "main" / "java"
    expected = {
        path.relative_to(sources).with_suffix(".class").as_posix() for path in sources.rglob("*.java")
    }
    with (
        zipfile.ZipFile(built.wheel) as archive,
        archive.open("wireproof/kafka/oracle/wireproof-oracle.jar") as jar,
        zipfile.ZipFile(jar) as classes,
    ):
        found = {name for name in classes.namelist() if "$" not in name}

    assert found == expected


def test_the_description_works_on_an_index(built: Distributions):
    """Each link and picture is a whole URL of a file of this version; the metadata have the project's."""
    with zipfile.ZipFile(built.wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = email.message_from_bytes(archive.read(name))
    urls = dict(row.split(", ", 1) for row in metadata.get_all("Project-URL", []))
    text = metadata.get_payload()
    assert isinstance(text, str)
    places = re.findall(r'(?:\]\(|src="|srcset=")([^)"\s]+)', text)
    version = metadata["Version"]

    assert urls.keys() == {"Documentation", "Source", "Changelog", "Issues"}
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert len(places) > 20
    for place in places:
        form = re.fullmatch(
            rf"{re.escape(urls['Source'])}/(blob|raw)/v{re.escape(version)}/([^#]+)(#.+)?", place
        )
        assert form, place
        assert (ROOT / form[2]).is_file(), place
        assert (form[1] == "raw") == (Path(form[2]).suffix in {".svg", ".png"}), place


@pytest.mark.parametrize("tool", [("twine", "check", "--strict"), ("check_wheel_contents",)])
def test_the_tools_of_the_index_accept_them(built: Distributions, tool: tuple[str, ...]):
    """twine renders the description and checks the metadata; check-wheel-contents looks for strange files."""
    files = [built.wheel, built.sdist] if tool[0] == "twine" else [built.wheel]

    run_tool(*tool, *map(str, files))
