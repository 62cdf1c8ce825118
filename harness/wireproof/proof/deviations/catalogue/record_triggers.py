"""Triggers in the bytes of record sets."""

from typing import Final

from wireproof.model.repertoire import CodecDirection
from wireproof.proof.deviations.catalogue.trigger import Trigger

RECORD_TRIGGERS: Final = tuple(
    Trigger(name, CodecDirection.DECODE, words, kafka, actions)
    for name, words, kafka, actions in (
        ("cut-head", "a set that is cut off before its first magic", "left for the caller", {}),
        ("cut-off", "a batch that is cut off", "left for the caller", {}),
        (
            "batch-size",
            "a batch whose size is not that of its content",
            "refused",
            {"content": "ends where its content ends", "tail": "is left for the caller"},
        ),
        ("batch-end", "{} with bytes after its content", "refused", {"skip": "is read without them"}),
        (
            "magic",
            "a batch of a magic above 2",
            "refused",
            {"2": "is read as one of magic 2", "tail": "is left for the caller"},
        ),
        ("checksum", "{} with a wrong checksum", "refused", {"accept": "is read"}),
        (
            "codec",
            "{} of a compression that it cannot have",
            "refused",
            {"none": "is taken as it is", "keep": "is read"},
        ),
        ("compressed", "{} that cannot be decompressed", "refused", {"empty": "are read as nothing"}),
        (
            "record-size",
            "a record whose length is not that of its content",
            "refused",
            {"content": "ends where its content ends", "size": "is read, and its length is believed"},
        ),
    )
)
