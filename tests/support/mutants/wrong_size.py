"""Both packages in a folder of their own, wrong in one place that only volume finds."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import kafkawire
import wireproof

PACKAGES = (Path(kafkawire.__file__).parent, Path(wireproof.__file__).parent)
CELL = "4.4.0/ApiVersionsRequest/3"
FILE = "codecs/kafkawire/compiler/_print_size.py"
RIGHT = 'with self.text.block(f"if {length} > 126:"):'
WRONG = 'with self.text.block(f"if {length} > 127:"):'


def wrong_size(folder: Path) -> Path:
    """Both packages in a folder of their own; the size that is announced forgets a byte at length 127."""
    for package, root in zip(PACKAGES, ("codecs", "harness"), strict=True):
        shutil.copytree(package, folder / root / package.name, ignore=shutil.ignore_patterns("__pycache__"))
    checkout = PACKAGES[1].parents[1]
    for name in ("java", "corpus"):
        if (checkout / name).is_dir():
            (folder / name).symlink_to(checkout / name)
    text = (folder / FILE).read_text()
    assert text.count(RIGHT) == 1
    (folder / FILE).write_text(text.replace(RIGHT, WRONG))
    return folder


def wireproof_in(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    paths = os.pathsep.join([str(folder / "codecs"), str(folder / "harness")])
    return subprocess.run(
        [sys.executable, "-m", "wireproof", *words],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": paths},
        check=False,
    )
