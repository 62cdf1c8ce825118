"""What every test shares: no deadline for examples, the tools of other languages, and closed releases."""

import gc
import signal
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from tests.support.oracles.closing import close_caches, shrink_heap
from tests.support.testees.toolchains import tool_problem

settings.register_profile("wireproof", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("wireproof")

# A shell ignores SIGINT for what it starts in the background, and so would every process of a test.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """A test that needs a tool of another language fails where the tool is missing, with the line to type."""
    tools = [tool for marker in item.iter_markers("languages") for tool in marker.args]
    if problems := [problem for tool in tools if (problem := tool_problem(tool))]:
        pytest.fail("\n".join(problems), pytrace=False)


def pytest_collection_finish() -> None:
    """Take modules and tests from the garbage collector, which would walk a million objects each time.

    It collects as often as before: what is left open is reported in the test that leaves it.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="module", autouse=True)
def _close_releases(request: pytest.FixtureRequest) -> Iterator[None]:
    """Empty the caches that a module names, because they hold Java's classes; Java then unloads them."""
    yield
    close_caches(request.module)


@pytest.fixture(autouse=True)
def _shrink_heap() -> Iterator[None]:
    """Each test begins with a small heap: those of several tests would add up."""
    yield
    shrink_heap()
