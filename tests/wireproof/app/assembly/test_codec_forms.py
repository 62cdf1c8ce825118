"""The forms of our own codec, with the native module and without it."""

from types import ModuleType

import pytest

from kafkawire.compiler.native import NativeState
from wireproof.app.assembly import prerequisites
from wireproof.base.exit_codes import ExitCode
from wireproof.base.fatal import FatalError


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
