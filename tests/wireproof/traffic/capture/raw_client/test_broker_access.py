"""Access to a cluster: configuration files, and SCRAM with the numbers of its specification."""

import pytest

from wireproof.traffic.capture.capture_error import CaptureError
from wireproof.traffic.capture.raw_client.broker_access import (
    OPEN_ACCESS,
    BrokerAccess,
    SaslLogin,
    SaslMechanism,
    ScramClient,
    ScramError,
    parse_client_properties,
)

JAAS = "org.apache.kafka.common.security.scram.ScramLoginModule required"

NONCE = "rOprNGfwEbeRWgbNEkqO"
CHALLENGE = f"r={NONCE}%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096".encode()
FINAL = (
    f"c=biws,r={NONCE}%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=".encode()
)
ANSWER = b"v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="
"""RFC 7677, section 3: user "user", password "pencil"."""


def test_the_exchange_of_the_specification() -> None:
    """Byte by byte, to the proof that the other side knows the password."""
    scram = ScramClient("sha256", "user", "pencil", NONCE)
    assert scram.first() == f"n,,n=user,r={NONCE}".encode()
    assert scram.final(CHALLENGE) == FINAL
    scram.check(ANSWER)


@pytest.mark.parametrize(
    ("challenge", "words"),
    [
        (b"", "not a SCRAM message"),
        (b"\xff", "not a SCRAM message"),
        (CHALLENGE.replace(b"s=", b"s=!"), "not a SCRAM message"),
        (CHALLENGE.replace(b"r=r", b"r=x"), "another nonce"),
        (f"r={NONCE},s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096".encode(), "another nonce"),
        (CHALLENGE.replace(b"4096", b"1"), "asks for 1 iterations"),
        (CHALLENGE.replace(b"4096", b"99999999"), "asks for 99999999 iterations"),
    ],
)
def test_an_invalid_challenge(challenge: bytes, words: str) -> None:
    """The client sends no proof: not for another login, and not with few iterations, which eases guessing."""
    with pytest.raises(ScramError, match=words):
        ScramClient("sha256", "user", "pencil", NONCE).final(challenge)


@pytest.mark.parametrize(
    ("answer", "words"),
    [(b"v=AAAA", "not prove"), (b"v=!", "not prove"), (b"", "not prove"), (b"e=no", "refuses: no")],
)
def test_a_broker_that_does_not_know_the_password(answer: bytes, words: str) -> None:
    """The client reports it."""
    scram = ScramClient("sha256", "user", "pencil", NONCE)
    scram.final(CHALLENGE)
    with pytest.raises(ScramError, match=words):
        scram.check(answer)


def test_names_with_signs_of_the_protocol() -> None:
    """The client escapes them as the specification says."""
    assert ScramClient("sha512", "a=b,c", "x", "n").first() == b"n,,n=a=3Db=2Cc,r=n"


@pytest.mark.parametrize(
    ("text", "access"),
    [
        ("", OPEN_ACCESS),
        ("security.protocol=SSL\nssl.truststore.location=/x", BrokerAccess(None, True)),
        (
            "# a comment\n! another\nsecurity.protocol : SASL_SSL\nsasl.mechanism SCRAM-SHA-512\n"
            f'sasl.jaas.config = {JAAS} \\\n    username="u" \\\n    password="p\\\\"w";\n',
            BrokerAccess(SaslLogin(SaslMechanism.SCRAM_SHA_512, "u", 'p"w'), True),
        ),
        (
            "security.protocol=sasl_plaintext\r\nsasl.mechanism=PLAIN\r\n"
            f"sasl.jaas.config={JAAS} password=w username=u;",
            BrokerAccess(SaslLogin(SaslMechanism.PLAIN, "u", "w"), False),
        ),
        (
            "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=SCRAM-SHA-256\n"
            f"sasl.jaas.config={JAAS} username='\\u00fc' password='a=b:c d';",
            BrokerAccess(SaslLogin(SaslMechanism.SCRAM_SHA_256, "ü", "a=b:c d"), False),
        ),
    ],
)
def test_what_a_file_of_kafkas_tools_says(text: str, access: BrokerAccess) -> None:
    """As Java reads properties and JAAS: comments, lines that go on, escapes, quotes, any order."""
    assert parse_client_properties(text) == access


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("security.protocol=NONSENSE", "security.protocol is NONSENSE"),
        ("security.protocol=SASL_SSL", "sasl.mechanism is GSSAPI"),
        ("security.protocol=SASL_SSL\nsasl.mechanism=OAUTHBEARER", "sasl.mechanism is OAUTHBEARER"),
        ("security.protocol=SASL_SSL\nsasl.mechanism=PLAIN", "has no username"),
        (
            f"security.protocol=SASL_SSL\nsasl.mechanism=PLAIN\nsasl.jaas.config={JAAS} username=hidden;",
            "has no password",
        ),
        (
            "security.protocol=SSL\nssl.keystore.location=/x\nssl.keystore.password=hidden",
            "certificate of the client",
        ),
    ],
)
def test_what_a_file_may_not_say(text: str, words: str) -> None:
    """The message holds no secret."""
    with pytest.raises(CaptureError, match=words) as caught:
        parse_client_properties(text)
    assert "hidden" not in f"{caught.value} {caught.value.advice}"


def test_a_password_is_not_shown() -> None:
    """A printed login, such as in a traceback, does not hold it."""
    assert "hidden" not in repr(BrokerAccess(SaslLogin(SaslMechanism.PLAIN, "u", "hidden")))
