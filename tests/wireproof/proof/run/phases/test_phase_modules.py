"""The modules of the phases follow the enum."""

import pkgutil

import wireproof.proof.run.phases
from wireproof.model.cell import Phase


def test_each_phase_has_one_module() -> None:
    """Module and phase have the same name; no other module is in the package."""
    modules = {module.name for module in pkgutil.iter_modules(wireproof.proof.run.phases.__path__)}
    assert modules == {f"{phase}_phase" for phase in Phase}
