"""Kafka's classes keep the contract of an oracle, which `wireproof.proof.contract` ships."""

import pytest

from tests.support.oracles.kafka_classes import RELEASES, kafka
from wireproof.testing import check_oracle, contract_cells


@pytest.mark.parametrize("version", RELEASES)
def test_kafkas_classes_keep_the_contract(version: str) -> None:
    """They keep it for messages with every kind of field, at their lowest and their highest version."""
    check_oracle(kafka(version).oracle, contract_cells(version))
