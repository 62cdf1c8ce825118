"""Texts that a testee, a client, a capture or a file may hold to deceive who reads a report."""

from typing import Final

HOSTILE: Final = {
    "colour": "\x1b[31mred",
    "clear-the-screen": "\x1b[2J\x1b[H",
    "window-title": "\x1b]0;owned\x07",
    "link": "\x1b]8;;file:///etc/passwd\x1b\\click\x1b]8;;\x1b\\",
    "c1-sequence": "\x9b31mred",
    "carriage-return": "wrong\rProven.",
    "backspace": "wrong\b\b\b\b\bright",
    "null": "a\x00b",
    "bidirectional": "\u202eneverP\u202c",
    "isolate": "\u2066a\u2069",
    "zero-width": "pro\u200bven",
    "line-separator": "wrong\u2028Proven.",
    "next-line": "wrong\x85Proven.",
    "lone-surrogate": "\udcff\ud800",
    "noncharacter": "\ufffe",
    "private-use": "\ue000",
    "false-verdict": "wrong\nProven. Every case of every cell agrees",
    "error-command": "wrong\n::error title=Kafka::is wrong",
    "stop-commands": "wrong\n  ::stop-commands::all-of-them",
    "add-mask": "::add-mask::0",
    "old-command": "wrong ##[error]Kafka is wrong",
    "after-return": "wrong\r\n::warning::x",
    "end-of-property": "a,file=b.py,line=3::c\n",
    "markup": "[bold red]x[/] [link=file:///etc/passwd]y[/link] \\",
    "markdown": "![x](http://x) <img src=x> @all `a` | b",
    "html": "</pre><script>alert(1)</script>&amp;",
    "xml": "]]></failure><testcase name='x'/>",
}
"""By what they try."""

UNSEEN: Final = "\x1b\x07\x00\x08\x9b\x85\r\u202e\u2066\u200b\u2028\udcff\ud800\ufffe\ue000"
"""Characters of theirs that are invisible, or that hide others."""
OBEYED: Final = ("::error", "::stop-commands", "::add-mask", "::warning", "##[")
"""The beginnings of lines that a runner obeys; the last one works anywhere in a line."""
