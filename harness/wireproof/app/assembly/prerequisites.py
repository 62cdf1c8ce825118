"""The prerequisites of a command: the jar store, the forms of our own codec, and errors for missing parts."""

import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kafkawire.bundled import implementation
from kafkawire.compiler import MessageCodec, compile_layout, fastest_codec, interpret_layout
from kafkawire.native_module import native_state
from kafkawire.records import missing_libraries
from kafkawire.schema.layout import MessageLayout
from wireproof.base.exit_codes import ExitCode, FatalError, as_fatal
from wireproof.base.extras import install, install_advice
from wireproof.kafka.releases.jar_store import JarStore
from wireproof.kafka.releases.release_table import Jar
from wireproof.proof.config.option_table import CODEC_FORMS, NATIVE_FORM

if TYPE_CHECKING:
    from wireproof.kafka.oracle.generator.schema_generator import SchemaGenerator
    from wireproof.kafka.oracle.java_runtime import JavaRuntime


def need_libraries() -> None:
    """Check that the libraries for record sets are installed; `FatalError` if one is missing."""
    missing = missing_libraries()
    if missing:
        raise FatalError(
            f"record sets need packages that are not installed: {', '.join(missing)}",
            install_advice("records"),
            ExitCode.MISSING,
        )


def _native_form(layout: MessageLayout) -> MessageCodec:
    codec = fastest_codec(layout)
    form = implementation(codec)
    if form != NATIVE_FORM:
        cell = f"{layout.name} v{layout.version}"
        words = f"{cell}: the {form} codec answers as the native one, which does not support its layout"
        warnings.warn(words, RuntimeWarning, stacklevel=2)
    return codec


IMPLEMENTATIONS: Final[Mapping[str, Callable[[MessageLayout], MessageCodec]]] = {
    NATIVE_FORM: _native_form,
    "compiled": compile_layout,
    "interpreted": interpret_layout,
}
"""The codec of each form. If the native codec lacks a layout, another one answers for it, with a warning."""


def installed_forms() -> tuple[str, ...]:
    """Return the forms that this Python has, the fastest first."""
    return CODEC_FORMS if native_state().module is not None else CODEC_FORMS[1:]


def check_forms(forms: Sequence[str]) -> None:
    """Check that this Python has the forms; `FatalError` if the native form is named but not in use."""
    state = native_state()
    if NATIVE_FORM in forms and state.module is None:
        raise FatalError(
            f"the native codec is not in use: {state.reason}",
            "Install the kafkawire-native of the same version, or name another form: --twin compiled.",
            ExitCode.MISSING,
        )


JAVA_ADVICE: Final = f"Install Java 17 or newer, or: {install('java')}"


def found_runtime() -> "JavaRuntime":
    """Return the Java that runs brokers and clients; `FatalError` if there is none."""
    from wireproof.kafka.oracle.java_runtime import RuntimeMissingError, find_runtime

    with as_fatal(RuntimeMissingError, exit_code=ExitCode.MISSING, advice=JAVA_ADVICE):
        return find_runtime()


_STEP_BYTES = 1 << 20


def open_store(jars: Path | None, offline: bool) -> JarStore:
    """The user's jars and cache; `ReleaseError` if the folder of jars does not exist."""
    return JarStore(jars_dir=jars, offline=offline, progress=Download())


def open_generator(release: str, store: JarStore, *, peak: bool = False) -> "SchemaGenerator":
    """Open Kafka's message generator of a release; the first question starts it.

    Args:
        release: one of `generator_releases`, such as ``4.3.1``.
        peak: let Java optimise, for runs of minutes.
    """
    from wireproof.kafka.oracle.generator.schema_generator import SchemaGenerator

    program, clients = store.generator_jars(release)
    return SchemaGenerator(
        release,
        program,
        clients,
        shared=store.support_jars(),
        cache_dir=store.cache_dir,
        ecj=lambda: store.tool_jar("ecj"),
        peak=peak,
    )


class Download:
    """Reports downloads: one line for each jar; a terminal shows its size while it is fetched."""

    def __init__(self) -> None:
        self._jar = ""
        self._shown = 0

    def __call__(self, jar: Jar, there_bytes: int) -> None:
        live = sys.stderr.isatty()
        if jar.file_name != self._jar:
            self._jar, self._shown = jar.file_name, 0
            size = f" ({jar.size_bytes / 1e6:.1f} MB)" if jar.size_bytes else ""
            sys.stderr.write(f"fetching {jar.file_name}{size}\n")
        if live and there_bytes - self._shown >= _STEP_BYTES:
            self._shown = there_bytes
            sys.stderr.write(f"\r  {there_bytes / 1e6:.1f} MB\r")
        sys.stderr.flush()
