"""Error codes and apis that a codec does not know."""

from typing import Any

from kafkawire.errors import DecodeError, Fault
from kafkawire.schema import ScalarType
from wireproof.power.bug_classes import BugClass
from wireproof.power.mutants.codec_operator import CodecOperator, WrongValue
from wireproof.power.mutants.site_conditions import every, of_type
from wireproof.power.mutants.sites import Site

__all__ = ["CODE_OPERATORS"]

_CODES = range(-1, 134)
"""The error codes of today's releases."""


def _is_error_code(site: Site) -> bool:
    return site.field is not None and "errorcode" in site.field.name.lower()


def _unknown_is_minus_one(value: Any) -> Any:
    return value if value in _CODES else -1


def _unknown_is_refused(value: Any) -> Any:
    if value not in _CODES:
        raise DecodeError(Fault.RANGE, "", f"no error has the code {value}", 0)
    return value


def _unknown_crashes(value: Any) -> Any:
    if value not in _CODES:
        raise ValueError(f"{value} is not a valid ErrorCode")
    return value


def _is_list_of_apis(site: Site) -> bool:
    struct = site.field.struct if site.field is not None and site.field.is_array else None
    return struct is not None and any(field.name == "apiKey" for field in struct.fields)


def _known_apis(value: Any) -> Any:
    if not isinstance(value, list):
        return value
    return [item for item in value if not isinstance(item, dict) or 0 <= item.get("apiKey", 0) < 100]


_codes = every(of_type(ScalarType.INT16), _is_error_code)

CODE_OPERATORS = (
    CodecOperator(
        "unknown-error-is-minus-one",
        BugClass.CODES,
        "an error code that is in no list is read as UNKNOWN_SERVER_ERROR",
        WrongValue(_codes, inward=_unknown_is_minus_one),
    ),
    CodecOperator(
        "unknown-error-refused",
        BugClass.CODES,
        "a message with an error code that is in no list is refused",
        WrongValue(_codes, inward=_unknown_is_refused),
    ),
    CodecOperator(
        "unknown-error-crashes",
        BugClass.CODES,
        "an error code that is in no list is an exception of the language",
        WrongValue(_codes, outward=_unknown_crashes, inward=_unknown_crashes),
    ),
    CodecOperator(
        "unknown-apis-dropped",
        BugClass.CODES,
        "elements about an api key that is in no list are passed over",
        WrongValue(_is_list_of_apis, inward=_known_apis),
    ),
)
