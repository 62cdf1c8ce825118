"""The fields that a request for sizes names: by path, by name, by type, or all of them."""

from collections.abc import Iterable

from kafkawire.schema import MessageLayout
from wireproof.base.text.wording import did_you_mean


class SizeRequestError(ValueError):
    """A request that the layout cannot meet.

    Attributes:
        text: what is wrong.
        advice: what to do; may be empty.
    """

    def __init__(self, text: str, advice: str = "") -> None:
        super().__init__(text)
        self.text = text
        self.advice = advice


def matching_paths(layout: MessageLayout, selector: str, candidates: Iterable[str]) -> list[str]:
    """Return the paths that a selector means.

    Args:
        selector: a path (``topics[].partitions[].leaderId``), the end of one or several paths (``leaderId``,
            ``partitions[].leaderId``), an integer type (``int32``, for arrays of it, too), or ``*``.
        candidates: the paths that may be meant. If ``path[]`` is one of them, it means the elements of an
            array, and ``path`` their number, which is not of an integer type.

    Raises:
        SizeRequestError: the selector means none of them.
    """
    paths = list(candidates)
    if selector in paths:
        return [selector]
    counts = {path.removesuffix("[]") for path in paths if path.endswith("[]")}
    types = {path: ("*", str(field.scalar)) for path, _, field in layout.walk()}
    found = [
        path
        for path in paths
        if path.endswith(f".{selector}")
        or (path not in counts and selector in types.get(path.removesuffix("[]"), ()))
    ]
    if not found:
        names = [*paths, *map(_name, paths)]
        advice = did_you_mean(selector, names, f"Name one of {', '.join(paths[:8])}.")
        raise SizeRequestError(f"{layout.name}/{layout.version} has no such field: {selector}", advice)
    return found


def _name(path: str) -> str:
    """The last name of a path; of the elements of an array with its brackets."""
    return path.rpartition(".")[2]
