"""Map keys, equality, and values that went through JSON."""

from collections.abc import Mapping
from typing import Any, Final

from kafkawire.schema import ScalarType
from wireproof.power.mutants.codec_operator import Deviation, WrongValue
from wireproof.power.mutants.sites import Site, either, of_type


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


MAP_DEVIATIONS: Final[Mapping[str, Deviation]] = {
    "map-keeps-the-last": WrongValue(_is_map, inward=_last_of_each_key),
    "map-keeps-the-first": WrongValue(_is_map, outward=_first_of_each_key),
    "equal-elements-once": WrongValue(_is_struct_list, outward=_without_repeats),
    "equal-filled-elements-once": WrongValue(_is_struct_list, outward=_set_of_filled),
    "int64-through-json": WrongValue(of_type(ScalarType.INT64), inward=_through_a_double),
    "bytes-through-text": WrongValue(
        either(of_type(ScalarType.BYTES), of_type(ScalarType.RECORDS)), inward=_through_text
    ),
    "double-loses-the-sign-of-zero": WrongValue(of_type(ScalarType.FLOAT64), outward=_without_sign_of_zero),
}
