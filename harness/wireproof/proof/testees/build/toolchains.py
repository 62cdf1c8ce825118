"""The tools of other languages: the command that installs each, and the problems of a tool."""

import os
import shutil
import subprocess
import sys
from typing import Final

__all__ = ["install_command", "missing_toolchain_command", "tool_problem"]

_APT: Final = {
    "go": "golang-go",
    "gofmt": "golang-go",
    "node": "nodejs",
    "npm": "npm",
    "mvn": "maven",
    "java": "default-jdk-headless",
    "javac": "default-jdk-headless",
    "cargo": "rustup",
    "rustc": "rustup",
    "rustfmt": "rustup",
}
"""The Debian package of each program."""

_BREW: Final = {"node": "node", "npm": "node", "mvn": "maven", "java": "openjdk", "javac": "openjdk"}
"""The Homebrew formula of a program; those that are not listed here have the name of their language."""

_RUSTUP: Final = "rustup default stable"
_NO_DEFAULT: Final = ("no default is configured", "could not choose a version", "no default toolchain")
"""The messages of rustup's ``cargo`` if no toolchain is chosen."""


def install_command(program: str, platform: str = sys.platform) -> str:
    """Return the command that installs a program; empty for an unknown program."""
    package = _APT.get(program)
    if package is None:
        return ""
    if platform == "darwin":
        line = f"brew install {_BREW.get(program, package.removesuffix('lang-go'))}"
    else:
        line = f"apt-get install {package}"
    return f"{line} && {_RUSTUP}" if package == "rustup" else line


def missing_toolchain_command(output: str) -> str:
    """Return the command to type if rustup has no default toolchain; empty for other failures."""
    return _RUSTUP if any(words in output for words in _NO_DEFAULT) else ""


def tool_problem(program: str) -> str:
    """Describe why a program cannot be used here, with the command that helps; empty if it can be used."""
    if shutil.which(program) is None:
        return f"{program} is not on the PATH. Type: {install_command(program)}"
    if _APT.get(program) != "rustup":
        return ""
    result = subprocess.run(
        [program, "--version"], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    if result.returncode == 0:
        return ""
    line = missing_toolchain_command(result.stderr)
    if not line:
        return f"{program}: {result.stderr.strip()}"
    home = os.environ.get("RUSTUP_HOME") or "~/.rustup"
    return f"{program} has no toolchain in {home}. Type: {line}"
