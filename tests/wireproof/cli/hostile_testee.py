"""A testee whose words are hostile. Run as a program: ``python hostile_testee.py WAY TEXT``.

It has the text wherever WAY says: in its hello, in its errors, on standard error.
"""

import json
import sys
from typing import Any

Told = dict[str, Any]


def hello(way: str, text: str) -> Told:
    own = {"name": "hostile", "version": "1", "language": "python"}
    told: Told = {"protocol": 1, "codec": own, "messages": {"HeartbeatRequest": {"decode": "0-4"}}}
    if way == "identity":
        told["codec"] = dict.fromkeys(own, text) | {"runtime": text, "variant": text}
    elif way == "limits":
        told["limits"] = {text: text}
    elif way == "unclaimed":
        told["index"] = {"HeartbeatRequest": {"decode": "0-4", "encode": "0-4"}}
        told["unclaimed"] = [{"messages": ["HeartbeatRequest"], "operations": ["encode"], "reason": text}]
    elif way == "messages":
        told["messages"][text] = {"decode": "0"}
    elif way == "registry":
        told["registry"] = [{"apiKey": 12, "request": {"message": text, "versions": "0-4"}}]
    elif way == "protocol":
        told["protocol"] = text
    return told


def answer(way: str, text: str, question: Told) -> Told:
    if question["op"] == "hello":
        return {"ok": hello(way, text)}
    if way == "dies":
        sys.stderr.buffer.write(text.encode("utf-8", "surrogatepass"))
        sys.exit(3)
    if way == "key":
        return {text: {}}
    if way == "limits":
        return {"unsupported": {"reason": text, "message": text}}
    if way == "value":
        return {"ok": {"value": {"groupId": text, text: text}, "consumed": 1}}
    kind = "internal_error" if way == "internal" else "decode_error"
    return {kind: {"class": text, "message": text, "path": text}}


if __name__ == "__main__":
    for line in sys.stdin:
        told = json.loads(line)
        for question in told if isinstance(told, list) else [told]:
            made = {"id": question["id"], **answer(sys.argv[1], json.loads(sys.argv[2]), question)}
            sys.stdout.write(json.dumps(made) + "\n")
            sys.stdout.flush()
