"""The native codec as a package of its own: equal bytes, its files, and wireproof with it."""

import tomllib
import zipfile
from pathlib import Path

from tests.distribution.builds import Distributions, build
from tests.distribution.project_files import ROOT, tracked_files
from tests.distribution.pythons import create_environment, find_pythons
from tests.distribution.test_builds import run_tool

FOLDER = "codecs/native/"


def version(folder: str) -> str:
    project: str = tomllib.loads((ROOT / folder / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    return project


def test_it_is_built_and_used(first_copy: Path, second_copy: Path, built: Distributions, tmp_path: Path):
    """Two builds are equal, the index takes them, and any Python from 3.11 on loads the one wheel."""
    native = build(first_copy / FOLDER, tmp_path / "first", mask=0o022)
    again = build(second_copy / FOLDER, tmp_path / "second", "--sdist", "--wheel", mask=0o077)

    assert native.digests() == again.digests()
    assert version(FOLDER) == version("")  # what `native_module` advises to install
    run_tool("twine", "check", "--strict", str(native.wheel), str(native.sdist))
    sources = {name.removeprefix(FOLDER) for name in tracked_files() if name.startswith(FOLDER)}
    assert native.sdist_names() == {"PKG-INFO", *sources}
    assert "-cp311-abi3-" in native.wheel.name
    with zipfile.ZipFile(native.wheel) as archive:
        modules = [name for name in archive.namelist() if ".dist-info/" not in name]
    assert [name for name in modules if name.endswith((".so", ".pyd"))]
    for index, python in enumerate(find_pythons()):
        place = create_environment(python, tmp_path / f"env-{index}", str(built.wheel), str(native.wheel))
        assert (
            place.run("python", "-c", "import kafkawire; print(kafkawire.implementation())").stdout
            == "native\n"
        )
