"""The option of commands that read message files with proposals in them."""

from typing import Final

import click

kip_625_option: Final = click.option(
    "--kip-625",
    "kip_625",
    is_flag=True,
    help="Accept the key `encoding` of KIP-625 in message files. Kafka refuses it.",
)
