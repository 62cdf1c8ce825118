"""The rules by which schemas of Kafka may change, each with its source."""

from enum import StrEnum

from wireproof.base.text.stated_rule import StatedRule

_README = "Kafka, clients/src/main/resources/common/message/README.md"


class Impact(StrEnum):
    """The effect of a change on programs that have the other definition. JSON output holds the text."""

    SAFE = "safe"
    """Both read each other."""

    NEW_VERSION = "safe only with a new version"
    """The change has a version of its own, and needs it: in one version the two misread each other."""

    GATED = "safe only while writers are gated"
    """Stored data have a version or a type that the old definition lacks: a program with it refuses them. The
    rule's `gate` holds writers back until every reader has the new definition."""

    BREAKS_READERS = "breaks readers"
    """A program with the old definition misreads or refuses what one with the new definition writes."""

    BREAKS_WRITERS = "breaks writers"
    """A program with the new definition misreads or refuses what one with the old definition writes."""

    BREAKS_BOTH = "breaks readers and writers"

    STOPS_WRITERS = "stops writers"
    """A program with the new definition throws where one with the old definition writes."""

    @property
    def breaks(self) -> bool:
        """True if old and new programs cannot be mixed, or an old program cannot be replaced by a new one."""
        return self not in (Impact.SAFE, Impact.NEW_VERSION, Impact.GATED)

    @classmethod
    def of(cls, readers: bool, writers: bool) -> "Impact":
        """The impact of a change in one version, by who is broken."""
        if readers and writers:
            return cls.BREAKS_BOTH
        if readers:
            return cls.BREAKS_READERS
        return cls.BREAKS_WRITERS if writers else cls.SAFE


class ChangeCategory(StatedRule):
    """A kind of harm that a change does, as a sentence; `buf breaking` divides its rules alike."""

    WIRE = ("wire", "Requests, responses and headers: programs with the two definitions misread each other.")
    STORED = (
        "stored",
        "Bytes on disk, such as records in __cluster_metadata and __consumer_offsets: a program with one "
        "definition misreads what a program with the other one stored.",
    )
    SOURCE = ("source", "The generated class and the code that uses it have to change; the bytes stay.")


class EvolutionRule(StatedRule):
    """One rule for changes of definitions, and the document that states it."""

    RELEASED_VERSION = (
        "released-version",
        "A version that was released keeps its layout: a change of its bytes needs a new version.",
        _README,
    )
    UNSTABLE_VERSION = (
        "unstable-version",
        "A version that is declared unstable may change or go until it is released.",
        f"{_README} (latestVersionUnstable)",
    )
    TAGGED_FIELD = (
        "tagged-field",
        "A flexible version may gain a tagged field: a program that does not know it keeps or skips it.",
        "KIP-482, Tagged Fields",
    )
    TAG_REUSED = (
        "tag-reused",
        "A tag means one field for ever: a program that knows it as another field misreads the bytes. A "
        "tagged field with another name counts as another field, unless only capitals changed.",
        "KIP-482, Tagged Fields",
    )
    TAG_VERSIONS = (
        "tag-versions",
        "The versions that have a tagged field stay: where a message has the tag in other versions only, "
        "Kafka's class throws.",
        'Kafka, MessageDataGenerator ("Tag 0 is not valid for version 1")',
    )
    IGNORABLE_WITHDRAWN = (
        "ignorable-withdrawn",
        "A field that was ignorable stays so: a program that sets it and writes an older version throws "
        "otherwise, where the value was dropped.",
        f"{_README} (ignorable)",
    )
    DEFAULT_OF_ABSENT = (
        "default-of-absent",
        "A field that is not ignorable keeps its default: in a version without the field a program can write "
        "the default only, so one that sets the old default throws.",
        f"{_README} (ignorable)",
    )
    TYPE_OF_KEY = (
        "type-of-key",
        "Before the bytes of a coordinator's key is one number: the version of a definition of data, or the "
        "type of a coordinator-key (Kafka 4.1). A definition may change from one to the other.",
        "Kafka, CoordinatorRecordSerde",
    )
    EQUAL_BYTES = (
        "equal-bytes",
        "Two types with the same bytes for the same parts read each other: records and bytes, a uuid and two "
        "int64, an array of numbers and one of structs of a number without a tag section.",
        _README,
    )
    TAG_RETIRED = (
        "tag-retired",
        "A tagged field may go, but no later field may have its tag: older programs still send it.",
        "KIP-482, Tagged Fields",
    )
    DEFAULT_OF_TAG = (
        "default-of-tag",
        "The default of a tagged field is part of its bytes: a field at its default is not written.",
        "KIP-482, Tagged Fields",
    )
    NAMES = (
        "names",
        "Names, and defaults of fields without a tag, are not on the wire: only source code sees them.",
        _README,
    )
    INTEGER_RANGE = (
        "integer-range",
        "An integer may get a wider type if its old versions keep their encoding, and check the range.",
        "KIP-625",
    )
    NEW_VERSION = (
        "new-version",
        "Client and broker agree on a version by ApiVersions, so a new version may have any layout.",
        "KIP-35, KIP-511",
    )
    NEW_RECORD_VERSION = (
        "new-record-version",
        "The version of stored data is not negotiated: a program that lacks it refuses the data, after a "
        "downgrade too. The writer must keep the old version until a setting of the cluster allows the new "
        "one. A tagged field of a flexible version needs no new version. No setting gates data that clients "
        "write, such as ConsumerProtocolSubscription: their readers must accept newer versions.",
        "KIP-915, Motivation; KIP-1022",
        "inter.broker.protocol.version, metadata.version, or a feature such as group.version",
    )
    FEATURE_VERSION = (
        "feature-version",
        "A controller writes a new version of a metadata record only after metadata.version was raised.",
        "KIP-778",
        "metadata.version",
    )
    REMOVED_VERSION = (
        "removed-version",
        "Programs that know only a removed version cannot talk to the new release.",
        "KIP-896",
    )
    REMOVED_RECORD_VERSION = (
        "removed-record-version",
        "The new release cannot read bytes on disk that have a removed version or type.",
        "KIP-915, Motivation",
    )
