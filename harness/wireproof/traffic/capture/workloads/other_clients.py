"""Client programs in other languages (`codecs/clients`); each uses as many APIs of its client as it can."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from wireproof.traffic.capture.brokers import SASL_PASSWORD, SASL_USER, Listener
from wireproof.traffic.capture.capture_error import CaptureError
from wireproof.traffic.capture.capture_session import CaptureStage
from wireproof.traffic.capture.raw_client.broker_access import login_environment
from wireproof.traffic.capture.raw_client.socket_address import Address
from wireproof.traffic.capture.workloads.client_steps import (
    REPLICAS,
    ClientProgram,
    StepEnd,
    StepOutcome,
    counted,
    steps_facts,
)

_LIMIT_S: Final = 300.0
"""Seconds for all steps of one program; each client limits its own steps."""


@dataclass(frozen=True, slots=True)
class BuiltClients:
    """A client program that is ready to start.

    Attributes:
        name: the language.
        folder: the working directory.
    """

    name: str
    command: Sequence[str]
    folder: Path | None


class OtherClients:
    """A workload that runs client programs one after the other.

    Args:
        built: the programs whose toolchain is installed.
        absent: the reason for each program that cannot be built here, by name.
        log: stderr of the programs is appended to this file.

    Attributes:
        built: as given.
    """

    name = "clients"

    def __init__(self, built: Sequence[BuiltClients], absent: Mapping[str, str], log: Path) -> None:
        self.built = built
        self._absent = absent
        self._log = log
        self._ends: dict[str, list[StepEnd]] = {}
        self._broken: dict[str, str] = {}

    def run(self, stage: CaptureStage) -> None:
        """Run all steps of all programs. A program that fails does not stop the others.

        Raises:
            CaptureError: none of the programs can run.
        """
        for name, reason in self._absent.items():
            stage.report(f"no clients of {name} here: {reason}")
        if not self.built:
            raise CaptureError(
                "no client of another language can run here", "Install the toolchains named above."
            )
        for each in self.built:
            stage.report(f"clients of {each.name}")
            try:
                self._run(stage, each)
            except CaptureError as error:
                self._broken[each.name] = error.message
                stage.report(f"clients of {each.name} broke off: {error.message}")
            ends = self._ends[each.name]
            stage.report(f"{len(ends)} steps of clients of {each.name}: {counted(ends) or 'none'}")

    def facts(self) -> Mapping[str, Any]:
        """Return the steps of each program with their outcomes, and the reasons of absent programs."""
        return {
            "clients": [
                {
                    "name": name,
                    **({"broke_off": self._broken[name]} if name in self._broken else {}),
                    "steps": steps_facts(ends),
                }
                for name, ends in self._ends.items()
            ],
            "absent": dict(self._absent),
        }

    def _run(self, stage: CaptureStage, client: BuiltClients) -> None:
        ends = self._ends.setdefault(client.name, [])
        sasl = stage.first(Listener.SASL)
        environment = {
            "WIREPROOF_BOOTSTRAP": _text(stage.bootstrap),
            "WIREPROOF_SASL_BOOTSTRAP": _text(sasl) if sasl else "",
            "WIREPROOF_REPLICAS": str(min(REPLICAS, len(stage.cluster.brokers))),
            "WIREPROOF_USER": SASL_USER,
            "WIREPROOF_PASSWORD": SASL_PASSWORD,
            **login_environment(stage.cluster.access.login),
        }
        program = ClientProgram(
            f"clients of {client.name}", client.command, self._log, client.folder, environment, _LIMIT_S
        )
        for end in program.run():
            ends.append(end)
            if end.outcome is StepOutcome.FAILED:
                stage.report(f"{end.name} failed: {end.error}")


def _text(address: Address) -> str:
    return f"{address[0]}:{address[1]}"
