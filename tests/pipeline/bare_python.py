"""A Python as a cluster's machines have it: the packages of this environment, but for wireproof's own."""

import os
import sysconfig
import venv
from pathlib import Path

_OURS = ("wireproof", "kafkawire", "_wireproof", "__editable__")


def bare_python(folder: Path) -> Path:
    """Make one; its program. Packages are links to those of this environment."""
    venv.create(folder, symlinks=True, with_pip=False)
    own = Path(sysconfig.get_path("purelib", vars={"base": str(folder), "platbase": str(folder)}))
    for each in Path(sysconfig.get_path("purelib")).iterdir():
        if not each.name.startswith(_OURS) and each.suffix != ".pth":
            (own / each.name).symlink_to(each)
    return folder / ("Scripts" if os.name == "nt" else "bin") / "python"
