"""A broker image from local files: pinned jars, Java, a shell. The build pulls nothing."""

import contextlib
import os
import subprocess
import tarfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, Final

from wireproof.base.files import open_unnamed_file
from wireproof.traffic.capture.brokers.processes.container_programs import LIBRARIES, engine, engine_errors
from wireproof.traffic.capture.capture_error import CaptureError

_PROGRAMS: Final = ("/bin/sh", "/bin/cat")
_UNUSED: Final = {"jmods", "demo", "man", "include", "src.zip", "legal"}


def build_image(name: str, jars: Sequence[Path], java_home: Path) -> str:
    """Import an image with the jars in the folder of Kafka's own images; return the image's id.

    Args:
        name: the name with a tag.
        java_home: a Java installation; it has the same path in the image.

    Raises:
        CaptureError: there is no engine, or the image cannot be made.
    """
    repository, _, tag = name.rpartition(":")
    changes = [f"ENV JAVA_HOME={java_home}", 'ENTRYPOINT ["/bin/sh"]']
    with open_unnamed_file() as packed:
        try:
            _pack(packed, jars, java_home)
        except OSError as error:
            raise CaptureError(f"cannot pack the files of an image: {error}") from error
        packed.seek(0)
        with engine_errors(f"an image {name}"), contextlib.closing(engine().client) as client:
            client.api.import_image_from_data(packed, repository=repository, tag=tag, changes=changes)
            image = client.images.get(name).id
    assert image is not None  # an imported image has an id
    return image


def _pack(packed: BinaryIO, jars: Sequence[Path], java_home: Path) -> None:
    binaries = [Path(name) for name in _PROGRAMS]
    java = [java_home / "bin" / "java", *java_home.glob("lib/**/*.so")]
    with tarfile.open(fileobj=packed, mode="w", dereference=True) as tar:
        for jar in jars:
            tar.add(jar, arcname=f"{LIBRARIES}/{jar.name}".lstrip("/"))
        # Java's own libraries are in both lists: each file is packed once.
        for path in dict.fromkeys([*binaries, *_libraries([*binaries, *java]), *_needed(java_home)]):
            tar.add(path, arcname=str(path).lstrip("/"), recursive=False)
        folder = tarfile.TarInfo("tmp")
        folder.type, folder.mode = tarfile.DIRTYPE, 0o1777
        tar.addfile(folder)


def _libraries(binaries: Iterable[Path]) -> list[Path]:
    """Return the shared libraries of binaries, by the paths under which the linker finds them."""
    listed = subprocess.run(["ldd", *map(str, binaries)], capture_output=True, text=True, check=False).stdout
    paths = {word for word in listed.split() if word.startswith("/") and not word.endswith(":")}
    return sorted(Path(os.path.normpath(path)) for path in paths)


def _needed(java_home: Path) -> Iterator[Path]:
    """Iterate over the files of a Java installation, without those for compiling and reading."""
    for folder, names, files in os.walk(java_home, followlinks=True):
        names[:] = [name for name in names if name not in _UNUSED]
        for name in files:
            path = Path(folder, name)
            if name not in _UNUSED and path.exists():  # distributions leave dangling links
                yield path
