"""Print numbers about the structure of the repository: ``python tests/structure.py``.

The numbers are read from the files with `ast`; nothing is imported. A name that begins with an underscore is
private. `tests/wireproof/test_structure.py` holds the limits that are met.
"""

import ast
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
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


@dataclass(slots=True)
class Structure:
    """The numbers.

    Attributes:
        modules: the number of modules of each folder, without its `__init__`.
        names: the files of each name of a module.
        classes: the files of each name of a public class.
        lines: the lines of each document.
    """

    modules: dict[str, int] = field(default_factory=dict)
    names: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    classes: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    lines: dict[str, int] = field(default_factory=dict)

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
            found.modules.setdefault(str(path.parent.relative_to(root)), 0)
            if path.stem in ("__init__", "__main__"):
                continue
            found.modules[str(path.parent.relative_to(root))] += 1
            found.names[path.stem].append(place)
            for name in _public_classes(path):
                found.classes[name].append(place)
    for document in DOCUMENTS:
        found.lines[document] = len((root / document).read_text(encoding="utf-8").splitlines())
    return found


def _public_classes(path: Path) -> Iterator[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return (
        each.name for each in tree.body if isinstance(each, ast.ClassDef) and not each.name.startswith("_")
    )


def _repeated(places: Mapping[str, list[str]]) -> dict[str, list[str]]:
    return {name: files for name, files in sorted(places.items()) if len(files) > 1}


def report(found: Structure) -> Iterator[str]:
    """Yield the lines of the report."""
    largest = Counter(found.modules).most_common(10)
    yield f"modules: {sum(found.modules.values())} in {len(found.modules)} folders"
    yield from (f"  {count:3} {folder}" for folder, count in largest)
    for title, repeated in (
        ("module names", found.repeated_names()),
        ("public class names", found.repeated_classes()),
    ):
        yield f"repeated {title}: {len(repeated)}"
        yield from (f"  {name}: {', '.join(files)}" for name, files in repeated.items())
    participles = found.class_names_without_noun()
    yield f"public class names that end with a participle: {len(participles)}"
    yield from (f"  {name}" for name in participles)
    yield from (f"{document}: {count} lines" for document, count in found.lines.items())


if __name__ == "__main__":
    sys.stdout.write("".join(f"{line}\n" for line in report(measure())))
