"""The byte decoder of the site and the page of `wireproof decode --html`, used as a reader uses them."""

import base64
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from playwright.sync_api import Page, expect

from kafkawire import codec
from kafkawire.records import Compression, Record, RecordBatch, RecordSet, encode_records
from tests.browser.watched_page import THEMES, WIDTHS, assert_accessible
from wireproof.app.cli.cells.decode_command import command

Opener = Callable[..., Page]

HEADER = bytes.fromhex("0003 000c 00000007 0003 62 61 64 00")
HOSTILE = "<img src=x onerror=document.title='hit'>\u202e\u0007"


def framed(data: bytes) -> bytes:
    return len(data).to_bytes(4, "big") + data


def metadata_request(name: str = "orders") -> bytes:
    """A frame of MetadataRequest 12 that asks for one topic."""
    return framed(HEADER + codec("MetadataRequest", 12).encode({"topics": [{"name": name}]}))


def produce_request(records: bytes) -> bytes:
    """A ProduceRequest 12 without a header."""
    partition = {"index": 3, "records": records}
    return codec("ProduceRequest", 12).encode({"topicData": [{"name": "t", "partitionData": [partition]}]})


def gzip_records() -> bytes:
    """A batch of one record in gzip."""
    return encode_records(
        RecordSet((RecordBatch((Record(0, 0, b"key", b"value"),), compression=Compression.GZIP),))
    )


@pytest.fixture
def decoder(site: Path, open_page: Opener) -> Callable[..., Page]:
    """A function that opens the byte decoder of the site."""

    def open_(address: str = "", **options: object) -> Page:
        return open_page((site / "reference/decoder.html").as_uri() + address, **options)

    return open_


def row(page: Page, *names: str) -> str:
    """The selector of the row of a field, by the names on the way to it."""
    return " >> ".join(f'[role=treeitem]:has(> .wp-row > .wp-name:text-is("{name}"))' for name in names)


def test_a_request_is_recognised_and_every_field_is_linked_to_its_bytes(decoder: Callable[..., Page]) -> None:
    """Paste a frame: the message, its header and its fields are there; a click marks the bytes."""
    page = decoder()
    page.get_by_label("Bytes", exact=True).fill(metadata_request().hex(" "))
    expect(page.locator(".wp-verdict")).to_contain_text(
        "MetadataRequest 12 of Kafka 4.4.0: 46 bytes. Every byte"
    )
    page.locator(row(page, "clientId") + " >> .wp-value").click()
    expect(page.locator(".wp-detail .wp-path")).to_have_text("header.clientId")
    assert page.locator(".wp-bytes .wp-chosen[role=gridcell]").all_inner_texts() == [
        "00",
        "03",
        "62",
        "61",
        "64",
    ]
    page.locator('.wp-bytes [role=gridcell][data-at="17"]').click()
    expect(page.locator(".wp-detail")).to_contain_text("header._tags")
    assert page.locator("[aria-selected=true] > .wp-row > .wp-name").all_inner_texts() == ["_tags"]
    expect(page.locator(row(page, "topics") + " >> nth=0")).to_contain_text("1 element")


@pytest.mark.parametrize(
    "text",
    [
        "{hex}",
        "0x{hex}",
        "{colons}",
        "{wireshark}",
        "{tcpdump}",
        "{xxd}",
        "{hexdump}",
        "{array}",
        "{escapes}",
        "{base64}",
    ],
)
def test_forms_of_pasted_bytes(text: str, decoder: Callable[..., Page]) -> None:
    """Each form is the same frame: also one with a text column that looks like hex."""
    data = metadata_request("ab cd ef 01 02 \u00e9 a0a0 ")
    lines = [(at, data[at : at + 16]) for at in range(0, len(data), 16)]
    seen = [(at, part, "".join(chr(b) if 32 <= b < 127 else "." for b in part)) for at, part in lines]
    forms = {
        "hex": data.hex(),
        "colons": data.hex(":"),
        "wireshark": "\n".join(f"{at:04x}   {part.hex(' '):48}  {text}" for at, part, text in seen),
        "tcpdump": "\n".join(f"\t0x{at:04x}:  {part.hex(' ', 2):40} {text}" for at, part, text in seen),
        "xxd": "\n".join(f"{at:08x}: {part.hex(' ', 2):40} {text}" for at, part, text in seen),
        "hexdump": "\n".join(
            [f"{at:08x}  {part[:8].hex(' '):23}  {part[8:].hex(' '):23}  |{text}|" for at, part, text in seen]
            + [f"{len(data):08x}"]
        ),
        "array": "{ " + ", ".join(f"0x{byte:02X}" for byte in data) + " };",
        "escapes": "".join(f"\\x{byte:02x}" for byte in data),
        "base64": base64.b64encode(data).decode(),
    }
    page = decoder()
    page.get_by_label("Bytes", exact=True).fill(text.format(**forms))
    expect(page.locator(".wp-verdict")).to_contain_text(f"{len(data)} bytes. Every byte was read.")
    kept = page.evaluate("() => new URLSearchParams(location.hash.slice(1)).get('bytes')")
    assert kept == data.hex()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("123", "3 hex digits: two are needed for each byte"),
        ("00 !", '"!" is not hexadecimal'),
        ("0011", "2 bytes are too few for a request"),
        ("ffff 0000 00000001", "API key -1, which 4.4.0 does not have"),
        ("0003 0063 00000001", "version 99 of MetadataRequest, which 4.4.0 does not have"),
    ],
)
def test_what_cannot_be_decoded_is_said(text: str, problem: str, decoder: Callable[..., Page]) -> None:
    """One sentence under the field, and no result."""
    page = decoder()
    page.get_by_label("Bytes", exact=True).fill(text)
    expect(page.locator("#wp-read")).to_contain_text(problem)
    assert page.locator(".wp-panes").count() == 0


def test_the_examples(decoder: Callable[..., Page]) -> None:
    """Both are read to their end; the row of a record shows its key and value."""
    page = decoder("#release=3.9.2")
    page.get_by_role("button", name="Example: a request").click()
    expect(page.locator(".wp-verdict.wp-good")).to_contain_text("ApiVersionsRequest 3 of Kafka 3.9.2")
    page.get_by_label("Kafka release").select_option("4.4.0")
    page.get_by_role("button", name="Example: records").click()
    expect(page.locator(".wp-verdict.wp-good")).to_contain_text("ProduceRequest 12 of Kafka 4.4.0")
    first = page.locator(row(page, "records", "records", "[0]") + " >> .wp-row >> nth=0")
    expect(first).to_contain_text('[0] key 6b "k", value 76 "v"')


def test_a_response_is_chosen_and_the_address_keeps_the_choice(decoder: Callable[..., Page]) -> None:
    """Release, message, version and bytes come back from the address in a new page."""
    page = decoder()
    page.get_by_label("Kafka release").select_option("3.9.2")
    page.get_by_label("Message", exact=True).select_option("HeartbeatResponse")
    page.get_by_label("Version", exact=True).select_option("0")
    page.get_by_label("Bytes", exact=True).fill("00000006 00000007 001b")
    expect(page.locator(".wp-verdict")).to_contain_text(
        "HeartbeatResponse 0 of Kafka 3.9.2: 10 bytes. Every byte"
    )
    address = page.evaluate("() => location.hash")
    again = decoder(address)
    expect(again.locator(".wp-verdict")).to_have_text(page.locator(".wp-verdict").inner_text())
    assert again.get_by_label("Message", exact=True).input_value() == "HeartbeatResponse"
    again.locator("#wp-clear").click()
    expect(again.locator(".wp-verdict")).to_have_count(0)
    assert again.get_by_label("Version", exact=True).is_disabled()


def test_a_release_without_the_version_offers_its_own(decoder: Callable[..., Page]) -> None:
    """Messages and versions are those of the release."""
    page = decoder("#message=ProduceRequest&version=0&release=3.9.2")
    versions = page.get_by_label("Version", exact=True).locator("option")
    assert versions.all_inner_texts()[-1] == "0"
    page.get_by_label("Kafka release").select_option("4.4.0")
    assert "0" not in versions.all_inner_texts()
    assert page.get_by_label("Message", exact=True).input_value() == "ProduceRequest"


def test_bytes_that_are_cut_off_show_what_was_read(decoder: Callable[..., Page]) -> None:
    """The place, the reason, and the bytes that have no field."""
    page = decoder(f"#bytes={metadata_request()[:-5].hex()}")
    verdict = page.locator(".wp-verdict.wp-bad")
    expect(verdict).to_contain_text(
        "Reading stops at byte 35 (0x0023) in topics[0].name: needs 6 bytes, 5 left."
    )
    assert page.locator(".wp-bytes .wp-rest").count() == 6
    expect(page.locator(".wp-notes")).to_contain_text("size: 37 bytes follow, the size says 42.")
    page.locator(".wp-bytes .wp-rest").first.click()
    expect(page.locator(".wp-detail")).to_have_text("Byte 35 (0x0023) was not read.")


def test_the_tree_and_the_hexdump_work_with_the_keyboard(decoder: Callable[..., Page]) -> None:
    """Tab reaches both; arrows, Home and End move; the other one follows."""
    page = decoder(f"#bytes={metadata_request().hex()}")
    page.locator("#wp-clear").focus()
    page.keyboard.press("Tab")
    name = "() => document.activeElement.querySelector(':scope > .wp-row > .wp-name')?.textContent"
    assert page.evaluate(name) == "size"
    page.keyboard.press("ArrowDown")
    assert page.evaluate(name) == "header"
    expect(page.locator(".wp-detail .wp-path")).to_have_text("header")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowDown")
    assert page.evaluate(name) == "topics", "the header is closed"
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert page.evaluate(name) == "requestApiKey"
    page.keyboard.press("End")
    assert page.evaluate(name) == "_tags"
    page.keyboard.press("Home")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("() => document.activeElement.dataset.at") == "1"
    page.keyboard.press("ArrowDown")
    assert page.evaluate("() => document.activeElement.dataset.at") == "17"
    expect(page.locator(".wp-detail .wp-path")).to_have_text("header._tags")
    page.keyboard.press("End")
    expect(page.locator(".wp-detail .wp-path")).to_have_text("_tags")


def test_records_in_gzip_are_unpacked(decoder: Callable[..., Page]) -> None:
    """They have names, and no bytes of their own."""
    page = decoder(
        f"#message=ProduceRequest&version=12&begins=body&bytes={produce_request(gzip_records()).hex()}"
    )
    expect(page.locator(".wp-verdict.wp-good")).to_contain_text("Every byte was read.")
    compressed = page.locator(row(page, "records")).filter(has_text="compressed bytes").last
    expect(compressed).to_contain_text("gzip, ")
    compressed.locator("> .wp-row").click()
    page.keyboard.press("ArrowRight")
    inner = page.locator(row(page, "decompressed"))
    inner.locator("> .wp-row").click()
    page.keyboard.press("ArrowRight")
    inner.locator(row(page, "[0]") + " >> .wp-row >> nth=0").dblclick()
    expect(inner.locator(row(page, "value"))).to_contain_text('76 61 6c 75 65  "value"')


def test_a_checksum_that_is_wrong_is_listed(decoder: Callable[..., Page]) -> None:
    """The batch is read, and the note says what the bytes are."""
    records = bytearray(gzip_records())
    records[17] ^= 1
    page = decoder(f"#message=RecordBatch&version=2&bytes={records.hex()}")
    expect(page.locator(".wp-verdict.wp-wary")).to_be_visible()
    expect(page.locator(".wp-notes")).to_contain_text("batches[0].crc: The checksum of these bytes is")


def test_hostile_text_is_shown_as_text(decoder: Callable[..., Page]) -> None:
    """Markup of a value is a text in quotes, and characters that cannot be seen are escapes."""
    page = decoder(f"#bytes={metadata_request(HOSTILE).hex()}")
    topic = page.locator(row(page, "name") + " >> .wp-value")
    expect(topic).to_have_text("\"<img src=x onerror=document.title='hit'>\\u202e\\u0007\"")
    topic.click()
    expect(page.locator(".wp-detail")).to_contain_text("<img src=x")
    assert page.locator("#wp-result img").count() == 0
    assert page.title() != "hit"


@pytest.mark.parametrize(
    "address", ["#release=<b>&message=__proto__&version=1e9&begins=x", "#release=toString"]
)
def test_a_strange_address_opens_an_empty_page(address: str, decoder: Callable[..., Page]) -> None:
    """A choice of the address counts only if the page has it."""
    page = decoder(address + "&bytes=%3Cimg%3E")
    assert page.get_by_label("Kafka release").input_value() == "4.4.0"
    expect(page.locator("#wp-read")).to_contain_text("is not hexadecimal")


def test_a_large_message_opens_in_parts(decoder: Callable[..., Page]) -> None:
    """5,000 topics: 100 rows at a time, and a page of bytes; a byte far away opens its field."""
    topics = [{"name": f"topic-{number}"} for number in range(5000)]
    data = framed(HEADER + codec("MetadataRequest", 12).encode({"topics": topics}))
    page = decoder()
    page.get_by_label("Bytes", exact=True).fill(data.hex())
    expect(page.locator(".wp-verdict")).to_contain_text("Every byte was read.")
    assert page.evaluate("() => location.hash").count("bytes") == 0
    assert page.locator("[role=treeitem]").count() < 200
    assert page.locator(".wp-bytes [role=row]").count() == 256
    page.locator(row(page, "topics") + " > .wp-row").click()
    page.keyboard.press("ArrowRight")
    page.locator(".wp-more").click()
    assert page.locator(row(page, "[199]")).count() == 1
    page.get_by_role("button", name="Next bytes").click()
    page.locator('[role=gridcell][data-at="8000"]').click()
    expect(page.locator(".wp-detail .wp-path")).to_contain_text("topics[")
    page.keyboard.press("End")
    expect(page.locator(".wp-pages")).to_contain_text(f"of {len(data):,} bytes")
    assert page.evaluate("() => document.activeElement.dataset.at") == str(len(data) - 1)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_the_page_is_accessible_at_every_width(width: int, theme: str, decoder: Callable[..., Page]) -> None:
    """Nothing is wider than the window, and axe has no finding: with a field chosen, and with an error."""
    page = decoder(f"#bytes={metadata_request().hex()}", width=width, theme=theme)
    page.locator(row(page, "clientId") + " >> .wp-value").click()
    assert_accessible(page)
    assert page.evaluate("() => document.documentElement.scrollWidth") == width
    page.get_by_label("Bytes", exact=True).fill(metadata_request()[:-3].hex())
    expect(page.locator("#wp-read")).to_contain_text("Read as hex")
    assert_accessible(page)
    assert page.evaluate("() => document.documentElement.scrollWidth") == width


def written_page(tmp_path: Path, *words: str) -> Path:
    """The page that `wireproof decode --html` writes."""
    path = tmp_path / "decoded.html"
    result = CliRunner().invoke(command, ["--html", str(path), *words], standalone_mode=False)
    assert path.exists(), result.exception
    return path


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_the_page_of_decode(width: int, theme: str, tmp_path: Path, open_page: Opener) -> None:
    """It has the same tree and bytes, with hostile text as text, and the value as JSON."""
    page = open_page(written_page(tmp_path, metadata_request(HOSTILE).hex()), width=width, theme=theme)
    assert page.title() == "MetadataRequest 12 of Kafka 4.4.0, byte by byte"
    expect(page.locator(".wp-verdict.wp-good")).to_contain_text("Every byte was read.")
    page.locator(row(page, "name") + " >> .wp-value").click()
    expect(page.locator(".wp-detail .wp-path")).to_have_text("topics[0].name")
    assert page.locator("main img").count() == 0
    shown = json.loads(page.locator("main > pre").last.inner_text())
    assert shown["topics"][0]["name"] == HOSTILE
    assert_accessible(page)
    assert page.evaluate("() => document.documentElement.scrollWidth") == width


def test_the_page_of_bytes_that_cannot_be_decoded(tmp_path: Path, open_page: Opener) -> None:
    """The page is written, and shows the place."""
    page = open_page(written_page(tmp_path, "--cell", "ApiVersionsRequest/3", "02 41 42"))
    expect(page.locator(".wp-verdict.wp-bad")).to_contain_text(
        "in clientSoftwareVersion: needs 65 bytes, 0 left"
    )
    assert page.locator("main > pre").count() == 0


def test_the_page_in_print_has_all_of_it(tmp_path: Path, open_page: Opener) -> None:
    """On paper nothing scrolls."""
    page = open_page(written_page(tmp_path, metadata_request().hex()))
    page.emulate_media(media="print")
    for part in (".wp-tree", ".wp-bytes"):
        assert page.locator(part).evaluate("each => each.scrollHeight - each.clientHeight") <= 0
    assert not page.locator(".wp-detail").is_visible()
