"""An image of a broker out of what this machine has: pinned jars, its Java, a shell. Nothing is pulled."""

import contextlib
import io
import os
import subprocess
import tarfile
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from wireproof.capture.brokers.processes.container_programs import LIBRARIES, engine, engine_errors
from wireproof.capture.capture_error import CaptureError

__all__ = ["build_image"]

_PROGRAMS: Final = ("/bin/sh", "/bin/cat")
_UNUSED: Final = {"jmods", "demo", "man", "include", "src.zip", "legal"}


def build_image(name: str, jars: Sequence[Path], java_home: Path) -> str:
    """Give the engine an image with the jars where Kafka's own have them; the image's id.

    Args:
        name: with a tag.
        java_home: a Java installation; it stands at the same place in the image.

    Raises:
        CaptureError: there is no engine, or the image cannot be made.
    """
    repository, _, tag = name.rpartition(":")
    changes = [f"ENV JAVA_HOME={java_home}", 'ENTRYPOINT ["/bin/sh"]']
    with tempfile.TemporaryFile() as packed:
        try:
            _pack(packed, jars, java_home)
        except OSError as error:
            raise CaptureError(f"the files of an image cannot be packed: {error}") from error
        packed.seek(0)
        with engine_errors(f"an image {name}"), contextlib.closing(engine().client) as client:
            client.api.import_image_from_data(packed, repository=repository, tag=tag, changes=changes)
            image = client.images.get(name).id
    assert image is not None  # of an image that is there
    return image


def _pack(packed: "io.BufferedRandom", jars: Sequence[Path], java_home: Path) -> None:
    binaries = [Path(name) for name in _PROGRAMS]
    java = [java_home / "bin" / "java", *java_home.glob("lib/**/*.so")]
    with tarfile.open(fileobj=packed, mode="w", dereference=True) as tar:
        for jar in jars:
            tar.add(jar, arcname=f"{LIBRARIES}/{jar.name}".lstrip("/"))
        # Some libraries are Java's own: a file may be there only once.
        for path in dict.fromkeys([*binaries, *_libraries([*binaries, *java]), *_needed(java_home)]):
            tar.add(path, arcname=str(path).lstrip("/"), recursive=False)
        folder = tarfile.TarInfo("tmp")
        folder.type, folder.mode = tarfile.DIRTYPE, 0o1777
        tar.addfile(folder)


def _libraries(binaries: Iterable[Path]) -> list[Path]:
    """The shared libraries that these are linked with, by the names under which they are looked for."""
    told = subprocess.run(["ldd", *map(str, binaries)], capture_output=True, text=True, check=False).stdout
    words = {word for word in told.split() if word.startswith("/") and not word.endswith(":")}
    return sorted(Path(os.path.normpath(word)) for word in words)


def _needed(java_home: Path) -> Iterator[Path]:
    """The files of a Java installation but for those that only compilers and readers want."""
    for folder, names, files in os.walk(java_home, followlinks=True):
        names[:] = [name for name in names if name not in _UNUSED]
        for name in files:
            path = Path(folder, name)
            if name not in _UNUSED and path.exists():  # distributions leave links to what is not installed
                yield path
