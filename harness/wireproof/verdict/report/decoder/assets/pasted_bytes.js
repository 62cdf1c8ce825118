/* Reads bytes out of pasted text: hex, hexdumps with offsets and texts, escapes, base64. */
(function (global) {
  "use strict";

  const OFFSET = /^\s*(?:0x)?([0-9a-f]{4,16})(:|\s{2,}|\s(?=\s*[0-9a-f]{2}(?:\s|$)))\s*(.*)$/i;
  const END = /^\s*(?:0x)?[0-9a-f]{4,16}:?\s*$/i;
  const MOST_IN_LINE = 64;
  const PLAIN = /^(?:[0-9a-f]{2})*$/i;

  const fromHex = (digits) => Uint8Array.from(digits.match(/../g) ?? [], (pair) => parseInt(pair, 16));

  const tokensOf = (group) => group.trim().split(/[\s-]+/).filter(Boolean);
  const isHex = (token) => /^(?:[0-9a-f]{2})+$/i.test(token);
  const groupsOf = (text) => text.split("|")[0].split(/\s{2,}|\t/);

  /** Test if a line has a wider gap after eight of its sixteen bytes. */
  function hasGap(text) {
    const [first, second] = groupsOf(text).map(tokensOf);
    return text.includes("|") || (first.length === 8 && second?.length === 8 && second.every(isHex));
  }

  /** The hex at the beginning of a line of a hexdump: up to `most` bytes, none of its text column. */
  function lineDigits(text, most, gap) {
    let digits = "";
    for (const group of groupsOf(text).slice(0, gap ? 2 : 1)) {
      for (const token of tokensOf(group)) {
        if (!isHex(token) || digits.length + token.length > 2 * most) return digits;
        digits += token;
      }
    }
    return digits;
  }

  /** The bytes of a hexdump whose offsets go on from line to line; null if the text is none. */
  function fromDump(text) {
    const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "");
    const last = lines.length > 1 && END.test(lines.at(-1)) ? parseInt(lines.pop(), 16) : null;
    const rows = lines.map((line) => OFFSET.exec(line));
    if (rows.length === 0 || rows.some((row) => row === null)) return null;
    if (rows.length === 1 && last === null && rows[0][2] !== ":" && rows[0][2].length < 2) return null;
    const offsets = [...rows.map((row) => parseInt(row[1], 16)), ...(last === null ? [] : [last])];
    const gap = hasGap(rows[0][3]);
    let digits = "";
    for (const [index, row] of rows.entries()) {
      if (offsets[index] - offsets[0] !== digits.length / 2) return null;
      const next = offsets[index + 1];
      digits += lineDigits(row[3], next === undefined ? MOST_IN_LINE : next - offsets[index], gap);
    }
    return fromHex(digits);
  }

  function fromBase64(text) {
    const plain = text.replace(/\s/g, "").replace(/-/g, "+").replace(/_/g, "/").replace(/=+$/, "");
    if (!/^[A-Za-z0-9+/]+$/.test(plain) || plain.length % 4 === 1) return null;
    try {
      return Uint8Array.from(atob(plain), (letter) => letter.charCodeAt(0));
    } catch {
      return null;
    }
  }

  /** The bytes of a text and the name of its form; {bytes: null, form: why not} if it has none. */
  function pastedBytes(text) {
    if (text.trim() === "") return { bytes: null, form: "" };
    const dump = fromDump(text);
    if (dump !== null) return { bytes: dump, form: "a hexdump" };
    const digits = text.replace(/\\x|0x|[\s:,;{}"'()]/gi, "");
    if (PLAIN.test(digits)) return { bytes: fromHex(digits), form: "hex" };
    if (/^[0-9a-f]*$/i.test(digits)) return { bytes: null, form: `${digits.length} hex digits: two are needed for each byte` };
    const decoded = fromBase64(text);
    if (decoded !== null) return { bytes: decoded, form: "base64" };
    const odd = [...digits.replace(/[0-9a-f]/gi, "")][0];
    return { bytes: null, form: `${JSON.stringify(odd)} is not hexadecimal, and the text is not base64` };
  }

  global.wireproofDecoder.pastedBytes = pastedBytes;
})(globalThis);
