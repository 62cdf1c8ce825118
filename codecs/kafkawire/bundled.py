"""Codecs of every message of the Kafka releases that are bundled with this package.

>>> from kafkawire import codec
>>> codec("FetchRequest", 12).encode({"maxWaitMs": 500}).hex()[:16]
'ffffffff000001f4'

The layouts come from schema snapshots (`kafkawire.schema.snapshot`), one file for each release. A release is
read once, when the first codec of it is made.
"""

from collections.abc import Iterator
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

from kafkawire.compiler import MessageCodec
from kafkawire.compiler.compiled import CompiledCodec
from kafkawire.compiler.interpreted import InterpretedCodec
from kafkawire.compiler.native import NativeCodec, fastest_codec
from kafkawire.errors import UnknownMessageError, UnknownReleaseError, UnsupportedVersionError
from kafkawire.native_module import native_state
from kafkawire.schema import MessageLayout, MessageSpec, SchemaSet, VersionRange, read_snapshot, resolve

NEWEST: Final = "newest"
"""The word for the newest bundled release."""

_CHECKOUT: Final = Path(__file__).parents[2] / "corpus" / "schemas"
_MOST_NEIGHBOURS: Final = 3


def codec(message: str, version: int, *, release: str = NEWEST) -> MessageCodec:
    """Make the fastest codec of one message at one version; equal layouts share one codec.

    Args:
        message: Kafka's name of it, such as ``FetchRequest``.
        version: the message's version, not the release's.
        release: ``4.4.0``, ``4.4`` (the bundled patch of that line) or ``newest``.

    Raises:
        TypeError: the version is not an integer.
        UnknownReleaseError: the release is not bundled.
        UnknownMessageError: the release has no such message; `nearest` holds similar names.
        UnsupportedVersionError: the message has no such version in this release. A note names a bundled
            release that has it.
    """
    return fastest_codec(layout(message, version, release=release))


def implementation(codec: MessageCodec | None = None) -> str:
    """Return the form of a codec; without one, the form that `codec` makes of every bundled message.

    It is ``native`` with kafkawire-native, else ``compiled``. The native codec does not support every layout
    of other definitions: `codec` may be the ``compiled`` one then.

    Raises:
        TypeError: `codec` is not a codec: a name has no form.
    """
    if codec is None:
        return "compiled" if native_state().module is None else "native"
    forms = {NativeCodec: "native", CompiledCodec: "compiled", InterpretedCodec: "interpreted"}
    for kind, form in forms.items():
        if isinstance(codec, kind):
            return form
    raise TypeError(f"want a codec, such as codec('FetchRequest', 12), not {codec!r:.60}")


def layout(message: str, version: int, *, release: str = NEWEST) -> MessageLayout:
    """Resolve the layout of one message at one version. Arguments and errors are those of `codec`."""
    if not hasattr(version, "__index__"):
        raise TypeError(f"want the version as an integer, such as 12, not {version!r:.60}")
    found = _find(release)
    try:
        return resolve(_message(found, message), version)
    except UnsupportedVersionError as error:
        if other := next(_releases_with(message, version), None):
            error.add_note(
                f"Kafka {other} has version {version}: codec({message!r}, {version}, release={other!r})"
            )
        raise


def messages(release: str = NEWEST) -> tuple[str, ...]:
    """The names of all messages of a release that have a version, in alphabetical order.

    Raises:
        UnknownReleaseError: the release is not bundled.
    """
    return tuple(sorted(spec.name for _, spec in _schemas(_find(release)) if not spec.retired))


def versions(message: str, release: str = NEWEST) -> VersionRange:
    """The versions of a message in a release; empty where the release has retired the message.

    Raises:
        UnknownReleaseError: the release is not bundled.
        UnknownMessageError: the release has no such message; `nearest` holds similar names.
    """
    return _message(_find(release), message).valid_versions


@cache
def releases() -> tuple[str, ...]:
    """The bundled releases, such as ``4.4.0``, newest first."""
    names = [entry.name.removesuffix(".json") for entry in snapshots().iterdir() if entry.name[:1].isdigit()]
    return tuple(sorted(names, key=_number, reverse=True))


def snapshots() -> Traversable:
    """The folder of the snapshots, ``<release>.json``: in the installed package, else in the checkout."""
    packed = files("kafkawire").joinpath("snapshots")
    return packed if packed.is_dir() else _CHECKOUT


def _number(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in release.split("."))


def _find(release: str) -> str:
    known = releases()
    if release == NEWEST:
        return known[0]
    for name in known:
        if release in (name, name.rpartition(".")[0]):
            return name
    raise UnknownReleaseError(release, known)


@cache
def _schemas(release: str) -> SchemaSet:
    return read_snapshot(snapshots().joinpath(f"{release}.json").read_text(encoding="utf-8"))


def _message(release: str, name: str) -> MessageSpec:
    try:
        return _schemas(release).find(name)[1]
    except KeyError:
        nearest = get_close_matches(str(name), messages(release), _MOST_NEIGHBOURS)
        raise UnknownMessageError(name, release, tuple(nearest)) from None


def _releases_with(message: str, version: int) -> Iterator[str]:
    """The bundled releases that have the version, newest first."""
    for release in releases():
        found = (spec for _, spec in _schemas(release) if spec.name == message)
        if any(version in spec.valid_versions for spec in found):
            yield release
