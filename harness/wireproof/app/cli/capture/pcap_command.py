"""``wireproof pcap``: captures to and from packet files."""

import contextlib
import io
import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final, cast

import click
from rich.console import Console
from rich.progress import wrap_file

from wireproof.app.assembly.corpus.corpus_add import segment_files
from wireproof.app.cli.capture.broker_ends import KAFKA_PORT, broker_ends
from wireproof.app.cli.options import CommandGroup
from wireproof.base.exit_codes import ExitCode, FatalError, as_fatal
from wireproof.base.text.wording import counted, echo, echo_lines
from wireproof.base.version import own_version
from wireproof.traffic.capture.capture_error import CaptureError
from wireproof.traffic.capture.capture_folder import ImportedCapture
from wireproof.traffic.wire.packets.packet_file import PacketFileFormatError, TruncatedPacketFileError
from wireproof.traffic.wire.packets.packet_writer import PacketWriter
from wireproof.traffic.wire.packets.reassembly import ConnectionReassembler
from wireproof.traffic.wire.packets.tcp_segments import Endpoint, PacketCounts, TcpSegment, read_packets
from wireproof.traffic.wire.segment_format import SegmentDamage, SegmentEntry, SegmentFormatError
from wireproof.traffic.wire.segment_reader import read_segment

_BUFFER_BYTES: Final = 1 << 18
_TALKERS: Final = 5


@click.group("pcap", cls=CommandGroup)
def command() -> None:
    """Convert captures to and from packet files (pcap, pcapng) of Wireshark, tshark and tcpdump."""


@command.command(
    "export",
    exit_codes={
        ExitCode.PROVEN: "The whole capture is exported.",
        ExitCode.BROKEN: "The opening of a connection is missing in the capture, or wireproof itself failed.",
        ExitCode.BELOW_FLOOR: "A part of the capture is damaged. The rest is exported.",
    },
)
@click.argument("capture", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--output", required=True, metavar="FILE", help="Write this pcapng file; - is standard output.")
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    help="Replace the ports of brokers by this one. Wireshark decodes 9092 as Kafka by default.",
)
def export_command(capture: tuple[Path, ...], output: str, port: int | None) -> int:
    """Write a capture as packets in a pcapng file: a TCP session for each connection.

    CAPTURE is the folder of a capture, or files of its `segments`. Each file is an interface of the output
    with the name NODE-LISTENER. If a segment file is cut short, the part before the cut is exported.

    \b
    wireproof capture --broker jars:4.3.1 --output seen
    wireproof pcap export seen --port 9092 --output seen.pcapng
    tshark -r seen.pcapng -Y kafka
    """
    files = segment_files(*capture)
    with _output(output) as out:
        writer = PacketWriter(out, f"wireproof {own_version()}", port)
        damages = [damage for file in files for damage in _export(writer, file)]
    echo(f"{counted(writer.packets, 'packet')} of {len(files)} segment files", err=True)
    return int(ExitCode.BELOW_FLOOR if damages else ExitCode.PROVEN)


@contextlib.contextmanager
def _output(name: str) -> Iterator[BinaryIO]:
    if name == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    with as_fatal(OSError, what=f"cannot write {name}: "):
        file = open(name, "wb")  # noqa: SIM115 # closed below: only errors of open are caught
    with file:
        yield file


def _export(writer: PacketWriter, path: Path) -> Iterator[SegmentDamage]:
    """Write the packets of a file. Report and yield the damaged parts.

    A connection whose opening may be in a damaged part has no addresses, and is left out.
    """
    damaged = False
    try:
        with path.open("rb") as file:
            for part in read_segment(file):
                if isinstance(part, SegmentEntry):
                    with contextlib.suppress(*([KeyError] if damaged else [])):
                        writer.feed(path.stem, part)
                else:
                    echo(f"{path}: {part}", err=True)
                    damaged = True
                    yield part
    except SegmentFormatError as error:
        raise FatalError(f"{path} is not a segment file: {error}", "Name a capture.") from error
    except KeyError as error:
        raise FatalError(
            f"{path}: the opening of connection {error.args[0][1]} is missing",
            "Without it the addresses of the connection are unknown. Name a whole capture.",
            ExitCode.BROKEN,
        ) from error


@command.command(
    "import",
    exit_codes={
        ExitCode.PROVEN: "The whole file is imported.",
        ExitCode.NOTHING_RAN: "The file has no packet to or from a broker.",
        ExitCode.BELOW_FLOOR: "The file is cut short, or bytes are missing. The rest is imported.",
    },
)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option(
    "--output",
    required=True,
    type=click.Path(path_type=Path),
    help="Write the capture to this folder, which must not exist.",
)
@click.option(
    "--broker",
    "brokers",
    multiple=True,
    metavar="[HOST:]PORT",
    help="Name the port of brokers. May be repeated. Default: port 9092 of any host.",
)
def import_command(file: str, output: Path, brokers: tuple[str, ...]) -> int:
    """Make a capture from packets: a pcap or pcapng file of tcpdump or Wireshark.

    Packets may be out of order, repeated, cut or lost, and connections may have begun before the capture. The
    report names the missing parts; the rest is imported. FILE may be - for standard input.

    \b
    tcpdump -i any -w seen.pcap port 9092
    wireproof pcap import seen.pcap --output seen
    """
    wanted = broker_ends(brokers)
    connections = ConnectionReassembler(lambda end: any(each.fits(end) for each in wanted))
    count, talkers = PacketCounts(), Counter[Endpoint]()
    cut = ""
    with _packets(file) as source, _capture(output, file) as capture:
        try:
            for segment in _counted(read_packets(source, count), talkers):
                capture.add(connections.feed(segment))
        except PacketFileFormatError as error:
            taken = "The output has the packets before it." if capture.connections else ""
            raise FatalError(f"{file}: {error}", taken) from error
        except TruncatedPacketFileError as error:
            cut = f"{file}: {error}"
        capture.add(connections.close())
    _report(count, connections, capture, cut)
    if not capture.connections:
        hints = ", ".join(str(end) for end, _ in talkers.most_common(_TALKERS))
        raise FatalError(
            f"nothing in {file} goes to or from {', '.join(brokers) or f'port {KAFKA_PORT}'}",
            f"Name brokers: --broker HOST:PORT. Most packets go to {hints}." if hints else "It has no TCP.",
            ExitCode.NOTHING_RAN,
        )
    return int(ExitCode.BELOW_FLOOR if cut or capture.missing_bytes else ExitCode.PROVEN)


@contextlib.contextmanager
def _packets(name: str) -> Iterator[BinaryIO]:
    """Open the file; on a terminal with a progress bar."""
    if name == "-":
        yield sys.stdin.buffer
        return
    with open(name, "rb") as file:
        total = os.fstat(file.fileno()).st_size
        console = Console(stderr=True)
        with wrap_file(
            file,
            total,
            description=Path(name).name,
            console=console,
            transient=True,
            disable=not console.is_terminal,
        ) as shown:
            # rich counts each call of `read`, which costs more than a small packet; it has `readinto`
            yield io.BufferedReader(cast("io.RawIOBase", shown), _BUFFER_BYTES)


def _capture(output: Path, source: str) -> ImportedCapture:
    with as_fatal(CaptureError):
        return ImportedCapture(output, {"way": "pcap", "source": Path(source).name, "tool": own_version()})


def _counted(segments: Iterator[TcpSegment], talkers: Counter[Endpoint]) -> Iterator[TcpSegment]:
    """Pass on the segments and count their targets."""
    for segment in segments:
        talkers[segment.target] += 1
        yield segment


def _report(
    count: PacketCounts, connections: ConnectionReassembler, capture: ImportedCapture, cut: str
) -> None:
    lines = [
        f"{counted(count.packets, 'packet')}: {counted(capture.connections, 'connection')} "
        f"to {counted(len(capture.brokers), 'broker')}, {counted(capture.data_bytes, 'byte')}"
    ]
    lines += [f"  node {node} is {broker}" for node, broker in enumerate(capture.brokers, 1)]
    if capture.missing_bytes:
        lines.append(f"  {counted(capture.missing_bytes, 'byte')} are missing: their frames are lost")
    if connections.unrelated:
        lines.append(f"  {counted(connections.unrelated, 'packet')} to and from others, skipped")
    lines += [f"  {number:,} of {what}, skipped" for what, number in sorted(count.other.items())]
    if count.fragments:
        lines.append(f"  {count.fragments:,} fragments of IP packets, skipped")
    if cut:
        lines.append(f"  {cut}; the packets before it are imported")
    echo_lines(lines, err=True)
