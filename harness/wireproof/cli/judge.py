"""``wireproof judge``."""

import contextlib
import json
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from wireproof.cli.capture import make_cluster, open_folder, wanted_broker
from wireproof.cli.identity import own_version
from wireproof.cli.options import Fatal, jar_options
from wireproof.cli.store import open_store
from wireproof.cli.wiring import open_oracle
from wireproof.model import OracleError
from wireproof.releases import JarStore, Release, ReleaseError, load_snapshot
from wireproof.report.traffic import TrafficReport, as_json
from wireproof.run import ExitCode, header_layouts

if TYPE_CHECKING:
    from wireproof.capture.brokers import Place
    from wireproof.capture.caller import Apis
    from wireproof.capture.session import Stage
    from wireproof.frames import SegmentFollower
    from wireproof.traffic import Judge, Sent, Tally, Watch

__all__ = ["command"]
