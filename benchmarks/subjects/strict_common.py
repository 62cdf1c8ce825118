"""The parts that the strict Python programs share: names of the run, and records to write and read again.

For `wireproof judge --vary`; names have the number of the run, and RUN_PREFIX before it.
"""

import os

BOOTSTRAP = os.environ["WIREPROOF_BOOTSTRAP"]
RUN = os.environ.get("RUN_PREFIX", "") + "-" + os.environ.get("WIREPROOF_RUN", "0")
TOPIC, GROUP = f"strict-{RUN}", f"strict-group-{RUN}"
WAIT_S = 20
DAY_S = 86_400


def records(name):
    """Return keys, values and headers of one producer, some null or empty; without a name no headers."""
    return [
        (
            None if number % 3 == 0 else b"key-%d" % number,
            f"{name} {number}".encode() * number,
            [(f"h-{at}", b"\xc3\xbc") for at in range(number % 3 if name else 0)],
        )
        for number in range(6)
    ]
