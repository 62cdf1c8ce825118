"""Contract checks for the test suites of other people's adapters and oracles.

    from wireproof.testing import check_adapter

    def test_my_adapter() -> None:
        check_adapter(MyAdapter())

The checks verify that an adapter or an oracle answers as documented in `wireproof.model.adapter.Adapter` and
`wireproof.model.oracle.Oracle`, so that a run can trust its answers. They need no Java. They do not compare
a codec with Kafka: `wireproof.prove` does.
"""

from wireproof.proof.contract.adapter_contract import check_adapter
from wireproof.proof.contract.contract import ContractError, ContractViolation, contract_cells
from wireproof.proof.contract.oracle_contract import check_oracle

__all__ = ["ContractError", "ContractViolation", "check_adapter", "check_oracle", "contract_cells"]
