"""`import wireproof` offers the library, and loads none of it."""

import subprocess
import sys

import pytest

import wireproof

PROGRAM = """
import sys
before = set(sys.modules)
import wireproof
{use}
new = sorted(set(sys.modules) - before)
print(*new)
"""


def loaded(use: str) -> list[str]:
    """The modules that a program imports which uses the library like this."""
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(use=use)], capture_output=True, text=True, check=True
    )
    return ran.stdout.split()


def test_the_import_loads_one_module() -> None:
    """It costs nothing until a name is used: only `typing` of the standard library comes with it."""
    ours = {name for name in loaded("") if name.startswith(("wireproof", "kafkawire"))}
    assert ours == {"wireproof"}
    assert len(loaded("")) <= 40


@pytest.mark.parametrize("use", ["wireproof.__version__", "wireproof.RunConfig()"])
def test_a_name_loads_what_it_needs(use: str) -> None:
    """Neither the command line nor Java, Hypothesis or Spark."""
    heavy = {"click", "rich", "hypothesis", "jpype", "pyspark", "wireproof.proof.run", "wireproof.app.cli"}
    assert not heavy & set(loaded(use))


def test_the_configuration_loads_few_modules_of_ours() -> None:
    """The schema reader, the model and the options: not a run, no codec under test, no report."""
    ours = [name for name in loaded("wireproof.RunConfig()") if name.startswith(("wireproof", "kafkawire"))]
    assert len(ours) <= 120, ours


def test_the_menu() -> None:
    """All names are there, are listed, and stay."""
    assert wireproof.__all__ == ["NotProvenError", "RunConfig", "Session", "Verdict", "__version__", "prove"]
    assert set(wireproof.__all__) <= set(dir(wireproof))
    assert wireproof.prove.__module__ == wireproof.Session.__module__ == wireproof.Verdict.__module__
    assert wireproof.__version__[0].isdigit()
    with pytest.raises(AttributeError, match="no attribute 'provers'"):
        _ = wireproof.provers  # type: ignore[attr-defined]
