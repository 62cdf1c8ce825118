"""What every test shares: no deadline for examples, and the tools of other languages that a test needs."""

import pytest
from hypothesis import HealthCheck, settings

from wireproof.proof.testees import tool_problem

settings.register_profile("wireproof", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("wireproof")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """A test that needs a tool of another language fails where the tool is missing, with the line to type."""
    tools = [tool for marker in item.iter_markers("languages") for tool in marker.args]
    if problems := [problem for tool in tools if (problem := tool_problem(tool))]:
        pytest.fail("\n".join(problems), pytrace=False)
