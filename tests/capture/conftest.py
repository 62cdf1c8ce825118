"""What the captures share: a node costs ten seconds to start."""

from collections.abc import Iterator

import pytest

from standing_node import Standing, standing_node


@pytest.fixture(scope="session")
def standing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Standing]:
    """One node for all who only look at one that is there; they say so by the group `standing`."""
    with standing_node(tmp_path_factory.mktemp("standing")) as node:
        yield node
