"""Count the words that the project does not use: `tests/words/words.toml` lists them with the reason.

Each package has a ceiling for each word in `tests/words/ceilings.toml`. `python tests/word_check.py --check`
fails where a count is above its ceiling. Without `--check` the script lowers the ceilings to the counts of
today. It also moves them between packages, as code moves, and refuses where the sum of a word over all
packages would rise.
"""

import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
WORDS: Final = ROOT / "tests" / "words" / "words.toml"
CEILINGS: Final = ROOT / "tests" / "words" / "ceilings.toml"

Counts = dict[str, Counter[str]]
"""By package, by word or phrase, how often it occurs."""

_FOLDERS: Final = ("harness/wireproof", "codecs", "docs", "tests", "java", "benchmarks")
_SUFFIXES: Final = frozenset({".py", ".md", ".java", ".go", ".rs", ".mjs"})
_OTHERS: Final = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")
_NOT_CHECKED: Final = frozenset({"word_check.py"})
_SKIPPED: Final = frozenset({"node_modules", "target", "vendor", "__pycache__", "env", "words"})
_PART: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
"""A word of prose, or one part of an identifier in snake case or camel case."""


class WordList:
    """The words and phrases, with their reasons.

    Attributes:
        reasons: by the name of the row, why it is listed and what to write.
    """

    def __init__(self, text: str) -> None:
        """Read a `words.toml`."""
        table = tomllib.loads(text)
        self.reasons: dict[str, str] = {**table["words"], **table["phrases"]}
        self._row_of = {word: row for row in table["words"] for word in row.split()}
        self._phrases = {row: re.compile(row, re.IGNORECASE) for row in table["phrases"]}

    def count(self, text: str) -> Counter[str]:
        """Count each row's words and phrases in a text."""
        parts = Counter(part.lower() for part in _PART.findall(text))
        counts = Counter(
            {row: len(found) for row, phrase in self._phrases.items() if (found := phrase.findall(text))}
        )
        for word in parts.keys() & self._row_of.keys():
            counts[self._row_of[word]] += parts[word]
        return counts


def package_of(path: Path) -> str:
    """Return the first folder below `harness/wireproof`, `codecs` or `tests`, else the top folder."""
    names = path.relative_to(ROOT).parts
    depth = {"harness": 3, "codecs": 2, "tests": 2}.get(names[0], 1)
    return "/".join(names[: min(depth, len(names) - 1)]) or "."


def count_all(words: WordList) -> Counts:
    """Count the words in every file of the project."""
    counts: Counts = {}
    for path in _files():
        found = words.count(path.read_text("utf-8"))
        if found:
            counts.setdefault(package_of(path), Counter()).update(found)
    return counts


def _files() -> Iterable[Path]:
    yield from (ROOT / name for name in _OTHERS)
    for folder in _FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            listed = path.suffix in _SUFFIXES and path.name not in _NOT_CHECKED
            if listed and not _SKIPPED.intersection(path.parts):
                yield path


def read_ceilings(text: str) -> Counts:
    """Read a `ceilings.toml`."""
    return {package: Counter(rows) for package, rows in tomllib.loads(text).items()}


def problems(
    counts: Mapping[str, Counter[str]], ceilings: Mapping[str, Counter[str]], words: WordList
) -> list[str]:
    """One line for each count above its ceiling; a word or package without a ceiling has 0."""
    found = []
    for package, rows in sorted(counts.items()):
        allowed = ceilings.get(package, Counter())
        found += [
            f"{package}: {row!r} occurs {count} times: at most {allowed[row]} allowed: {words.reasons[row]}"
            for row, count in sorted(rows.items())
            if count > allowed[row]
        ]
    return found


def lowered(counts: Counts, ceilings: Counts, words: WordList) -> str:
    """The text of `ceilings.toml` with the counts of today.

    Raises:
        ValueError: a word occurs more often than all of its ceilings allow together.
    """
    now, allowed = sum(counts.values(), Counter[str]()), sum(ceilings.values(), Counter[str]())
    risen = {row: count for row, count in now.items() if count > allowed[row]}
    if ceilings and risen:
        lines = [
            f"{row!r}: {count}, allowed {allowed[row]}: {words.reasons[row]}" for row, count in risen.items()
        ]
        raise ValueError("more than before: write other words: " + "; ".join(lines))
    head = (
        "# How often a word of words.toml may occur in each package. Lower it: python tests/word_check.py\n"
    )
    return head + "".join(_section(package, rows) for package, rows in sorted(counts.items()))


def _section(package: str, rows: Counter[str]) -> str:
    lines = [f"'{row}' = {count}\n" for row, count in sorted(rows.items()) if count]
    return f'\n["{package}"]\n{"".join(lines)}' if lines else ""


def main(arguments: list[str]) -> int:
    """Check the counts, or lower the ceilings; the exit code."""
    words = WordList(WORDS.read_text("utf-8"))
    ceilings = read_ceilings(CEILINGS.read_text("utf-8")) if CEILINGS.exists() else {}
    counts = count_all(words)
    if "--check" in arguments:
        found = problems(counts, ceilings, words)
        sys.stderr.writelines(f"{line}\n" for line in found)
        return 1 if found else 0
    CEILINGS.write_text(lowered(counts, ceilings, words), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
