"""The blocks of docs/explanations/first-exchange.md, made from the corpus and, with tshark, from the sample.

`python tests/support/documents/first_page.py` writes them into the page.
"""

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "explanations" / "first-exchange.md"
CLIENT = "test-client 1"
_LATER_ELEMENT = re.compile(r"\[[1-9][0-9]*\]")
_WIDE = 110
_BLOCK = re.compile(r"<!-- (\S+) -->\n```\n(.*?)```\n", re.DOTALL)


def blocks() -> dict[str, str]:
    """The blocks of the page by name."""
    return dict(_BLOCK.findall(PAGE.read_text("utf-8")))


def entry_id(message: str) -> str:
    """The entry of the corpus that the guide's client sent, or got."""
    path = ROOT / "corpus" / "golden" / "4.3.1" / "clients" / f"{message}.ndjson"
    (found,) = (
        entry["id"]
        for entry in map(json.loads, path.read_text("utf-8").splitlines()[1:])
        if entry.get("client") == CLIENT and entry["cell"].endswith("/3")
    )
    return str(found)


def ours(message: str) -> str:
    """Return the output of `wireproof decode`, without the later elements of arrays."""
    command = [
        sys.executable,
        "-m",
        "wireproof",
        "decode",
        "--corpus",
        str(ROOT / "corpus"),
        entry_id(message),
    ]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rows = [line for line in printed.splitlines() if not line.startswith("{")]
    return "".join(f"{line[:_WIDE].rstrip()}\n" for line in rows if not _LATER_ELEMENT.search(line))


def tsharks() -> tuple[str, str]:
    """Return tshark's output for request and response in the sample, without the later apis."""
    with tempfile.TemporaryDirectory() as folder:
        packets = Path(folder) / "sample.pcapng"
        export = [
            "pcap",
            "export",
            str(ROOT / "corpus" / "sample"),
            "--port",
            "9092",
            "--output",
            str(packets),
        ]
        subprocess.run([sys.executable, "-m", "wireproof", *export], check=True, stderr=subprocess.DEVNULL)
        wanted = 'kafka.correlation_id == 123 && (kafka.client_id == "test-client" || kafka.len == 720)'
        words = ["-r", str(packets), "-Y", wanted, "-O", "kafka"]
        printed = subprocess.run(["tshark", *words], capture_output=True, text=True, check=True).stdout
    request, response = re.findall(r"^Kafka .*?(?=^\S|\Z)", printed, re.DOTALL | re.MULTILINE)
    return _shortened(request), _shortened(response)


def _shortened(text: str) -> str:
    return "".join(f"{line[:_WIDE].rstrip()}\n" for line in _first_api(text.strip().splitlines()))


def _first_api(lines: list[str]) -> Iterator[str]:
    """Yield the lines without those of all apis after the first."""
    apis = 0
    for line in lines:
        apis += line.startswith("    API Version ")
        inside = apis > 1 and (line.startswith(("    API Version ", "        ")))
        if not inside:
            apis = 0 if apis > 1 else apis
            yield line


def main() -> None:
    """Write the page again."""
    request, response = tsharks()
    made = {
        "request": ours("ApiVersionsRequest"),
        "tshark-request": request,
        "response": ours("ApiVersionsResponse"),
        "tshark-response": response,
    }
    text = PAGE.read_text("utf-8")
    for name, block in made.items():
        text = re.sub(
            rf"(<!-- {name} -->\n```\n).*?(```\n)",
            lambda found, block=block: found[1] + block + found[2],  # type: ignore[misc]
            text,
            flags=re.DOTALL,
        )
    PAGE.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
