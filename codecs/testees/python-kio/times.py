"""Conversion of Kafka's milliseconds to the datetimes of kio."""

from __future__ import annotations

import datetime

import wireproof_testee as kit

EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
MILLISECOND = datetime.timedelta(milliseconds=1)


def datetime_of(milliseconds: int) -> datetime.datetime:
    """Convert milliseconds since 1970 to a datetime.

    Raises:
        Unsupported: the time is before 1970 or after the year 9999.
    """
    if milliseconds < 0:
        raise kit.Unsupported("datetime", str(milliseconds))
    try:
        return EPOCH + milliseconds * MILLISECOND
    except OverflowError as error:
        raise kit.Unsupported("datetime", str(milliseconds)) from error
