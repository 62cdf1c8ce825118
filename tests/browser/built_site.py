"""The documentation site, built once for all processes of a test run."""

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def build_site(folders: pytest.TempPathFactory) -> Path:
    """Build the site as `tox run -e docs` does, or take the one that another process of the run built."""
    own = folders.getbasetemp()
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    site = shared / "site"
    with (shared / "site.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not site.is_dir():
            # What MkDocs and its theme warn of is their own affair.
            loud = ("PYTHONWARNINGS", "PYTHONDEVMODE")
            environment = {name: value for name, value in os.environ.items() if name not in loud}
            subprocess.run(
                [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(site)],
                cwd=ROOT,
                env={**environment, "NO_MKDOCS_2_WARNING": "1"},
                check=True,
            )
    return site
