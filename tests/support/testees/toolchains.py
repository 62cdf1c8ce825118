"""The problem of a tool of another language, with the command that helps."""

import os
import shutil
import subprocess

from wireproof.proof.testees.build.testee_build import install_command, missing_toolchain_command


def tool_problem(program: str) -> str:
    """Describe why a program cannot be used here, with the command that helps; empty if it can be used."""
    if shutil.which(program) is None:
        return f"{program} is not on the PATH. Type: {install_command(program)}"
    if "rustup" not in install_command(program):
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
