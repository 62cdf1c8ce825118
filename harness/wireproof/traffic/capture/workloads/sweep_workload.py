"""The sweep as a workload: each kind of listener, on one node that has it."""

from collections.abc import Mapping
from typing import Any, Final

from wireproof.traffic.capture.brokers import Listener, ListenerPlace, advertised
from wireproof.traffic.capture.capture_error import CaptureError
from wireproof.traffic.capture.capture_session import CaptureStage
from wireproof.traffic.capture.raw_client.raw_client import ApiCatalog
from wireproof.traffic.capture.raw_client.socket_address import Address
from wireproof.traffic.capture.workloads.listener_session import ListenerSession
from wireproof.traffic.capture.workloads.recipes import OWN_LOGIN, find_recipes
from wireproof.traffic.capture.workloads.request_log import RequestLog
from wireproof.traffic.capture.workloads.request_sweep import Values, sweep

ANSWER_S: Final = 5.0


class SweepWorkload:
    """A workload that sends every request that each kind of listener advertises, at every version.

    Args:
        values: valid values of any layout.

    Attributes:
        logs: the request log of each kind of listener.
    """

    name = "sweep"

    def __init__(self, apis: ApiCatalog, values: Values) -> None:
        self._apis = apis
        self._values = values
        self.logs: list[RequestLog] = []

    def run(self, stage: CaptureStage) -> None:
        for listener in Listener:
            place = next((each for each in stage.addresses if each.listener is listener), None)
            if place is not None:
                self._sweep(stage, place, stage.addresses[place])

    def facts(self) -> Mapping[str, Any]:
        return {"listeners": [log.facts() for log in self.logs]}

    def _sweep(self, stage: CaptureStage, place: ListenerPlace, address: Address) -> None:
        offered = advertised(self._apis, address)
        if offered is None:
            raise CaptureError(f"{place} does not answer ApiVersions")
        log = RequestLog(place.listener)
        self.logs.append(log)
        named = {name: versions for key, versions in offered.items() if (name := self._apis.name(key))}
        login = place.listener is Listener.SASL
        if login:  # the client listener has shown all but the requests about logins
            named = {
                name: versions for name, versions in named.items() if name in find_recipes(place.listener)
            }
        stage.report(f"sweep of {place}: {sum(1 for each in named.values() for _ in each)} pairs")
        with ListenerSession(
            self._apis,
            address,
            named,
            log,
            node=place.node,
            cluster_id=stage.cluster.cluster_id,
            brokers=stage.cluster.brokers,
            timeout_s=ANSWER_S,
            greet=OWN_LOGIN if login else stage.cluster.access.login,
        ) as session:
            sweep(session, self._values, lambda request: self._after(stage, request))
        stage.report(
            f"sweep of {place}: {log.answered} of {len(log.pairs)} pairs answered, "
            f"{log.with_content} with content"
        )

    def _after(self, stage: CaptureStage, request: str) -> None:
        try:
            stage.cluster.check()
        except CaptureError as error:
            raise CaptureError(f"after {request}: {error.message}", error.advice) from error
