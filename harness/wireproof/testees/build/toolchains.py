"""The tools of other languages: which line installs each, and what a tool needs before it works."""

import os
import shutil
import subprocess
import sys
from typing import Final

__all__ = ["installs", "no_default_toolchain", "tool_problem"]

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
"""What rustup's ``cargo`` writes where no toolchain is chosen."""


def installs(program: str, platform: str = sys.platform) -> str:
    """The line that installs a program; empty for a program that is not known."""
    package = _APT.get(program)
    if package is None:
        return ""
    if platform == "darwin":
        line = f"brew install {_BREW.get(program, package.removesuffix('lang-go'))}"
    else:
        line = f"apt-get install {package}"
    return f"{line} && {_RUSTUP}" if package == "rustup" else line


def no_default_toolchain(output: str) -> str:
    """The line to type where a Rust tool failed because rustup has no default toolchain; else empty."""
    return _RUSTUP if any(words in output for words in _NO_DEFAULT) else ""


def tool_problem(program: str) -> str:
    """Why a program cannot be used on this machine, and the line that changes it; empty where it can."""
    if shutil.which(program) is None:
        return f"{program} is not on the PATH. Type: {installs(program)}"
    if _APT.get(program) != "rustup":
        return ""
    done = subprocess.run(
        [program, "--version"], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    if done.returncode == 0:
        return ""
    line = no_default_toolchain(done.stderr)
    if not line:
        return f"{program}: {done.stderr.strip()}"
    home = os.environ.get("RUSTUP_HOME") or "~/.rustup"
    return f"{program} has no toolchain in {home}. Type: {line}"
