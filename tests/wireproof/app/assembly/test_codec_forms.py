"""The forms of our own codec, with the native module and without it."""

from types import ModuleType

import pytest

import kafkawire
from kafkawire.compiler import interpret_layout
from kafkawire.native_module import NativeState
from tests.support.schemas.kitchen_sink import message
from wireproof.app.assembly import prerequisites
from wireproof.base.exit_codes import ExitCode, FatalError


def put(patch: pytest.MonkeyPatch, state: NativeState) -> None:
    patch.setattr(prerequisites, "native_state", lambda: state)


def test_the_native_form_comes_first_where_it_is_in_use(monkeypatch: pytest.MonkeyPatch) -> None:
    """Random phases ask the first form alone, so that is the fastest."""
    put(monkeypatch, NativeState(ModuleType("kafkawire_native"), ""))
    assert prerequisites.installed_forms() == ("native", "compiled", "interpreted")
    assert set(prerequisites.installed_forms()) == set(prerequisites.IMPLEMENTATIONS)
    prerequisites.check_forms(("native",))


def test_the_native_form_is_never_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the module it is no form of a run, and an error where it is named."""
    put(monkeypatch, NativeState(None, "kafkawire-native is not installed"))
    assert prerequisites.installed_forms() == ("compiled", "interpreted")
    prerequisites.check_forms(("compiled", "interpreted"))
    with pytest.raises(FatalError, match="the native codec is not in use: kafkawire-native is not") as caught:
        prerequisites.check_forms(("native",))
    assert caught.value.exit_code is ExitCode.MISSING


def test_another_codec_answers_visibly() -> None:
    """A layout that the native codec does not support is answered by the compiled one, with a warning."""
    text = '{"name": "Leaf", "type": "int8", "versions": "0+"}'
    for depth in range(14):
        text = f'{{"name": "A{depth}", "type": "S{depth}", "versions": "0+", "fields": [{text}]}}'
    with pytest.warns(RuntimeWarning, match="Small v0: the compiled codec answers as the native one"):
        codec = prerequisites.IMPLEMENTATIONS["native"](message(text))
    assert kafkawire.implementation(codec) == "compiled"
    assert kafkawire.implementation(interpret_layout(message(text))) == "interpreted"
    with pytest.raises(TypeError, match="not 'FetchRequest'"):
        kafkawire.implementation("FetchRequest")  # type: ignore[arg-type]
