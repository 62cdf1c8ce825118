"""The rules for brokers: id, sentence and source of each, in one table."""

from wireproof.base.text.stated_rule import StatedRule

_GUIDE = "Kafka's protocol guide"
_SERVER = "org.apache.kafka.common.network.NetworkReceive, kafka.network.Processor"


class BrokerRule(StatedRule):
    """A rule for brokers: what a broker has to do."""

    FIRST_ANSWER = (
        "first-answer",
        "A broker answers ApiVersions of version 0 with one whole frame, in time.",
        "KIP-35, " + _GUIDE,
    )
    ONE_ANSWER = (
        "one-answer",
        "A broker sends one answer to a request, and nothing without a request.",
        _GUIDE,
    )
    STAYS_OPEN = (
        "stays-open",
        "A connection stays open after an answer, for the next request.",
        "org.apache.kafka.common.network.Selector, " + _GUIDE,
    )
    CORRELATION_ID = (
        "correlation-id",
        "An answer has the correlation id of its request, which can be any 32-bit number.",
        _GUIDE,
    )
    EACH_VERSION = (
        "each-version",
        "A broker answers ApiVersions at each version that it offers, without an error.",
        "KIP-35",
    )
    NEWER_VERSION = (
        "newer-version",
        "A newer ApiVersions is answered in version 0 with error 35 and the range of ApiVersions.",
        "KIP-511, org.apache.kafka.common.requests.ApiVersionsRequest",
    )
    LISTS_ITSELF = (
        "lists-itself",
        "The list of a broker has ApiVersions, from version 0 on.",
        "KIP-35, KIP-511",
    )
    LIST_RANGES = (
        "list-ranges",
        "The list of a broker has each API once, with a range of versions from zero on.",
        "KIP-35",
    )
    SAME_LIST = (
        "same-list",
        "A broker offers the same versions whichever version of ApiVersions asks.",
        "KIP-35",
    )
    SOFTWARE_NAME = (
        "software-name",
        "ApiVersions from version 3 on with a software name of other characters gets error 42.",
        "KIP-511, org.apache.kafka.common.requests.ApiVersionsRequest.isValid",
    )
    CLIENT_ID = (
        "client-id",
        "A client id can be null, empty, 32,767 bytes long, and any UTF-8.",
        "RequestHeader.json, " + _GUIDE,
    )
    SASL_HANDSHAKE = (
        "sasl-handshake",
        "SaslHandshake of an unknown mechanism is answered with error 33, or 34 where no login is possible.",
        "KIP-43, KIP-152",
    )
    SPLIT_FRAME = ("split-frame", "A frame can come in any number of parts, cut at any byte.", _GUIDE)
    JOINED_FRAMES = ("joined-frames", "Several frames can come in one segment; each is answered.", _GUIDE)
    IN_ORDER = ("in-order", "Requests in flight on one connection are answered in their order.", _GUIDE)
    HALF_CLOSED = (
        "half-closed",
        "A connection whose client sends no more is closed, and what is answered before that is right.",
        "org.apache.kafka.common.network.Selector",
    )
    WRONG_SIZE = (
        "wrong-size",
        "A frame with a size of zero, below zero or above the limit ends the connection without an answer.",
        _SERVER,
    )
    UNKNOWN_API = ("unknown-api", "A request of an unknown API ends the connection.", _SERVER)
    UNKNOWN_VERSION = (
        "unknown-version",
        "A request of a version that is not offered ends the connection, or gets an error.",
        _SERVER,
    )
    CUT_FRAME = ("cut-frame", "A frame that ends inside its header ends the connection.", _SERVER)
    STAYS_UP = (
        "stays-up",
        "After any bytes of one client a broker answers the next client in time.",
        _SERVER,
    )
    READABLE = (
        "readable",
        "Kafka's classes read an answer to its end, header and body.",
        "KIP-482, Kafka's schemas",
    )
    SAME_AGAIN = (
        "same-again",
        "Kafka's classes write for an answer the bytes that they read.",
        "KIP-482, Kafka's schemas",
    )
    RECORD_SETS = (
        "record-sets",
        "Kafka's classes read the record sets of an answer, with their checksums.",
        "KIP-98, org.apache.kafka.common.record",
    )
    ERROR_CODES = (
        "error-codes",
        "An answer has no error code that Kafka lacks.",
        "org.apache.kafka.common.protocol.Errors",
    )
    OFFERED_ANSWERED = (
        "offered-answered",
        "A broker answers each version of each API that it offers.",
        "KIP-35, " + _GUIDE,
    )
    UNKNOWN_TAGS = ("unknown-tags", "Unknown tagged fields in a request do not change its answer.", "KIP-482")
    BESIDE_KAFKA = (
        "beside-kafka",
        "A broker answers as Kafka does from the same state: error codes, nulls, signs, counts.",
        "the answers of the release that --beside names",
    )
    THROUGH_PROXY = (
        "through-proxy",
        "A proxy passes on an answer with the values of its upstream broker, but for what a file declares.",
        "the answers of the upstream broker itself",
    )
    WRONG_BYTES = (
        "wrong-bytes",
        "A request that Kafka's classes do not read ends the connection, or gets an error.",
        "org.apache.kafka.common.requests.RequestContext.parseRequest, " + _SERVER,
    )
