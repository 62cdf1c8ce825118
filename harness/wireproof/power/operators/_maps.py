"""Map keys, equality, and values that went through JSON."""

from typing import Any

from kafkawire.schema import ScalarType
from wireproof.power.bug_classes import BugClass
from wireproof.power.mutants.codec_operator import CodecOperator, WrongValue
from wireproof.power.mutants.site_conditions import either, of_type
from wireproof.power.mutants.sites import Site

__all__ = ["MAP_OPERATORS"]


def _is_map(site: Site) -> bool:
    struct = site.field.struct if site.field is not None and site.field.is_array else None
    return struct is not None and any(field.map_key for field in struct.all_fields)


def _is_struct_list(site: Site) -> bool:
    return site.field is not None and site.field.is_array and site.field.struct is not None


def _last_of_each_key(value: Any) -> Any:
    """Keep the elements as a map does, with the first field as the key."""
    if not isinstance(value, list):
        return value
    return list({repr(_key(item)): item for item in value}.values())


def _first_of_each_key(value: Any) -> Any:
    if not isinstance(value, list):
        return value
    return _last_of_each_key(value[::-1])[::-1]


def _key(item: Any) -> Any:
    return next(iter(item.values()), None) if isinstance(item, dict) else item


def _without_repeats(value: Any) -> Any:
    """Return the elements that a set would keep."""
    if not isinstance(value, list):
        return value
    return list({repr(item): item for item in value}.values())


def _set_of_filled(value: Any) -> Any:
    """Return the elements without repetitions; those at their defaults stay."""
    if not isinstance(value, list):
        return value
    filled = (isinstance(item, dict) and any(item.values()) for item in value)
    return list(
        {
            repr(item) if kept else at: item
            for at, (kept, item) in enumerate(zip(filled, value, strict=True))
        }.values()
    )


def _through_a_double(value: Any) -> Any:
    """A number as JavaScript's JSON keeps it, within the type's range."""
    return min(int(float(value)), 2**63 - 1) if isinstance(value, int) else value


def _through_text(value: Any) -> Any:
    return bytes(value).decode(errors="replace").encode() if isinstance(value, bytes) else value


def _without_sign_of_zero(value: Any) -> Any:
    return value + 0.0 if isinstance(value, float) else value


MAP_OPERATORS = (
    CodecOperator(
        "map-keeps-the-last",
        BugClass.MAPS,
        "of the elements with one key only the last is read",
        WrongValue(_is_map, inward=_last_of_each_key),
    ),
    CodecOperator(
        "map-keeps-the-first",
        BugClass.MAPS,
        "of the elements with one key only the first is written",
        WrongValue(_is_map, outward=_first_of_each_key),
    ),
    CodecOperator(
        "equal-elements-once",
        BugClass.MAPS,
        "of equal elements only one is written",
        WrongValue(_is_struct_list, outward=_without_repeats),
    ),
    CodecOperator(
        "equal-filled-elements-once",
        BugClass.MAPS,
        "of equal elements that are not at their defaults only one is written",
        WrongValue(_is_struct_list, outward=_set_of_filled),
    ),
    CodecOperator(
        "int64-through-json",
        BugClass.MAPS,
        "an int64 goes through a JSON number and loses its last bits",
        WrongValue(of_type(ScalarType.INT64), inward=_through_a_double),
    ),
    CodecOperator(
        "bytes-through-text",
        BugClass.MAPS,
        "bytes go through a string and lose what is not UTF-8",
        WrongValue(either(of_type(ScalarType.BYTES), of_type(ScalarType.RECORDS)), inward=_through_text),
    ),
    CodecOperator(
        "double-loses-the-sign-of-zero",
        BugClass.MAPS,
        "a float64 of -0.0 is written as 0.0",
        WrongValue(of_type(ScalarType.FLOAT64), outward=_without_sign_of_zero),
    ),
)
