/* Reads frames, messages and record sets of Kafka's protocol by layouts that are data.
 *
 * It is the twin of kafkawire.annotate and kafkawire.records.annotation: the same spans, the same places where
 * reading stops. A test compares both over the whole corpus. It touches no page and runs no code of its input.
 *
 * A span is a run of bytes with one meaning:
 *   start, end   offsets in the bytes, the end after the last byte
 *   path         the field with indices: topics[0].name
 *   type         int32, string, []struct, ...; "" if the bytes have no type in Kafka's schema
 *   role         value, count, marker, tag count, tag, unknown tag; in record sets also length, crc, magic,
 *                attributes, compressed, unread (bytes of a records field after the place where its reading stops)
 *   value        number, bigint (int64), boolean, string, Uint8Array or null
 */
(function (global) {
  "use strict";

  const MAX_LENGTH = 2 ** 31 - 1;
  const MAX_STRING_BYTES = 32767;
  const MAX_UNKNOWN_TAG = 2 ** 31 - 2;
  const ARRAY = 1, NULLABLE = 2, COMPACT = 4;
  const SIZE_BYTES = 4;
  const BATCH_PREFIX = 12, TO_MAGIC = 17, TO_ATTRIBUTES = 21;
  const CODECS = ["none", "gzip", "snappy", "lz4", "zstd"];

  /** The reason why reading stops; `offset` is where the refused item begins. */
  class Stop extends Error {
    constructor(fault, detail, offset) {
      super(detail);
      this.fault = fault;
      this.detail = detail;
      this.offset = offset;
      this.path = "";
    }
  }

  function truncated(data, start, needed, offset) {
    const left = Math.max(0, data.length - start);
    return new Stop("truncated", `needs ${needed} bytes, ${left} left`, offset);
  }

  function viewOf(data) {
    return new DataView(data.buffer, data.byteOffset, data.byteLength);
  }

  // -- scalars: each reader takes the bytes and an offset, and gives the value and the offset after it ------------

  function fixed(size, read) {
    return (data, pos) => {
      if (pos + size > data.length) throw truncated(data, pos, size, pos);
      return [read(viewOf(data), pos), pos + size];
    };
  }

  function uuidText(view, pos) {
    let text = "";
    for (let index = 0; index < 16; index += 1) {
      if (index === 4 || index === 6 || index === 8 || index === 10) text += "-";
      text += view.getUint8(pos + index).toString(16).padStart(2, "0");
    }
    return text;
  }

  const INT8 = fixed(1, (view, pos) => view.getInt8(pos));
  const INT16 = fixed(2, (view, pos) => view.getInt16(pos));
  const INT32 = fixed(4, (view, pos) => view.getInt32(pos));
  const INT64 = fixed(8, (view, pos) => view.getBigInt64(pos));

  /** The groups of a varint as a number, or as a bigint where it has 64 bits. */
  function groups(data, start, bits) {
    const most = Math.ceil(bits / 7);
    let result = 0n;
    for (let index = 0; index < most; index += 1) {
      if (start + index >= data.length) throw new Stop("truncated", "a varint goes on past the end", start);
      const byte = data[start + index];
      result |= BigInt(byte & 0x7f) << BigInt(7 * index);
      if (byte < 0x80) {
        if (result >> BigInt(bits)) throw new Stop("varint-too-long", `a varint of more than ${bits} bits`, start);
        return [bits === 64 ? result : Number(result), start + index + 1];
      }
    }
    throw new Stop("varint-too-long", `a varint of more than ${most} bytes`, start);
  }

  function uvarint(data, pos) {
    if (pos >= data.length) throw new Stop("truncated", "a varint has no first byte", pos);
    return data[pos] < 0x80 ? [data[pos], pos + 1] : groups(data, pos, 32);
  }

  /** A signed varint of KIP-625, or of a record batch: zig-zag, or the two's complement. */
  function packed(bits, zigzag) {
    return (data, pos) => {
      const [raw, end] = groups(data, pos, bits);
      const wide = BigInt(raw);
      const value = zigzag ? (wide >> 1n) ^ -(wide & 1n) : BigInt.asIntN(bits, wide);
      return [bits === 64 ? value : Number(value), end];
    };
  }

  const VARINT = packed(32, true), VARLONG = packed(64, true);

  const SCALARS = {
    bool: fixed(1, (view, pos) => view.getUint8(pos) !== 0),
    int8: INT8, int16: INT16, int32: INT32, int64: INT64,
    uint16: fixed(2, (view, pos) => view.getUint16(pos)),
    uint32: fixed(4, (view, pos) => view.getUint32(pos)),
    float64: fixed(8, (view, pos) => view.getFloat64(pos)),
    uuid: fixed(16, uuidText),
    fixed16: INT16, fixed32: INT32, fixed64: INT64,
    packed16: packed(16, true), packed32: VARINT, packed64: VARLONG,
    upacked16: packed(16, false), upacked32: packed(32, false), upacked64: packed(64, false),
  };

  function length(data, pos, compact, read) {
    const [raw, end] = compact ? uvarint(data, pos) : read(data, pos);
    const size = compact ? raw - 1 : raw;
    if (size === -1) return [null, end];
    if (size < 0 || size > MAX_LENGTH) throw new Stop("invalid-length", `a length of ${size}`, pos);
    return [size, end];
  }

  function checkNull(nullable, pos) {
    if (!nullable) throw new Stop("null-not-allowed", "null is not allowed in this version", pos);
  }

  function readString(data, pos, compact, nullable) {
    const [size, start] = length(data, pos, compact, INT16);
    if (size === null) { checkNull(nullable, pos); return [null, start]; }
    if (size > MAX_STRING_BYTES) {
      throw new Stop("invalid-length", `a string of ${size} bytes; ${MAX_STRING_BYTES} at most`, pos);
    }
    if (start + size > data.length) throw truncated(data, start, size, pos);
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    try {
      return [text.decode(data.subarray(start, start + size)), start + size];
    } catch {
      throw new Stop("invalid-utf8", "the text is not UTF-8", pos);
    }
  }

  function readBytes(data, pos, compact, nullable) {
    const [size, start] = length(data, pos, compact, INT32);
    if (size === null) { checkNull(nullable, pos); return [null, start]; }
    if (start + size > data.length) throw truncated(data, start, size, pos);
    return [data.subarray(start, start + size), start + size];
  }

  function readCount(data, pos, compact, nullable) {
    const [count, start] = length(data, pos, compact, INT32);
    if (count === null) { checkNull(nullable, pos); return [null, start]; }
    if (count > data.length - start) {
      throw new Stop("truncated", `${count} elements, ${data.length - start} bytes left`, pos);
    }
    return [count, start];
  }

  function readMarker(data, pos) {
    const [marker, end] = INT8(data, pos);
    if (marker !== 1 && marker !== -1) throw new Stop("invalid-marker", `marker ${marker}; want 1 or -1`, pos);
    return [marker === 1, end];
  }

  function readTaggedMarker(data, pos) {
    const [marker, end] = uvarint(data, pos);
    if (marker > 1) throw new Stop("invalid-marker", `marker ${marker}; want 0 or 1`, pos);
    return [marker === 1, end];
  }

  function readTag(data, pos, previous) {
    const [tag, end] = uvarint(data, pos);
    if (tag > MAX_UNKNOWN_TAG) throw new Stop("varint-too-long", `tag ${tag}; ${MAX_UNKNOWN_TAG} at most`, pos);
    if (tag <= previous) throw new Stop("tag-order", `tag ${tag} after tag ${previous}`, pos);
    return [tag, end];
  }

  function readTagSize(data, pos) {
    const [size, start] = uvarint(data, pos);
    if (size > data.length - start) throw truncated(data, start, size, pos);
    return [size, start];
  }

  // -- layouts -----------------------------------------------------------------------------------------------------

  /** The layouts of some releases, from the tables that wireproof.verdict.report.decoder writes. */
  class Layouts {
    constructor(tables) {
      this.tables = tables;
      this.made = new Map();
      this.listed = new Map();
    }

    get releases() { return Object.keys(this.tables.releases); }

    /** Messages of a release by name: {name, kind, module, apiKey, first, roots, headers}. */
    messages(release) {
      const known = this.listed.get(release);
      if (known !== undefined) return known;
      const found = new Map();
      const rows = Object.hasOwn(this.tables.releases, release) ? this.tables.releases[release] : [];
      for (const index of rows) {
        const [name, kind, module, apiKey, first, roots, headers] = this.tables.messages[index];
        found.set(name, { name, kind, module, apiKey, first, last: first + roots.length - 1, roots, headers });
      }
      this.listed.set(release, found);
      return found;
    }

    /** The struct of a message at a version, and that of the header before it (null: it has none). */
    at(release, name, version) {
      const messages = this.messages(release);
      const message = messages.get(name);
      if (message === undefined || version < message.first || version > message.last) return null;
      const headerVersion = message.headers[version - message.first];
      const header = messages.get(message.kind === "request" ? "RequestHeader" : "ResponseHeader");
      return {
        message,
        version,
        root: this.struct(message.roots[version - message.first]),
        headerVersion,
        header: headerVersion === null ? null : this.struct(header.roots[headerVersion - header.first]),
      };
    }

    /** The name of the request of an API key; undefined if the release has none. */
    request(release, apiKey) {
      for (const message of this.messages(release).values()) {
        if (message.kind === "request" && message.apiKey === apiKey) return message;
      }
      return undefined;
    }

    struct(index) {
      let made = this.made.get(index);
      if (made === undefined) {
        const [flexible, fields, tagged] = this.tables.structs[index];
        made = {
          flexible: flexible === 1,
          fields: fields.map((each) => this.field(each)),
          tagged: new Map((tagged ?? []).map((each) => [this.tables.fields[each][4], this.field(each)])),
        };
        this.made.set(index, made);
      }
      return made;
    }

    field(index) {
      const [name, type, flags, struct, tag] = this.tables.fields[index];
      const kind = this.tables.types[type];
      return {
        name: this.tables.names[name],
        kind,
        type: (flags & ARRAY ? "[]" : "") + kind,
        array: (flags & ARRAY) !== 0,
        nullable: (flags & NULLABLE) !== 0,
        compact: (flags & COMPACT) !== 0,
        struct: struct === undefined || struct < 0 ? null : this.struct(struct),
        tag: tag ?? null,
      };
    }
  }

  // -- messages ----------------------------------------------------------------------------------------------------

  /** Reads one message into spans; `path` is the field that it is at. */
  class MessageWalk {
    constructor(data, pos, prefix) {
      this.data = data;
      this.pos = pos;
      this.prefix = prefix;
      this.path = "";
      this.spans = [];
      this.notes = [];
      this.innerStops = [];
    }

    note(end, path, type, role, value) {
      this.spans.push({ start: this.pos, end, path: this.prefix + path, type, role, value });
      this.pos = end;
    }

    warn(path, offset, text) {
      this.notes.push({ path: this.prefix + path, offset, text });
    }

    struct(prefix, struct) {
      for (const field of struct.fields) this.field(prefix + field.name, field);
      if (struct.flexible) this.tags(prefix, struct);
    }

    tags(prefix, struct) {
      this.path = `${prefix}_tags`;
      const [count, after] = uvarint(this.data, this.pos);
      this.note(after, this.path, "", "tag count", count);
      let tag = -1;
      for (let index = 0; index < count; index += 1) {
        this.path = `${prefix}_tags`;
        let end, size;
        [tag, end] = readTag(this.data, this.pos, tag);
        const field = struct.tagged.get(tag);
        this.path = field === undefined ? `${prefix}_tags[${tag}]` : prefix + field.name;
        [size, end] = readTagSize(this.data, end);
        this.note(end, this.path, field?.type ?? "", "tag", tag);
        if (field === undefined) {
          this.note(end + size, this.path, "", "unknown tag", this.data.subarray(end, end + size));
        } else {
          this.taggedField(this.path, field, end, size);
        }
      }
    }

    taggedField(path, field, start, size) {
      this.field(path, field);
      if (this.pos !== start + size) {
        this.warn(path, start, `The field takes ${this.pos - start} bytes, its tag says ${size}.`);
      }
    }

    field(path, field) {
      this.path = path;
      if (field.array) this.array(path, field);
      else if (field.struct !== null) this.nested(path, field);
      else this.scalar(path, field, field.nullable);
    }

    nested(path, field) {
      if (field.nullable) {
        const [present, end] = (field.tag === null ? readMarker : readTaggedMarker)(this.data, this.pos);
        this.note(end, path, field.type, "marker", present ? 1 : 0);
        if (!present) return;
      }
      this.struct(`${path}.`, field.struct);
    }

    array(path, field) {
      const [count, end] = readCount(this.data, this.pos, field.compact, field.nullable);
      this.note(end, path, field.type, "count", count);
      for (let index = 0; index < (count ?? 0); index += 1) {
        this.path = `${path}[${index}]`;
        if (field.struct === null) this.scalar(this.path, field, false);
        else this.struct(`${this.path}.`, field.struct);
      }
    }

    scalar(path, field, nullable) {
      const { kind, compact } = field;
      if (kind === "string") {
        const [value, end] = readString(this.data, this.pos, compact, nullable);
        this.note(end, path, kind, "value", value);
      } else if (kind === "bytes" || kind === "records") {
        const [value, end] = readBytes(this.data, this.pos, compact, nullable);
        if (kind === "bytes" || value === null) this.note(end, path, kind, "value", value);
        else this.records(path, value, end);
      } else {
        const [value, end] = SCALARS[kind](this.data, this.pos);
        this.note(end, path, kind, "value", value);
      }
    }

    /** The record set of a records field: its length, then its batches. A fault inside does not stop the message. */
    records(path, content, end) {
      const base = end - content.length;
      this.note(base, path, "records", "length", content.length);
      const inner = readRecords(content);
      for (const span of inner.spans) {
        const place = { start: span.start + base, end: span.end + base, path: `${this.prefix}${path}.${span.path}` };
        this.spans.push({ ...span, ...place });
      }
      for (const each of inner.notes) this.warn(`${path}.${each.path}`, each.offset + base, each.text);
      if (inner.stop !== null) {
        const place = { offset: inner.stop.offset + base, path: `${this.prefix}${path}.${inner.stop.path}` };
        this.innerStops.push({ ...inner.stop, ...place });
        this.pos = base + inner.end;
        if (this.pos < end) this.note(end, `${path}.unread`, "", "unread", this.data.subarray(this.pos, end));
      }
      this.pos = end;
    }
  }

  function stopped(error, prefix, path) {
    if (!(error instanceof Stop)) throw error;
    return { fault: error.fault, detail: error.detail, offset: error.offset, path: prefix + path };
  }

  /** Read one message from an offset on: its spans, the offset after the last one, and why it stopped. */
  function readMessage(root, data, start, prefix) {
    const walk = new MessageWalk(data, start, prefix);
    let stop = null;
    try {
      walk.struct("", root);
    } catch (error) {
      stop = stopped(error, prefix, walk.path);
    }
    return { spans: walk.spans, end: walk.pos, stop, notes: walk.notes, innerStops: walk.innerStops };
  }

  // -- record sets -------------------------------------------------------------------------------------------------

  const NUMBERS = {
    int8: [1, (view, pos) => view.getInt8(pos)],
    int16: [2, (view, pos) => view.getInt16(pos)],
    uint16: [2, (view, pos) => view.getUint16(pos)],
    int32: [4, (view, pos) => view.getInt32(pos)],
    uint32: [4, (view, pos) => view.getUint32(pos)],
    int64: [8, (view, pos) => view.getBigInt64(pos)],
  };
  const BATCH_HEAD = [
    ["size", "int32", "length"], ["partitionLeaderEpoch", "int32", "value"], ["magic", "int8", "magic"],
    ["crc", "uint32", "crc"], ["attributes", "uint16", "attributes"], ["lastOffsetDelta", "int32", "value"],
    ["baseTimestamp", "int64", "value"], ["maxTimestamp", "int64", "value"], ["producerId", "int64", "value"],
    ["producerEpoch", "int16", "value"], ["baseSequence", "int32", "value"], ["count", "int32", "count"],
  ];
  const MESSAGE_HEAD = [
    ["size", "int32", "length"], ["crc", "uint32", "crc"], ["magic", "int8", "magic"],
    ["attributes", "int8", "attributes"],
  ];

  function crcTable(polynomial) {
    return Uint32Array.from({ length: 256 }, (_, index) => {
      let value = index;
      for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ polynomial : value >>> 1;
      return value;
    });
  }

  const CRC32 = crcTable(0xedb88320), CRC32C = crcTable(0x82f63b78);

  function checksum(table, data) {
    let value = 0xffffffff;
    for (const byte of data) value = (value >>> 8) ^ table[(value ^ byte) & 0xff];
    return (value ^ 0xffffffff) >>> 0;
  }

  /** Reads a record set into spans. */
  class RecordWalk {
    constructor(data) {
      this.data = data;
      this.view = viewOf(data);
      this.pos = 0;
      this.path = "";
      this.spans = [];
      this.notes = [];
    }

    note(path, type, end, value, role) {
      this.path = path;
      if (end > this.data.length) throw new Stop("truncated", "the bytes end here", this.pos);
      if (end < this.pos) throw new Stop("invalid-length", "the batch ends before this", this.pos);
      if (end > this.pos) this.spans.push({ start: this.pos, end, path, type, role: role ?? "value", value });
      this.pos = end;
    }

    warn(path, offset, text) {
      this.notes.push({ path, offset, text });
    }

    number(path, type, role) {
      this.path = path;
      const [size, read] = NUMBERS[type];
      if (this.pos + size > this.data.length) throw new Stop("truncated", "the bytes end here", this.pos);
      const value = read(this.view, this.pos);
      this.note(path, type, this.pos + size, value, role);
      return value;
    }

    varint(path, role) {
      this.path = path;
      const [value, end] = VARINT(this.data, this.pos);
      this.note(path, "varint", end, value, role);
      return value;
    }

    batches() {
      for (let index = 0; this.pos < this.data.length; index += 1) {
        const left = this.data.length - this.pos;
        const size = left < BATCH_PREFIX ? 0 : this.view.getInt32(this.pos + 8);
        if (left < TO_MAGIC || size > left - BATCH_PREFIX) {
          this.note("tail", "", this.data.length, this.data.subarray(this.pos));
          return;
        }
        this.batch(`batches[${index}]`, this.pos, this.pos + BATCH_PREFIX + size);
      }
    }

    batch(path, start, end) {
      if (this.data[start + 16] !== 2) { this.message(path, start, end); return; }
      this.number(`${path}.baseOffset`, "int64");
      const head = {};
      for (const [name, type, role] of BATCH_HEAD) head[name] = this.number(`${path}.${name}`, type, role);
      this.checkCrc(path, CRC32C, start + TO_ATTRIBUTES, end, head.crc, start + TO_MAGIC);
      if (head.attributes & 7) {
        this.note(`${path}.records`, "", end, this.data.subarray(this.pos, end), "compressed");
        return;
      }
      let index = 0;
      for (; this.pos < end; index += 1) this.record(`${path}.records[${index}]`);
      if (index !== head.count) {
        this.warn(`${path}.count`, start + 57, `The batch holds ${index} records, its count says ${head.count}.`);
      }
    }

    checkCrc(path, table, from, end, stored, offset) {
      if (end <= from) return;
      const computed = checksum(table, this.data.subarray(from, end));
      if (computed !== stored) {
        this.warn(`${path}.crc`, offset, `The checksum of these bytes is ${computed}, not ${stored}.`);
      }
    }

    record(path) {
      const size = this.varint(`${path}.length`, "length"), start = this.pos;
      this.number(`${path}.attributes`, "int8");
      this.path = `${path}.timestampDelta`;
      const [delta, end] = VARLONG(this.data, this.pos);
      this.note(this.path, "varlong", end, delta);
      this.varint(`${path}.offsetDelta`);
      this.blob(`${path}.key`);
      this.blob(`${path}.value`);
      const headers = this.varint(`${path}.headers`, "count");
      for (let index = 0; index < headers; index += 1) {
        this.blob(`${path}.headers[${index}].key`);
        this.blob(`${path}.headers[${index}].value`);
      }
      if (this.pos - start !== size) {
        this.warn(`${path}.length`, start, `The record takes ${this.pos - start} bytes, its length says ${size}.`);
      }
    }

    blob(path) { this.content(path, this.varint(path, "length")); }

    content(path, size) {
      const end = this.pos + Math.max(size, 0);
      this.note(path, "bytes", end, this.data.subarray(this.pos, end));
    }

    message(path, start, end) {
      this.number(`${path}.offset`, "int64");
      const head = {};
      for (const [name, type, role] of MESSAGE_HEAD) head[name] = this.number(`${path}.${name}`, type, role);
      this.checkCrc(path, CRC32, start + 16, end, head.crc, start + BATCH_PREFIX);
      if (head.magic === 1) this.number(`${path}.timestamp`, "int64");
      this.content(`${path}.key`, this.number(`${path}.key`, "int32", "length"));
      if (head.attributes & 7) {
        this.number(`${path}.messages`, "int32", "length");
        this.note(`${path}.messages`, "", end, this.data.subarray(this.pos, end), "compressed");
      } else {
        this.content(`${path}.value`, this.number(`${path}.value`, "int32", "length"));
      }
    }
  }

  /** Read a record set: its spans, the offset after the last one, and why it stopped. */
  function readRecords(data) {
    const walk = new RecordWalk(data);
    let stop = null;
    try {
      walk.batches();
    } catch (error) {
      stop = stopped(error, "", walk.path);
    }
    return { spans: walk.spans, end: walk.pos, stop, notes: walk.notes };
  }

  /** Read the records of a decompressed batch of magic 2: its records without a head. */
  function readRecordBlock(data) {
    const walk = new RecordWalk(data);
    let stop = null;
    try {
      for (let index = 0; walk.pos < data.length; index += 1) walk.record(`records[${index}]`);
    } catch (error) {
      stop = stopped(error, "", walk.path);
    }
    return { spans: walk.spans, end: walk.pos, stop, notes: walk.notes };
  }

  /** The name of the codec in the attributes of a batch: gzip, ...; a number for an unknown one. */
  function codecName(attributes) {
    return CODECS[attributes & 7] ?? `codec ${attributes & 7}`;
  }

  // -- frames ------------------------------------------------------------------------------------------------------

  /** Test if the first four bytes are the size of the others. */
  function isFramed(data) {
    return data.length >= SIZE_BYTES && viewOf(data).getUint32(0) === data.length - SIZE_BYTES;
  }

  /** The API key and version of a request whose header begins at an offset; null if the bytes are too few. */
  function requestKey(data, pos) {
    if (data.length < pos + 8) return null;
    const view = viewOf(data);
    return { apiKey: view.getInt16(pos), version: view.getInt16(pos + 2) };
  }

  /** The request that bytes name in their header: {found, begins}, or {key} if the release does not have it.
   *
   * Bytes whose first four are not their size are read from the header on; if that is no request, as a frame
   * that was cut off.
   */
  function recognise(layouts, release, data) {
    const places = isFramed(data) ? [["size", SIZE_BYTES]] : [["header", 0], ["size", SIZE_BYTES]];
    for (const [begins, pos] of places) {
      const key = requestKey(data, pos);
      const request = key === null ? undefined : layouts.request(release, key.apiKey);
      const found = request === undefined ? null : layouts.at(release, request.name, key.version);
      if (found !== null) return { found, begins };
    }
    const key = requestKey(data, places[0][1]);
    return { key: key === null ? null : { ...key, name: layouts.request(release, key.apiKey)?.name } };
  }

  /** What the bytes of a message begin with: "size", "header" or "body". */
  function beginning(found, data) {
    if (found.header === null) return "body";
    if (isFramed(data)) return "size";
    if (found.message.kind !== "request") return "body";
    const key = requestKey(data, 0);
    return key !== null && key.apiKey === found.message.apiKey && key.version === found.version ? "header" : "body";
  }

  /** Read bytes as a message with what goes before it.
   *
   * found: what `Layouts.at` gives. begins: "size", "header" or "body".
   * Gives {spans, end, stop, notes, innerStops}: `stop` is null if the message was read to its end.
   */
  function readFrame(found, data, begins) {
    if (found.message.module === "records") return { ...readRecords(data), innerStops: [] };
    const read = { spans: [], end: 0, stop: null, notes: [], innerStops: [] };
    if (begins === "size") {
      if (data.length < SIZE_BYTES) {
        return { ...read, stop: { ...truncated(data, 0, SIZE_BYTES, 0), path: "size" } };
      }
      const size = viewOf(data).getInt32(0);
      read.spans.push({ start: 0, end: SIZE_BYTES, path: "size", type: "int32", role: "value", value: size });
      if (size !== data.length - SIZE_BYTES) {
        const text = `${data.length - SIZE_BYTES} bytes follow, the size says ${size}.`;
        read.notes.push({ path: "size", offset: 0, text });
      }
      read.end = SIZE_BYTES;
    }
    const parts = begins === "body" || found.header === null ? [] : [[found.header, "header."]];
    for (const [root, prefix] of [...parts, [found.root, ""]]) {
      const part = readMessage(root, data, read.end, prefix);
      for (const name of ["spans", "notes", "innerStops"]) for (const each of part[name]) read[name].push(each);
      read.end = part.end;
      read.stop = part.stop;
      if (part.stop !== null) break;
    }
    return read;
  }

  global.wireproofDecoder = {
    Layouts, readFrame, readMessage, readRecords, readRecordBlock, beginning, recognise, codecName,
  };
})(globalThis);
