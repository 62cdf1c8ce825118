"""Print numbers about the structure of the repository: ``python tests/structure.py``.

The numbers are read from the files with `ast`; nothing is imported. A name that begins with an underscore is
private. `tests/wireproof/test_structure.py` holds the limits that are met.
"""

import ast
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
SOURCES: Final = ("codecs/kafkawire", "harness/wireproof")
DOCUMENTS: Final = ("README.md", "ARCHITECTURE.md")

_NOT_NOUNS: Final = re.compile(
    r"(Lost|Met|Told|Seen|Done|Judged|Shown|Settled|Said|Asked|Known|Overheard|Planted|Convicted|Survived|Looked)$"
)
"""Endings of class names that are participles. `Encoded`, `Decoded` and such are the names of replies."""

_NO_SENTENCE: Final = re.compile(
    r"(After|And|As|At|Before|But|By|For|From|How|In|Of|On|Or|That|Those|To|What|When|Where|Whether|Which|Who|Whose"
    r"|Why|With|Without) "
)
"""Beginnings of docstrings that are neither a sentence with a verb nor a noun phrase."""
_LONG_FUNCTION: Final = 60


@dataclass(slots=True)
class Structure:
    """The numbers.

    Attributes:
        modules: the number of modules of each folder, without its `__init__`.
        names: the files of each name of a module.
        classes: the files of each name of a public class.
        lines: the lines of each document.
        source_lines: the lines of each file.
        long_functions: the functions of more than `_LONG_FUNCTION` lines.
        rough_docstrings: the places of docstrings that begin without a verb or a noun.
    """

    modules: dict[str, int] = field(default_factory=dict)
    names: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    classes: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    lines: dict[str, int] = field(default_factory=dict)
    source_lines: dict[str, int] = field(default_factory=dict)
    long_functions: list[str] = field(default_factory=list)
    rough_docstrings: list[str] = field(default_factory=list)

    def repeated_names(self) -> dict[str, list[str]]:
        """Return the module names that several files have."""
        return _repeated(self.names)

    def repeated_classes(self) -> dict[str, list[str]]:
        """Return the public class names that several modules define."""
        return _repeated(self.classes)

    def class_names_without_noun(self) -> list[str]:
        """Return the public class names that end with a participle."""
        return sorted(name for name in self.classes if _NOT_NOUNS.search(name))


def measure(root: Path = ROOT) -> Structure:
    """Return the numbers of a checkout."""
    found = Structure()
    for source in SOURCES:
        for path in sorted((root / source).rglob("*.py")):
            place = str(path.relative_to(root))
            text = path.read_text(encoding="utf-8")
            tree = ast.parse(text)
            found.source_lines[place] = text.count("\n")
            found.long_functions += _long_functions(place, tree)
            found.rough_docstrings += _rough_docstrings(place, tree)
            found.modules.setdefault(str(path.parent.relative_to(root)), 0)
            if path.stem in ("__init__", "__main__"):
                continue
            found.modules[str(path.parent.relative_to(root))] += 1
            found.names[path.stem].append(place)
            for name in _public_classes(tree):
                found.classes[name].append(place)
    for document in DOCUMENTS:
        found.lines[document] = len((root / document).read_text(encoding="utf-8").splitlines())
    return found


def _public_classes(tree: ast.Module) -> Iterator[str]:
    return (
        each.name for each in tree.body if isinstance(each, ast.ClassDef) and not each.name.startswith("_")
    )


def _long_functions(place: str, tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > _LONG_FUNCTION:
                yield f"{place}:{node.lineno} {node.name} ({length} lines)"


def _rough_docstrings(place: str, tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node)
            if text and _NO_SENTENCE.match(text):
                yield f"{place}:{getattr(node, 'lineno', 1)} {text.splitlines()[0]}"


def _repeated(places: Mapping[str, list[str]]) -> dict[str, list[str]]:
    return {name: files for name, files in sorted(places.items()) if len(files) > 1}


def report(found: Structure) -> Iterator[str]:
    """Yield the lines of the report."""
    largest = Counter(found.modules).most_common(10)
    longest, length = max(found.source_lines.items(), key=lambda item: item[1])
    yield f"lines: {sum(found.source_lines.values())}; the longest module has {length}: {longest}"
    yield from _listed(f"functions above {_LONG_FUNCTION} lines", found.long_functions)
    yield from _listed("docstrings without a verb or a noun phrase", found.rough_docstrings)
    yield f"modules: {sum(found.modules.values())} in {len(found.modules)} folders"
    yield from (f"  {count:3} {folder}" for folder, count in largest)
    for title, repeated in (
        ("module names", found.repeated_names()),
        ("public class names", found.repeated_classes()),
    ):
        yield f"repeated {title}: {len(repeated)}"
        yield from (f"  {name}: {', '.join(files)}" for name, files in repeated.items())
    yield from _listed("public class names that end with a participle", found.class_names_without_noun())
    yield from (f"{document}: {count} lines" for document, count in found.lines.items())


def _listed(title: str, rows: Sequence[str]) -> Iterator[str]:
    yield f"{title}: {len(rows)}"
    yield from (f"  {row}" for row in rows)


if __name__ == "__main__":
    sys.stdout.write("".join(f"{line}\n" for line in report(measure())))
