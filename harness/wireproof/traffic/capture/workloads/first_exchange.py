"""The first exchange of the practical protocol guide: ApiVersions 3 over a plain socket.

The client is "test-client" 1; the correlation id is 123.
"""

import socket
from collections.abc import Mapping
from typing import Any, Final

from wireproof.traffic.capture.capture_error import CaptureError
from wireproof.traffic.capture.capture_session import CaptureStage
from wireproof.traffic.wire.request_matcher import FrameSplitter

FIRST_REQUEST: Final = bytes.fromhex(
    "00000025"  # size
    "0012 0003 0000007b"  # ApiVersions, version 3, correlation id 123
    "000b 746573742d636c69656e74 00"  # client id; no tagged fields
    "0c 746573742d636c69656e74"  # software name
    "02 31 00"  # software version; no tagged fields
)
_ANSWER_S: Final = 10.0
_READ_BYTES: Final = 1 << 16


class FirstExchange:
    """A workload that sends the guide's bytes and waits for the response."""

    name = "guide"

    def __init__(self) -> None:
        self._response_bytes = 0

    def run(self, stage: CaptureStage) -> None:
        """Open one connection and make one exchange. Raises CaptureError if no complete response came."""
        splitter = FrameSplitter()
        try:
            with socket.create_connection(stage.bootstrap, _ANSWER_S) as connection:
                connection.sendall(FIRST_REQUEST)
                while data := connection.recv(_READ_BYTES):
                    if frames := splitter.feed(data):
                        self._response_bytes = len(frames[0].data)
                        return
        except OSError as error:
            raise CaptureError(f"the exchange of the guide: {error}") from error
        raise CaptureError("the exchange of the guide: the broker closed the connection")

    def facts(self) -> Mapping[str, Any]:
        """Return the size of the response in bytes."""
        return {"bytes": self._response_bytes}
