"""Recipes: requests that a broker answers with content, and the requests that prepare them."""

from collections.abc import Mapping
from typing import Final, assert_never

from wireproof.traffic.capture.brokers.server_properties import Listener
from wireproof.traffic.capture.workloads.listener_session import Recipe
from wireproof.traffic.capture.workloads.recipes.admin import ADMIN, ADMIN_OF_CONTROLLERS
from wireproof.traffic.capture.workloads.recipes.controllers import CONTROLLERS
from wireproof.traffic.capture.workloads.recipes.data import DATA
from wireproof.traffic.capture.workloads.recipes.groups import GROUPS
from wireproof.traffic.capture.workloads.recipes.logins import LOGINS
from wireproof.traffic.capture.workloads.recipes.replicas import REPLICAS
from wireproof.traffic.capture.workloads.recipes.shares import SHARES
from wireproof.traffic.capture.workloads.recipes.transactions import TRANSACTIONS

_OF_BROKERS: Final[Mapping[str, Recipe]] = {**ADMIN, **DATA, **GROUPS, **TRANSACTIONS, **SHARES, **REPLICAS}
_OF_CONTROLLERS: Final[Mapping[str, Recipe]] = {**ADMIN_OF_CONTROLLERS, **CONTROLLERS}


def find_recipes(listener: Listener) -> Mapping[str, Recipe]:
    """Return the recipes of a listener by request, in the order in which the sweep plays them."""
    match listener:
        case Listener.CONTROLLER:
            return _OF_CONTROLLERS
        case Listener.SASL:
            return LOGINS
        case Listener.CLIENT | Listener.INTERNAL:
            return _OF_BROKERS
        case _:
            assert_never(listener)
