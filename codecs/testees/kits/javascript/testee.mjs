// The testee protocol of wireproof, version 1, for codecs in JavaScript. It requires Node 18 and has no dependencies.
//
//   import { serve, DecodeError } from './testee.mjs'
//
//   await serve({
//     name: 'my-codec', version: '1.0.0',
//     claims: { FetchRequest: { encode: '0-11' } },
//     encode: (message, version, value) => someBuffer,
//   })
//
// An adapter implements any of these functions. Each may return a promise:
//
//   decode(message, version, data)            -> { value, consumed }
//   encode(message, version, value)           -> Buffer
//   reencode(message, version, data)          -> { data, consumed }
//   size(message, version, value)             -> number
//   frame(message, version, header, value)    -> Buffer
//   unframe(message, version, data)           -> { header, value, consumed }
//   feed(message, version, parts)             -> { value, consumed }: `parts` is an iterator of Buffers; see below
//   equal(message, version, data, other)      -> { equal, hashes }: compares the codec's objects; hashes is optional
//   copy(message, version, data)              -> Buffer: encodes a copy of the codec's object
//
// `feed` gives the parts of a frame to the codec's own reader of streams, and takes a part only if the codec wants more
// bytes. It returns undefined if the codec has no message after the last part. `consumed` has no bytes of a next frame.
//
// Primitives are in `primitives`, by name, with one or both functions. All of them are claimed:
//
//   Varint: { decode(data) -> { value, consumed }, encode(value) -> Buffer }
//
// Functions for messages that other data carry, such as the values of records, are in `embedded`. The argument `known`
// is what a Kafka reader knows before it reads: the message, the topic of a coordinator's key, or undefined:
//
//   decode(framing, known, data, key)            -> { message, version, value, consumed }
//   encode(framing, message, version, value)     -> Buffer or { data, key }
//   reencode(framing, known, data, key)          -> { data, key, consumed }
//   size(framing, message, version, value)       -> number
//
// Claim these in `embeddedClaims`. Claim record sets as the message RecordBatch: `compressions` lists their compressions,
// and `recordLimits` the parts that the codec cannot represent, in the protocol's words, such as 'tail'. Random record
// sets omit these.
//
// `recordValues: true` if the codec reads the records with the message: values hold record sets, in the form of RecordBatch,
// in place of the bytes of the fields of type records.
//
// `index` lists all messages that the library implements, read from the library itself: { FetchRequest: { encode: '0-11' } }.
// `unclaimed` gives the reasons for those without a claim: [{ reason: '...', messages: { FetchRequest: '4-11' } }].
//
// Throw DecodeError or EncodeError if the codec rejects its input with an error of its own, and Unsupported if its types
// cannot hold the value. Any other error is reported as an internal_error.
//
// Values are canonical JSON. In answers the kit also accepts a BigInt (written as a decimal string), a Buffer
// (hexadecimal digits), and NaN, infinities and -0 (their bits).

import fs from 'node:fs'

export const PROTOCOL = 1

/** Reports that the codec rejected the bytes. */
export class DecodeError extends Error {
  /**
   * @param {string} kind the name of the codec's error
   * @param {string} message
   * @param {number} [offset] of the rejected byte, if the codec reports it
   */
  constructor(kind, message, offset) {
    super(message)
    Object.assign(this, { kind, offset })
  }
}

/** Reports that the codec rejected the value. */
export class EncodeError extends Error {
  /**
   * @param {string} kind the name of the codec's error
   * @param {string} message
   * @param {string} [path] of the rejected field, if the codec reports it
   */
  constructor(kind, message, path) {
    super(message)
    Object.assign(this, { kind, path })
  }
}

/** Reports that the codec's types cannot hold the value. */
export class Unsupported extends Error {
  /**
   * @param {string} reason a name in `limits`
   * @param {string} message
   */
  constructor(reason, message) {
    super(message)
    this.reason = reason
  }
}

/** Converts a float64 from a number, or from the string of its bits. */
export const floatFromJson = (value) =>
  typeof value === 'string' ? Buffer.from(value.slice(2), 'hex').readDoubleBE() : value

const floatToJson = (value) => {
  if (Number.isFinite(value) && !Object.is(value, -0)) return value
  const bits = Buffer.alloc(8)
  bits.writeDoubleBE(value)
  return '0x' + bits.toString('hex')
}

/** Serves requests on standard input until a stop request or the end of the input, and exits the process. */
export async function serve(testee) {
  const output = new Output(takeStdout())
  for (const line of lines(0)) {
    const asked = JSON.parse(line)
    let stopped = false
    const list = Array.isArray(asked)
    if (list) output.add('[')
    for (const [index, request] of (list ? asked : [asked]).entries()) {
      if (index > 0) output.add(',')
      output.add(text({ id: request.id, ...(await answer(testee, request)) }))
      stopped ||= request.op === 'stop'
    }
    output.add(list ? ']\n' : '\n')
    output.flush()
    if (stopped) break
  }
  process.exit(0)
}

async function answer(testee, request) {
  try {
    switch (request.op) {
      case 'hello':
        return { ok: hello(testee) }
      case 'stop':
        return { ok: {} }
      default:
        return { ok: await call(testee, request) }
    }
  } catch (error) {
    return refusal(error)
  }
}

async function callEmbedded({ embedded = {} }, { op, framing, message, topic, version, data, key, value }) {
  if (!embedded[op]) throw new Error(`the operation ${op} of embedded data was not claimed`)
  if (op === 'size') return { size: await embedded.size(framing, message, version, value) }
  if (op === 'encode') {
    const written = await embedded.encode(framing, message, version, value)
    return Buffer.isBuffer(written) ? { data: written } : written
  }
  const known = message ?? topic
  return embedded[op](framing, known, Buffer.from(data, 'hex'), key === undefined ? undefined : Buffer.from(key, 'hex'))
}

async function callPrimitive({ primitives = {} }, { type, data, value }) {
  const { decode, encode } = primitives[type] ?? {}
  if (!(data === undefined ? encode : decode)) throw new Error(`the primitive ${type} was not claimed`)
  return data === undefined ? { data: await encode(value) } : decode(Buffer.from(data, 'hex'))
}

async function callFeed(testee, { message, version, parts }) {
  let given = 0
  function* stream() {
    for (const part of parts) {
      given++
      yield Buffer.from(part, 'hex')
    }
  }
  const found = await testee.feed(message, version, stream())
  if (found === undefined) throw new DecodeError('Incomplete', `no message after ${given} parts`)
  return { value: found.value, consumed: found.consumed, parts: given }
}

async function call(testee, request) {
  if (request.op === 'primitive') return callPrimitive(testee, request)
  if (request.framing !== undefined) return callEmbedded(testee, request)
  const { op, message, version, data, value, header } = request
  if (!testee[op]) throw new Error(`the operation ${op} was not claimed`)
  const bytes = data === undefined ? undefined : Buffer.from(data, 'hex')
  switch (op) {
    case 'feed':
      return callFeed(testee, request)
    case 'decode':
    case 'reencode':
    case 'unframe':
      return testee[op](message, version, bytes)
    case 'equal':
      return testee.equal(message, version, bytes, Buffer.from(request.other, 'hex'))
    case 'copy':
      return { data: await testee.copy(message, version, bytes) }
    case 'size':
      return { size: await testee.size(message, version, value) }
    case 'frame':
      return { data: await testee.frame(message, version, header, value) }
    default:
      return { data: await testee[op](message, version, value) }
  }
}

// Describes the error of an adapter that lacks an import, a name, a function or a member. Modules that import the kit are the
// adapter's. Returns undefined for any other error.
function lacking(error) {
  if (!(error instanceof Error)) return undefined
  const named = error instanceof ReferenceError || /^(ERR_)?MODULE_NOT_FOUND$/.test(error.code)
  const given = error instanceof TypeError && /^Cannot read properties of | is not a (function|constructor)$/.test(error.message)
  const place = named || given ? placeOf(error) : undefined
  if (place === undefined || !importsKit(place.file)) return undefined
  const words = `${error.constructor.name}: ${error.message.split('\n')[0]} at ${place.file.split('/').at(-1)}:${place.line}`
  const otherwise = 'the adapter lacks it, or what the codec returned does'
  return `${words}: ${named ? 'correct the adapter, or ask for a version that it takes' : otherwise}`
}

// Returns the innermost place of an error outside of Node. An import without its module names its file alone.
function placeOf(error) {
  const [, importing] = / imported from (.+)$/m.exec(error.message) ?? []
  if (importing !== undefined) return { file: importing, line: 1 }
  for (const line of String(error.stack).split('\n')) {
    const [, file, number] = /^ +at .*?((?:file:|wasm:|node:|\/)[^()]*):(\d+):\d+\)?$/.exec(line) ?? []
    if (file !== undefined && !file.startsWith('node:')) return { file, line: number }
  }
  return undefined
}

const kitImports = new Map() // by file, whether it imports the kit

function importsKit(file) {
  if (!kitImports.has(file)) {
    const path = file.startsWith('file:') ? new URL(file) : file
    const text = fs.existsSync(path) ? fs.readFileSync(path, 'utf8') : ''
    kitImports.set(file, /from\s+['"][^'"]*testee\.mjs['"]/.test(text))
  }
  return kitImports.get(file)
}

function refusal(error) {
  const { message } = error ?? {}
  if (error instanceof DecodeError) return { decode_error: { class: error.kind, message, offset: error.offset } }
  if (error instanceof EncodeError) return { encode_error: { class: error.kind, message, path: error.path } }
  if (error instanceof Unsupported) return { unsupported: { reason: error.reason, message } }
  console.error(error)
  const lacks = lacking(error)
  if (lacks) return { internal_error: { class: 'AdapterError', message: lacks } }
  return { internal_error: { class: error?.constructor?.name ?? typeof error, message: String(message ?? error) } }
}

function hello({ name, version, language, runtime, variant, links, claims, ...rest }) {
  const { embeddedClaims: embedded, compressions, recordLimits, recordValues, limits, names, refuses, whole, registry, index, unclaimed } = rest
  const codec = { name, version, language: language ?? 'javascript', runtime: runtime ?? `Node ${process.versions.node}`, variant, links }
  const ways = Object.entries(rest.primitives ?? {}).map(([name, calls]) => [name, Object.keys(calls)])
  const primitives = ways.length > 0 ? Object.fromEntries(ways) : undefined
  const claimed = { messages: claims, embedded, primitives, compressions, recordLimits, recordValues }
  return { protocol: PROTOCOL, codec, ...claimed, limits, names, refuses, whole, registry, index, unclaimed }
}

// A replacer for JSON.stringify. It calls Buffer.toJSON before the replacer: `this[key]` is the Buffer itself.
function canonical(key, value) {
  if (typeof value === 'bigint') return value.toString()
  if (typeof value === 'number') return floatToJson(value)
  const held = this[key]
  return Buffer.isBuffer(held) ? held.toString('hex') : value
}

const text = (value) => JSON.stringify(value, canonical)

// Yields the lines of a file descriptor. It reads synchronously: promises of the codec are awaited between two lines.
function* lines(descriptor) {
  const buffer = Buffer.allocUnsafe(1 << 16)
  let pieces = []
  for (;;) {
    let piece = buffer.subarray(0, read(descriptor, buffer))
    if (piece.length === 0) break
    for (let end; (end = piece.indexOf(10)) >= 0; piece = piece.subarray(end + 1)) {
      pieces.push(piece.subarray(0, end))
      const line = pieces.length === 1 ? pieces[0] : Buffer.concat(pieces)
      pieces = []
      yield line.toString('utf8')
    }
    if (piece.length > 0) pieces.push(Buffer.from(piece))
  }
  if (pieces.length > 0) yield Buffer.concat(pieces).toString('utf8')
}

const pause = new Int32Array(new SharedArrayBuffer(4))

function read(descriptor, buffer) {
  for (;;) {
    try {
      return fs.readSync(descriptor, buffer)
    } catch (error) {
      if (error.code === 'EOF') return 0
      if (error.code !== 'EAGAIN') throw error
      Atomics.wait(pause, 0, 0, 1) // the descriptor is non-blocking: wait a millisecond
    }
  }
}

// Writes answers in chunks of 64 KiB.
class Output {
  constructor(descriptor) {
    this.descriptor = descriptor
    this.pieces = []
    this.length = 0
  }

  add(piece) {
    this.pieces.push(piece)
    this.length += piece.length
    if (this.length > 1 << 16) this.flush()
  }

  flush() {
    let rest = Buffer.from(this.pieces.join(''))
    this.pieces = []
    this.length = 0
    while (rest.length > 0) {
      try {
        rest = rest.subarray(fs.writeSync(this.descriptor, rest))
      } catch (error) {
        if (error.code !== 'EAGAIN') throw error
        Atomics.wait(pause, 0, 0, 1)
      }
    }
  }
}

// Returns a descriptor for the answers and redirects standard output to standard error. On Linux this includes native
// code: descriptor 1 is reopened as the file of descriptor 2.
function takeStdout() {
  const toStderr = process.stderr.write.bind(process.stderr)
  process.stdout.write = toStderr
  try {
    const kept = fs.openSync('/proc/self/fd/1', 'w')
    fs.closeSync(1)
    fs.openSync('/proc/self/fd/2', 'a') // gets the lowest free number, which is 1
    return kept
  } catch {
    return 1 // a socket cannot be reopened, and other systems do not have /proc
  }
}
