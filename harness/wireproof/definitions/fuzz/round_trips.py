"""A quick look at a schema's layouts without Java: the two codecs of each version on its least instance."""

from kafkawire.canonical import canonical
from kafkawire.compiler import interpret_layout
from kafkawire.errors import EncodeError, Fault
from kafkawire.schema import MessageSpec, resolve
from wireproof.proof.strategies.values.whole_instances import required

__all__ = ["round_trip_failure"]


def round_trip_failure(spec: MessageSpec) -> str:
    """A sentence about the first version that does not come back from bytes; ``""`` if all do.

    The interpreted codec writes and reads the instance with every default. The canonical form, which shares
    no code with it, says if the value is the same.
    """
    for version in spec.valid_versions:
        layout = resolve(spec, version)
        codec, form = interpret_layout(layout), canonical(layout)
        value = required(layout.root)
        try:
            data = codec.encode(value)
        except EncodeError as error:
            if error.fault is Fault.NULL:  # the oddity `records-default`, in a tagged struct
                continue
            raise
        if form.to_binary(codec.decode(data)) != form.to_binary(value) or codec.size(value) != len(data):
            return f"version {version}: the least instance does not come back from its bytes"
    return ""
