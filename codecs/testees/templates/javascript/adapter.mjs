// The adapter of my-codec: the calls of the codec, and nothing else. The protocol is in the kit.

import { DecodeError, serve } from './testee.mjs'
import * as codec from './codec.mjs' // the stand-in beside this file: import yours, and let testee.toml install it

// Bytes to the codec's own object, and how many of them it took. Its refusals are told as such; anything else that
// it throws is a failure of the codec.
function read(message, version, data) {
  try {
    return codec[`decode${message}`](version, data)
  } catch (error) {
    if (error instanceof codec.MalformedError) throw new DecodeError(error.name, error.message)
    throw error
  }
}

// The codec's own object to bytes.
const write = (message, version, thing) => codec[`encode${message}`](version, thing)

// The object as canonical JSON: Kafka's names, the fields of this version. A Buffer, a BigInt and a float may stay.
function toValue(version, thing) {
  if (version < 3) return {}
  const value = { clientSoftwareName: thing.name, clientSoftwareVersion: thing.version }
  return thing.tags.size > 0 ? { ...value, _tags: Object.fromEntries(thing.tags) } : value
}

// Canonical JSON as an object; a key that is absent is left to the codec.
function fromValue({ clientSoftwareName, clientSoftwareVersion, _tags }) {
  const tags = Object.entries(_tags ?? {}).map(([tag, hex]) => [Number(tag), Buffer.from(hex, 'hex')])
  return { name: clientSoftwareName, version: clientSoftwareVersion, tags: new Map(tags) }
}

await serve({
  name: 'my-codec',
  version: '0.1.0', // better asked of the codec
  claims: { ApiVersionsRequest: { decode: '0-3', encode: '0-3', reencode: '0-3' } },
  // Record sets are the message RecordBatch, with `compressions`; what others carry is for `embedded`.
  // All that your codec has, out of its own index; what of that is not claimed goes into `unclaimed`, with why.
  index: { ApiVersionsRequest: { encode: '0-3', decode: '0-3' } },
  decode(message, version, data) {
    const { thing, consumed } = read(message, version, data)
    return { value: toValue(version, thing), consumed }
  },
  encode: (message, version, value) => write(message, version, fromValue(value)),
  reencode(message, version, data) {
    const { thing, consumed } = read(message, version, data)
    return { data: write(message, version, thing), consumed }
  },
})
