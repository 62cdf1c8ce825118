"""Fixtures of the captures. They share a node, which takes ten seconds to start."""

from collections.abc import Iterator

import pytest

from tests.support.capture.shared_node import SharedNode, start_shared_node


@pytest.fixture(scope="session")
def shared_node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SharedNode]:
    """One node for all tests that only read from it."""
    with start_shared_node(tmp_path_factory.mktemp("shared_node")) as node:
        yield node
