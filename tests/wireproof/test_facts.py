"""Names of modules and paths that the sources, pages and Java comments mention exist."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]
PROSE: Final = ("harness", "codecs/kafkawire", "docs", "java", "integrations", "benchmarks", ".ci")
PAGES: Final = (
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "tests/README.md",
    "tox.ini",
    "pyproject.toml",
)
SUFFIXES: Final = {".py", ".md", ".java", ".yml", ".toml", ".ini", ""}
SOURCES: Final = {"wireproof": ROOT / "harness", "kafkawire": ROOT / "codecs"}

NAME: Final = re.compile(r"(?<![\w./@-])(?:wireproof|kafkawire)(?:\.[A-Za-z_]\w*)+(?![\w{])")
PATH: Final = re.compile(
    r"(?<![\w/.~-])(?:harness|codecs|tests|docs|java|benchmarks|corpus|integrations)/[\w./-]*[\w-](?![\w{*<])"
)
NOT_MODULES: Final = re.compile(
    r"wireproof\.(toml|yml|html|md|sarif|json|xml|ndjson|jar|table|schema|bytes|denied|numbers|words)\b"
)
"""Files, properties of Java and tables of Spark that begin with the project's name."""
PLACEHOLDERS: Final = re.compile(
    r"NAME|LANGUAGE|my-codec|/mine/|wireproof-oracle\.jar|generated/|tests/integration$"
)


def files() -> list[Path]:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [
        ROOT / name
        for name in listed.stdout.splitlines()
        if (name.startswith(tuple(f"{each}/" for each in PROSE)) or name in PAGES)
        and Path(name).suffix in SUFFIXES
        and not name.startswith("docs/decisions/")
    ]


def is_name(name: str) -> bool:
    """Return whether a dotted name is a module or package, or a name that its source has."""
    parts = name.split(".")
    place = SOURCES[parts[0]]
    for index, part in enumerate(parts):
        if (place / part).is_dir():
            place /= part
            continue
        module = place / f"{part}.py"
        source, rest = (
            (module, parts[index + 1 :]) if module.is_file() else (place / "__init__.py", parts[index:])
        )
        return all(re.search(rf"\b{each}\b", source.read_text("utf-8")) for each in rest[:1])
    return True


def wrong_in(text: str, path: Path) -> Iterator[str]:
    for name in set(NAME.findall(text)):
        if not NOT_MODULES.match(name) and not is_name(name):
            yield name
    for name in PATH.findall(text):
        found = (ROOT / name).exists() or (path.parent / name).exists()
        if not found and not PLACEHOLDERS.search(name):
            yield name


@pytest.mark.parametrize("path", files(), ids=lambda path: str(path.relative_to(ROOT)))
def test_what_a_file_names_exists(path: Path) -> None:
    """A name of a module or a path leads somewhere, also in a comment."""
    assert sorted(wrong_in(path.read_text("utf-8"), path)) == []


def test_a_name_that_leads_nowhere_is_found() -> None:
    """The check can fail."""
    text = "wireproof.run.Engine, wireproof.proof.run.engine.engine.Engine, wireproof.proof.run.Motor, "
    text += "wireproof.toml, harness/wireproof/run/engine.py, harness/wireproof/proof/run, docs/nowhere.md"
    assert sorted(wrong_in(text, ROOT / "README.md")) == [
        "docs/nowhere.md",
        "harness/wireproof/run/engine.py",
        "wireproof.proof.run.Motor",
        "wireproof.run.Engine",
    ]
