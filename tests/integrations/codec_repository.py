"""A repository with a small codec, right or with a bug: what the checks of CI are run on."""

from pathlib import Path

from wireproof.proof.testees.build.scaffold import start_testee


def start_repository(folder: Path, name: str) -> Path:
    """Make a folder with a new testee of this name. Return the folder."""
    folder.mkdir()
    start_testee(folder / name, "python")
    return folder


def plant(testee: Path) -> None:
    """Let the codec write the two names in the wrong order."""
    codec = testee / "codec.py"
    text = codec.read_text(encoding="utf-8")
    planted = text.replace("self.client_software_name", "self.SWAP").replace(
        "self.client_software_version", "self.client_software_name"
    )
    assert planted != text
    codec.write_text(planted.replace("self.SWAP", "self.client_software_version"), encoding="utf-8")
