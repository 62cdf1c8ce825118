"""A recording proxy as a process of its own, for tests that kill it.

    python proxy_process.py HOST PORT FOLDER [OWN]

Prints its port, OWN or a free one, and serves until it is killed.
"""

import signal
import sys
from pathlib import Path

from wireproof.traffic.capture.proxy.proxy_port import Route
from wireproof.traffic.capture.proxy.recording_proxy import RecordingProxy


def main(host: str, port: str, folder: str, own: str = "0") -> None:
    """One route to a node."""
    route = Route(1, "CLIENT", ("127.0.0.1", int(own)), (host, int(port)))
    with RecordingProxy([route], Path(folder), {}) as proxy:
        sys.stdout.write(f"{proxy.address(1, 'CLIENT')[1]}\n")
        sys.stdout.flush()
        signal.pause()


if __name__ == "__main__":
    main(*sys.argv[1:])
