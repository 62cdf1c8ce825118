"""Steps of a client: each is told when it is over, as a line of JSON, whatever becomes of it."""

import json
import os
import sys
import time

BOOTSTRAP = os.environ["WIREPROOF_BOOTSTRAP"]
SASL_BOOTSTRAP = os.environ["WIREPROOF_SASL_BOOTSTRAP"]
"""Empty where one cannot log in."""
USER, PASSWORD = os.environ["WIREPROOF_USER"], os.environ["WIREPROOF_PASSWORD"]
LOGIN = os.environ["WIREPROOF_LOGIN"]
"""The mechanism by which every client has to log in; empty where anybody may come."""
CLUSTER = {
    "bootstrap_servers": BOOTSTRAP,
    **(
        {
            "security_protocol": "SASL_PLAINTEXT",
            "sasl_mechanism": LOGIN,
            "sasl_plain_username": os.environ["WIREPROOF_LOGIN_USER"],
            "sasl_plain_password": os.environ["WIREPROOF_LOGIN_PASSWORD"],
        }
        if LOGIN
        else {}
    ),
}
"""What a client of either library needs to get there."""
REPLICAS = int(os.environ["WIREPROOF_REPLICAS"])


def tell(
    name: str, began: float, error: BaseException | None, refusals: tuple[type[BaseException], ...]
) -> None:
    """The line of a step that began at a time of `time.monotonic`."""
    outcome = "done" if error is None else "refused" if isinstance(error, refusals) else "failed"
    line = {"step": name, "outcome": outcome, "ms": round(1000 * (time.monotonic() - began))}
    if error is not None:
        line["error"] = f"{type(error).__name__}: {error}"
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def records():
    """Key, value and headers: each of them there, empty and not."""
    for number in range(12):
        key = None if number % 3 == 0 else b"key-%d" % number
        value = None if number % 5 == 4 and key else b"value " * number
        yield key, value, [(f"header-{at}", b"\xc3\xbc") for at in range(number % 4)]
