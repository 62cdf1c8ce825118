"""The sweep as a workload: over each kind of listener, on one node that has it."""

from collections.abc import Mapping
from typing import Any, Final

from wireproof.capture.address import Address
from wireproof.capture.brokers import Listener, Place, advertised
from wireproof.capture.caller import Apis
from wireproof.capture.errors import CaptureError
from wireproof.capture.session import Stage
from wireproof.capture.workloads.book import Book
from wireproof.capture.workloads.recipes import OWN_LOGIN, recipes_of
from wireproof.capture.workloads.scene import Scene
from wireproof.capture.workloads.sweep import Values, sweep

__all__ = ["RawSweep"]

ANSWER_S: Final = 5.0


class RawSweep:
    """Every request that each kind of listener advertises, at every version.

    Args:
        values: valid values of any layout.
    """

    name = "sweep"

    def __init__(self, apis: Apis, values: Values) -> None:
        self._apis = apis
        self._values = values
        self.books: list[Book] = []

    def run(self, stage: Stage) -> None:
        for listener in Listener:
            place = next((each for each in stage.addresses if each.listener is listener), None)
            if place is not None:
                self._sweep(stage, place, stage.addresses[place])

    def facts(self) -> Mapping[str, Any]:
        return {"listeners": [book.facts() for book in self.books]}

    def _sweep(self, stage: Stage, place: Place, address: Address) -> None:
        takes = advertised(self._apis, address)
        if takes is None:
            raise CaptureError(f"{place} does not say what it takes")
        book = Book(place.listener)
        self.books.append(book)
        named = {name: versions for key, versions in takes.items() if (name := self._apis.name(key))}
        login = place.listener is Listener.SASL
        if login:  # behind it stands what the listener for clients shows, but for what has to do with logins
            named = {name: versions for name, versions in named.items() if name in recipes_of(place.listener)}
        stage.tell(f"sweep of {place}: {sum(1 for each in named.values() for _ in each)} pairs")
        with Scene(
            self._apis,
            address,
            named,
            book,
            node=place.node,
            cluster_id=stage.cluster.cluster_id,
            brokers=stage.cluster.brokers,
            timeout_s=ANSWER_S,
            greet=OWN_LOGIN if login else stage.cluster.access.login,
        ) as scene:
            sweep(scene, self._values, lambda request: self._after(stage, request))
        stage.tell(
            f"sweep of {place}: {book.answered} of {len(book.pairs)} pairs answered, "
            f"{book.with_content} with content"
        )

    def _after(self, stage: Stage, request: str) -> None:
        try:
            stage.cluster.check()
        except CaptureError as error:
            raise CaptureError(f"after {request}: {error.message}", error.advice) from error
