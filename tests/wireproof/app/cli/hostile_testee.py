"""A testee whose words are hostile. Run as a program: ``python hostile_testee.py WAY TEXT``.

It has the text wherever WAY says: in its hello, in its errors, on standard error.
"""

import json
import sys
from typing import Any

JsonObject = dict[str, Any]


def hello(way: str, text: str) -> JsonObject:
    own = {"name": "hostile", "version": "1", "language": "python"}
    greeting: JsonObject = {"protocol": 1, "codec": own, "messages": {"HeartbeatRequest": {"decode": "0-4"}}}
    if way == "identity":
        greeting["codec"] = dict.fromkeys(own, text) | {"runtime": text, "variant": text}
    elif way == "limits":
        greeting["limits"] = {text: text}
    elif way == "unclaimed":
        greeting["index"] = {"HeartbeatRequest": {"decode": "0-4", "encode": "0-4"}}
        greeting["unclaimed"] = [{"messages": ["HeartbeatRequest"], "operations": ["encode"], "reason": text}]
    elif way == "messages":
        greeting["messages"][text] = {"decode": "0"}
    elif way == "registry":
        greeting["registry"] = [{"apiKey": 12, "request": {"message": text, "versions": "0-4"}}]
    elif way == "protocol":
        greeting["protocol"] = text
    return greeting


def answer(way: str, text: str, question: JsonObject) -> JsonObject:
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
        requests = json.loads(line)
        for question in requests if isinstance(requests, list) else [requests]:
            if question["op"] == "stop":
                sys.exit()
            made = {"id": question["id"], **answer(sys.argv[1], json.loads(sys.argv[2]), question)}
            sys.stdout.write(json.dumps(made) + "\n")
            sys.stdout.flush()
