// A testee for the tests of the JavaScript kit: each operation, each kind of answer, and output of the codec.
import fs from 'node:fs'
import { DecodeError, EncodeError, Unsupported, floatFromJson, serve } from './testee.mjs'

const lacks = [
  () => noSuchName,
  () => import('no-such-codec'),
  () => fs.noSuchFunction(),
  () => lacks.mapping.member,
  (data) => JSON.parse(`{"data": ${data.length}`),
]

await serve({
  name: 'tiny',
  version: '1.0.0',
  claims: { Tiny: { decode: '0-1', encode: '0', reencode: '0', size: '0', frame: '0', unframe: '0', feed: '0', equal: '0', copy: '0' } },
  embeddedClaims: { Tiny: { decode: '0', encode: '0', reencode: '0', size: '0' } },
  compressions: ['none', 'gzip'],
  recordLimits: ['tail'],
  recordValues: true,
  limits: { mood: 'it has none' },
  refuses: true,
  whole: true,
  registry: [{ apiKey: -1, request: { message: 'Tiny', versions: '0', headers: { 0: 2 } } }],
  decode(message, version, data) {
    console.log('printed by the codec')
    fs.writeSync(1, 'written by the codec\n')
    if (data.length === 0) throw new DecodeError('Empty', 'nothing', 2)
    if (data.length === 1) throw new TypeError('one byte')
    if (data.length === 4) return lacks[data[0]](data)
    return { value: { version, data, long: 2n ** 63n - 1n, floats: [NaN, -0, 1.5, null] }, consumed: data.length }
  },
  async encode(message, version, value) {
    if (!('data' in value)) throw new EncodeError('Missing', 'no data', 'data')
    if (value.data === null) throw new Unsupported('mood', 'not today')
    return Buffer.from(value.data, 'hex')
  },
  reencode: (message, version, data) => ({ data, consumed: data.length }),
  size: (message, version, value) => Object.keys(value).length,
  frame(message, version, header, value) {
    const frame = Buffer.alloc(8)
    frame.writeDoubleBE(floatFromJson(value.float))
    return frame
  },
  unframe: (message, version, data) => ({ header: {}, value: {}, consumed: data.length }),
  // The first byte of a frame is the number of bytes after it.
  feed(message, version, parts) {
    let held = Buffer.alloc(0)
    for (const part of parts) {
      held = Buffer.concat([held, part])
      if (held.length > held[0]) return { value: { length: held[0] }, consumed: held[0] + 1 }
    }
  },
  equal: (message, version, data, other) => ({ equal: data.equals(other), hashes: data.length === other.length }),
  copy: (message, version, data) => data,
  primitives: {
    Int8: { decode: (data) => ({ value: data.readInt8(), consumed: 1 }), encode: (value) => Buffer.from([value]) },
    NullableString: { encode: (value) => Buffer.from(value === null ? 'ffff' : '0000', 'hex') },
    NullableBytes: { decode: () => ({ value: null, consumed: 4 }) },
  },
  embedded: {
    decode: (framing, known, data, key) => ({
      message: 'Tiny',
      version: 3,
      value: { framing, known: known ?? '', key: key ?? null },
      consumed: data.length,
    }),
    encode: () => ({ data: Buffer.from('0003', 'hex'), key: Buffer.from('09', 'hex') }),
    reencode: (framing, known, data) => ({ data, consumed: data.length }),
    size: (framing, message, version, value) => Object.keys(value).length,
  },
})
