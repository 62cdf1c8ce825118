"""The forms of our own codec: native where kafkawire-native is in use, compiled, interpreted."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from kafkawire.compiler import MessageCodec, compile_layout, fastest_codec, interpret_layout
from kafkawire.compiler.native import native_state
from kafkawire.schema.layout import MessageLayout
from wireproof.base.exit_codes import ExitCode
from wireproof.base.fatal import FatalError
from wireproof.proof.config import CODEC_FORMS, NATIVE_FORM

IMPLEMENTATIONS: Final[Mapping[str, Callable[[MessageLayout], MessageCodec]]] = {
    NATIVE_FORM: fastest_codec,
    "compiled": compile_layout,
    "interpreted": interpret_layout,
}
"""The codec of each form. The compiled one answers for the native one where a layout has no table."""


def installed_forms() -> tuple[str, ...]:
    """Return the forms that this Python has, the fastest first."""
    return CODEC_FORMS if native_state().module is not None else CODEC_FORMS[1:]


def check_forms(forms: Sequence[str]) -> None:
    """Refuse the native form where this Python does not have it.

    Raises:
        FatalError: it is not in use.
    """
    state = native_state()
    if NATIVE_FORM in forms and state.module is None:
        raise FatalError(
            f"the native codec is not in use: {state.reason}",
            "Install the kafkawire-native of the same version, or name another form: --twin compiled.",
            ExitCode.MISSING,
        )
