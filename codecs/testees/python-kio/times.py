"""Milliseconds of Kafka's as the datetimes that kio has for them."""

from __future__ import annotations

import datetime

import wireproof_testee as kit

EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
MILLISECOND = datetime.timedelta(milliseconds=1)


def datetime_of(milliseconds: int) -> datetime.datetime:
    """The datetime.

    Raises:
        Unsupported: it lies outside of the years that there are.
    """
    if milliseconds < 0:
        raise kit.Unsupported("datetime", str(milliseconds))
    try:
        return EPOCH + milliseconds * MILLISECOND
    except OverflowError as error:
        raise kit.Unsupported("datetime", str(milliseconds)) from error
