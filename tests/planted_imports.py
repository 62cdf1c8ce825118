"""Show that the contracts about imports fail where they must: ``python -m tests.planted_imports``.

Each planted line breaks one contract in a copy of the packages, where `lint-imports` has to name it.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
PLANTED: Final = {
    "wireproof/base/text/wording.py": ("import wireproof.app.cli", "Districts of the harness"),
    "wireproof/proof/checks/checks.py": ("import wireproof.proof.run", "Inside proof"),
    "wireproof/kafka/releases/more.py": ("import jpype", "One package imports jpype"),
    "wireproof/verdict/ledger/more.py": ("import wireproof.verdict.report", "Inside verdict"),
    "wireproof/proof/run/core/more.py": ("import wireproof.kafka.oracle", "A run is handed its oracle"),
    "wireproof/attic/__init__.py": ("", "Districts of the harness"),
    "wireproof/app/assembly/inputs/run_inputs.py": (
        "import wireproof.app.assembly.definitions.schema_conversion",
        "No cycle between packages",
    ),
    "kafkawire/more.py": ("import wireproof.base.version", "The codec knows nothing of the harness"),
}
"""By module: the line that is planted, and the name of the contract that it breaks."""


def missed(folder: Path, module: str, line: str, contract: str) -> str:
    """Return what is wrong with the answer to a planted line; empty where the contract is named."""
    for source in (ROOT / "codecs/kafkawire", ROOT / "harness/wireproof"):
        shutil.copytree(source, folder / source.name, ignore=shutil.ignore_patterns("__pycache__", "*.jar"))
    path = folder / module
    path.parent.mkdir(exist_ok=True)
    text = path.read_text("utf-8") if path.exists() else ""
    path.write_text(f"{text}\n{line}\n", encoding="utf-8")
    done = subprocess.run(
        ["lint-imports", "--no-cache", "--config", str(ROOT / "pyproject.toml")],
        env={**os.environ, "PYTHONPATH": str(folder)},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    said = done.stdout + done.stderr
    broken = contract in said.partition("Broken contracts")[2] or (not line and path.parent.name in said)
    return (
        "" if done.returncode and broken else f"{module}: {line!r} breaks no contract {contract!r}:\n{said}"
    )


def main() -> int:
    """Plant each line; return 1 if a contract misses one."""
    wrong = []
    for module, (line, contract) in PLANTED.items():
        with tempfile.TemporaryDirectory(prefix="wireproof-planted-") as folder:
            wrong.append(missed(Path(folder), module, line, contract))
    said = "\n".join(filter(None, wrong)) or f"{len(PLANTED)} planted imports break their contracts"
    sys.stdout.write(f"{said}\n")
    return 1 if any(wrong) else 0


if __name__ == "__main__":
    sys.exit(main())
