"""The native module must be there: in this folder its absence is a failure."""

import pytest

from kafkawire.native_module import native_state


@pytest.fixture(autouse=True, scope="session")
def native_module() -> None:
    """Fail where the tests would compare the compiled codec with itself."""
    assert native_state().module is not None, native_state().reason
