"""The testees, kits and templates in the wheel, without a checkout, in folders with spaces."""

import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from tests.support.testees.other_languages import EACH_LANGUAGE
from wireproof.proof.testees.description.manifest import shipped, shipped_folder

ROOT = Path(__file__).parents[3]
PRODUCTS = {"env", "node_modules", "target", "__pycache__"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (built,) = folder.glob("*.whl")
    return built


class Installed:
    """A virtual environment with the wheel; its dependencies are those of this process."""

    def __init__(self, wheel: Path, folder: Path) -> None:
        self.folder = folder
        env = folder / "an environment"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(env)], check=True)
        (site,) = env.glob("lib/*/site-packages")
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(site)
        # After its own packages, so that Python finds the wheel's wireproof first.
        (site / "others.pth").write_text(sysconfig.get_path("purelib") + "\n")
        self.python = env / "bin" / "python"
        self.environment = {key: text for key, text in os.environ.items() if not key.startswith("PYTHON")}
        self.environment["WIREPROOF_CACHE"] = str(folder / "a cache")

    def type(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(self.python), "-m", "wireproof", *words],
            capture_output=True,
            text=True,
            cwd=self.folder,
            env=self.environment,
            check=False,
        )


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return Installed(wheel, tmp_path_factory.mktemp("some where"))


def files_in(folder: Path) -> set[str]:
    inside = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return {
        str(path)
        for path in inside
        if not PRODUCTS.intersection(path.parts) and ".ruff_cache" not in path.parts
    }


def test_the_wheel_has_them_all(wheel: Path) -> None:
    """It has each file of the testees, kits and templates, and no build products."""
    prefix = "wireproof/proof/testees/shipped/"
    with zipfile.ZipFile(wheel) as archive:
        carried = {name.removeprefix(prefix) for name in archive.namelist() if name.startswith(prefix)}
    assert carried == files_in(shipped_folder())


def test_they_are_listed(installed: Installed) -> None:
    """The installed program lists them, not the one under test here."""
    ran = installed.type("testee", "list", "--format", "tsv")

    assert ran.returncode == 0, ran.stderr
    assert [line.split("\t")[0] for line in ran.stdout.splitlines()] == shipped()
    located = subprocess.run(
        [installed.python, "-c", "import wireproof; print(wireproof.__file__)"],
        capture_output=True,
        text=True,
        env=installed.environment,
        cwd=installed.folder,
        check=True,
    )
    assert located.stdout.startswith(str(installed.folder))


def test_a_testee_that_comes_with_it_is_sound(installed: Installed) -> None:
    """It is built in the cache, with packages from the registry, and sends its hello.

    The check counts what the ledger predicts of plain values.
    """
    ran = installed.type("testee", "check", "python-kafka-python")

    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "kafka-python[compiled]" in ran.stdout
    assert "The adapter is sound." in ran.stdout
    (line,) = (line for line in ran.stdout.splitlines() if line.startswith("plain values: "))
    assert " as the ledger says, 0 altered" in line
    assert list((installed.folder / "a cache" / "testees").glob("python-kafka-python@*"))


@pytest.mark.parametrize("language", EACH_LANGUAGE)
def test_a_new_one_is_sound(installed: Installed, language: str) -> None:
    """The command finds template and kit in the wheel."""
    assert installed.type("testee", "new", f"my {language}", "--language", language).returncode == 0
    ran = installed.type("testee", "check", f"my {language}")

    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "The adapter is sound." in ran.stdout
