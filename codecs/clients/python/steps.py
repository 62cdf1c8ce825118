"""Steps of a client: each writes a line of JSON when it ends, with or without an error."""

import json
import os
import sys
import time

BOOTSTRAP = os.environ["WIREPROOF_BOOTSTRAP"]
SASL_BOOTSTRAP = os.environ["WIREPROOF_SASL_BOOTSTRAP"]
"""The brokers' address for logins; empty if there is none."""
USER, PASSWORD = os.environ["WIREPROOF_USER"], os.environ["WIREPROOF_PASSWORD"]
LOGIN = os.environ["WIREPROOF_LOGIN"]
"""The mechanism with which all clients have to log in; empty without authentication."""
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
"""The arguments for the connection, for the clients of both libraries."""
REPLICAS = int(os.environ["WIREPROOF_REPLICAS"])


def report(
    name: str, began: float, error: BaseException | None, refusals: tuple[type[BaseException], ...]
) -> None:
    """Write the line of a step that began at `began`, a time of `time.monotonic`."""
    outcome = "done" if error is None else "refused" if isinstance(error, refusals) else "failed"
    line = {"step": name, "outcome": outcome, "ms": round(1000 * (time.monotonic() - began))}
    if error is not None:
        line["error"] = f"{type(error).__name__}: {error}"
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def records():
    """Yield keys, values and headers, some of them null or empty."""
    for number in range(12):
        key = None if number % 3 == 0 else b"key-%d" % number
        value = None if number % 5 == 4 and key else b"value " * number
        yield key, value, [(f"header-{at}", b"\xc3\xbc") for at in range(number % 4)]
