"""Print every command of the wireproof on `PYTHONPATH` as a line of JSON: its arguments and options.

`same_verdicts.py` runs this in each checkout. A line has names, type, default, and how often an option may be
given; sentences are left out.
"""

import json
from collections.abc import Iterator
from typing import Any

import click

from wireproof.app.cli import app


def commands(command: click.Command, path: str) -> Iterator[dict[str, Any]]:
    """Yield a record for each parameter of a command, and for the command itself; then those below it."""
    context = click.Context(command, info_name=path.rpartition(" ")[2])
    yield {"name": path}
    for parameter in command.get_params(context):
        yield _parameter(parameter, path)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from commands(below, f"{path} {name}")


def _parameter(parameter: click.Parameter, path: str) -> dict[str, Any]:
    kind = parameter.type.to_info_dict()
    record = {
        "name": f"{path} {'/'.join([*parameter.opts, *parameter.secondary_opts])}",
        "type": {key: value for key, value in kind.items() if key not in {"param_type", "name"}},
        "metavar": parameter.metavar,
        "required": parameter.required,
        "nargs": parameter.nargs,
        "multiple": parameter.multiple,
        "envvar": parameter.envvar,
    }
    if isinstance(parameter, click.Option):
        default = None if callable(parameter.default) else parameter.default
        shown = parameter.show_default
        record |= {"default": repr(default), "shownDefault": repr(shown), "flag": parameter.is_flag}
        record |= {"hidden": parameter.hidden, "count": parameter.count}
    return record


if __name__ == "__main__":
    (group,) = {value for value in vars(app).values() if isinstance(value, click.Group)}
    for record in commands(group, "wireproof"):
        print(json.dumps(record, sort_keys=True, default=repr))
