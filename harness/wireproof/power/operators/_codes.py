"""Error codes and apis that a codec does not know."""

from collections.abc import Mapping
from typing import Any, Final

from kafkawire.errors import DecodeError, Fault
from kafkawire.schema import ScalarType
from wireproof.power.mutants.codec_operator import Deviation, WrongValue
from wireproof.power.mutants.sites import Site, every, of_type

_CODES = range(-1, 134)
"""The error codes of today's releases."""


def _is_error_code(site: Site) -> bool:
    return site.field is not None and "errorcode" in site.field.name.lower()


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

CODE_DEVIATIONS: Final[Mapping[str, Deviation]] = {
    "unknown-error-is-minus-one": WrongValue(_codes, inward=lambda value: value if value in _CODES else -1),
    "unknown-error-refused": WrongValue(_codes, inward=_unknown_is_refused),
    "unknown-error-crashes": WrongValue(_codes, outward=_unknown_crashes, inward=_unknown_crashes),
    "unknown-apis-dropped": WrongValue(_is_list_of_apis, inward=_known_apis),
}
